"""The HTTP application: accepted and refused requests, and problem documents."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Iterator
from typing import Any

import anyio
import httpx
import pytest
from starlette.testclient import TestClient

from headwater_backend.domain.errors import HeadwaterError, StoreFailedError, StoreUnavailable
from headwater_backend.domain.model import DatasetKey
from headwater_backend.ports import LineageStore, get_dataset
from headwater_backend.server.authentication import HEALTH
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from kit.memory_store import MemoryStore

EVENT: dict[str, Any] = {
    "eventType": "COMPLETE",
    "eventTime": "2026-11-20T10:00:00Z",
    "producer": "https://example.org/test",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {"runId": "0193f5a0-0000-7000-8000-000000000001"},
    "job": {"namespace": "ns", "name": "job"},
    "inputs": [{"namespace": "ns", "name": "in"}],
    "outputs": [{"namespace": "ns", "name": "out"}],
}


def _problem(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["status"] == status
    assert body["code"] == code
    assert body["type"] == f"urn:headwater:problem:{code}"
    assert body["title"] and body["detail"]
    return body


def test_an_event_is_stored_before_it_is_answered(client: TestClient, store: LineageStore) -> None:
    assert client.post("/api/v1/lineage", json=EVENT).status_code == 201
    assert get_dataset(store, DatasetKey("ns", "out")) is not None


@pytest.mark.parametrize(("path", "body"), [("lineage", EVENT), ("lineage/batch", [EVENT])])
def test_answers_announce_that_gzip_is_accepted(client: TestClient, path: str, body: Any) -> None:
    assert client.post(f"/api/v1/{path}", json=body).headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("encoding", ["gzip", "GZip", "x-gzip"])
def test_a_gzipped_event_is_accepted(client: TestClient, store: LineageStore, encoding: str) -> None:
    packed = gzip.compress(json.dumps(EVENT).encode())
    response = client.post("/api/v1/lineage", content=packed, headers={"content-encoding": encoding})
    assert response.status_code == 201
    assert get_dataset(store, DatasetKey("ns", "out")) is not None


def test_invalid_json_is_400(client: TestClient) -> None:
    _problem(client.post("/api/v1/lineage", content=b"{not json"), 400, "NOT_JSON")


def test_an_empty_body_is_400(client: TestClient) -> None:
    _problem(client.post("/api/v1/lineage"), 400, "NOT_JSON")


def test_a_schema_violation_is_422_with_a_pointer(client: TestClient) -> None:
    broken = {**EVENT, "run": {"runId": "not a uuid"}}
    body = _problem(client.post("/api/v1/lineage", json=broken), 422, "INVALID")
    assert body["pointer"] == "/run/runId"


def test_a_missing_member_is_named(client: TestClient) -> None:
    broken = {name: value for name, value in EVENT.items() if name != "producer"}
    body = _problem(client.post("/api/v1/lineage", json=broken), 422, "MISSING")
    assert body["pointer"] == "/producer"


def test_a_refused_event_leaves_nothing_behind(client: TestClient, store: LineageStore) -> None:
    client.post("/api/v1/lineage", json={**EVENT, "run": {"runId": "not a uuid"}})
    assert not store.dataset_keys()


def test_too_large_an_event_is_413(client: TestClient) -> None:
    large = {**EVENT, "padding": "x" * 150_000}
    _problem(client.post("/api/v1/lineage", json=large), 413, "TOO_LARGE")


def test_too_large_a_body_is_413_by_its_declared_length(client: TestClient) -> None:
    _problem(client.post("/api/v1/lineage", content=b"x" * 300_000), 413, "BODY_TOO_LARGE")


def test_too_large_a_body_is_413_while_it_is_read(client: TestClient) -> None:
    read = 0

    def chunks() -> Iterator[bytes]:
        nonlocal read
        for _ in range(1_000):
            read += 1
            yield b"x" * 10_000

    _problem(client.post("/api/v1/lineage", content=chunks()), 413, "BODY_TOO_LARGE")


def test_a_large_body_within_the_limits_is_accepted(store: LineageStore) -> None:
    app = create_app(store, Settings())
    large = {**EVENT, "job": {**EVENT["job"], "facets": {"notes": {"texts": ["x" * 1_000_000] * 7}}}}
    with TestClient(app, base_url="http://localhost") as opened:
        assert opened.post("/api/v1/lineage", json=large).status_code == 201
        assert opened.post("/api/v1/lineage/batch", json=[large] * 4).status_code == 200


def test_a_body_that_decompresses_to_too_much_is_413(client: TestClient) -> None:
    bomb = gzip.compress(b"0" * 50_000_000)
    assert len(bomb) < 100_000
    response = client.post("/api/v1/lineage", content=bomb, headers={"content-encoding": "gzip"})
    _problem(response, 413, "BODY_TOO_LARGE")


@pytest.mark.parametrize("body", [b"plainly not gzip", gzip.compress(b"{}" * 100)[:-9]], ids=["plain", "cut"])
def test_a_broken_gzip_body_is_400(client: TestClient, body: bytes) -> None:
    response = client.post("/api/v1/lineage", content=body, headers={"content-encoding": "gzip"})
    _problem(response, 400, "NOT_GZIP")


def test_an_unknown_encoding_is_415(client: TestClient) -> None:
    response = client.post("/api/v1/lineage", content=b"{}", headers={"content-encoding": "br"})
    _problem(response, 415, "UNKNOWN_ENCODING")


def test_deep_nesting_is_refused(client: TestClient) -> None:
    _problem(client.post("/api/v1/lineage", content=b"[" * 90_000), 400, "TOO_DEEP")


def test_a_batch_reports_failed_members_and_stores_the_others(
    client: TestClient, store: LineageStore
) -> None:
    response = client.post("/api/v1/lineage/batch", json=[EVENT, {"run": {}}, 7])
    assert response.status_code == 207
    body = response.json()
    assert body["status"] == "partial_success"
    assert body["summary"] == {
        "received": 3,
        "successful": 1,
        "failed": 2,
        "retriable": 0,
        "non_retriable": 2,
    }
    assert [failed["index"] for failed in body["failed_events"]] == [1, 2]
    assert all(failed["pointer"].startswith(f"/{failed['index']}") for failed in body["failed_events"])
    assert get_dataset(store, DatasetKey("ns", "out")) is not None


def test_a_good_batch_is_200(client: TestClient) -> None:
    response = client.post("/api/v1/lineage/batch", json=[EVENT, EVENT])
    assert response.status_code == 200
    assert response.json()["status"] == "success"
    assert response.json()["failed_events"] == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [(b"{}", 422, "NOT_AN_ARRAY"), (b"[", 400, "NOT_JSON"), (b"[" * 90_000, 400, "TOO_DEEP")],
)
def test_an_invalid_batch_is_refused(client: TestClient, body: bytes, status: int, code: str) -> None:
    _problem(client.post("/api/v1/lineage/batch", content=body), status, code)


def test_health_reports_that_the_store_answers(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200
    assert response.json()["status"] == "ok"


def test_health_answers_while_questions_use_all_threads(store: LineageStore) -> None:
    app = create_app(store, Settings())

    async def probe() -> list[int]:
        threads = anyio.to_thread.current_default_thread_limiter()
        for _ in range(int(threads.total_tokens)):
            await threads.acquire_on_behalf_of(object())
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            with anyio.fail_after(5):
                return [(await http.get(path)).status_code for path in HEALTH]

    assert anyio.run(probe) == [200] * len(HEALTH)


class StoreAway(MemoryStore):
    """A store whose server does not answer."""

    def ping(self) -> None:
        raise StoreUnavailable("bolt://me:secret@db:7687 refused the connection", retry_after=7)

    def apply(self, batch: object) -> None:
        self.ping()


@pytest.fixture
def away() -> Iterator[TestClient]:
    app = create_app(StoreAway([]), Settings())
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as opened:
        yield opened


def test_health_is_503_while_the_store_is_unavailable(away: TestClient) -> None:
    response = away.get("/health")
    _problem(response, 503, "STORE_UNAVAILABLE")
    assert "secret" not in response.text


def test_an_event_is_503_with_retry_after_while_the_store_is_unavailable(away: TestClient) -> None:
    response = away.post("/api/v1/lineage", json=EVENT)
    _problem(response, 503, "STORE_UNAVAILABLE")
    assert response.headers["retry-after"] == "7"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (StoreUnavailable("bolt://db:7687 refused secret", "is db up?"), "STORE_UNAVAILABLE"),
        (StoreFailedError("/var/lib/secret.db: no such column", "db?"), "STORE_FAILED"),
    ],
)
def test_an_answer_does_not_reveal_the_stores_address(
    error: HeadwaterError, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing(MemoryStore):
        def datasets(self, *_: Any, **__: Any) -> Any:
            raise error

    with (
        caplog.at_level(logging.INFO, "headwater_graphql"),
        TestClient(create_app(Failing([]), Settings()), base_url="http://localhost") as opened,
    ):
        answer = opened.post("/graphql", json={"query": "{ datasets { totalCount } }"})
    (reported,) = answer.json()["errors"]
    assert reported["extensions"]["code"] == code
    assert "secret" not in answer.text and "db" not in answer.text
    assert "secret" in caplog.text


class BrokenStore(MemoryStore):
    """A store with a bug."""

    def ping(self) -> None:
        raise RuntimeError("password=secret")

    def dataset_keys(self) -> list[DatasetKey]:
        raise RuntimeError("password=secret")


def test_internal_errors_are_500_without_details(caplog: pytest.LogCaptureFixture) -> None:
    app = create_app(BrokenStore([]), Settings())
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as opened:
        response = opened.get("/health")
    _problem(response, 500, "INTERNAL")
    assert "secret" not in response.text
    assert "password=secret" in caplog.text


def test_an_unknown_path_is_a_problem_document(client: TestClient) -> None:
    _problem(client.get("/nothing/here"), 404, "NOT_FOUND")
    _problem(client.get("/api/v1/lineage"), 405, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8055", "localhost.evil.example", "", "[::2]"])
def test_an_unknown_host_is_refused(client: TestClient, host: str) -> None:
    _problem(client.get("/health", headers={"host": host}), 421, "UNKNOWN_HOST")


@pytest.mark.parametrize("probe", ["/health/live", "/health/ready"])
def test_an_orchestrator_may_probe_at_any_address(client: TestClient, probe: str) -> None:
    assert client.get(probe, headers={"host": "10.42.0.17:8055"}).json() == {"status": "ok"}


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8055", "[::1]:8055", "LOCALHOST:1"])
def test_known_hosts_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/health", headers={"host": host}).status_code == 200


def test_another_site_s_page_cannot_send_events(client: TestClient, store: LineageStore) -> None:
    response = client.post("/api/v1/lineage", json=EVENT, headers={"origin": "https://evil.example"})
    _problem(response, 403, "FOREIGN_ORIGIN")
    assert not store.dataset_keys()


def test_cross_origin_requests_are_not_allowed(client: TestClient) -> None:
    response = client.options("/graphql", headers={"access-control-request-method": "POST"})
    assert "access-control-allow-origin" not in response.headers


def test_every_answer_has_the_security_headers(client: TestClient) -> None:
    for response in (
        client.get("/health"),
        client.get("/nothing"),
        client.get("/health", headers={"host": "x"}),
    ):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in response.headers["content-security-policy"]


def test_the_official_client_can_send_events(store: LineageStore, client: TestClient) -> None:
    """Sends the client's own serialisation of an event, as its HTTP transport does."""
    from openlineage.client.event_v2 import Job, OutputDataset, Run, RunEvent, RunState
    from openlineage.client.serde import Serde

    event = RunEvent(
        eventType=RunState.COMPLETE,
        eventTime="2026-11-20T10:00:00Z",
        run=Run(runId="0193f5a0-0000-7000-8000-000000000002"),
        job=Job(namespace="ns", name="official"),
        outputs=[OutputDataset(namespace="ns", name="written")],
        producer="https://example.org/official",
    )
    headers = {"content-type": "application/json"}
    assert client.post("/api/v1/lineage", content=Serde.to_json(event), headers=headers).status_code == 201
    assert get_dataset(store, DatasetKey("ns", "written")) is not None
