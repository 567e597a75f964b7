"""The executor for large lists returns the same data and errors as graphql-core's own."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import pytest
import strawberry
from hypothesis import given, settings
from hypothesis import strategies as some
from strawberry.scalars import JSON

from headwater_graphql.engine.columnar import Repeated, Table
from headwater_graphql.engine.execution import WORTH_IT, ColumnExecutor


@strawberry.enum
class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@strawberry.type
class Leaf:
    text: str
    colour: Colour | None
    marks: list[int]


@strawberry.type
class Branch:
    number: int
    weight: float
    leaves: list[Leaf]
    first: Leaf | None
    extra: JSON
    grid: list[list[str]]

    @strawberry.field
    def doubled(self) -> int:
        return self.number * 2


@strawberry.type
class Tree:
    leaves: Sequence[Leaf]
    others: Sequence[Leaf]


SHARED = Leaf(text="shared", colour=Colour.BLUE, marks=[])
COUNT = WORTH_IT * 3


def branch(number: int) -> Branch:
    leaves = [
        SHARED,
        Leaf(text=f"leaf {number}", colour=None if number % 3 else Colour.RED, marks=[number] * (number % 4)),
    ]
    return Branch(
        number=number,
        weight=number / 4,
        leaves=leaves[: number % 3],
        first=leaves[0] if number % 2 else None,
        extra=JSON({"n": [number, None]}),
        grid=[["a"] * (number % 3), [str(number)]],
    )


def columns() -> dict[str, list[Any]]:
    branches = [branch(number) for number in range(COUNT)]
    names = ("number", "weight", "leaves", "first", "extra", "grid")
    return {name: [getattr(each, name) for each in branches] for name in names}


@strawberry.type
class Query:
    @strawberry.field
    def branches(self) -> list[Branch]:
        return [branch(number) for number in range(COUNT)]

    @strawberry.field
    def perhaps(self) -> list[Branch | None]:
        return [branch(number) if number % 3 else None for number in range(COUNT)]

    @strawberry.field
    def gap(self) -> list[Branch] | None:
        return [branch(number) if number != 5 else None for number in range(COUNT)]  # type: ignore[misc]

    @strawberry.field
    def too_large(self) -> list[Branch] | None:
        return [branch(2**40 if number == 7 else number) for number in range(COUNT)]

    @strawberry.field
    def in_columns(self) -> Sequence[Branch]:
        return Table(Branch, columns)

    @strawberry.field
    def in_repeated_columns(self) -> Sequence[Branch]:
        places = [number % 5 for number in range(COUNT)]
        return Table(
            Branch, lambda: {name: Repeated(places, values[:5]) for name, values in columns().items()}
        )

    @strawberry.field
    def in_short_columns(self) -> Sequence[Leaf]:
        return Table(Leaf, lambda: {"text": ["a"], "colour": [None], "marks": [[1, 2]]})

    @strawberry.field
    def gap_in_columns(self) -> Sequence[Branch] | None:
        return Table(Branch, lambda: {**columns(), "number": [None, *range(1, COUNT)]})

    @strawberry.field
    def not_text(self) -> list[Leaf | None]:
        wrong: Any = [1]
        texts = ["fits"] * COUNT + [wrong]
        return [Leaf(text=text, colour=None, marks=[]) for text in texts]


OURS = strawberry.Schema(Query, execution_context_class=ColumnExecutor)
THEIRS = strawberry.Schema(Query)


def answered(schema: strawberry.Schema, query: str) -> tuple[Any, list[Any]]:
    """Return the data and the errors."""
    result = schema.execute_sync(query)
    return result.data, [error.formatted for error in result.errors or ()]


QUERIES = {
    "plain fields": "{ branches { number weight grid } }",
    "nested lists of objects": "{ branches { leaves { text colour marks } first { text marks } } }",
    "type names, aliases and fragments": """
        query ($no: Boolean = false) {
          branches { __typename n: number ...More leaves @skip(if: $no) { t: text t2: text } extra @include(if: $no) }
        }
        fragment More on Branch { first { ... on Leaf { colour __typename } } number }
    """,
    "a scalar of any form": "{ branches { extra } }",
    "a field with a resolver": "{ branches { number doubled leaves { text } } }",
    "nothing, by a condition": "{ branches { number @skip(if: true) } inColumns { number @skip(if: true) } }",
    "nulls where they may be": "{ perhaps { number first { text } } }",
    "a null where none may be": "{ gap { number } branches { number } }",
    "columns": "{ inColumns { number n: number leaves { text colour } first { marks } extra grid __typename } }",
    "repeated columns": "{ inRepeatedColumns { number leaves { text colour } first { marks } extra grid __typename } }",
    "columns and a field with a resolver": "{ inColumns { number doubled } }",
    "few columns": "{ inShortColumns { text colour marks } }",
    "a null in a column where none may be": "{ gapInColumns { number } inColumns { number } }",
    "a number that does not fit": "{ tooLarge { number } }",
    "a text that is none": "{ notText { text } }",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_the_executor_answers_like_that_of_graphql_core(query: str) -> None:
    assert answered(OURS, query) == answered(THEIRS, query)


FIELDS: dict[str, dict[str, str | None]] = {
    "Query": {
        "branches": "Branch",
        "perhaps": "Branch",
        "gap": "Branch",
        "tooLarge": "Branch",
        "inColumns": "Branch",
        "inShortColumns": "Leaf",
        "gapInColumns": "Branch",
        "notText": "Leaf",
    },
    "Branch": {
        "number": None,
        "weight": None,
        "leaves": "Leaf",
        "first": "Leaf",
        "extra": None,
        "grid": None,
        "doubled": None,
    },
    "Leaf": {"text": None, "colour": None, "marks": None},
}
"""The fields of each type, with their types unless they are leaves."""
FRAGMENTS = {
    "...OfBranch": "fragment OfBranch on Branch { weight b: number first { l: text } }",
    "...OfLeaf": "fragment OfLeaf on Leaf { l: text colour @skip(if: $yes) }",
}
CONDITIONS = ("", "", "", "@skip(if: $yes)", "@skip(if: $no)", "@include(if: $yes)", "@include(if: $no)")


@some.composite
def selections(draw: some.DrawFn, kind: str) -> str:
    """Selections of a type: aliased, conditional and repeated fields, in fragments and without."""
    parts = []
    for _ in range(draw(some.integers(1, 4))):
        field = draw(some.sampled_from(sorted(FIELDS[kind])))
        inner = FIELDS[kind][field]
        selection = (
            f"{field} {draw(some.sampled_from(CONDITIONS))} {draw(selections(inner)) if inner else ''}"
        )
        ways = [selection, f"as_{field}: {selection}", "__typename", f"... on {kind} {{ {selection} }}"]
        ways += [f"...Of{kind}"] if kind != "Query" else []
        parts.append(draw(some.sampled_from(ways)))
    return f"{{ {' '.join(parts)} }}"


@given(selections("Query"))
@settings(max_examples=200, deadline=None)
def test_the_executor_answers_any_selection_like_that_of_graphql_core(selection: str) -> None:
    conditions = "q: __typename @skip(if: $yes) @include(if: $no)"
    fragments = [text for spread, text in FRAGMENTS.items() if spread in selection]
    query = f"query ($yes: Boolean = true, $no: Boolean = false) {{ {conditions} ... on Query {selection} }}"
    data, errors = answered(THEIRS, "\n".join([query, *fragments]))

    assert all("path" in error for error in errors), "the query is none"
    assert answered(OURS, "\n".join([query, *fragments])) == (data, errors)


def test_fields_are_in_the_order_of_the_query() -> None:
    done, _ = answered(OURS, "{ branches { weight number leaves { marks text } } }")

    assert [list(each) for each in done["branches"]] == [["weight", "number", "leaves"]] * COUNT


def test_a_list_of_plain_objects_is_completed_without_a_path_for_each_value() -> None:
    looked_at = []

    class Watched(ColumnExecutor):
        def complete_value(self, of: Any, *rest: Any) -> Any:
            looked_at.append(of)
            return super().complete_value(of, *rest)

    strawberry.Schema(Query, execution_context_class=Watched).execute_sync("{ branches { leaves { text } } }")

    assert len(looked_at) < COUNT


def test_a_table_creates_no_objects_for_plain_fields_and_no_unselected_columns() -> None:
    made: list[str] = []

    def leaf(**_: Any) -> Leaf:
        made.append("a leaf")
        return SHARED

    def columns_of(name: str) -> dict[str, list[Any]]:
        made.append(name)
        return {"text": [name] * COUNT, "colour": [None] * COUNT}

    @strawberry.type
    class Garden:
        @strawberry.field
        def tree(self) -> Tree:
            return Tree(
                leaves=Table(leaf, lambda: columns_of("leaves")),
                others=Table(leaf, lambda: columns_of("others")),
            )

    schema = strawberry.Schema(Garden, execution_context_class=ColumnExecutor)
    data, errors = answered(schema, "{ tree { leaves { text } } }")

    assert (data, errors) == ({"tree": {"leaves": [{"text": "leaves"}] * COUNT}}, [])
    assert made == ["leaves"]


def test_a_table_is_a_list() -> None:
    table = Table(Leaf, lambda: {"text": ["a", "b", "c"], "colour": [None] * 3, "marks": [[]] * 3})

    assert [leaf.text for leaf in table] == ["a", "b", "c"]
    assert (len(table), table[-1].text, [leaf.text for leaf in table[1:]]) == (3, "c", ["b", "c"])
    assert table == list(table)
    assert table != list(table)[1:]


def test_a_repeated_column_is_a_list() -> None:
    column = Repeated([0, 1, 0], ["a", "b"])

    assert list(column) == ["a", "b", "a"]
    assert (len(column), column[-2], list(column[1:])) == (3, "b", ["b", "a"])


def test_a_column_of_few_distinct_values_has_each_of_them_once() -> None:
    column = Repeated.of([("a",), ("b",), ("a",)])

    assert (column.values, list(column)) == ([("a",), ("b",)], [("a",), ("b",), ("a",)])
