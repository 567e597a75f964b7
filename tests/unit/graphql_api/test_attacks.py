"""Malicious requests are refused quickly, and leave nothing behind."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from typing import Any

import anyio
import pytest
from starlette.testclient import TestClient
from starlette.types import Message, Scope

from headwater_backend.domain.errors import EventError
from headwater_backend.ingest.decoding import json_text
from headwater_backend.ports import LineageStore
from headwater_backend.server.authentication import ASSETS
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from headwater_graphql.engine.complexity import MAX_FIELDS, MAX_TEXT, MAX_VALUES
from headwater_graphql.queries import queries
from kit.openlineage import dataset, event

SEVERAL = 25


def event_body(**changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = event("COMPLETE", 1, "run 1", [dataset("in", "a")], [dataset("out", "a")])
    return {**made, **changes}


def run_query(client: TestClient, query: str, **variables: Any) -> dict[str, Any]:
    response = client.post("/graphql", json={"query": query, "variables": variables})
    assert response.status_code == 200
    answer: dict[str, Any] = response.json()
    return answer


def refusal(answer: dict[str, Any]) -> str:
    """Return the only error of a query that was not executed."""
    assert answer["data"] is None
    (error,) = answer["errors"]
    assert error["extensions"]["code"] == "BAD_QUERY"
    return str(error["message"])


def doubling(last: str) -> str:
    """Return a query with fragments that each spread the next one twice."""
    names = range(SEVERAL)
    spreads = " ".join(f"fragment F{n} on Query {{ ...F{n + 1} ...F{n + 1} }}" for n in names)
    return f"{spreads} fragment F{SEVERAL} on Query {{ {last} }}"


@pytest.mark.parametrize(
    "query",
    [
        "{ ...F0 } " + doubling("__typename"),
        "{ ...F0 } " + doubling("...F0"),
        "{ __typename } " + doubling("__typename"),
        "{" + " datasets { totalCount }" * 300 + "}",
        "{ ...F0 } " + " ".join(f"fragment F{n} on Query {{ ...F{n + 1} }}" for n in range(70)),
    ],
    ids=["spread", "in a circle", "unused", "the same field", "nested"],
)
def test_a_query_that_selects_too_much_is_refused_before_validation(client: TestClient, query: str) -> None:
    assert f"{MAX_FIELDS} fields" in refusal(run_query(client, query))


def test_aliases_are_counted(client: TestClient) -> None:
    aliases = " ".join(f"a{n}: datasets {{ totalCount }}" for n in range(SEVERAL))
    assert "aliases" in refusal(run_query(client, f"{{ {aliases} }}"))


def test_tokens_are_counted(client: TestClient) -> None:
    assert "tokens" in refusal(
        run_query(client, "{ datasets" + " @skip(if: false)" * 1_000 + " { totalCount } }")
    )


def test_introspection_cannot_be_nested_recursively(client: TestClient) -> None:
    spiral = "{ __schema { types " + "{ fields { type " * 20 + "{ name }" + " } }" * 20 + " } }"
    assert refusal(run_query(client, spiral))


def test_introspection_by_tools_is_answered(client: TestClient) -> None:
    from graphql import get_introspection_query

    answer = run_query(client, get_introspection_query(descriptions=True, input_value_deprecation=True))
    assert "errors" not in answer
    assert len(answer["data"]["__schema"]["types"]) > 8


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"search": "a" * (MAX_TEXT + 1)}, "characters"),
        ({"search": None, "a" * (MAX_TEXT + 1): 1}, "characters"),
        ({"search": None, "else": [1] * (MAX_VALUES + 1)}, "values"),
        ({"search": None, "else": {str(n): [] for n in range(MAX_VALUES)}}, "values"),
    ],
)
def test_variables_are_limited(client: TestClient, variables: dict[str, Any], message: str) -> None:
    assert message in refusal(run_query(client, queries()["datasets"], **variables))


def test_queries_have_a_smaller_size_limit_than_events(store: LineageStore) -> None:
    app = create_app(store, Settings(max_query_bytes=10_000))
    with TestClient(app, base_url="http://localhost") as client:
        answer = client.post("/graphql", json={"query": " " * 10_001})
        assert (answer.status_code, answer.json()["code"]) == (413, "BODY_TOO_LARGE")
        padded = event_body(padding="x" * 20_000)
        assert client.post("/api/v1/lineage", json=padded).status_code == 201


@pytest.mark.parametrize("length", ["9" * 5_000, "1" * 19])
def test_a_declared_length_of_any_size_is_parsed(client: TestClient, length: str) -> None:
    response = client.post("/api/v1/lineage", content=b"{}", headers={"content-length": length})
    assert (response.status_code, response.json()["code"]) == (413, "BODY_TOO_LARGE")


def test_a_gzip_bomb_is_refused_while_it_is_decompressed(store: LineageStore) -> None:
    bomb = gzip.compress(b"0" * 100_000_000)
    app = create_app(store, Settings(max_body_bytes=1_000_000))
    with TestClient(app, base_url="http://localhost") as client:
        tracemalloc.start()
        response = client.post("/api/v1/lineage", content=bomb, headers={"content-encoding": "gzip"})
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert response.json()["code"] == "BODY_TOO_LARGE"
    assert peak < 20_000_000


def test_trailing_data_after_gzip_is_refused(client: TestClient, store: LineageStore) -> None:
    packed = gzip.compress(json.dumps(event_body()).encode())
    for more in (packed, b"\0", gzip.compress(b"") * 1_000):
        response = client.post("/api/v1/lineage", content=packed + more, headers={"content-encoding": "gzip"})
        assert (response.status_code, response.json()["code"]) == (400, "NOT_GZIP")
    assert not store.dataset_keys()


@pytest.mark.parametrize(
    "values", ["[" + "[]," * 500 + "[]]", "[" + "1," * 500 + "1]", "{" + '"a":1,' * 500 + '"b":1}']
)
@pytest.mark.parametrize("address", ["/api/v1/lineage", "/api/v1/lineage/batch"])
def test_values_are_counted_before_they_are_parsed(store: LineageStore, values: str, address: str) -> None:
    app = create_app(store, Settings(max_event_values=500, max_batch_values=500))
    with TestClient(app, base_url="http://localhost") as client:
        response = client.post(address, content=values)
    assert (response.status_code, response.json()["code"]) == (413, "TOO_MANY_VALUES")
    assert "HEADWATER_MAX_" in response.json()["hint"]


def test_an_event_of_a_batch_may_have_as_many_values_as_a_single_event(store: LineageStore) -> None:
    large = event_body(run={**event_body()["run"], "facets": {"many": {"values": [0] * 600}}})
    app = create_app(store, Settings(max_event_values=500))
    with TestClient(app, base_url="http://localhost") as client:
        answer = client.post("/api/v1/lineage/batch", json=[large, event_body()]).json()
    assert [(each["index"], each["code"]) for each in answer["failed_events"]] == [(0, "TOO_MANY_VALUES")]


@pytest.mark.parametrize(
    ("text", "most", "more"),
    [
        ('["a,b,c", "{[,"]', 3, False),
        ('["\\"a,b,c", "\\\\", "[\\""]', 4, False),
        ('["a", "b", "c"]', 3, True),
        ('{"a": {"b": [1, 2]}}', 4, True),
        ('{"a": {"b": [1, 2]}}', 5, False),
        ("7", 1, False),
    ],
)
def test_characters_in_strings_are_not_counted(text: str, most: int, more: bool) -> None:
    assert json_text.has_more_values(text, most) is more


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32-le", "latin-1"])
def test_json_must_be_utf_8(encoding: str) -> None:
    with pytest.raises(EventError) as raised:
        json_text.read('["é"]'.encode(encoding), 10, "X")
    assert raised.value.code == "NOT_JSON"


def test_the_nesting_of_an_event_is_limited(store: LineageStore) -> None:
    deep: Any = 1
    for _ in range(60):
        deep = {"in": deep}
    nested = event_body(run={**event_body()["run"], "facets": {"deep": deep}})
    with TestClient(create_app(store, Settings(max_event_depth=50)), base_url="http://localhost") as client:
        response = client.post("/api/v1/lineage", json=nested)
    assert (response.status_code, response.json()["code"]) == (400, "TOO_DEEP")
    assert "HEADWATER_MAX_EVENT_DEPTH" in response.json()["hint"]


@pytest.mark.parametrize(
    ("facets", "place"),
    [
        ({"sql": {"query": "x" * 101}}, "/run/facets/sql/query"),
        ({"tags": [{"k": "v"}, {"y" * 101: 1}]}, "/run/facets/tags/1"),
    ],
)
def test_strings_of_an_event_are_limited(store: LineageStore, facets: dict[str, Any], place: str) -> None:
    long = event_body(run={**event_body()["run"], "facets": facets})
    with TestClient(create_app(store, Settings(max_event_text=100)), base_url="http://localhost") as client:
        response = client.post("/api/v1/lineage", json=long)
    assert (response.status_code, response.json()["code"]) == (413, "TEXT_TOO_LONG")
    assert response.json()["pointer"] == place
    assert "HEADWATER_MAX_EVENT_TEXT" in response.json()["hint"]


@pytest.mark.parametrize(
    ("odd", "status"),
    [
        (b'"\\u0000"', 201),
        (b'"\\ud800"', 400),
        (b'"\xed\xa0\x80"', 400),
        (b"1" * 4_000, 201),
        (b"1" * 5_000, 400),
        (b"-" + b"9" * 400, 201),
        (b"1e999", 400),
        (b"NaN", 400),
        (b"-Infinity", 400),
        (b'"\xff"', 400),
        (b'{"__proto__": {"a": 1}, "constructor": 1}', 201),
        (b'"${jndi:ldap://127.0.0.1/a} {{7*7}} <script>"', 201),
    ],
)
def test_odd_values_of_a_facet_are_kept_or_refused(client: TestClient, odd: bytes, status: int) -> None:
    text = json.dumps(event_body(run={**event_body()["run"], "facets": {"odd": {"value": "@"}}})).encode()
    response = client.post("/api/v1/lineage", content=text.replace(b'"@"', odd))
    assert response.status_code == status


@pytest.mark.parametrize(
    "name",
    ["a\0b", "../../etc/passwd", "'; DROP TABLE path; --", "`}) DETACH DELETE n //", "\u202e", "\ufeff", " "],
)
def test_any_text_is_a_name_and_nothing_more(client: TestClient, store: LineageStore, name: str) -> None:
    sent = event_body()
    sent["job"]["name"] = sent["outputs"][0]["name"] = sent["outputs"][0]["namespace"] = name
    assert client.post("/api/v1/lineage", json=sent).status_code == 201
    assert {(key.namespace, key.name) for key in store.dataset_keys()} == {("test", "in"), (name, name)}
    found = run_query(client, queries()["dataset"], namespace=name, name=name)["data"]["dataset"]
    assert (found["namespace"], found["name"]) == (name, name)


@pytest.mark.parametrize(
    "path",
    [
        f"{ASSETS}/../schema.py",
        f"{ASSETS}/..%2f..%2fschema.py",
        f"{ASSETS}/%2e%2e/%2e%2e/schema.py",
        f"{ASSETS}//etc/passwd",
        f"{ASSETS}/%2fetc%2fpasswd",
        f"{ASSETS}/explorer.js%00.css",
        f"{ASSETS}/",
        "/..%2f..%2fetc/passwd",
        "/%00",
    ],
)
def test_no_path_leads_to_another_file(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert response.json()["code"] == "NOT_FOUND"


def test_a_path_cannot_write_lines_into_the_log(
    store: LineageStore, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError

    monkeypatch.setattr(store, "ping", broken)
    with TestClient(
        create_app(store, Settings()), base_url="http://localhost", raise_server_exceptions=False
    ) as client:
        assert client.get("/health?x=%0aforged").status_code == 500
    assert not any("\n" in record.getMessage() for record in caplog.records)


def test_a_body_that_never_ends_is_408(store: LineageStore) -> None:
    app = create_app(store, Settings(body_seconds=0.2))
    scope: Scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/lineage",
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }
    begun = iter([{"type": "http.request", "body": b"{", "more_body": True}])
    sent: list[Message] = []

    async def receive() -> Message:
        for message in begun:
            return message
        await anyio.sleep_forever()
        raise AssertionError("forever is over")

    async def send(message: Message) -> None:
        sent.append(message)

    anyio.run(app, scope, receive, send)
    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"])["code"] == "BODY_TOO_SLOW"
