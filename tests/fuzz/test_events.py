"""Events with anything at any place: each is stored or refused, and whatever is stored can be asked about."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from headwater_graphql.queries import queries
from kit import sqlite
from kit.fuzzing import EFFORTS, effort_of, places, whole_event

EXAMPLES = 150
MEANT = {201, 202, 400, 413, 422}

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(10**400), max_value=10**400),
    st.floats(),
    st.text(),
    st.sampled_from(
        ["", "\0", "\ud800", "/", "%2F", "a" * 8_000, "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59Z"]
    ),
)
ANYTHING = st.recursive(
    ODD, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)


PLACES = list(places(whole_event()))


@st.composite
def odd_events(draw: st.DrawFn) -> dict[str, Any]:
    """The event with something else at a few places."""
    made = whole_event()
    for place in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3)):
        holder = made
        try:
            for key in place[:-1]:
                holder = holder[key]
            holder[place[-1]] = copy.deepcopy(draw(ANYTHING))
        except (KeyError, IndexError, TypeError):
            continue  # the place before has taken this one away
    return made


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    store = open_store(sqlite.empty(tmp_path / "lineage.db"))
    app = create_app(store, Settings())
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as opened:
        yield opened
    store.close()


@EFFORTS
def test_every_event_is_stored_or_refused_and_what_is_stored_can_be_asked_about(
    client: TestClient, effort: int
) -> None:
    @given(odd_events())
    @effort_of(effort, EXAMPLES)
    def send(made: dict[str, Any]) -> None:
        answer = client.post("/api/v1/lineage", content=json.dumps(made))
        assert answer.status_code in MEANT, answer.text
        assert answer.status_code < 400 or answer.json()["detail"]

    send()
    ask_about_everything(client)


def ask_about_everything(client: TestClient) -> None:
    asked = [("datasets", {"first": 500}), ("exposure", {}), ("audit", {"first": 500})]
    first = ask(client, *asked[0])
    nodes = [edge["node"] for edge in first["data"]["datasets"]["edges"]]
    assert nodes
    for name, variables in asked[1:]:
        ask(client, name, variables)
    for node in nodes[:100]:
        key = {"namespace": node["namespace"], "name": node["name"]}
        ask(client, "dataset", key)
        ask(client, "backward", {"node": key})


def ask(client: TestClient, name: str, variables: dict[str, Any]) -> dict[str, Any]:
    body = json.dumps({"query": queries()[name], "variables": variables})
    answer = client.post("/graphql", content=body, headers={"content-type": "application/json"}).json()
    assert not answer.get("errors"), answer["errors"]
    parsed: dict[str, Any] = answer
    return parsed


def test_a_field_s_type_that_is_no_text_is_none(client: TestClient) -> None:
    made = whole_event()
    fields = made["inputs"][0]["facets"]["schema"]["fields"]
    fields[0].update(type={"enum": {}}, description=[7])
    assert client.post("/api/v1/lineage", json=made).status_code == 201
    ask_about_everything(client)
