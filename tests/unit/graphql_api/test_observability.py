"""Observability: logs, metrics and traces."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.ingest import journal as journal_module
from headwater_backend.ingest.journal import Journal
from headwater_backend.ingest.sender import LOCAL
from headwater_backend.ports import LineageStore
from headwater_backend.ports.decisions import Decisions
from headwater_backend.privacy.findings.finding import Finding, State
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.policies import Severity
from headwater_backend.server import logs
from headwater_backend.server.metrics import FindingsCollector
from headwater_backend.settings import LogFormat, Settings
from headwater_cli.composition import create_app
from kit.failing import FailingStore
from kit.memory_store import MemoryStore
from kit.openlineage import dataset, event


def event_body(number: int = 1) -> dict[str, Any]:
    made: dict[str, Any] = event("COMPLETE", number, f"run {number}", [], [dataset("out", "a")])
    return made


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """A function that configures a log format, and returns a function that returns the lines so far."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def set_up(form: LogFormat) -> Callable[[], list[str]]:
        logs.set_up(form, "INFO")
        return read

    def read() -> list[str]:
        return capsys.readouterr().err.splitlines()

    yield set_up
    root.handlers[:] = handlers
    root.setLevel(level)


def test_a_json_log_has_the_request_and_the_run_of_each_event(client: TestClient, lines: Any) -> None:
    read = lines(LogFormat.JSON)
    client.post("/api/v1/lineage", json=event_body(), headers={"x-request-id": "mine-1"})
    taken, answered = (json.loads(line) for line in read() if "mine-1" in line)
    assert (taken["message"], taken["level"]) == ("events stored", "info")
    assert taken["runs"] == [event_body()["run"]["runId"]]
    assert (answered["route"], answered["status"], answered["method"]) == ("/api/v1/lineage", 201, "POST")
    assert answered["caller"] == "unauthenticated"


def test_an_answer_has_the_id_of_its_request(client: TestClient) -> None:
    assert client.get("/health", headers={"x-request-id": "a.b-c_1"}).headers["x-request-id"] == "a.b-c_1"
    for unsound in ("a b", "x" * 129, "\x1b[31m", ""):
        request_id = client.get("/health", headers={"x-request-id": unsound}).headers["x-request-id"]
        assert re.fullmatch("[0-9a-f]{32}", request_id)


@pytest.mark.parametrize("form", list(LogFormat))
def test_a_traceback_contains_no_values(form: LogFormat, lines: Any) -> None:
    read = lines(form)

    def fail(password: str) -> None:
        raise RuntimeError("no")

    try:
        fail("hunter" + "2")
    except RuntimeError:
        logging.getLogger("headwater").exception("something failed")
    output = "\n".join(read())
    assert "RuntimeError: no" in output and "something failed" in output
    assert "hunter2" not in output


def test_a_json_log_has_one_line_per_record_even_with_a_traceback(lines: Any) -> None:
    read = lines(LogFormat.JSON)
    logging.getLogger("headwater").error("forged\n{}", exc_info=RuntimeError("a\nb"))
    (line,) = read()
    assert json.loads(line)["message"] == "forged\n{}"


def figures(client: TestClient) -> dict[str, float]:
    """Return the samples of ``/metrics`` by name and labels."""
    lines = client.get("/metrics").text.splitlines()
    return {
        name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")
    }


def test_requests_and_events_are_counted(client: TestClient) -> None:
    client.post("/api/v1/lineage", json=event_body())
    client.post("/api/v1/lineage/batch", json=[event_body(2), {}])
    client.get("/nothing/here")
    client.get("/health/ready")
    found = figures(client)
    assert found['headwater_http_requests_total{method="POST",route="/api/v1/lineage",status="201"}'] == 1
    assert found['headwater_http_requests_total{method="GET",route="none",status="404"}'] == 1
    assert found['headwater_events_total{reason="",result="stored"}'] == 2
    assert found['headwater_events_total{reason="MISSING",result="refused"}'] == 1
    assert found['headwater_store_seconds_count{verb="apply"}'] == 2
    assert found["headwater_ready"] == 1
    assert found["headwater_http_requests_in_progress"] == 1


def test_the_journal_is_measured(store: LineageStore, tmp_path: Path) -> None:
    with closing(Journal.open(tmp_path / "journal")) as journal:
        app = create_app(store, Settings(), journal)
        with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
            empty = {name: figures(client)[f"headwater_journal_{name}"] for name in WAITING}
            assert empty == {"events": 0, "parked_events": 0, "bytes": 0, "oldest_seconds": 0}
            store.close()
            for number in range(2):
                assert client.post("/api/v1/lineage", json=event_body(number)).status_code == 201
            found = figures(client)
            assert found["headwater_journal_events"] == 2
            events = sum(len(json.dumps([event_body(number)], separators=(",", ":"))) for number in range(2))
            assert 0 < found["headwater_journal_bytes"] - events < 500, "and their senders"
            assert 0 < found["headwater_journal_oldest_seconds"] < figures(client)[OLDEST]


WAITING = ("events", "parked_events", "bytes", "oldest_seconds")
OLDEST = "headwater_journal_oldest_seconds"


