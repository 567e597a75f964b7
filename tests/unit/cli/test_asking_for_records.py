"""Questions about records over GraphQL, as far as they are refused before any data is read."""

from __future__ import annotations

from typing import Any

import pytest
from strawberry.types.base import StrawberryObjectDefinition

from headwater_backend.domain.roles import Caller, Role
from headwater_cli.records.serving.asking import Asking, Folder
from headwater_cli.records.serving.schema import schema

WHY = """query($pattern: [RecordPatternNode!], $text: String, $first: Int! = 10) {
  why(output: "/out", pattern: $pattern, text: $text, first: $first) { rows }
}"""


QUESTIONS = {
    "runs": "{ runs { output } }",
    "why": '{ why(output: "/out") { rows } }',
    "became": '{ became(output: "/out", records: []) { more } }',
    "whyNot": '{ whyNot(output: "/out", records: []) { number } }',
    "descendants": "{ descendants(records: []) { total } }",
    "breach": '{ breach(output: "/out", people: "/in", key: "id") { rows } }',
    "subject": '{ subject(people: "/in", key: "id", person: "lp") { total } }',
    "usage": "{ usage { source } }",
}


def problem(role: Role = Role.AUDITOR, query: str = WHY, **variables: Any) -> tuple[str, str]:
    """The message and the code of the error of a question."""
    nothing: Any = None
    asking = Asking(Folder(nothing, "/records"), Caller("somebody", frozenset({role})))
    result = schema.execute_sync(query, variables, context_value=asking)
    assert result.errors is not None
    return result.errors[0].message, str((result.errors[0].extensions or {})["code"])


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ([], "a pattern has at least one node"),
        ([{"name": "a", "least": 3, "most": 2}], "a has to match 3 to 2 times, at [0]"),
        (
            [{"name": "a"}, {"name": "b", "children": [{"name": "c"}], "condition": {"equal": 1}}],
            "b has a condition and children: conditions are at leaves, at [1]",
        ),
        (
            [{"name": "a", "children": [{"name": ""}]}],
            "expected a node with a name, at [0].children[0]",
        ),
        (
            [{"name": "a", "condition": {"equal": [1]}}],
            "expected a text, a number, true or false, at [0].condition.equal",
        ),
    ],
)
def test_an_error_in_a_pattern_names_its_place(pattern: Any, message: str) -> None:
    assert problem(pattern=pattern) == (message, "BAD_PATTERN")


def test_an_error_in_a_text_names_its_position() -> None:
    assert problem(text="user{") == ("expected a name, at position 6", "BAD_PATTERN")


def test_a_condition_is_exactly_one() -> None:
    for condition in ({}, {"equal": 1, "less": 2}):
        assert problem(pattern=[{"name": "a", "condition": condition}])[1] == "BAD_QUERY"


def test_a_pattern_comes_one_way_and_a_page_has_a_limit() -> None:
    assert problem(pattern=[{"name": "a"}], text="a")[1] == "BAD_QUESTION"
    assert problem(first=0)[1] == problem(first=1001)[1] == "BAD_QUESTION"


def test_every_question_has_an_example() -> None:
    query = schema.get_type_by_name("Query")
    assert isinstance(query, StrawberryObjectDefinition)
    assert {schema.config.name_converter.get_graphql_name(each) for each in query.fields} == set(QUESTIONS)


@pytest.mark.parametrize("role", [Role.PRODUCER, Role.READER, Role.STEWARD])
@pytest.mark.parametrize("query", QUESTIONS.values(), ids=QUESTIONS)
def test_values_are_not_for_those_who_ask_about_lineage_alone(query: str, role: Role) -> None:
    assert problem(role, query)[1] == "FORBIDDEN"


@pytest.mark.parametrize("key", ["", "a b`", "java_method('java.lang.System', 'exit', 0).x`", "a..b", ".a"])
@pytest.mark.parametrize(
    "query",
    [
        'query($key: String!) { breach(output: "/out", people: "/in", key: $key) { rows } }',
        'query($key: String!) { subject(people: "/in", key: $key, person: "lp") { total } }',
    ],
)
def test_a_key_is_a_path_and_no_sql(query: str, key: str) -> None:
    message, code = problem(query=query, key=key)
    assert message.endswith("is no path") and code == "BAD_QUESTION"
