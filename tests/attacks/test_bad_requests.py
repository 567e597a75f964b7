"""Requests that cannot be read: each is refused as one, with the place, and none makes the server fail."""

from __future__ import annotations

import gzip
import json
import logging
import socket
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from headwater_graphql.queries import queries
from kit.command import served
from kit.openlineage import dataset, event

LONG = "9" * 5_000
SEARCH = "query($text: String!) { search(text: $text) { edges { node { label } } } }"
POSTS = ("/graphql", "/api/v1/lineage", "/api/v1/lineage/batch")
JSON = {"content-type": "application/json"}
EVENT: dict[str, Any] = event("COMPLETE", 1, "run 1", [dataset("in", "a")], [dataset("out", "a")])


@pytest.fixture
def client(store: LineageStore) -> Iterator[TestClient]:
    """A server over each kind of store; an exception that it does not answer is raised here."""
    with TestClient(create_app(store, Settings()), base_url="http://localhost") as opened:
        assert opened.post("/api/v1/lineage", json=EVENT).status_code == 201
        yield opened


def asked(**members: str) -> bytes:
    """A GraphQL request whose members are these texts of JSON."""
    return ("{" + ",".join(f'"{name}": {text}' for name, text in members.items()) + "}").encode()


TYPENAME = '"{ __typename }"'
BAD_BODIES = {
    "no UTF-8": (b'{"query": "\xff"}', "NOT_JSON", None),
    "half a pair in UTF-8": (b'{"query": "\xed\xa0\x80"}', "NOT_JSON", None),
    "UTF-16": ('{"query": "{ __typename }"}'.encode("utf-16"), "NOT_JSON", None),
    "packed": (gzip.compress(asked(query=TYPENAME)), "NOT_JSON", None),
    "empty": (b"", "NOT_JSON", None),
    "brackets": (b"[" * 100_000, "TOO_DEEP", None),
    "nested": (
        asked(query=TYPENAME, variables='{"a": ' + "[" * 200 + "]" * 200 + "}"),
        "TOO_DEEP",
        "/variables/a" + "/0" * 58,
    ),
    "long number": (
        asked(query=TYPENAME, variables=f'{{"a/b": [1, {LONG}]}}'),
        "BAD_NUMBER",
        "/variables/a~1b/1",
    ),
    "negative": (asked(query=TYPENAME, variables=f'{{"a": -{LONG}}}'), "BAD_NUMBER", "/variables/a"),
    "infinite": (asked(query=TYPENAME, variables='{"a": 1e999}'), "BAD_NUMBER", "/variables/a"),
    "no number": (asked(query=TYPENAME, variables='{"a": NaN}'), "BAD_NUMBER", "/variables/a"),
    "text": (
        asked(query=json.dumps(SEARCH), variables=r'{"text": "a\ud800"}'),
        "BAD_TEXT",
        "/variables/text",
    ),
    "name": (asked(query=TYPENAME, variables=r'{"\udfff": 1}'), "BAD_TEXT", "/variables"),
    "query": (asked(query=r'"{ __typename } # \ud800"'), "BAD_TEXT", "/query"),
    "operation": (asked(query=TYPENAME, operationName=r'"\ud800"'), "BAD_TEXT", "/operationName"),
    "extension": (
        asked(extensions=r'{"persistedQuery": {"sha256Hash": "\ud800"}}'),
        "BAD_TEXT",
        "/extensions/persistedQuery/sha256Hash",
    ),
    "operation of no text": (asked(operationName='{"a": []}'), "BAD_QUERY", None),
    "variables of no object": (asked(query=TYPENAME, variables="[1]"), "BAD_QUERY", None),
    "no object": (b"7", "BAD_QUERY", None),
}


def refused(answer: Any, status: int) -> dict[str, Any]:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status and problem["detail"]
    return problem


@pytest.mark.parametrize(("body", "code", "place"), BAD_BODIES.values(), ids=BAD_BODIES)
def test_a_question_that_cannot_be_parsed_is_400_with_the_place(
    client: TestClient, body: bytes, code: str, place: str | None
) -> None:
    problem = refused(client.post("/graphql", content=body, headers=JSON), 400)
    assert (problem["code"], problem.get("pointer")) == (code, place)


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "br", "identity, gzip", "x"])
def test_a_question_may_not_be_packed(client: TestClient, encoding: str) -> None:
    packed = gzip.compress(asked(query=TYPENAME))
    answer = client.post("/graphql", content=packed, headers={**JSON, "content-encoding": encoding})
    assert refused(answer, 415)["code"] == "UNKNOWN_ENCODING"


