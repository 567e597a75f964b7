"""Functions have the names under which Spark documents them, whatever its classes are called."""

from __future__ import annotations

import pytest

from headwater_plan.functions import UNRESOLVED
from headwater_spark.decode.functions import function_of


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("Upper", "upper"),
        ("GetJsonObject", "get_json_object"),
        ("ArrayDistinct", "array_distinct"),
        ("Average", "avg"),
        ("StringTrimLeft", "ltrim"),
        ("EqualTo", "="),
        ("And", "and"),
        ("DateAdd", "date_add"),
    ],
)
def test_a_class_is_called_as_its_function_is_documented(name: str, function: str) -> None:
    assert function_of(name) == function


def test_what_the_analyser_had_to_replace_has_no_name_of_its_own() -> None:
    assert function_of("UnresolvedFunction") == UNRESOLVED
