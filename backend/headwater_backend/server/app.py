"""HTTP application: event endpoints, health, pages, and the routes passed in for queries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from http import HTTPStatus
from importlib.metadata import version
from ipaddress import IPv4Network, IPv6Network
from typing import Any, NamedTuple

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, FastAPI
from starlette.responses import JSONResponse, PlainTextResponse, Response
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from headwater_backend.access.addresses import is_loopback
from headwater_backend.access.gate import Gate
from headwater_backend.ingest.decoding.limits import Limits
from headwater_backend.ingest.journal import Journal
from headwater_backend.ports import Answering, LineageStore
from headwater_backend.privacy.classification.rules import NO_RULES, Rules
from headwater_backend.privacy.files import read_policies, read_rules
from headwater_backend.privacy.organisation.organisation_file import read_organisation
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION, Organisation
from headwater_backend.privacy.policies import Policy
from headwater_backend.server import (
    authentication,
    lineage_endpoints,
    middleware,
    openapi,
    problems,
    request_logging,
    status_page,
    telemetry,
)
from headwater_backend.server.metrics import Metrics, measured_store
from headwater_backend.server.run_feed import RunFeed
from headwater_backend.settings import Settings

HEALTH_THREADS = 4


class ServerContext(NamedTuple):
    """The state of the application that added routes use."""

    store: LineageStore
    settings: Settings
    rules: Rules
    feed: RunFeed
    gate: Gate
    organisation: Organisation = NO_ORGANISATION
    policies: Sequence[Policy] = ()


def create_app(
    store: LineageStore,
    settings: Settings,
    routes: Callable[[ServerContext], APIRouter],
    journal: Journal | None = None,
) -> FastAPI:
    """Return the application over an open store.

    The caller closes the store and the ``journal``, which accepts events while the store is unavailable. ``routes``
    creates the routes for queries.

    Raises ``RulesError``, ``KeysError``, ``IssuerError``, ``OperationsError`` or ``TracesMissing`` if the settings
    are invalid. Setting ``app.state.stopping`` makes ``/health/ready`` fail before a shutdown. ``app.state.feed``
    is the feed of run updates, ``app.state.gate`` authenticates callers, and ``app.state.spans`` is the tracer
    provider, if tracing is enabled.
    """
    rules = read_rules(settings.rules) if settings.rules else NO_RULES
    organisation = read_organisation(settings.organisation) if settings.organisation else NO_ORGANISATION
    policies = read_policies(settings.policies) if settings.policies else ()
    metrics = Metrics()
    if journal:
        metrics.watch(journal)
    store = measured_store(store, metrics)
    feed, gate = RunFeed(store), authentication.gate_of(settings)
    app = FastAPI(title="Headwater", version=version("headwater"), docs_url=None, redoc_url=None)
    problems.install(app)
    app.state.stopping, app.state.feed, app.state.gate = threading.Event(), feed, gate
    app.include_router(
        lineage_endpoints.router(store, _request_limits(settings), metrics.count_events, journal)
    )
    app.include_router(routes(ServerContext(store, settings, rules, feed, gate, organisation, policies)))
    _add_health(app, store, metrics, journal)
    _add_pages(app, store)
    openapi.describe(app)
    app.add_middleware(
        middleware.BodyLimit,
        limit=settings.max_body_bytes,
        query_limit=settings.max_query_bytes,
        seconds=settings.body_seconds,
    )
    app.add_middleware(
        authentication.AuthenticationMiddleware,
        gate=gate,
        rate=settings.rate_limit,
        failures=settings.failure_limit,
    )
    beyond_loopback = not is_loopback(settings.host)
    framed = ("/embed",) if settings.embed_origins else ()
    app.add_middleware(middleware.HostGuard, hosts=settings.hosts(), addresses=beyond_loopback, framed=framed)
    app.add_middleware(request_logging.RequestLogging, metrics=metrics)
    app.add_middleware(middleware.SecurityHeaders)
    if telemetry.is_enabled():
        app.state.spans = telemetry.provider()
        app.add_middleware(telemetry.TracingMiddleware, sending=app.state.spans)
    if settings.trusted_proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=_peers(settings.trusted_proxies))
    return app


def _peers(networks: Sequence[IPv4Network | IPv6Network]) -> list[str]:
    """Return the networks as peer addresses: an IPv6 socket also reports IPv4 peers, as mapped addresses."""
    mapped = (
        f"::ffff:{network.network_address}/{96 + network.prefixlen}"
        for network in networks
        if network.version == 4
    )
    return [*map(str, networks), *mapped]


def _request_limits(settings: Settings) -> lineage_endpoints.RequestLimits:
    return lineage_endpoints.RequestLimits(
        event=event_limits(settings),
        body_bytes=settings.max_body_bytes,
        batch_events=settings.max_batch_events,
        batch_values=settings.max_batch_values,
    )


def event_limits(settings: Settings) -> Limits:
    """Return the size limits of events."""
    return Limits(
        event_bytes=settings.max_event_bytes,
        depth=settings.max_event_depth,
        values=settings.max_event_values,
        text=settings.max_event_text,
        clock_skew=settings.max_clock_skew,
    )


def _add_health(app: FastAPI, store: Answering, metrics: Metrics, journal: Journal | None) -> None:
    # Health checks have their own threads, because questions may use all others.
    threads = CapacityLimiter(HEALTH_THREADS)

    @app.get("/health", responses=openapi.HEALTH_RESPONSES)
    async def health() -> Response:
        await to_thread.run_sync(store.ping, limiter=threads)
        return JSONResponse({"status": "ok", "version": version("headwater")})

    @app.get("/health/live", responses=openapi.HEALTH_RESPONSES)
    async def live() -> Response:
        return JSONResponse({"status": "ok"})

    @app.get("/health/ready", responses=openapi.HEALTH_RESPONSES)
    async def ready() -> Response:
        metrics.ready.set(0)
        if app.state.stopping.is_set():
            return problems.problem(HTTPStatus.SERVICE_UNAVAILABLE, "STOPPING", "the server is shutting down")
        await to_thread.run_sync(store.ping, limiter=threads)
        metrics.ready.set(1)
        return JSONResponse({"status": "ok", **_journal_report(journal)})

    @app.get("/metrics", response_class=PlainTextResponse, responses=openapi.GUARDED_RESPONSES)
    def figures() -> Response:
        return metrics.response()


def _journal_report(journal: Journal | None) -> dict[str, Any]:
    """Return the journal's part of the health report; empty without a journal."""
    if journal is None:
        return {}
    waiting = journal.waiting()
    return {"journal": {"events": waiting.events, "parked_events": waiting.parked}}


def _add_pages(app: FastAPI, store: LineageStore) -> None:
    @app.get("/status", include_in_schema=False)
    def status() -> Response:
        return status_page.status_page(store)