@pytest.mark.parametrize(
    "query",
    [
        "{ datasets(first: %s) { totalCount } }",
        "{ datasets(first: -%s) { totalCount } }",
        "query($a: Int = %s) { datasets(first: $a) { totalCount } }",
        "{ datasets(first: {a: [%s]}) { totalCount } }",
        "{ search(text: %s) { edges { node { label } } } }",
        "{ __typename @skip(if: %s) }",
        '{ auditLog(before: %s) { number } near: nearNames(text: "a", kinds: [%s]) }',
    ],
)
def test_a_long_number_in_a_question_is_an_error(client: TestClient, query: str) -> None:
    answer = client.post("/graphql", json={"query": query.replace("%s", LONG)}).json()
    assert answer["data"] is None
    assert {error["extensions"]["code"] for error in answer["errors"]} == {"BAD_QUERY"}
    assert len(json.dumps(answer)) < 2_000


@pytest.mark.parametrize("text", [r"\ud800", r"\udc00", r"a\udfffb", r"\ude00\ud83d", r"\ud800\ud800"])
@pytest.mark.parametrize("address", POSTS)
def test_half_a_surrogate_pair_is_400_wherever_it_is_sent(
    client: TestClient, address: str, text: str
) -> None:
    bodies = {
        "/graphql": asked(query=json.dumps(SEARCH), variables=f'{{"text": "{text}"}}'),
        "/api/v1/lineage": json.dumps(EVENT)
        .replace('"run 1"', f'"{text}"')
        .replace('"out"', f'"{text}"')
        .encode(),
    }
    bodies["/api/v1/lineage/batch"] = b"[" + bodies["/api/v1/lineage"] + b"]"
    answer = client.post(address, content=bodies[address], headers=JSON)
    if address.endswith("batch"):
        (failed,) = answer.json()["failed_events"]
        assert (failed["code"], failed["retriable"]) == ("BAD_TEXT", False)
    else:
        assert refused(answer, 400)["code"] == "BAD_TEXT"


@pytest.mark.parametrize("text", ["\0", "\U0010ffff", "\ufffe", "\u202e", "'\"`\\", "%_*?[", "\n"])
def test_any_text_can_be_searched_for(client: TestClient, text: str) -> None:
    answer = client.post("/graphql", json={"query": SEARCH, "variables": {"text": text}})
    assert (answer.status_code, "errors" in answer.json()) == (200, False)


_EFFORT = settings(
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)

# Of a JSON document each value, and of its text each byte, can be another.
HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=20),
    st.sampled_from(["\0", "\ud800", "*", "a" * 25_000, "\U0010ffff", LONG]),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)


def _changed(value: Any) -> st.SearchStrategy[Any]:
    """The value with one of those in it replaced, or itself."""
    if isinstance(value, dict) and value:
        return (
            st.sampled_from(sorted(value)).flatmap(
                lambda name: _changed(value[name]).map(lambda new: {**value, name: new})
            )
            | HOSTILE
        )
    if isinstance(value, list) and value:
        return _changed(value[0]).map(lambda new: [new, *value[1:]]) | HOSTILE
    return HOSTILE


