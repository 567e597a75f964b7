"""Kept operations: requested by name or hash, and optionally the only ones accepted."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from graphql import DefinitionNode, FragmentDefinitionNode, parse, print_ast, validate
from starlette.testclient import TestClient

from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from headwater_graphql.kept_operations import OperationsError, digest
from headwater_graphql.queries import queries
from headwater_graphql.schema import schema
from kit.shared import ROOT

OWN = "query HowMany { datasets { totalCount } }"


def serving(store: LineageStore, **settings: Any) -> TestClient:
    return TestClient(create_app(store, Settings(**settings)), base_url="http://localhost")


def hashed(text: str) -> dict[str, Any]:
    return {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": digest(text)}}}


def test_each_kept_operation_has_a_unique_name(store: LineageStore) -> None:
    with serving(store) as client:
        for text in queries().values():
            answer = client.post("/graphql", json=hashed(text)).json()
            assert {error["extensions"]["code"] for error in answer.get("errors", ())} <= {
                "BAD_QUERY",
                "BAD_QUESTION",
            }


def test_a_kept_operation_is_requested_by_name_or_hash(store: LineageStore) -> None:
    with serving(store) as client:
        for request in ({"operationName": "Datasets"}, hashed(queries()["datasets"])):
            answer = client.post("/graphql", json={**request, "variables": {"first": 3}}).json()
            assert answer["data"]["datasets"]["totalCount"] == 0
        by_hash = {"extensions": json.dumps(hashed(queries()["datasets"])["extensions"])}
        for params in ({"operationName": "Datasets"}, by_hash):
            got = client.get("/graphql", params=params)
            assert got.json()["data"]["datasets"]["totalCount"] == 0


def test_a_kept_mutation_cannot_be_sent_by_get(store: LineageStore) -> None:
    keys = {"variables": json.dumps({"keys": []})}
    by_hash = {"extensions": json.dumps(hashed(queries()["replay_dead_letters"])["extensions"])}
    with serving(store) as client:
        for params in ({"operationName": "ReplayDeadLetters"}, by_hash):
            got = client.get("/graphql", params={**params, **keys})
            assert (got.status_code, got.json()["code"]) == (405, "POST_ONLY")
    assert store.audit_end()[0] == 0


def test_an_unknown_hash_is_reported(store: LineageStore) -> None:
    with serving(store) as client:
        (error,) = client.post("/graphql", json=hashed(OWN)).json()["errors"]
        assert error["extensions"]["code"] == "OPERATION_NOT_KEPT"
        assert client.post("/graphql", json={"operationName": "HowMany"}).status_code == 400
        for nonsense in ({"persistedQuery": 7}, {"persistedQuery": {"sha256Hash": 7}}, {}):
            assert client.post("/graphql", json={"extensions": nonsense}).status_code == 400


def test_a_server_may_answer_kept_operations_only(store: LineageStore, tmp_path: Path) -> None:
    (tmp_path / "own.graphql").write_text(OWN)
    with serving(store, operations=tmp_path, operations_only=True) as client:
        for request in (
            {"operationName": "HowMany"},
            hashed(OWN),
            {"query": OWN},
            {"query": queries()["datasets"]},
        ):
            assert client.post("/graphql", json=request).json()["data"]["datasets"]["totalCount"] == 0
        (error,) = client.post("/graphql", json={"query": OWN + " "}).json()["errors"]
        assert error["extensions"]["code"] == "OPERATION_NOT_KEPT"
        assert "HowMany" in error["extensions"]["hint"]


@pytest.mark.parametrize(
    "text", ["query {", "{ __typename }", "query Datasets { __typename }", "fragment A on B { c }"]
)
def test_invalid_kept_operations_stop_the_server(store: LineageStore, tmp_path: Path, text: str) -> None:
    (tmp_path / "own.graphql").write_text(
        text + (" query B { __typename }" if text == "{ __typename }" else "")
    )
    with pytest.raises(OperationsError, match=r"own\.graphql"):
        create_app(store, Settings(operations=tmp_path))


def test_a_missing_folder_of_operations_stops_the_server(store: LineageStore, tmp_path: Path) -> None:
    with pytest.raises(OperationsError, match="is not a directory"):
        create_app(store, Settings(operations=tmp_path / "none"))


def definitions(text: str) -> list[DefinitionNode]:
    return list(parse(text, no_location=True).definitions)


def fragments(text: str) -> dict[str, str]:
    found = [each for each in definitions(text) if isinstance(each, FragmentDefinitionNode)]
    return {each.name.value: print_ast(each) for each in found}


def test_an_operation_has_the_fragments_that_it_uses_and_no_others() -> None:
    read = schema._schema
    for name, text in queries().items():
        assert validate(read, parse(text)) == [], name


def test_no_fragment_is_written_twice() -> None:
    written = [
        body
        for file in sorted((ROOT / "graphql/queries").rglob("*.graphql"))
        for body in fragments(file.read_text()).values()
    ]
    assert len(written) > 12
    assert [body for body, count in Counter(written).items() if count > 1] == []


def test_a_shared_fragment_has_the_name_of_its_file_and_is_used_by_several_operations() -> None:
    used = Counter(name for text in queries().values() for name in fragments(text))
    for file in (ROOT / "graphql/queries/fragments").glob("*.graphql"):
        assert list(fragments(file.read_text())) == [file.stem]
        assert used[file.stem] > 1, file.stem


def test_what_the_page_copies_as_a_query_is_whole_in_its_file() -> None:
    source = (ROOT / "graphql/explorer/src/take_away/query.ts").read_text()
    names = re.findall(r"queries/(\w+)\.graphql", source)
    assert len(names) == 5
    for name in names:
        assert queries()[name] == (ROOT / f"graphql/queries/{name}.graphql").read_text()
