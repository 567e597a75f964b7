"""The JSON of answers with tables, which is that of lists of objects."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater_graphql.engine.columnar import Repeated, Table
from headwater_graphql.http.answer_json import encode

TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
ROWS = st.lists(st.tuples(VALUES, VALUES), max_size=20)


def table(**columns: Any) -> Table[dict[str, Any]]:
    return Table(dict, lambda: columns)


@given(ROWS, TEXTS)
def test_a_table_is_encoded_as_the_list_of_its_rows(rows: list[tuple[Any, Any]], beside: str) -> None:
    of_rows = table(one=[one for one, _ in rows], other=[other for _, other in rows])
    listed = [{"one": one, "other": other} for one, other in rows]

    answer = {"before": beside, "tables": [of_rows, {"within": of_rows}], "after": beside}

    assert json.loads(encode(answer)) == {**answer, "tables": [listed, {"within": listed}]}


def test_a_repeated_value_is_at_each_of_its_places() -> None:
    many = 1_000
    numbers = Repeated([place % 700 for place in range(many)], list(range(700)))
    names = Repeated([place % 2 for place in range(many)], [{"name": '"quoted"'}, {"name": "β"}])

    answer = json.loads(encode({"rows": table(number=numbers, of=names)}))

    assert answer["rows"] == [
        {"number": place % 700, "of": {"name": "β" if place % 2 else '"quoted"'}} for place in range(many)
    ]


def test_an_answer_without_tables_is_encoded_as_it_is() -> None:
    assert encode({"data": {"a": [1, "b", None, 2.5]}}) == b'{"data":{"a":[1,"b",null,2.5]}}'


def test_another_object_cannot_be_encoded() -> None:
    with pytest.raises(Exception, match="object"):
        encode({"data": object()})


def test_values_that_are_repeated_together_stay_with_their_rows_and_names() -> None:
    places = [2, 0, 2, 1]
    letters, numbers = Repeated(places, ["a", "b", "c"]), Repeated(places, [0, 1, 2])
    others = Repeated([0, 1, 0, 1], [True, False])

    answer = json.loads(
        encode({"rows": table(a=letters, b=numbers, c=others, d=["w", "x", "y", "z"], e=numbers)})
    )

    assert answer["rows"] == [
        {"a": "c", "b": 2, "c": True, "d": "w", "e": 2},
        {"a": "a", "b": 0, "c": False, "d": "x", "e": 0},
        {"a": "c", "b": 2, "c": True, "d": "y", "e": 2},
        {"a": "b", "b": 1, "c": False, "d": "z", "e": 1},
    ]
