"""The application of ``headwater records serve``: GraphQL and a page, with the server's keys and guards."""

from __future__ import annotations

from typing import Any

from cross_web import HTTPException as BadRequest
from fastapi import FastAPI
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from strawberry.fastapi import BaseContext, GraphQLRouter

from headwater_backend.access.addresses import is_loopback
from headwater_backend.domain.roles import everything
from headwater_backend.server import authentication, middleware, problems
from headwater_backend.settings import Settings
from headwater_cli.records.serving.asking import Asking, Folder
from headwater_cli.records.serving.schema import schema
from headwater_graphql.engine.errors import BAD_QUERY
from headwater_graphql.explorer import assets
from headwater_graphql.explorer.page import policy
from headwater_graphql.http import answer_json, request_json


class _Context(Asking, BaseContext):
    """The context of a request over HTTP."""


class _Router(GraphQLRouter[Asking, None]):
    """Answers what is sent as JSON by POST, which no page of another site can make a browser send."""

    async def run(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        request_json.require_plain_json(request.headers)
        try:
            return await super().run(request, *args, **kwargs)
        except BadRequest as error:
            return problems.problem(error.status_code, BAD_QUERY, error.reason)

    def decode_json(self, data: str | bytes) -> Any:
        return request_json.read(data)

    def encode_json(self, data: object) -> bytes:
        return answer_json.encode(data)


def create_app(folder: Folder, settings: Settings) -> FastAPI:
    """The application; raises ``KeysError`` or ``IssuerError`` if the settings are invalid."""
    gate = authentication.gate_of(settings)
    app = FastAPI(title="Headwater records", docs_url=None, redoc_url=None, openapi_url=None)
    problems.install(app)

    async def context(connection: HTTPConnection) -> _Context:
        caller = everything("local") if gate.open else authentication.caller_of(connection)
        return _Context(folder, caller, settings.answer_seconds)

    app.include_router(
        _Router(schema, context_getter=context, graphql_ide=None, allow_queries_via_get=False),
        prefix=authentication.GRAPHQL,
    )

    @app.get(authentication.ASSETS + "/{name}")
    def asset(name: str, request: Request, v: str | None = None) -> Response:
        return assets.asset(name, v, request.headers.get("accept-encoding", ""))

    @app.get("/")
    def page() -> Response:
        values = {"keys": not gate.open}
        return assets.page("records", "Headwater records", "Headwater …", values, policy(), assets.STATIC)

    limits = {"limit": settings.max_query_bytes, "query_limit": settings.max_query_bytes}
    app.add_middleware(middleware.BodyLimit, **limits, seconds=settings.body_seconds)
    app.add_middleware(
        authentication.AuthenticationMiddleware,
        gate=gate,
        rate=settings.rate_limit,
        failures=settings.failure_limit,
    )
    app.add_middleware(middleware.HostGuard, hosts=settings.hosts(), addresses=not is_loopback(settings.host))
    app.add_middleware(middleware.SecurityHeaders)
    return app
