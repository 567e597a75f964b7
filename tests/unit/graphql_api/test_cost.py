"""Cost limit of GraphQL requests."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLObjectType, get_operation_ast, parse
from starlette.testclient import TestClient

from headwater_graphql.engine.cost import SEARCHED, cost
from headwater_graphql.engine.root_fields import DECLARED
from headwater_graphql.queries import queries
from headwater_graphql.schema import schema

PAGE = "datasets(first: 1000) { edges { node { namespace name firstSeen lastSeen facets } } }"
NODE = '(node: {namespace: "a", name: "b"})'


def codes(client: TestClient, query: str, **variables: Any) -> set[str]:
    answer = client.post("/graphql", json={"query": query, "variables": variables}).json()
    return {error["extensions"]["code"] for error in answer.get("errors", ())}


def pages(count: int, first: int) -> str:
    return " ".join(f"a{number}: {PAGE.replace('1000', str(first))}" for number in range(count))


def searches(count: int) -> str:
    fields = "nodes { name path label distance reach }"
    return " ".join(f"a{number}: backwardLineage{NODE} {{ {fields} }}" for number in range(count))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (f"{{ {pages(15, 1_000)} }}", {"QUERY_TOO_COSTLY"}),
        (f"{{ {pages(15, 100)} }}", set()),
        (f"{{ ...P }} fragment P on Query {{ {pages(15, 1_000)} }}", {"QUERY_TOO_COSTLY"}),
        (f"{{ {searches(18)} }}", {"QUERY_TOO_COSTLY"}),
        (f"{{ {searches(3)} }}", {"UNKNOWN_DATASET"}),
        ("{ datasets(first: 2000000000) { totalCount } }", {"QUERY_TOO_COSTLY"}),
        ("{ __schema { types { name } } }", set()),
    ],
)
def test_many_long_lists_in_one_request_are_refused(client: TestClient, query: str, found: set[str]) -> None:
    assert codes(client, query) == found


def test_the_size_may_come_from_a_variable_or_its_default(client: TestClient) -> None:
    fields = " ".join(f"a{number}: name" for number in range(5))
    body = (
        "{ "
        + " ".join(f"p{n}: datasets(first: $n) {{ edges {{ node {{ {fields} }} }} }}" for n in range(3))
        + " }"
    )
    assert codes(client, f"query ($n: Int) {body}", n=1_000) == set()
    assert codes(client, f"query ($n: Int) {body}", n=100_000) == {"QUERY_TOO_COSTLY"}
    assert codes(client, f"query ($n: Int = 100000) {body}") == {"QUERY_TOO_COSTLY"}


def test_the_longest_page_of_every_list_is_allowed(client: TestClient) -> None:
    for name in ("search", "datasets", "sources", "unused_datasets"):
        variables = {"text": "", "since": "2026-01-01T00:00:00Z", "first": 1_000}
        assert codes(client, queries()[name], **variables) == set()


def test_what_searches_without_a_page_size_costs_as_a_search() -> None:
    """Unless it declares that it answers with one thing, which no list and no change does."""
    query, mutation = schema._schema.query_type, schema._schema.mutation_type
    assert query and mutation
    sizeless = {name for name, each in query.fields.items() if "first" not in each.args}
    one_thing = {name for name, access in DECLARED.items() if access.one_thing}
    assert one_thing < sizeless
    assert {name for name in sizeless if cost_of(f"{{ {name} }}", query) != SEARCHED} == one_thing
    assert {cost_of(f"mutation {{ {name} }}", mutation) for name in mutation.fields} == {1}


def test_a_field_that_declares_nothing_costs_as_a_search() -> None:
    query = schema._schema.query_type
    assert query and "forgotten" not in DECLARED
    assert cost_of("{ forgotten }", query) == SEARCHED
    assert cost_of("{ __schema }", query) == 1


def cost_of(text: str, kind: GraphQLObjectType) -> int:
    """The cost of an operation without variables."""
    document = parse(text)
    operation = get_operation_ast(document)
    assert operation
    return cost(document, operation, kind, {})
