"""Prometheus metrics: one registry per application, so that several in one process do not mix.

Labels have few, bounded values: declared routes instead of requested paths, and error codes.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter as Tally
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.responses import Response

from headwater_backend.ingest.journal import Journal
from headwater_backend.ingest.service import Outcome
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.findings.finding import PRESENT, State, counts
from headwater_backend.privacy.policies import Severity
from headwater_backend.server import telemetry

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

_log = logging.getLogger(__name__)

disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The metrics of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)
        self.requests = self._counter("http_requests", "Requests answered.", "method", "route", "status")
        self.request_seconds = self._histogram(
            "http_request_seconds",
            "Time from a request's first byte to its answer's last.",
            "method",
            "route",
        )
        self.in_progress = Gauge(
            "headwater_http_requests_in_progress", "Requests being answered now.", registry=self.registry
        )
        self.events = self._counter("events", "Events received, by result.", "result", "reason")
        self.store_seconds = self._histogram("store_seconds", "Duration of store calls.", "verb")
        self.store_errors = self._counter("store_errors", "Failed store calls.", "verb", "error")
        self.ready = Gauge(
            "headwater_ready",
            "1 while /health/ready succeeds: the store answers, and no shutdown is in progress.",
            registry=self.registry,
        )

    def watch(self, journal: Journal) -> None:
        """Add metrics of the journal, read at each scrape."""
        self.registry.register(_JournalCollector(journal))

    def _counter(self, name: str, description: str, *labels: str) -> Counter:
        return Counter(f"headwater_{name}", description, labels, registry=self.registry)

    def _histogram(self, name: str, description: str, *labels: str) -> Histogram:
        return Histogram(f"headwater_{name}", description, labels, buckets=_SECONDS, registry=self.registry)

    def count_events(self, outcomes: Sequence[Outcome]) -> None:
        """Count events by outcome."""
        reasons = Tally(outcome.error.code if outcome.error else "" for outcome in outcomes)
        for reason, count in reasons.items():
            self.events.labels("refused" if reason else "stored", reason).inc(count)

    @contextmanager
    def measure_store_call(self, verb: str) -> Iterator[None]:
        """Context manager that measures a store call."""
        begun = time.perf_counter()
        try:
            with telemetry.span(f"store.{verb}"):
                yield
        except Exception as error:
            self.store_errors.labels(verb, getattr(error, "code", "INTERNAL")).inc()
            raise
        finally:
            self.store_seconds.labels(verb).observe(time.perf_counter() - begun)

    def response(self) -> Response:
        """Return all metrics in Prometheus' text format."""
        return Response(generate_latest(self.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})


class _JournalCollector(Collector):
    """Metrics of a journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def collect(self) -> Iterator[Metric]:
        waiting = self._journal.waiting()
        for name, description, value in (
            ("events", "Events waiting for the store.", waiting.events),
            ("parked_events", "Waiting events that failed to be stored several times.", waiting.parked),
            ("bytes", "Total size of the waiting events.", waiting.bytes),
            ("oldest_seconds", "Age of the oldest waiting event.", waiting.seconds),
        ):
            yield GaugeMetricFamily(f"headwater_journal_{name}", description, value)


class FindingsCollector(Collector):
    """Numbers of findings by severity, as they were when last read: at a scrape, if that is a minute ago.

    They are read in a thread, and a scrape waits for it only shortly: without the store, all other metrics are most
    wanted. Before they are read for the first time there are none, because none would look like zero.
    """

    def __init__(self, store: LineageStore, every: float = 60.0, patience: float = 0.5) -> None:
        self._store = store
        self._every = every
        self._patience = patience
        self._counts: Tally[tuple[Severity, State]] | None = None
        self._read_at = 0.0
        self._due = 0.0
        self._reading: threading.Thread | None = None
        self._lock = threading.Lock()

    def collect(self) -> Iterator[Metric]:
        self._read_if_due()
        if self._counts is None:
            return
        found = GaugeMetricFamily(
            "headwater_findings",
            "Violations of policies that are there, by what was done about them.",
            labels=("severity", "state"),
        )
        for severity in Severity:
            for state in PRESENT:
                found.add_metric((severity.value.lower(), state.value.lower()), self._counts[severity, state])
        yield found
        yield GaugeMetricFamily(
            "headwater_findings_read_timestamp_seconds", "When the findings were read.", self._read_at
        )

    def _read_if_due(self) -> None:
        with self._lock:
            if self._reading is None and time.monotonic() >= self._due:
                self._reading = threading.Thread(target=self._read, name="findings", daemon=True)
                self._reading.start()
            reading = self._reading
        if reading is not None:
            reading.join(self._patience)

    def _read(self) -> None:
        try:
            self._counts = counts(self._store.decisions())
            self._read_at = time.time()
        except Exception as error:  # noqa: BLE001 - the next scrape tries again
            _log.debug("findings are not counted: %s", error)
        finally:
            self._due, self._reading = time.monotonic() + self._every, None


def measured_store(store: LineageStore, metrics: Metrics) -> LineageStore:
    """Return the store, with all of its calls measured, and its findings counted at scrapes."""
    measured = cast(LineageStore, _MeasuredStore(store, metrics))
    metrics.registry.register(FindingsCollector(measured))
    return measured


class _MeasuredStore:
    """Proxy that measures every method of the store."""

    def __init__(self, store: LineageStore, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not callable(found):
            return found
        measured = self._measured(name, found)
        setattr(self, name, measured)
        return measured

    def _measured(self, verb: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def measured_call(*args: Any, **kwargs: Any) -> Any:
            with self._metrics.measure_store_call(verb):
                return call(*args, **kwargs)

        return measured_call
