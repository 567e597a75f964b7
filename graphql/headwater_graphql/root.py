"""The root types: everything that can be asked, and what can be changed."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.questions import exposure, find
from headwater_backend.questions.search import DEFAULT_DEPTH
from headwater_graphql import declare
from headwater_graphql.auditing import AuditQuery
from headwater_graphql.context import Info, ask
from headwater_graphql.dead_letters import DeadLetterMutation, DeadLetterQuery
from headwater_graphql.finding import SearchQuery
from headwater_graphql.impact import ImpactQuery
from headwater_graphql.jobs import JobQuery
from headwater_graphql.lineage import LineageQuery, bounds
from headwater_graphql.types import Dataset, DatasetConnection, ExposureReport, NodeRef
from headwater_graphql.usage import UsageQuery


@declare.object_type()
class Query(LineageQuery, ImpactQuery, SearchQuery, JobQuery, UsageQuery, AuditQuery, DeadLetterQuery):
    @declare.resolver(
        description="Who holds personal attributes: all, a node's, or those of a category. `asOf` is about lineage: "
        "what is personal is asked of the present."
    )
    def attribute_exposure(
        self,
        info: Info,
        node: NodeRef | None = declare.UNSET,
        category: str | None = declare.UNSET,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
    ) -> ExposureReport:
        key = node.key() if node else None
        report = ask(
            info, exposure.exposure, key, category or None, info.context.rules, bounds(info, depth, as_of)
        )
        return ExposureReport.of(report)

    @declare.resolver(description="The dataset of that name or symlink.")
    def dataset(self, info: Info, namespace: str, name: str) -> Dataset | None:
        found = ask(info, find.maybe_dataset, namespace, name)
        return Dataset.of(found) if found else None

    @declare.resolver(description="Datasets whose namespace or name contains the text, by name.")
    def datasets(
        self,
        info: Info,
        search: str | None = declare.UNSET,
        first: int | None = find.PAGE,
        after: str | None = declare.UNSET,
    ) -> DatasetConnection:
        page = ask(info, find.datasets, search or None, first, after or None)
        return DatasetConnection.of(page, after or None)


@declare.object_type()
class Mutation(DeadLetterMutation):
    """What changes something."""
