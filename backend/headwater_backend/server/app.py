"""The HTTP application: intake, health, pages, and the routes that whoever composes it adds."""

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
from headwater_backend.ingest.decoding.limits import Limits
from headwater_backend.ingest.journal import Journal
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.rules import Rule, read_rules
from headwater_backend.server import (
    authentication,
    guards,
    home,
    intake,
    openapi,
    problems,
    requests,
    traces,
)
from headwater_backend.server.feed import Feed
from headwater_backend.server.metrics import Metrics, observed
from headwater_backend.settings import Settings

HEALTH_THREADS = 4


class Served(NamedTuple):
    """What added routes are given: the store, and what the application knows besides."""

    store: LineageStore
    settings: Settings
    rules: Sequence[Rule]
    feed: Feed


def create_app(
    store: LineageStore,
    settings: Settings,
    routes: Callable[[Served], APIRouter],
    journal: Journal | None = None,
) -> FastAPI:
    """The application over an open store, which stays the caller's to close, and so does the ``journal`` that takes
    events in while the store is away. ``routes`` makes those that answer questions.

    Raises ``RulesError`` when the settings name a rules file that cannot be used, and likewise ``KeysError``,
    ``IssuerError``, ``OperationsError`` and ``TracesMissing``. ``app.state.stopping`` is for who is about to stop it:
    set, it has ``/health/ready`` say no. ``app.state.feed`` tells subscriptions of runs; ``app.state.gate`` knows
    callers; ``app.state.spans`` is what sends traces, where they are asked for.
    """
    rules = read_rules(settings.rules) if settings.rules else ()
    metrics = Metrics()
    if journal:
        metrics.watch(journal)
    store = observed(store, metrics)
    feed, gate = Feed(store), authentication.gate_of(settings)
    app = FastAPI(title="Headwater", version=version("headwater"), docs_url=None, redoc_url=None)
    problems.install(app)
    app.state.stopping, app.state.feed, app.state.gate = threading.Event(), feed, gate
    app.include_router(intake.router(store, _bounds(settings), metrics.took_in, journal))
    app.include_router(routes(Served(store, settings, rules, feed)))
    _add_health(app, store, metrics, journal)
    _add_pages(app, store)
    openapi.describe(app)
    app.add_middleware(
        guards.BodyLimit,
        limit=settings.max_body_bytes,
        query_limit=settings.max_query_bytes,
        seconds=settings.body_seconds,
    )
    app.add_middleware(
        authentication.Access, gate=gate, rate=settings.rate_limit, failures=settings.failure_limit
    )
    beyond_loopback = not is_loopback(settings.host)
    app.add_middleware(guards.HostGuard, hosts=settings.hosts(), addresses=beyond_loopback)
    app.add_middleware(requests.Requests, metrics=metrics)
    app.add_middleware(guards.SecurityHeaders)
    if traces.asked_for():
        app.state.spans = traces.provider()
        app.add_middleware(traces.Traced, sending=app.state.spans)
    if settings.trusted_proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=_peers(settings.trusted_proxies))
    return app


def _peers(networks: Sequence[IPv4Network | IPv6Network]) -> list[str]:
    """The networks as peers are seen to come from them: on a socket for IPv6, IPv4 addresses are mapped ones."""
    mapped = (
        f"::ffff:{network.network_address}/{96 + network.prefixlen}"
        for network in networks
        if network.version == 4
    )
    return [*map(str, networks), *mapped]


def _bounds(settings: Settings) -> intake.Bounds:
    return intake.Bounds(
        event=event_limits(settings),
        body_bytes=settings.max_body_bytes,
        batch_events=settings.max_batch_events,
        batch_values=settings.max_batch_values,
    )


def event_limits(settings: Settings) -> Limits:
    """What an event may be at most."""
    return Limits(
        event_bytes=settings.max_event_bytes,
        depth=settings.max_event_depth,
        values=settings.max_event_values,
        text=settings.max_event_text,
        clock_skew=settings.max_clock_skew,
    )


def _add_health(app: FastAPI, store: LineageStore, metrics: Metrics, journal: Journal | None) -> None:
    # Threads of their own: those of questions may all be in use.
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
            return problems.problem(HTTPStatus.SERVICE_UNAVAILABLE, "STOPPING", "the server is about to stop")
        await to_thread.run_sync(store.ping, limiter=threads)
        metrics.ready.set(1)
        return JSONResponse({"status": "ok", **_in_journal(journal)})

    @app.get("/metrics", response_class=PlainTextResponse, responses=openapi.GUARDED_RESPONSES)
    def figures() -> Response:
        return metrics.exposed()


def _in_journal(journal: Journal | None) -> dict[str, Any]:
    """What a server that has a journal says of it."""
    if journal is None:
        return {}
    waiting = journal.waiting()
    return {"journal": {"events": waiting.events, "parked_events": waiting.parked}}


def _add_pages(app: FastAPI, store: LineageStore) -> None:
    @app.get("/", include_in_schema=False)
    def front() -> Response:
        return home.home(store)
