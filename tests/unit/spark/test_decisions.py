"""What a test for null tells of a value, by what was done to the value before."""

from __future__ import annotations

import pytest

from headwater_facets.kinds import Access, LineageType, Manipulation, Subtype
from headwater_spark.tracing.values.value import COPY, How

NULL_TEST = How(LineageType.INDIRECT, Subtype.CONDITIONAL, access=Access.NULL_TEST)
BEFORE = {
    "moved": (COPY, Access.NULL_TEST),
    "taken out of a struct": (How(manipulation=(Manipulation.EXTRACT,)), Access.NULL_TEST),
    "hashed": (How(subtype=Subtype.TRANSFORMATION, masking=True), Access.NULL_TEST),
    "summed": (
        How(subtype=Subtype.AGGREGATION, manipulation=(Manipulation.AGGREGATE,)),
        Access.NULL_TEST,
    ),
    "parsed, which may fail": (
        How(subtype=Subtype.TRANSFORMATION, manipulation=(Manipulation.PARSE,)),
        Access.CONDITION,
    ),
    "decided about by its value": (
        How(LineageType.INDIRECT, Subtype.CONDITIONAL, access=Access.CONDITION),
        Access.CONDITION,
    ),
    "found in a map": (How(LineageType.INDIRECT, Subtype.CONDITIONAL, access=Access.INDEX), Access.INDEX),
    "collected": (How(LineageType.INDIRECT, Subtype.CONDITIONAL, access=Access.DRIVER), Access.DRIVER),
}


@pytest.mark.parametrize(("before", "access"), BEFORE.values(), ids=list(BEFORE))
def test_a_test_for_null_tells_of_what_was_computed_or_decided_alone(before: How, access: Access) -> None:
    assert NULL_TEST.after(before).access is access
