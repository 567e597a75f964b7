"""The HTTP application: intake, health, GraphQL and its explorer."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from http import HTTPStatus
from importlib.metadata import version
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from anyio import CapacityLimiter, to_thread
from cross_web import AsyncHTTPRequestAdapter
from cross_web import HTTPException as BadRequest
from fastapi import FastAPI
from pydantic_core import to_json
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from strawberry.fastapi import BaseContext, GraphQLRouter
from strawberry.http import GraphQLRequestData
from strawberry.subscriptions import GRAPHQL_TRANSPORT_WS_PROTOCOL
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from headwater_backend.access.gate import Gate
from headwater_backend.addresses import is_loopback
from headwater_backend.ingest.journal import Journal
from headwater_backend.ingest.limits import Limits
from headwater_backend.ports import LineageStore
from headwater_backend.questions.holdings import Snapshots
from headwater_backend.rules import Rule, read_rules
from headwater_backend.settings import Settings
from headwater_graphql import (
    access,
    answer_time,
    api,
    guards,
    home,
    intake,
    problems,
    request_json,
    requests,
    sockets,
    traces,
)
from headwater_graphql.context import Context
from headwater_graphql.errors import BAD_QUERY
from headwater_graphql.explorer import page
from headwater_graphql.feed import Feed
from headwater_graphql.kept_operations import OperationNotKept, Operations
from headwater_graphql.metrics import Metrics, observed
from headwater_graphql.schema import schema

SUBSCRIPTIONS = 20
"""Of one connection."""
HEALTH_THREADS = 4


def create_app(store: LineageStore, settings: Settings, journal: Journal | None = None) -> FastAPI:
    """The application over an open store, which stays the caller's to close, and so does the ``journal`` that takes
    events in while the store is away.

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
    feed, gate = Feed(store), Gate.of(settings)
    app = FastAPI(title="Headwater", version=version("headwater"), docs_url=None, redoc_url=None)
    problems.install(app)
    app.state.stopping, app.state.feed, app.state.gate = threading.Event(), feed, gate
    app.include_router(intake.router(store, _bounds(settings), metrics.took_in, journal))
    app.include_router(_graphql(store, rules, settings, feed), prefix="/graphql")
    _add_health(app, store, metrics, journal)
    _add_pages(app, store)
    api.describe(app)
    app.add_middleware(
        guards.BodyLimit,
        limit=settings.max_body_bytes,
        query_limit=settings.max_query_bytes,
        seconds=settings.body_seconds,
    )
    app.add_middleware(access.Access, gate=gate, rate=settings.rate_limit, failures=settings.failure_limit)
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

    @app.get("/health", responses=api.HEALTH_RESPONSES)
    async def health() -> Response:
        await to_thread.run_sync(store.ping, limiter=threads)
        return JSONResponse({"status": "ok", "version": version("headwater")})

    @app.get("/health/live", responses=api.HEALTH_RESPONSES)
    async def live() -> Response:
        return JSONResponse({"status": "ok"})

    @app.get("/health/ready", responses=api.HEALTH_RESPONSES)
    async def ready() -> Response:
        metrics.ready.set(0)
        if app.state.stopping.is_set():
            return problems.problem(HTTPStatus.SERVICE_UNAVAILABLE, "STOPPING", "the server is about to stop")
        await to_thread.run_sync(store.ping, limiter=threads)
        metrics.ready.set(1)
        return JSONResponse({"status": "ok", **_in_journal(journal)})

    @app.get("/metrics", response_class=PlainTextResponse, responses=api.GUARDED_RESPONSES)
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

    @app.get(page.ASSETS + "/{name}", include_in_schema=False)
    def asset(name: str) -> Response:
        return page.asset(name)


class _RequestContext(Context, BaseContext):
    """The context of a request over HTTP or a WebSocket."""

    def __post_init__(self) -> None:
        BaseContext.__init__(self)


