"""The form that each kind of transformation gives a value."""

from __future__ import annotations

import pytest

from headwater_backend.domain.model import LineageType, Transformation
from headwater_backend.privacy.forms import WHOLE, Arrival, Form, form_table


def direct(
    subtype: str, *manipulation: str, by: tuple[str, ...] = (), masking: bool = False
) -> Transformation:
    return Transformation(
        subtype=subtype, masking=masking or "MASK" in manipulation, manipulation=manipulation, functions=by
    )


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
    "masked": (direct("TRANSFORMATION", "MASK", by=("mask",)), Form.MASKED),
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
