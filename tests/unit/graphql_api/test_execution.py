"""The executor for large lists answers, and fails, exactly as graphql-core's own does."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
import strawberry
from strawberry.scalars import JSON

from headwater_graphql.execution import WORTH_IT, ColumnExecutor


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
    said: JSON
    grid: list[list[str]]

    @strawberry.field
    def doubled(self) -> int:
        return self.number * 2


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
        said=JSON({"n": [number, None]}),
        grid=[["a"] * (number % 3), [str(number)]],
    )


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
    def not_text(self) -> list[Leaf | None]:
        wrong: Any = [1]
        texts = ["fits"] * COUNT + [wrong]
        return [Leaf(text=text, colour=None, marks=[]) for text in texts]


QUERIES = {
    "plain fields": "{ branches { number weight grid } }",
    "nested lists of objects": "{ branches { leaves { text colour marks } first { text marks } } }",
    "type names, aliases and fragments": """
        query ($no: Boolean = false) {
          branches { __typename n: number ...More leaves @skip(if: $no) { t: text t2: text } said @include(if: $no) }
        }
        fragment More on Branch { first { ... on Leaf { colour __typename } } number }
    """,
    "a scalar of any form": "{ branches { said } }",
    "a field with a resolver": "{ branches { number doubled leaves { text } } }",
    "nulls where they may be": "{ perhaps { number first { text } } }",
    "a null where none may be": "{ gap { number } branches { number } }",
    "a number that does not fit": "{ tooLarge { number } }",
    "a text that is none": "{ notText { text } }",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_it_answers_as_the_executor_of_graphql_core(query: str) -> None:
    ours = strawberry.Schema(Query, execution_context_class=ColumnExecutor).execute_sync(query)
    theirs = strawberry.Schema(Query).execute_sync(query)

    assert ours.data == theirs.data
    assert [error.formatted for error in ours.errors or ()] == [
        error.formatted for error in theirs.errors or ()
    ]


def test_the_order_of_the_fields_is_that_of_the_question() -> None:
    done = strawberry.Schema(Query, execution_context_class=ColumnExecutor).execute_sync(
        "{ branches { weight number leaves { marks text } } }"
    )

    assert done.data
    assert [list(each) for each in done.data["branches"]] == [["weight", "number", "leaves"]] * COUNT


def test_a_list_of_plain_objects_is_completed_without_a_path_for_each_value() -> None:
    looked_at = []

    class Watched(ColumnExecutor):
        def complete_value(self, of: Any, *rest: Any) -> Any:
            looked_at.append(of)
            return super().complete_value(of, *rest)

    strawberry.Schema(Query, execution_context_class=Watched).execute_sync("{ branches { leaves { text } } }")

    assert len(looked_at) < COUNT
