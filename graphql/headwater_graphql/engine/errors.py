"""GraphQL errors for programs: always with ``extensions.code``, and ``extensions.hint`` if available.

``BAD_QUERY`` is a document or variables that do not match the schema; the backend's own codes are those of
``headwater_backend.domain.errors``; ``INTERNAL`` is a bug: logged in full, returned without details. The store's
address and error messages are logged, and only returned to local callers.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from typing import Any

import strawberry
from graphql import GraphQLError
from starlette.concurrency import run_in_threadpool
from strawberry.exceptions import MissingQueryError
from strawberry.extensions import SchemaExtension
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types import ExecutionContext, ExecutionResult
from strawberry.types.graphql import OperationType

from headwater_backend.domain import deadline
from headwater_backend.domain.deadline import Deadline
from headwater_backend.domain.errors import HeadwaterError, StoreFailedError, StoreUnavailable

BAD_QUERY = "BAD_QUERY"
INTERNAL = "INTERNAL"
_STREAMED = frozenset({OperationType.SUBSCRIPTION})
_ABOUT_THE_QUERY = (CannotGetOperationTypeError, InvalidOperationTypeError, MissingQueryError)

_log = logging.getLogger(__name__)


class ErrorCodes(SchemaExtension):
    """Schema extension that adds a code to every error of a result."""

    def on_operation(self) -> Iterator[None]:
        yield
        result = self.execution_context.result
        errors = getattr(result, "errors", None)
        if errors:
            served = self.execution_context.context.served
            result.errors = [with_code(error, served) for error in errors]  # type: ignore[union-attr]

    def on_stream_result(self, result: Any) -> Iterator[None]:
        """Add codes to the errors of each result of a subscription."""
        if result.errors:
            served = self.execution_context.context.served
            result.errors = [with_code(error, served) for error in result.errors]
        yield


class QuietSchema(strawberry.Schema):
    """Schema that executes requests in a thread, and logs bugs but not errors in requests.

    Stores block, and building a large answer takes time; neither may block the event loop. Both are limited by the
    time for the answer: that of the request, or of one operation over a WebSocket.
    """

    async def execute(self, *args: Any, **kwargs: Any) -> ExecutionResult:
        allowed = frozenset(kwargs.pop("allowed_operation_types", None) or OperationType)
        execute: Any = partial(self.execute_sync, *args, **kwargs)
        seconds = kwargs["context_value"].answer_seconds
        until = deadline.current() or (Deadline(seconds) if seconds else None)
        with deadline.within(until):
            return await run_in_threadpool(execute, allowed_operation_types=allowed - _STREAMED)

    async def stream(self, *args: Any, **kwargs: Any) -> Any:
        """Stream subscriptions only; streaming other operations over a WebSocket would block the event loop."""
        return await super().stream(
            *args, **{**kwargs, "allowed_operation_types": (OperationType.SUBSCRIPTION,)}
        )

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        for error in errors:
            if _is_internal(error):
                _log.error("a resolver failed: %s", error, exc_info=error.original_error)


def with_code(error: GraphQLError, served: bool) -> GraphQLError:
    """Return the error with its code and hint; if ``served``, without internal details."""
    cause = _cause(error)
    if served and isinstance(cause, StoreUnavailable | StoreFailedError):
        _log.warning("a store operation failed: %s", cause)
        problem = "does not answer" if isinstance(cause, StoreUnavailable) else "failed"
        return _replaced(error, f"the store {problem}; see the server's log", {"code": cause.code})
    if isinstance(cause, HeadwaterError):
        hint = {"hint": cause.hint} if cause.hint else {}
        return _replaced(error, cause.message, {"code": cause.code, **hint})
    if cause is None:
        return _replaced(error, error.message, {"code": BAD_QUERY})
    return _replaced(error, "internal error; see the server's log", {"code": INTERNAL})


def _replaced(error: GraphQLError, message: str, extensions: dict[str, str]) -> GraphQLError:
    return GraphQLError(
        message,
        nodes=error.nodes,
        source=error.source,
        positions=error.positions,
        path=error.path,
        extensions=extensions,
    )


def _cause(error: GraphQLError) -> BaseException | None:
    """Return the resolver's exception; None if the error is in the query itself."""
    cause = error.original_error
    while isinstance(cause, GraphQLError):
        cause = cause.original_error
    return None if isinstance(cause, _ABOUT_THE_QUERY) else cause


def _is_internal(error: GraphQLError) -> bool:
    return not isinstance(_cause(error), HeadwaterError | None)
