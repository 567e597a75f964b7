"""GraphQL against its own schema: whatever is asked, our mistakes are not the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import given
from starlette.testclient import TestClient

from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from headwater_graphql.schema import schema
from kit.fuzzing import EFFORTS, effort_of
from kit.shared import DATA

EXAMPLES = 8
ROOTS = (schema._schema.query_type, schema._schema.mutation_type)
FIELDS = [(kind.name, field) for kind in ROOTS if kind for field in sorted(kind.fields)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server that holds a shop's events."""
    store = open_store(f"sqlite:///{tmp_path_factory.mktemp('fuzz')}/lineage.db")
    app = create_app(store, Settings(allowed_hosts=("testserver",)))
    events = [json.loads(line) for line in (DATA / "parcels.ndjson").read_text("utf-8").splitlines()]
    with TestClient(app) as client:
        assert client.post("/api/v1/lineage/batch", json=events).status_code == 200
    yield app
    store.close()


@EFFORTS
@pytest.mark.parametrize(("kind", "field"), FIELDS)
def test_no_question_makes_the_server_fail(server: Any, kind: str, field: str, effort: int) -> None:
    api = schemathesis.graphql.from_asgi("/graphql", server)

    @given(api[kind][field].as_strategy())
    @effort_of(effort, EXAMPLES)
    def ask(case: Any) -> None:
        answer = case.call()
        assert answer.status_code < 500
        codes = {error["extensions"]["code"] for error in answer.json().get("errors") or ()}
        assert "INTERNAL" not in codes, answer.text

    ask()
