"""Every argument of the subscription, with values that nobody expects: no mistake of ours, and no harm to others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from graphql import GraphQLObjectType
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from fuzz.test_arguments import odd
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from headwater_graphql.queries import queries
from headwater_graphql.schema import schema
from kit.openlineage import event

NEWS = queries()["run_news"]
KIND = schema._schema.subscription_type
assert isinstance(KIND, GraphQLObjectType)
READY = {"data": {"runNews": None}}
NO_MESSAGE = 4400
"""The code with which a connection is closed that sends no message of the protocol, such as half a character."""
ODD = [
    (name, value) for name, argument in KIND.fields["runNews"].args.items() for value in odd(argument.type)
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server over an empty store."""
    store = open_store(f"sqlite:///{tmp_path_factory.mktemp('fuzz')}/lineage.db")
    with TestClient(create_app(store, Settings()), base_url="http://localhost") as client:
        yield client
    store.close()


@contextmanager
def connected(client: TestClient) -> Iterator[WebSocketTestSession]:
    with client.websocket_connect("ws://localhost/graphql", subprotocols=["graphql-transport-ws"]) as opened:
        opened.send_json({"type": "connection_init"})
        assert opened.receive_json() == {"type": "connection_ack"}
        yield opened


def subscribe(socket: WebSocketTestSession, name: str, **variables: Any) -> dict[str, Any]:
    """The first message of a subscription."""
    payload = {"query": NEWS, "variables": {"ready": True, **variables}}
    socket.send_text(json.dumps({"id": name, "type": "subscribe", "payload": payload}))
    answer: dict[str, Any] = socket.receive_json()
    assert answer["id"] == name
    return answer


@pytest.mark.parametrize(
    ("name", "value"), [each for each in ODD if each != ("ready", False)], ids=lambda each: repr(each)[:30]
)
def test_no_argument_of_the_subscription_fails_it_or_another(
    client: TestClient, name: str, value: Any
) -> None:
    with connected(client) as other, connected(client) as odd_one:
        assert subscribe(other, "other")["payload"] == READY
        try:
            answer = subscribe(odd_one, "odd", **{name: value})
        except WebSocketDisconnect as closed:
            assert closed.code == NO_MESSAGE and not _is_text(value)
        else:
            if answer["type"] == "error":
                codes = {error["extensions"]["code"] for error in answer["payload"]}
                assert codes and "INTERNAL" not in codes
            else:
                assert answer["payload"] == READY
        body = event("START", 1, repr((name, value))[:80])
        assert client.post("/api/v1/lineage", json=body).status_code == 201
        assert other.receive_json()["payload"]["data"]["runNews"]["state"] == "START"


def _is_text(value: Any) -> bool:
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return False
    return True
