"""The form that each kind of transformation gives a value."""

from __future__ import annotations

import pytest

from headwater_backend.domain.model import LineageType, Transformation
from headwater_backend.privacy.forms import WHOLE, Arrival, Form, arrival, onward


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
    "aggregated, as another producer says": (direct("AGGREGATION"), Form.AGGREGATED),
    "copied, as another producer says": (direct("IDENTITY"), Form.IDENTITY),
    "a filter": (Transformation(LineageType.INDIRECT, "FILTER"), Form.INFLUENCED),
}


@pytest.mark.parametrize(("transformation", "form"), FORMS.values(), ids=list(FORMS))
def test_the_form_of_a_value(transformation: Transformation, form: Form) -> None:
    assert arrival(transformation).form is form


def test_a_pseudonym_that_is_decrypted_is_readable_again() -> None:
    encrypted = onward(WHOLE, (direct("TRANSFORMATION", "MASK", by=("aes_encrypt",)),))
    assert encrypted == (Arrival(Form.PSEUDONYMISED),)
    decrypted = onward(encrypted[0], (direct("TRANSFORMATION", "COMPUTE", by=("aes_decrypt",)),))
    assert decrypted == (Arrival(Form.TRANSFORMED),)


def test_a_mask_cannot_be_decrypted() -> None:
    masked = Arrival(Form.MASKED)
    assert onward(masked, (direct("TRANSFORMATION", "COMPUTE", by=("aes_decrypt",)),)) == (masked,)
