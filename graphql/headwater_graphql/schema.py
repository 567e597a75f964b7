"""GraphQL schema. Its SDL is committed as ``graphql/schema.graphql``; the names are a contract with clients."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import strawberry
from graphql import GraphQLError
from strawberry import scalars
from strawberry.extensions import (
    AddValidationRules,
    MaxAliasesLimiter,
    MaxTokensLimiter,
    QueryDepthLimiter,
)
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.types.scalar import DEFAULT_SCALAR_REGISTRY
from strawberry.types.scalar import ScalarDefinition

from headwater_graphql.engine.complexity import BoundedValidation
from headwater_graphql.engine.cost import CostLimit
from headwater_graphql.engine.definitions import JSON
from headwater_graphql.engine.errors import ErrorCodes, QuietSchema
from headwater_graphql.engine.execution import ColumnExecutor
from headwater_graphql.engine.permissions import Permissions
from headwater_graphql.engine.scalars import Long
from headwater_graphql.engine.strawberry_types import declare_all
from headwater_graphql.fields.root import Mutation, Query
from headwater_graphql.fields.subscriptions import Subscription
from headwater_graphql.kept_operations import KeptOperations

declare_all()

_TIME = DEFAULT_SCALAR_REGISTRY[datetime]


def _parse_time(value: object) -> datetime:
    """The time in UTC, which it also is without a time zone. Raises ``GraphQLError`` where that has no such year."""
    time: datetime = _TIME.parse_value(value)  # type: ignore[misc]  # it has one
    try:
        return time.replace(tzinfo=timezone.utc) if time.tzinfo is None else time.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        raise GraphQLError(f"{time} is out of range in UTC") from None


_SCALARS: dict[object, ScalarDefinition] = {
    datetime: replace(_TIME, parse_value=_parse_time),
    Long: strawberry.scalar(
        name="Long", description="A 64-bit signed integer.", serialize=int, parse_value=int
    ),
    JSON: DEFAULT_SCALAR_REGISTRY[scalars.JSON],
}
# Rule objects are shared by all requests, so that a document is validated once and then found in the cache.
_LIMITS = [
    *QueryDepthLimiter(max_depth=12).validation_rules,
    *MaxAliasesLimiter(max_alias_count=20).validation_rules,
]

schema = QuietSchema(
    Query,
    Mutation,
    subscription=Subscription,
    config=StrawberryConfig(scalar_map=_SCALARS),
    execution_context_class=ColumnExecutor,
    extensions=[
        ErrorCodes,
        Permissions,
        CostLimit,
        lambda: AddValidationRules(_LIMITS),
        lambda: MaxTokensLimiter(max_token_count=4_000),
        BoundedValidation,
        KeptOperations,
    ],
)
