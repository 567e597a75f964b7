"""The GraphQL schema. Its SDL is kept in ``graphql/schema.graphql``; the names are a contract."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.extensions import (
    AddValidationRules,
    MaxAliasesLimiter,
    MaxTokensLimiter,
    QueryDepthLimiter,
)
from strawberry.schema.config import StrawberryConfig
from strawberry.types import Info

from headwater_backend.questions import exposure, find
from headwater_backend.questions.search import DEFAULT_DEPTH
from headwater_graphql.auditing import AuditQuery
from headwater_graphql.complexity import BoundedValidation
from headwater_graphql.context import Context, ask
from headwater_graphql.cost import CostLimit
from headwater_graphql.dead_letters import DeadLetterMutation, DeadLetterQuery
from headwater_graphql.errors import ErrorCodes, QuietSchema
from headwater_graphql.execution import ColumnExecutor
from headwater_graphql.finding import SearchQuery
from headwater_graphql.impact import ImpactQuery
from headwater_graphql.jobs import JobQuery
from headwater_graphql.lineage import LineageQuery, bounds
from headwater_graphql.news import Subscription
from headwater_graphql.permissions import Permissions
from headwater_graphql.queries import KeptOperations
from headwater_graphql.scalars import LONG, Long
from headwater_graphql.types import (
    Dataset,
    DatasetConnection,
    ExposureReport,
    NodeRef,
)
from headwater_graphql.usage import UsageQuery


@strawberry.type
class Query(LineageQuery, ImpactQuery, SearchQuery, JobQuery, UsageQuery, AuditQuery, DeadLetterQuery):
    @strawberry.field(
        description="Who holds personal attributes: all, a node's, or those of a category. `asOf` is about lineage: "
        "what is personal is asked of the present."
    )
    def attribute_exposure(
        self,
        info: Info[Context, None],
        node: NodeRef | None = strawberry.UNSET,
        category: str | None = strawberry.UNSET,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
    ) -> ExposureReport:
        key = node.key() if node else None
        report = ask(
            info, exposure.exposure, key, category or None, info.context.rules, bounds(info, depth, as_of)
        )
        return ExposureReport.of(report)

    @strawberry.field(description="The dataset of that name or symlink.")
    def dataset(self, info: Info[Context, None], namespace: str, name: str) -> Dataset | None:
        found = ask(info, find.maybe_dataset, namespace, name)
        return Dataset.of(found) if found else None

    @strawberry.field(description="Datasets whose namespace or name contains the text, by name.")
    def datasets(
        self,
        info: Info[Context, None],
        search: str | None = strawberry.UNSET,
        first: int | None = find.PAGE,
        after: str | None = strawberry.UNSET,
    ) -> DatasetConnection:
        page = ask(info, find.datasets, search or None, first, after or None)
        return DatasetConnection.of(page, after or None)


@strawberry.type
class Mutation(DeadLetterMutation):
    """What changes something."""


# Rules that are the same objects for each request, so that a document is validated once and found again.
_LIMITS = [
    *QueryDepthLimiter(max_depth=12).validation_rules,
    *MaxAliasesLimiter(max_alias_count=20).validation_rules,
]

schema = QuietSchema(
    Query,
    Mutation,
    subscription=Subscription,
    config=StrawberryConfig(scalar_map={Long: LONG}),
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