class _RefusedError(Exception):
    """A request that is answered before it is executed."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


class _Router(GraphQLRouter[Context, None]):
    """Strawberry's router, with our explorer in place of its own, which loads from elsewhere.

    A page of any site can have a browser send a GET request, by an image or a link. So what is asked by one is a query
    that the server keeps, takes no more than to ask about lineage, and leaves no trace. ``answer_seconds`` is how long
    an answer may take.
    """

    answer_seconds: float
    operations: Operations

    websocket_adapter_class = sockets.Messages

    async def render_graphql_ide(self, request: Request) -> Any:
        return page.page()

    def should_render_graphql_ide(self, request: Any) -> bool:
        asks = {"extensions", "operationName"} & set(request.query_params)
        return super().should_render_graphql_ide(request) and not asks

    def decode_json(self, data: str | bytes) -> Any:
        return request_json.read(data)

    def parse_json(self, data: str | bytes) -> Any:
        document = super().parse_json(data)
        if not isinstance(document, dict | list):
            raise BadRequest(HTTPStatus.BAD_REQUEST, "a GraphQL request is a JSON object")
        return document

    async def parse_http_body(
        self, request: AsyncHTTPRequestAdapter
    ) -> GraphQLRequestData | list[GraphQLRequestData]:
        if request.method == "POST":
            request_json.require_plain_json(request.headers)
        data = await super().parse_http_body(request)
        if isinstance(data, GraphQLRequestData) and not isinstance(data.operation_name, str | None):
            raise BadRequest(HTTPStatus.BAD_REQUEST, "`operationName` is to be a text, if there is one")
        if request.method == "GET" and isinstance(data, GraphQLRequestData):
            self._require_link(request, data)
        return data

    def _require_link(self, request: AsyncHTTPRequestAdapter, data: GraphQLRequestData) -> None:
        if guards.is_foreign(request.headers):
            raise _RefusedError(guards.foreign())
        text = self.operations.text(data.query, data.operation_name, data.extensions)
        if text and not self.operations.may_be_linked(text):
            raise _RefusedError(_post_only())

    def encode_json(self, data: object) -> str | bytes:
        return to_json(data)

    async def run(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer a request that holds no query with a problem document, as everywhere."""
        try:
            if isinstance(request, Request):
                async with answer_time.limited(request, self.answer_seconds):
                    return await super().run(request, *args, **kwargs)
            return await super().run(request, *args, **kwargs)
        except BadRequest as error:
            return problems.problem(error.status_code, BAD_QUERY, error.reason)
        except OperationNotKept as error:
            return problems.problem(HTTPStatus.BAD_REQUEST, error.code, error.message, hint=error.hint)
        except _RefusedError as error:
            return error.response


def _post_only() -> Response:
    return problems.problem(
        HTTPStatus.METHOD_NOT_ALLOWED,
        "POST_ONLY",
        "by GET only those kept queries are answered that ask nothing personal",
        hint="send it by POST, as JSON",
        headers={"Allow": "POST"},
    )


def _graphql(store: LineageStore, rules: Sequence[Rule], settings: Settings, feed: Feed) -> _Router:
    operations = Operations.kept(settings.operations, settings.operations_only)
    limits = event_limits(settings)
    snapshots = Snapshots()

    async def context(connection: HTTPConnection) -> Context:
        return _RequestContext(
            store=store,
            rules=rules,
            max_nodes=settings.max_nodes,
            event_limits=limits,
            caller=access.caller_of(connection),
            caller_now=access.caller_now(connection),
            request_id=requests.request_id_of(connection),
            operations=operations,
            feed=feed,
            snapshots=snapshots,
            answer_seconds=settings.answer_seconds,
            served=True,
        )

    router = _Router(
        schema,
        context_getter=context,
        graphql_ide="graphiql",
        subscription_protocols=[GRAPHQL_TRANSPORT_WS_PROTOCOL],
        max_subscriptions_per_connection=SUBSCRIPTIONS,
    )
    router.answer_seconds = settings.answer_seconds
    router.operations = operations
    return router
