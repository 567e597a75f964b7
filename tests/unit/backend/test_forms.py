"""The form that each kind of transformation gives a value."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headwater_backend.domain.model import LineageType, Transformation
from headwater_backend.domain.transformations import may_carry
from headwater_backend.privacy.forms import WHOLE, Arrival, Form, form_table, of_rows
from headwater_backend.privacy.policies import DEFAULT_ALLOWED


def direct(
    subtype: str, *manipulation: str, by: tuple[str, ...] = (), masking: bool = False
) -> Transformation:
    return Transformation(
        subtype=subtype, masking=masking or "MASK" in manipulation, manipulation=manipulation, functions=by
    )


def decision(access: str | None) -> Transformation:
    return Transformation(LineageType.INDIRECT, "CONDITIONAL", access=access)


FORMS = {
    "moved": (direct("IDENTITY", "EXTRACT", "FLATTEN"), Form.IDENTITY),
    "collected": (direct("AGGREGATION", "NEST"), Form.IDENTITY),
    "picked": (direct("AGGREGATION", "PICK"), Form.IDENTITY),
    "cast, then picked": (direct("AGGREGATION", "CAST", "PICK"), Form.TRANSFORMED),
    "computed": (direct("TRANSFORMATION", "COMPUTE", by=("upper",)), Form.TRANSFORMED),
    "through a user function": (direct("TRANSFORMATION", "OPAQUE", by=("score",)), Form.TRANSFORMED),
    "hashed": (direct("TRANSFORMATION", "CAST", "MASK", by=("sha2",)), Form.PSEUDONYMISED),
    "trimmed, then hashed": (
        direct("TRANSFORMATION", "COMPUTE", "MASK", by=("trim", "sha2")),
        Form.PSEUDONYMISED,
    ),
    "hashed, then collected": (direct("AGGREGATION", "MASK", "NEST", by=("sha2",)), Form.PSEUDONYMISED),
    "masked by arguments that may keep all": (
        direct("TRANSFORMATION", "MASK", by=("mask",)),
        Form.TRANSFORMED,
    ),
    "a hash that can be tried out": (direct("TRANSFORMATION", "MASK", by=("xxhash64",)), Form.TRANSFORMED),
    "the most frequent values": (direct("AGGREGATION", "AGGREGATE", by=("approx_top_k",)), Form.TRANSFORMED),
    "an aggregate without a name": (direct("AGGREGATION", "AGGREGATE"), Form.TRANSFORMED),
    "a decision": (decision("CONDITION"), Form.DERIVED),
    "what is found in a map": (decision("INDEX"), Form.DERIVED),
    "a decision, as another producer says": (decision(None), Form.DERIVED),
    "a test for null": (decision("NULL_TEST"), Form.INFLUENCED),
    "a decision by a constant of the program": (decision("DRIVER"), Form.INFLUENCED),
    "masked by an unknown function": (direct("TRANSFORMATION", "MASK", by=("hide",)), Form.PSEUDONYMISED),
    "masked by a function without a name": (direct("TRANSFORMATION", "MASK"), Form.PSEUDONYMISED),
    "encrypted, then decrypted": (
        direct("TRANSFORMATION", "MASK", "COMPUTE", by=("aes_encrypt", "aes_decrypt")),
        Form.TRANSFORMED,
    ),
    "summed": (direct("AGGREGATION", "AGGREGATE", by=("sum",)), Form.AGGREGATED),
    "counted": (direct("AGGREGATION", "COUNT", masking=True), Form.AGGREGATED),
    "the number of its elements": (direct("TRANSFORMATION", "COUNT", masking=True), Form.MASKED),
    "masked, as another producer says": (direct("TRANSFORMATION", masking=True), Form.PSEUDONYMISED),
    "aggregated by an unknown function, which may be max": (direct("AGGREGATION"), Form.TRANSFORMED),
    "masked and aggregated by unknown functions": (direct("AGGREGATION", masking=True), Form.PSEUDONYMISED),
    "copied, as another producer says": (direct("IDENTITY"), Form.IDENTITY),
    "a filter": (Transformation(LineageType.INDIRECT, "FILTER"), Form.INFLUENCED),
}


@pytest.mark.parametrize(("transformation", "form"), FORMS.values(), ids=list(FORMS))
def test_the_form_of_a_value(transformation: Transformation, form: Form) -> None:
    assert form_table().arrival(transformation).form is form


RETAINED = {
    "VALUE": Form.IDENTITY,
    "CONTAINS": Form.TRANSFORMED,
    "PART": Form.TRANSFORMED,
    "TOKEN": Form.PSEUDONYMISED,
    "KEYED_TOKEN": Form.PSEUDONYMISED,
    "OF_FEW": Form.TRANSFORMED,
    "STATISTIC": Form.AGGREGATED,
    "of a later version": Form.TRANSFORMED,
}


@pytest.mark.parametrize(("retains", "form"), RETAINED.items())
@pytest.mark.parametrize("subtype", ["TRANSFORMATION", "AGGREGATION"])
def test_what_can_be_read_back_decides(subtype: str, retains: str, form: Form) -> None:
    """Neither the functions nor the operator's class does."""
    by = replace(direct(subtype, "MASK", "AGGREGATE", by=("sha2", "sum", "mask")), retains=retains)
    assert form_table().arrival(replace(by, masking=False)).form is form


