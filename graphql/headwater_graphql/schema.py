"""The GraphQL schema. Its SDL is kept in ``graphql/schema.graphql``; the names are a contract."""

from __future__ import annotations

import strawberry
from strawberry.extensions import MaxAliasesLimiter, MaxTokensLimiter, QueryDepthLimiter
from strawberry.types import Info

from headwater_backend.model import LineageType
from headwater_backend.questions import closure, exposure, find
from headwater_backend.questions.search import DEFAULT_DEPTH, Bounds
from headwater_graphql.context import Context, ask
from headwater_graphql.errors import ErrorCodes, QuietSchema
from headwater_graphql.execution import ColumnExecutor
from headwater_graphql.types import (
    Dataset,
    DatasetConnection,
    ExposureReport,
    LineageGraph,
    NodeRef,
)

_DIRECT = [LineageType.DIRECT]


@strawberry.type
class Query:
    @strawberry.field(description="What the node is made of.")
    def backward_lineage(
        self,
        info: Info[Context, None],
        node: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        types: list[LineageType] | None = _DIRECT,
    ) -> LineageGraph:
        kinds = frozenset(_DIRECT if types is None else types)
        graph = ask(info, closure.backward, node.key(), kinds, _bounds(info, depth))
        return LineageGraph.of(graph)

    @strawberry.field(description="What is made of the node.")
    def forward_lineage(
        self,
        info: Info[Context, None],
        node: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        types: list[LineageType] | None = _DIRECT,
    ) -> LineageGraph:
        kinds = frozenset(_DIRECT if types is None else types)
        graph = ask(info, closure.forward, node.key(), kinds, _bounds(info, depth))
        return LineageGraph.of(graph)

    @strawberry.field(description="Who holds personal attributes: all, a node's, or those of a category.")
    def attribute_exposure(
        self,
        info: Info[Context, None],
        node: NodeRef | None = strawberry.UNSET,
        category: str | None = strawberry.UNSET,
        depth: int | None = DEFAULT_DEPTH,
    ) -> ExposureReport:
        key = node.key() if node else None
        report = ask(info, exposure.exposure, key, category or None, info.context.rules, _bounds(info, depth))
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
        return DatasetConnection.of(page, bool(after))


def _bounds(info: Info[Context, None], depth: int | None) -> Bounds:
    return Bounds(depth=depth, nodes=info.context.max_nodes)


schema = QuietSchema(
    Query,
    execution_context_class=ColumnExecutor,
    extensions=[
        ErrorCodes,
        lambda: QueryDepthLimiter(max_depth=12),
        lambda: MaxAliasesLimiter(max_alias_count=20),
        lambda: MaxTokensLimiter(max_token_count=4_000),
    ],
)
