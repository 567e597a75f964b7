"""What Prometheus is told: one registry for each application, so that several in one process do not mix.

Labels are few and bounded: routes as they are declared, never addresses as they were asked for; codes of errors.
"""

from __future__ import annotations

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
from headwater_backend.server import traces

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The figures of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)
        self.requests = self._counter("http_requests", "Requests answered.", "method", "route", "status")
        self.request_seconds = self._histogram(
            "http_request_seconds", "From a request's first byte to its answer's last.", "method", "route"
        )
        self.in_progress = Gauge(
            "headwater_http_requests_in_progress", "Requests being answered now.", registry=self.registry
        )
        self.events = self._counter(
            "events", "Events sent to us, and what became of them.", "result", "reason"
        )
        self.store_seconds = self._histogram("store_seconds", "How long the store took.", "verb")
        self.store_errors = self._counter("store_errors", "Calls that the store failed.", "verb", "error")
        self.ready = Gauge(
            "headwater_ready",
            "1 while /health/ready says yes: the store answers, nobody stops us.",
            registry=self.registry,
        )

    def watch(self, journal: Journal) -> None:
        """Tell of what waits in the journal, each time that the figures are asked for."""
        self.registry.register(_Waiting(journal))

    def _counter(self, name: str, says: str, *labels: str) -> Counter:
        return Counter(f"headwater_{name}", says, labels, registry=self.registry)

    def _histogram(self, name: str, says: str, *labels: str) -> Histogram:
        return Histogram(f"headwater_{name}", says, labels, buckets=_SECONDS, registry=self.registry)

    def took_in(self, outcomes: Sequence[Outcome]) -> None:
        """Count what became of events."""
        reasons = Tally(outcome.error.code if outcome.error else "" for outcome in outcomes)
        for reason, count in reasons.items():
            self.events.labels("refused" if reason else "stored", reason).inc(count)

    @contextmanager
    def asking_store(self, verb: str) -> Iterator[None]:
        """Measure a call of the store."""
        begun = time.perf_counter()
        try:
            with traces.span(f"store.{verb}"):
                yield
        except Exception as error:
            self.store_errors.labels(verb, getattr(error, "code", "INTERNAL")).inc()
            raise
        finally:
            self.store_seconds.labels(verb).observe(time.perf_counter() - begun)

    def exposed(self) -> Response:
        """All figures in Prometheus' text format."""
        return Response(generate_latest(self.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})


class _Waiting(Collector):
    """The figures of a journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def collect(self) -> Iterator[Metric]:
        waiting = self._journal.waiting()
        for name, says, value in (
            ("events", "Events that wait for the store.", waiting.events),
            ("parked_events", "Those of them that could not be stored several times.", waiting.parked),
            ("bytes", "How large they are together.", waiting.bytes),
            ("oldest_seconds", "For how long the oldest of them has been waiting.", waiting.seconds),
        ):
            yield GaugeMetricFamily(f"headwater_journal_{name}", says, value)


def observed(store: LineageStore, metrics: Metrics) -> LineageStore:
    """The same store, each of whose calls is measured."""
    return cast(LineageStore, _Observed(store, metrics))


class _Observed:
    """Passes each of the port's verbs on, whichever they are."""

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
        def asked(*args: Any, **kwargs: Any) -> Any:
            with self._metrics.asking_store(verb):
                return call(*args, **kwargs)

        return asked
