"""Every argument of every root field, by its type, with values that nobody expects: none is our mistake."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    get_named_type,
    is_leaf_type,
)
from starlette.testclient import TestClient

from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from headwater_graphql.schema import schema
from kit import neo4j
from kit.shared import DATA

DEEP: Final = 100_000
ROOTS = {"query": schema._schema.query_type, "mutation": schema._schema.mutation_type}
FIELDS = [(root, name) for root, kind in ROOTS.items() if kind for name in sorted(kind.fields)]
TEXTS: Final = (
    "",
    " ",
    "\0",
    "\x1b[2J",
    "\ud800",
    "a\udfffb",
    "\u202e",
    "x" * DEEP,
    "[" * DEEP,
    "{a: " * DEEP,
    '{"a":' * DEEP,
    "- " * 5_000 + "x",
    "*" * 1_000,
    "(" * 1_000,
    "&a [*a]",
    "- policy: 2026-99-99",
    "!!timestamp 2026-99-99",
)
VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "String": TEXTS,
    "ID": TEXTS,
    "DateTime": (
        "2026-01-01",
        "2026-01-01T00:00:00",
        "0001-01-01",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59",
        "9999-12-31T23:59:59.999999-14:00",
        "",
        "2026-13-45",
        "2026-01-01T00:00:00+99:99",
        "1" * DEEP,
        "\ud800",
        7,
    ),
    "Int": (0, -1, 2**31 - 1, -(2**31), 2**31),
    "Long": (0, -1, 2**63 - 1, -(2**63), 2**63, 10**30, "x", 1.5),
    "Float": (0.0, -1.0, 1e308, -1e308, 5e-324),
    "Boolean": (True, False),
    "JSON": ({}, [], "", "\ud800", {"\ud800": 1}, 10**30),
}
PLAIN: Final[dict[str, Any]] = {
    "String": "parcels",
    "ID": "parcels",
    "DateTime": "2026-01-01T00:00:00Z",
    "Int": 1,
    "Long": 1,
    "Float": 1.0,
    "Boolean": True,
    "JSON": {},
}


def plain(kind: GraphQLInputType) -> Any:
    """A value that the type allows."""
    if isinstance(kind, GraphQLNonNull):
        return plain(kind.of_type)
    if isinstance(kind, GraphQLList):
        return [plain(kind.of_type)]
    if isinstance(kind, GraphQLEnumType):
        return next(iter(kind.values))
    if isinstance(kind, GraphQLInputObjectType):
        required = {name: each.type for name, each in kind.fields.items() if _is_required(each)}
        return {name: plain(type_) for name, type_ in required.items()}
    return PLAIN[kind.name]


def odd(kind: GraphQLInputType) -> Iterator[Any]:
    """Values that nobody expects."""
    if isinstance(kind, GraphQLNonNull):
        yield from odd(kind.of_type)
    elif isinstance(kind, GraphQLList):
        yield []
        yield [plain(kind.of_type)] * 2_000
        for value in odd(kind.of_type):
            yield [value]
    elif isinstance(kind, GraphQLEnumType):
        yield from kind.values
    elif isinstance(kind, GraphQLInputObjectType):
        for name, field in kind.fields.items():
            for value in odd(field.type):
                yield {**plain(kind), name: value}
    else:
        yield from VALUES[kind.name]


def _is_required(field: Any) -> bool:
    return isinstance(field.type, GraphQLNonNull) and not _has_default(field)


def _has_default(field: Any) -> bool:
    return repr(field.default_value) != "Undefined"


def requests(root: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Documents with variables, each with one odd argument, named by it."""
    kind = ROOTS[root]
    assert kind
    field = kind.fields[name]
    required = {key for key, each in field.args.items() if _is_required(each)}
    for key, argument in field.args.items():
        for value in odd(argument.type):
            given = {other: plain(field.args[other].type) for other in required - {key}}
            yield (
                key,
                {
                    "query": _document(root, name, field.args, {*given, key}, field.type),
                    "variables": {**given, key: value},
                },
            )


def _document(
    root: str, name: str, arguments: dict[str, GraphQLArgument], used: set[str], result: Any
) -> str:
    declared = ", ".join(f"${key}: {arguments[key].type}" for key in sorted(used))
    passed = ", ".join(f"{key}: ${key}" for key in sorted(used))
    return f"{root}({declared}) {{ {name}({passed}) {_selection(result, 4)} }}"


def _selection(kind: Any, depth: int) -> str:
    named = get_named_type(kind)
    if is_leaf_type(named):
        return ""
    fields = ["__typename"]
    if isinstance(named, GraphQLObjectType) and depth:
        for name, field in named.fields.items():
            inner = get_named_type(field.type)
            if not field.args and (is_leaf_type(inner) or name in ("nodes", "items", "pageInfo")):
                fields.append(f"{name} {_selection(inner, depth - 1)}")
    return "{ " + " ".join(fields) + " }"


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("neo4j", marks=[pytest.mark.neo4j, pytest.mark.slow])]
)
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server that holds a shop's events, over a store of each kind."""
    store = open_store(neo4j.empty_store(request, tmp_path_factory.mktemp("fuzz")))
    events = [json.loads(line) for line in (DATA / "parcels.ndjson").read_text("utf-8").splitlines()]
    settings = Settings(allowed_hosts=("testserver",))
    with TestClient(create_app(store, settings), raise_server_exceptions=False) as client:
        assert client.post("/api/v1/lineage/batch", json=events).status_code == 200
        yield client
    store.close()


@pytest.mark.parametrize(("root", "name"), FIELDS)
def test_no_argument_makes_the_server_fail(client: TestClient, root: str, name: str) -> None:
    wrong = []
    for key, request in requests(root, name):
        answer = client.post(
            "/graphql", content=json.dumps(request), headers={"content-type": "application/json"}
        )
        found = answer.json()
        codes = {error["extensions"]["code"] for error in found.get("errors") or ()}
        if "INTERNAL" in codes or answer.status_code >= 500:
            wrong.append((key, str(request["variables"][key])[:60], answer.text[:200]))
    assert not wrong
