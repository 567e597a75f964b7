"""Sources, unused datasets and column usage in GraphQL."""

from __future__ import annotations

from datetime import datetime, timezone

from headwater_backend.domain import facet_readers, model
from headwater_backend.domain.pages import cursor
from headwater_backend.domain.roles import Permission
from headwater_backend.questions import closure, origins
from headwater_backend.questions.catalog import usage
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, connection
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.lineage import DIRECT, LineageFilter, bounds
from headwater_graphql.fields.types import DatasetRef, Incomplete, LineageNode, NodeRef, Owner


@definitions.object_type(description="A dataset without inputs.")
class Source:
    namespace: str
    name: str
    owners: list[Owner]
    first_seen: datetime | None
    last_seen: datetime | None

    @classmethod
    def of(cls, dataset: model.Dataset) -> Source:
        return cls(
            namespace=dataset.key.namespace,
            name=dataset.key.name,
            owners=[Owner.of(owner) for owner in facet_readers.owners(dataset.facets)],
            first_seen=dataset.first_seen,
            last_seen=dataset.last_seen,
        )


@definitions.object_type(description="A source that the node is derived from.")
class GoldenSource:
    namespace: str
    name: str
    distance: int = definitions.field(description="The least number of edges to the node.")
    reach: closure.Reach
    paths: list[LineageNode] = definitions.field(
        description="Its paths that the node is derived from, nearest first."
    )

    @classmethod
    def of(cls, found: origins.GoldenSource) -> GoldenSource:
        return cls(
            namespace=found.key.namespace,
            name=found.key.name,
            distance=found.distance,
            reach=found.reach,
            paths=list(LineageNode.all_of(found.nodes)),
        )


@definitions.object_type(description="The origins of a node's lineage.")
class GoldenSources:
    sources: list[GoldenSource]
    ends: list[LineageNode] = definitions.field(
        description="Paths where lineage ends although the dataset has inputs: constants, and gaps."
    )
    complete: bool
    incomplete: list[Incomplete]

    @classmethod
    def of(cls, found: origins.GoldenSources) -> GoldenSources:
        return cls(
            sources=[GoldenSource.of(each) for each in found.sources],
            ends=list(LineageNode.all_of(found.ends)),
            complete=found.complete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
        )


@definitions.object_type(description="A dataset that no run has read.")
class UnusedDataset:
    namespace: str
    name: str
    last_read: datetime | None
    last_written: datetime | None

    @classmethod
    def of(cls, found: model.Unused) -> UnusedDataset:
        return cls(
            namespace=found.key.namespace,
            name=found.key.name,
            last_read=found.last_read,
            last_written=found.last_written,
        )


@definitions.object_type(description="Number of runs that used a path in some way.")
class UseCount:
    what: str
    runs: int


@definitions.object_type(description="How a path of the dataset was used.")
class PathUse:
    path: list[str]
    label: str
    runs: int
    jobs: int
    last: datetime
    accessed: list[UseCount] = definitions.field(
        description="Operations that evaluated it: FILTER, JOIN, GROUP_BY, SORT, WINDOW, CONDITION, INDEX, PROJECT."
    )
    manipulated: list[UseCount] = definitions.field(
        description="Operations that its value went through: COPY, RENAME, EXTRACT, COMPUTE, AGGREGATE, …"
    )

    @classmethod
    def of(cls, found: usage.PathUse) -> PathUse:
        return cls(
            path=list(found.path),
            label=found.label,
            runs=found.runs,
            jobs=found.jobs,
            last=found.last,
            accessed=[UseCount(what=each.what, runs=each.runs) for each in found.accessed],
            manipulated=[UseCount(what=each.what, runs=each.runs) for each in found.manipulated],
        )


@definitions.object_type(description="Two paths used by the same runs.")
class UsedTogether:
    one: list[str]
    other: list[str]
    labels: list[str]
    runs: int
    jobs: int

    @classmethod
    def of(cls, found: usage.UsedTogether) -> UsedTogether:
        return cls(
            one=list(found.one),
            other=list(found.other),
            labels=list(found.labels),
            runs=found.runs,
            jobs=found.jobs,
        )


@definitions.object_type(description="Usage of the paths of a dataset, most used first.")
class ColumnUsage:
    dataset: DatasetRef
    runs: int = definitions.field(description="Number of runs that used any of them.")
    paths: list[PathUse]
    pairs: list[UsedTogether]
    unused: list[list[str]] = definitions.field(description="Known paths that no run used.")
    complete: bool
    cut: list[str] = definitions.field(
        description="What was omitted: ROWS (the period has more rows than are read), PATHS, PAIRS, "
        "PAIRED (pairs are counted for the most used paths only); and what is unknown: SCHEMA_DRIFT (a job reads the "
        "dataset with another schema), UNTRACED (a job does not list the paths it read)."
    )

    @classmethod
    def of(cls, found: usage.ColumnUsage) -> ColumnUsage:
        return cls(
            dataset=DatasetRef.of(found.dataset),
            runs=found.runs,
            paths=[PathUse.of(each) for each in found.paths],
            pairs=[UsedTogether.of(each) for each in found.pairs],
            unused=[list(path) for path in found.unused],
            complete=found.complete,
            cut=list(found.cut),
        )


@definitions.object_type()
class UsageQuery:
    @definitions.resolver(
        description="Datasets without inputs, by name. With `asOf`, those that existed then, and had no inputs "
        "then; owners and times are current."
    )
    @needs(Permission.ASK)
    def sources(
        self,
        info: Info,
        first: int | None = 50,
        after: str | None = None,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
    ) -> Connection[Source]:
        info = as_known(info, as_known_at)
        page = run_question(info, origins.sources, first, after, as_of)
        cursors = [cursor(*each.key) for each in page.items]
        return connection(map(Source.of, page.items), cursors, page.has_next, after)

    @definitions.resolver(description="The datasets without inputs that the node is derived from.")
    @needs(Permission.ASK)
    def golden_sources(
        self,
        info: Info,
        node: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        types: list[model.LineageType] | None = DIRECT,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002, the usual name of the argument
    ) -> GoldenSources:
        info = as_known(info, as_known_at)
        kinds = frozenset(DIRECT if types is None else types)
        limits = bounds(info, depth, as_of, filter)
        return GoldenSources.of(run_question(info, origins.golden_sources, node.key(), kinds, limits))

    @definitions.resolver(description="Datasets that no run has named as an input since that time, by name.")
    @needs(Permission.ASK)
    def unused_datasets(
        self,
        info: Info,
        since: datetime,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[UnusedDataset]:
        page = run_question(info, usage.unused, since, first, after)
        cursors = [cursor(*each.key) for each in page.items]
        return connection(map(UnusedDataset.of, page.items), cursors, page.has_next, after)

    @definitions.resolver(
        description="How runs used the paths of a dataset, from `since` to `until` (exclusive; by default now)."
    )
    @needs(Permission.ASK, one_thing=True)
    def column_usage(
        self,
        info: Info,
        namespace: str,
        name: str,
        since: datetime,
        until: datetime | None = None,
        paths: int = usage.PATHS,
        pairs: int = usage.PAIRS,
    ) -> ColumnUsage:
        key = model.DatasetKey(namespace, name)
        end = until or datetime.now(timezone.utc)
        return ColumnUsage.of(
            run_question(info, usage.column_usage, key, since, end, paths=paths, pairs=pairs)
        )