def test_a_server_with_parked_events_is_ready_and_reports_them(
    store: LineageStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "PARKED_AFTER", 1)
    with closing(Journal.open(tmp_path / "journal")) as journal:
        journal.accept([event_body()], LOCAL)
        with pytest.raises(StoreUnavailable):
            journal.drain(FailingStore(store, "out", takes_down=True).port)
        app = create_app(store, Settings(), journal)
        with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
            ready = client.get("/health/ready")
            assert (ready.status_code, ready.json()["status"]) == (200, "ok")
            assert ready.json()["journal"] == {"events": 1, "parked_events": 1}
            assert figures(client)["headwater_journal_parked_events"] == 1


def test_without_a_journal_it_has_no_metrics(client: TestClient) -> None:
    assert not [name for name in figures(client) if name.startswith("headwater_journal")]


def test_undeclared_paths_make_no_labels(client: TestClient) -> None:
    for number in range(20):
        client.request(f"ODD{number}", f"/made/up/{number}")
    routes = [name for name in figures(client) if name.startswith("headwater_http_requests_total")]
    assert routes == ['headwater_http_requests_total{method="other",route="none",status="404"}']


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """The address of an OpenTelemetry collector on loopback, and the bodies that it receives."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", bodies
    server.shutdown()
    server.server_close()
    thread.join()


def test_traces_have_spans_of_the_request_and_of_the_store(
    store: LineageStore, collector: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    from headwater_backend.server import telemetry

    address, bodies = collector
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    monkeypatch.setattr(telemetry, "_tracers", [])
    app = create_app(store, Settings())
    with TestClient(app, base_url="http://localhost") as client:
        assert client.post("/api/v1/lineage", json=event_body()).status_code == 201
        client.get("/health")
    app.state.spans.shutdown()
    sent = ExportTraceServiceRequest.FromString(b"".join(bodies))
    spans = [span for part in sent.resource_spans for scope in part.scope_spans for span in scope.spans]
    names = {span.name: span for span in spans}
    assert set(names) == {"POST /api/v1/lineage", "store.apply"}
    assert names["store.apply"].parent_span_id == names["POST /api/v1/lineage"].span_id
    assert b"run 1" not in b"".join(bodies)


def test_traces_are_off_by_default() -> None:
    from headwater_backend.server.telemetry import is_enabled

    assert not is_enabled({})
    assert is_enabled({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"})
    assert is_enabled({"OTEL_TRACES_EXPORTER": "otlp"})
    assert not is_enabled({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1"})
    assert not is_enabled({"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "otlp"})


def finding(number: int, state: State, severity: Severity = Severity.ERROR) -> DecisionMade:
    place = NodeKey(DatasetKey("test", "out"), (f"c{number}",))
    found = Finding("p", "user", severity, place, place, (Form.IDENTITY,), (), state)
    return found.record(1_800_000_000_000_000, "headwater", "noticed")


def counted(collector: FindingsCollector) -> dict[tuple[str, str], float]:
    """The number of findings by severity and state, without zeros."""
    samples = [sample for metric in collector.collect() for sample in metric.samples]
    return {
        (sample.labels["severity"], sample.labels["state"]): sample.value
        for sample in samples
        if sample.name == "headwater_findings" and sample.value
    }


def test_findings_are_counted_by_severity(client: TestClient, store: LineageStore) -> None:
    noticed = [finding(1, State.OPEN), finding(2, State.OPEN), finding(3, State.ACKNOWLEDGED)]
    gone = [finding(4, State.CLEARED), finding(5, State.RESOLVED)]
    store.apply(Batch(decisions=(*noticed, *gone, finding(6, State.OPEN, Severity.NOTE))))
    found = [
        line for line in client.get("/metrics").text.splitlines() if line.startswith("headwater_findings")
    ]
    assert sorted(found[:-1]) == [
        'headwater_findings{severity="error",state="acknowledged"} 1.0',
        'headwater_findings{severity="error",state="open"} 2.0',
        'headwater_findings{severity="note",state="acknowledged"} 0.0',
        'headwater_findings{severity="note",state="open"} 1.0',
        'headwater_findings{severity="warning",state="acknowledged"} 0.0',
        'headwater_findings{severity="warning",state="open"} 0.0',
    ]
    assert found[-1].startswith("headwater_findings_read_timestamp_seconds ")


class Asked(MemoryStore):
    """A store with an open finding that waits for ``answers`` and then fails, if it ``fails``."""

    def __init__(self) -> None:
        super().__init__([])
        self.answers, self.fails, self.asked = threading.Event(), False, 0

    def decisions(self) -> Decisions:
        self.asked += 1
        self.answers.wait(10)
        if self.fails:
            raise StoreUnavailable("it is away")
        return Decisions([finding(1, State.OPEN)])


def test_findings_are_read_once_in_a_while_and_no_scrape_waits_for_the_store() -> None:
    store = Asked()
    collector = FindingsCollector(store, every=60.0, patience=0.01)
    assert list(collector.collect()) == [] == list(collector.collect())
    store.answers.set()
    found = next(filter(None, (counted(collector) for _ in range(1_000))))
    assert (found, counted(collector), store.asked) == ({("error", "open"): 1.0}, found, 1)


def test_the_last_numbers_of_findings_stay_while_the_store_is_away() -> None:
    store = Asked()
    store.answers.set()
    collector = FindingsCollector(store, every=0.0, patience=10.0)
    assert counted(collector) == {("error", "open"): 1.0}
    store.fails = True
    assert counted(collector) == {("error", "open"): 1.0}
    assert store.asked == 2