def _asked(name: str) -> dict[str, Any]:
    node = {"namespace": "test", "name": "in", "path": ["a"]}
    variables = {
        "text": "in", "search": "in", "node": node, "nodes": [node], "namespace": "test", "name": "in",
        "first": 10, "after": "", "key": "a", "keys": ["a"], "kinds": ["DATASET"], "asOf": "2026-01-01T00:00:00Z",
        "before": 1, "runId": "a", "job": {"namespace": "test", "name": "job"}, "datasets": [node], "depth": 3,
        "dataset": {"namespace": "test", "name": "in"}, "path": ["a"], "output": node, "direction": "FORWARD",
        "aliases": [], "rules": [], "reason": "r", "dryRun": True, "id": "a", "since": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    text = queries()[name]
    return {
        "query": text,
        "variables": {each: value for each, value in variables.items() if f"${each}:" in text},
    }


def _spoilt(text: bytes) -> st.SearchStrategy[bytes]:
    """The text with some bytes of it replaced."""
    place = st.integers(0, len(text))
    return st.builds(
        lambda at, size, new: text[:at] + new + text[at + size :],
        place,
        st.integers(0, 8),
        st.binary(max_size=8),
    )


VALID = {
    "/graphql": st.sampled_from(sorted(queries())).map(_asked),
    "/api/v1/lineage": st.just(EVENT),
    "/api/v1/lineage/batch": st.just([EVENT]),
}


def bodies(address: str) -> st.SearchStrategy[bytes]:
    valid = VALID[address]
    changed = valid.flatmap(_changed).map(lambda value: json.dumps(value).encode())
    return st.one_of(
        st.binary(max_size=200),
        valid.map(lambda value: json.dumps(value).encode()).flatmap(_spoilt),
        changed,
        changed.map(partial(gzip.compress, mtime=0)),
    )


HEADERS = st.fixed_dictionaries(
    {
        "content-type": st.sampled_from(
            ["application/json"] * 4 + ["text/plain", "multipart/form-data", "é", ""]
        )
    },
    optional={"content-encoding": st.sampled_from(["gzip", "identity", "br", ""])},
).map(lambda headers: {name: value.encode("latin-1") for name, value in headers.items()})


@pytest.mark.parametrize("address", POSTS)
def test_no_bytes_make_the_server_fail(
    client: TestClient, caplog: pytest.LogCaptureFixture, address: str
) -> None:
    @settings(_EFFORT, max_examples=150)
    @example(b"\xff", {b"content-type": b"application/json"})
    @given(bodies(address), HEADERS)
    def send(body: bytes, headers: Any) -> None:
        answer = client.post(address, content=body, headers=headers)
        assert answer.status_code < 500, answer.text
        media_type = answer.headers.get("content-type", "") if answer.content else "application/json"
        assert media_type in ("application/json", "application/problem+json")
        assert '"INTERNAL"' not in answer.text
        assert [record.getMessage() for record in caplog.records if record.exc_info] == []

    with caplog.at_level(logging.INFO):
        send()


@pytest.mark.parametrize("path", ["/graphql", "/", "/metrics", "/graphql/assets/", "/api/v1/"])
def test_no_address_makes_the_server_fail(client: TestClient, path: str) -> None:
    members = st.sampled_from(["query", "operationName", "variables", "extensions", "x"])
    values = st.one_of(
        st.binary(max_size=20),
        st.sampled_from(
            [
                b"Datasets",
                b"{}",
                b"[",
                b'{"first": "a"}',
                rb'{"search": "\ud800"}',
                b"[" * 5_000,
                LONG.encode(),
            ]
        ),
        st.just(b'{"persistedQuery": {"sha256Hash": "a"}}'),
    )

    @settings(_EFFORT, max_examples=60)
    @given(st.binary(max_size=8), st.lists(st.tuples(members, values), max_size=4), st.binary(max_size=30))
    def get(rest: bytes, query: list[tuple[str, bytes]], credential: bytes) -> None:
        asked = "&".join(f"{name}={quote(value)}" for name, value in query)
        headers = {b"authorization": b"Bearer " + credential.translate(None, b"\r\n\0")}
        answer = client.get(f"{path}{quote(rest) if path.endswith('/') else ''}?{asked}", headers=headers)
        assert answer.status_code < 500 or "is not built" in answer.text

    get()


def _connection(address: str) -> socket.socket:
    to = urlsplit(address)
    assert to.hostname and to.port
    return socket.create_connection((to.hostname, to.port), timeout=5)


def _break_off(address: str, sent: bytes) -> None:
    """Send that, and close the connection at once, without waiting for an answer."""
    with _connection(address) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.sendall(sent)
        time.sleep(0.1)


def test_who_breaks_off_leaves_no_traceback(tmp_path: Path) -> None:
    body = json.dumps({"query": queries()["datasets"]}).encode()
    with served(tmp_path) as (address, process):
        head = f"Host: {urlsplit(address).netloc}\r\nContent-Type: application/json\r\n"
        whole = f"{head}Content-Length: {len(body)}\r\n\r\n".encode()
        for path in POSTS:
            start = f"POST {path} HTTP/1.1\r\n".encode()
            _break_off(address, start + whole + body[:-5])
            _break_off(address, start + whole + body)
            _break_off(address, start + f"{head}Transfer-Encoding: chunked\r\n\r\n5\r\n".encode())
            _break_off(address, start + f"{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n".encode())
            _break_off(address, start + b"Content-Encoding: gzip\r\n" + whole + body)
        _break_off(address, b"GET /metrics HTTP/1.1\r\n" + whole)
        _break_off(address, b"\xff\0\r\n\r\n")
        upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n"
        for frame in (b"", b"\x81", b"\x81\x85abcd", b"\xff" * 20, b"\x88\x80abcd"):
            _break_off(address, f"GET /graphql HTTP/1.1\r\n{head}{upgrade}{key}".encode() + frame)
        assert httpx.get(f"{address}/health").status_code == 200
        process.terminate()
        log, _ = process.communicate(timeout=60)
    assert "Traceback" not in log
    assert "Exception" not in log


UNREADABLE: list[str | bytes] = [
    b"\xff",
    r'{"type": "connection_init", "payload": {"a": "\ud800"}}',
    '{"type": "connection_init", "payload": {"a": ' + LONG + "}}",
    "[" * 5_000,
    '{"type": 5}',
    "null",
]


def test_a_message_of_a_subscription_that_cannot_be_read_ends_it(tmp_path: Path) -> None:
    with served(tmp_path) as (address, process):
        url = address.replace("http", "ws", 1) + "/graphql"
        for message in UNREADABLE:
            with connect(url, subprotocols=[Subprotocol("graphql-transport-ws")]) as socket_:
                socket_.send(message)
                with pytest.raises(ConnectionClosedError):
                    socket_.recv(timeout=10)
                assert socket_.close_code == 4400, message[:80]
        process.terminate()
        log, _ = process.communicate(timeout=60)
    assert "Traceback" not in log
