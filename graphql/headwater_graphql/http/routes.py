"""Routes of GraphQL and the explorer."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from cross_web import AsyncHTTPRequestAdapter
from cross_web import HTTPException as BadRequest
from fastapi import APIRouter
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.websockets import WebSocket
from strawberry.fastapi import BaseContext, GraphQLRouter
from strawberry.http import GraphQLRequestData
from strawberry.subscriptions import GRAPHQL_TRANSPORT_WS_PROTOCOL

from headwater_backend.access.secrets import without_credentials
from headwater_backend.access.visible_store import VisibleStore
from headwater_backend.domain.roles import Caller
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.server import authentication, middleware, problems, request_logging, time_limits
from headwater_backend.server.app import ServerContext, event_limits
from headwater_graphql.context import RequestContext
from headwater_graphql.engine.errors import BAD_QUERY
from headwater_graphql.explorer import assets, graphiql, page
from headwater_graphql.http import answer_json, request_json, sockets
from headwater_graphql.kept_operations import OperationNotKept, Operations
from headwater_graphql.schema import schema

SUBSCRIPTIONS = 20
"""Maximum number of operations on one connection."""


def routes(server: ServerContext) -> APIRouter:
    """Return the routes of ``/graphql`` and the explorer's assets; raises ``OperationsError``."""
    all_routes = APIRouter()
    all_routes.include_router(_graphql(server), prefix="/graphql")

    @all_routes.get(authentication.ASSETS + "/{name}", include_in_schema=False)
    def asset(name: str, request: Request, v: str | None = None) -> Response:
        return assets.asset(name, v, request.headers.get("accept-encoding", ""))

    @all_routes.get("/", include_in_schema=False)
    async def explorer() -> Response:
        return page.page(sign_in=await page.sign_in(server.settings, server.gate))

    @all_routes.get("/embed", include_in_schema=False)
    def embedded() -> Response:
        return page.embedded(server.settings)

    return all_routes


class _HTTPContext(RequestContext, BaseContext):
    """Context of a request over HTTP or a WebSocket."""

    connection: HTTPConnection

    def __post_init__(self) -> None:
        BaseContext.__init__(self)


class _RefusedError(Exception):
    """A request was refused before its execution."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


class _Router(GraphQLRouter[RequestContext, None]):
    """Strawberry's router with Headwater's explorer, because strawberry's own page loads assets from other sites.

    A page of any site can make a browser send a GET request, by an image or a link. So GET requests may only run kept
    queries that need no special permission and are not audited. ``answer_seconds`` is the time limit of an answer,
    and ``store_for`` returns the store as a caller sees it.
    """

    answer_seconds: float
    operations: Operations
    store_for: Callable[[Caller], LineageStore]

    websocket_adapter_class = sockets.Messages

    async def render_graphql_ide(self, request: Request) -> Any:
        return graphiql.page()

    def should_render_graphql_ide(self, request: Any) -> bool:
        parameters = {"extensions", "operationName"} & set(request.query_params)
        return super().should_render_graphql_ide(request) and not parameters

    def decode_json(self, data: str | bytes) -> Any:
        return request_json.read(data)

    def parse_json(self, data: str | bytes) -> Any:
        document = super().parse_json(data)
        if not isinstance(document, dict | list):
            raise BadRequest(HTTPStatus.BAD_REQUEST, "expected a JSON object")
        return document

    async def parse_http_body(
        self, request: AsyncHTTPRequestAdapter
    ) -> GraphQLRequestData | list[GraphQLRequestData]:
        if request.method == "POST":
            request_json.require_plain_json(request.headers)
        data = await super().parse_http_body(request)
        if isinstance(data, GraphQLRequestData) and not isinstance(data.operation_name, str | None):
            raise BadRequest(HTTPStatus.BAD_REQUEST, "`operationName` must be a string")
        if request.method == "GET" and isinstance(data, GraphQLRequestData):
            self._require_link(request, data)
        return data

    def _require_link(self, request: AsyncHTTPRequestAdapter, data: GraphQLRequestData) -> None:
        if middleware.is_foreign(request.headers):
            raise _RefusedError(middleware.foreign_site_response())
        text = self.operations.text(data.query, data.operation_name, data.extensions)
        if text and not self.operations.allows_get(text):
            raise _RefusedError(_post_only())

    async def on_ws_connect(self, context: RequestContext) -> Any:
        if isinstance(context, _HTTPContext) and isinstance(context.connection, WebSocket):
            await sockets.admit(context.connection, context, context.connection_params)
            context.store = self.store_for(context.caller)
        return await super().on_ws_connect(context)

    def encode_json(self, data: object) -> bytes:
        return answer_json.encode(data)

    async def run(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer a request without a query with a problem document, like other routes."""
        try:
            if isinstance(request, Request):
                async with time_limits.time_limit(request, self.answer_seconds):
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
        "GET requests may only run kept queries that need no special permission",
        hint="send it as JSON by POST",
        headers={"Allow": "POST"},
    )


def _graphql(server: ServerContext) -> _Router:
    settings = server.settings
    operations = Operations.load(settings.operations, settings.operations_only)
    limits = event_limits(settings)
    snapshots = Snapshots()
    source = without_credentials(settings.store)

    def store_for(caller: Caller) -> LineageStore:
        """Return the store as the caller sees it."""
        if settings.readers_by_namespace and caller.only_reads:
            return VisibleStore(server.store, caller.has_namespace)
        return server.store

    async def context(connection: HTTPConnection) -> RequestContext:
        caller = authentication.caller_of(connection)
        found = _HTTPContext(
            store=store_for(caller),
            rules=server.rules,
            organisation=server.organisation,
            policies=server.policies,
            source=source,
            max_nodes=settings.max_nodes,
            event_limits=limits,
            caller=caller,
            caller_now=authentication.caller_now(connection),
            request_id=request_logging.request_id_of(connection),
            operations=operations,
            feed=server.feed,
            snapshots=snapshots,
            answer_seconds=settings.answer_seconds,
            served=True,
        )
        found.connection = connection
        return found

    router = _Router(
        schema,
        context_getter=context,
        graphql_ide="graphiql",
        subscription_protocols=[GRAPHQL_TRANSPORT_WS_PROTOCOL],
        connection_init_wait_timeout=sockets.INIT_SECONDS,
        max_subscriptions_per_connection=SUBSCRIPTIONS,
    )
    router.answer_seconds = settings.answer_seconds
    router.store_for = store_for
    router.operations = operations
    return router