FACTS = {
    "of one value": (direct("TRANSFORMATION", "COMPUTE", by=("length",)), Form.DERIVED),
    "summed up": (direct("AGGREGATION", "COMPUTE", "AGGREGATE", by=("length", "sum")), Form.AGGREGATED),
    "picked out": (direct("AGGREGATION", "COMPUTE", "PICK", by=("length",)), Form.DERIVED),
    "summed up and picked out": (direct("AGGREGATION", "AGGREGATE", "PICK", by=("sum",)), Form.DERIVED),
    "about all of a group": (direct("AGGREGATION", "AGGREGATE", by=("bool_and",)), Form.DERIVED),
}


@pytest.mark.parametrize(("transformation", "form"), FACTS.values(), ids=list(FACTS))
def test_a_fact_is_one_of_a_record_unless_it_is_summed_up(transformation: Transformation, form: Form) -> None:
    fact = replace(transformation, retains="FACT")
    assert form_table().arrival(fact).form is form
    assert form_table().arrival(fact, of_one=True).form is Form.DERIVED


@pytest.mark.parametrize("retains", ["VALUE", "CONTAINS", "PART", "OF_FEW"])
def test_what_is_readable_is_never_allowed_by_default(retains: str) -> None:
    readable = replace(direct("AGGREGATION", "AGGREGATE", masking=True, by=("sum", "mask")), retains=retains)
    for of_one in (False, True):
        assert form_table().arrival(readable, of_one=of_one).form not in DEFAULT_ALLOWED


def test_a_statistic_of_one_person_is_computed_from_that_persons_values() -> None:
    statistic = replace(direct("AGGREGATION", "AGGREGATE"), retains="STATISTIC")
    assert form_table().arrival(statistic, of_one=True).form is Form.TRANSFORMED


def test_a_mask_is_masked_where_nothing_can_be_read_back() -> None:
    mask = replace(direct("TRANSFORMATION", "MASK", by=("mask",)), retains="FACT")
    assert form_table().arrival(mask).form is Form.MASKED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Form.IDENTITY, Form.DERIVED),
        (Form.TRANSFORMED, Form.DERIVED),
        (Form.PSEUDONYMISED, Form.DERIVED),
        (Form.AGGREGATED, Form.AGGREGATED),
        (Form.MASKED, Form.MASKED),
        (Form.POSSIBLE, Form.POSSIBLE),
        (Form.INFLUENCED, Form.INFLUENCED),
    ],
)
def test_a_decision_writes_what_is_readable_and_reads_pseudonyms_by_the_program(
    before: Form, after: Form
) -> None:
    assert form_table().onward(Arrival(before), (decision("CONDITION"),)) == (Arrival(after),)


def test_a_decision_about_a_whole_dataset_is_about_its_rows() -> None:
    kinds = of_rows((decision("CONDITION"), direct("IDENTITY")))
    assert form_table().onward(WHOLE, kinds) == (WHOLE, Arrival(Form.INFLUENCED, "CONDITIONAL"))
    assert [may_carry(kind) for kind in kinds] == [False, True]


def test_a_pseudonym_that_is_decrypted_is_readable_again() -> None:
    encrypted = form_table().onward(WHOLE, (direct("TRANSFORMATION", "MASK", by=("aes_encrypt",)),))
    assert encrypted == (Arrival(Form.PSEUDONYMISED),)
    decrypted = form_table().onward(encrypted[0], (direct("TRANSFORMATION", "COMPUTE", by=("aes_decrypt",)),))
    assert decrypted == (Arrival(Form.TRANSFORMED),)


def test_a_mask_cannot_be_decrypted() -> None:
    masked = Arrival(Form.MASKED)
    assert form_table().onward(masked, (direct("TRANSFORMATION", "COMPUTE", by=("aes_decrypt",)),)) == (
        masked,
    )


OWN = (
    ("tokenize", Form.PSEUDONYMISED),
    ("detokenize", Form.IDENTITY),
    ("mask", Form.TRANSFORMED),
    ("hide", Form.MASKED),
)


@pytest.mark.parametrize(
    ("transformation", "form"),
    [
        (direct("TRANSFORMATION", "OPAQUE", by=("tokenize",)), Form.PSEUDONYMISED),
        (direct("TRANSFORMATION", "OPAQUE", by=("Tokenize",)), Form.PSEUDONYMISED),
        (direct("TRANSFORMATION", "COMPUTE", "OPAQUE", by=("trim", "tokenize")), Form.PSEUDONYMISED),
        (direct("TRANSFORMATION", "MASK", by=("hide",)), Form.MASKED),
        (direct("TRANSFORMATION", "MASK", by=("mask",)), Form.TRANSFORMED),
        (direct("AGGREGATION", "OPAQUE", "AGGREGATE", by=("tokenize", "sum")), Form.AGGREGATED),
        (direct("TRANSFORMATION", "OPAQUE", by=("detokenize",)), Form.IDENTITY),
        (direct("TRANSFORMATION", "OPAQUE", "COMPUTE", by=("detokenize", "upper")), Form.TRANSFORMED),
    ],
)
def test_a_company_says_what_its_functions_make_of_a_value(
    transformation: Transformation, form: Form
) -> None:
    assert form_table(OWN).arrival(transformation).form is form


def test_a_companys_function_makes_its_pseudonym_readable_again() -> None:
    table = form_table(OWN)
    (token,) = table.onward(WHOLE, (direct("TRANSFORMATION", "OPAQUE", by=("tokenize",)),))
    assert table.onward(token, (direct("TRANSFORMATION", "OPAQUE", by=("detokenize",)),)) == (WHOLE,)
