"""The root types: everything that can be asked, and what can be changed."""

from __future__ import annotations

from headwater_backend.questions import find
from headwater_graphql.context import Info, ask
from headwater_graphql.engine import declare
from headwater_graphql.fields.auditing import AuditQuery
from headwater_graphql.fields.claims import ClaimQuery
from headwater_graphql.fields.dead_letters import DeadLetterMutation, DeadLetterQuery
from headwater_graphql.fields.exposure import ExposureQuery
from headwater_graphql.fields.finding import SearchQuery
from headwater_graphql.fields.impact import ImpactQuery
from headwater_graphql.fields.jobs import JobQuery
from headwater_graphql.fields.lineage import LineageQuery
from headwater_graphql.fields.naming import NamingMutation, NamingQuery
from headwater_graphql.fields.types import Dataset, DatasetConnection
from headwater_graphql.fields.usage import UsageQuery


@declare.object_type()
class Query(
    LineageQuery,
    ImpactQuery,
    ExposureQuery,
    SearchQuery,
    JobQuery,
    UsageQuery,
    AuditQuery,
    DeadLetterQuery,
    NamingQuery,
    ClaimQuery,
):
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
class Mutation(DeadLetterMutation, NamingMutation):
    """What changes something."""
