"""The data flow between all datasets in GraphQL, or between groups of them: the maps that the explorer opens with."""

from __future__ import annotations

from headwater_backend.domain import model
from headwater_backend.domain.roles import Permission
from headwater_backend.ports import overview as groups
from headwater_backend.questions.catalog import data_flow, overview
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.lineage import DatasetPattern, dataset_patterns
from headwater_graphql.fields.types import JobRef, Owner


@definitions.object_type(description="A dataset of the data flow.")
class FlowDataset:
    namespace: str
    name: str
    owners: list[Owner]
    gaps: int = definitions.field(description="Number of known gaps in the lineage into it.")


@definitions.object_type(
    description="A job read or wrote a dataset; both are indexes, into `jobs` and `datasets`."
)
class Flow:
    dataset: int
    job: int
    use: model.Use


@definitions.object_type(description="Datasets by name, the jobs next to them, and the flows between both.")
class DataFlow:
    datasets: list[FlowDataset]
    jobs: list[JobRef]
    flows: list[Flow]
    dataset_count: int = definitions.field(description="Number of matching datasets; `first` may omit some.")
    gap_count: int = definitions.field(description="Number of known gaps in the lineage into all of these.")

    @classmethod
    def of(cls, found: data_flow.DataFlow) -> DataFlow:
        dataset_index = {each.key: index for index, each in enumerate(found.datasets)}
        job_index = {job: index for index, job in enumerate(found.jobs)}
        return cls(
            datasets=[
                FlowDataset(
                    namespace=each.key.namespace,
                    name=each.key.name,
                    owners=[Owner.of(owner) for owner in each.owners],
                    gaps=each.gaps,
                )
                for each in found.datasets
            ],
            jobs=[JobRef.of(job) for job in found.jobs],
            flows=[
                Flow(dataset=dataset_index[flow.dataset], job=job_index[flow.job], use=flow.use)
                for flow in found.flows
            ],
            dataset_count=found.total,
            gap_count=found.gap_count,
        )


@definitions.input_type(
    description="A group that is open, as its `namespace` and `prefix` say: what is in it is listed instead."
)
class OpenGroup:
    namespace: str
    prefix: str = ""


@definitions.object_type(
    description="Datasets of a namespace: all, or those at a place, which is what their names begin with, up to a "
    "slash, or a dot in names without slashes."
)
class OverviewGroup:
    namespace: str
    place: str | None = definitions.field(description="Null for all of a namespace.")
    prefix: str | None = definitions.field(
        description="What opens the group, in `OpenGroup`; null where nothing does: for a dataset, and a closed group."
    )
    dataset: str | None = definitions.field(description="The dataset's name, if there is only one.")
    size: int = definitions.field(description="Number of datasets.")
    gaps: int = definitions.field(description="Number of known gaps in the lineage into them.")

    @classmethod
    def of(cls, found: groups.Group, gaps: int) -> OverviewGroup:
        return cls(
            namespace=found.namespace,
            place=found.place,
            prefix=found.prefix,
            dataset=found.dataset,
            size=found.size,
            gaps=gaps,
        )


@definitions.object_type(
    description="Jobs read in one group and wrote in another; both are indexes into `groups`. Within a group, nothing "
    "is counted."
)
class OverviewConnection:
    source: int
    target: int
    jobs: int = definitions.field(description="Number of these jobs.")
    job: JobRef = definitions.field(description="One of them.")


@definitions.object_type(
    description="Groups of all datasets, the largest first, and what jobs took between them."
)
class Overview:
    groups: list[OverviewGroup]
    connections: list[OverviewConnection]
    group_count: int = definitions.field(description="Number of all groups; `first` may omit some.")
    dataset_count: int = definitions.field(description="Number of all datasets.")
    gap_count: int = definitions.field(description="Number of known gaps in the lineage into all datasets.")
    connections_cut: bool = definitions.field(
        description="Whether connections of the fewest jobs are left out, between groups that are listed."
    )

    @classmethod
    def of(cls, found: overview.StoreOverview) -> Overview:
        grouped = found.grouped
        return cls(
            groups=[OverviewGroup.of(*each) for each in zip(grouped.shown, found.gaps, strict=True)],
            connections=[
                OverviewConnection(
                    source=each.source, target=each.target, jobs=each.jobs, job=JobRef.of(each.job)
                )
                for each in grouped.connections
            ],
            group_count=grouped.groups,
            dataset_count=grouped.datasets,
            gap_count=found.gap_count,
            connections_cut=grouped.cut,
        )


def open_groups(given: list[OpenGroup] | None) -> list[groups.OpenGroup]:
    """The groups that are open."""
    return [groups.OpenGroup(each.namespace, each.prefix) for each in given or ()]


@definitions.object_type()
class DataFlowQuery:
    @definitions.resolver(
        description="The present data flow between datasets, as declared by runs and job events, and to programs that "
        "collected data: the whole store at a glance, without paths."
    )
    @needs(Permission.ASK)
    def data_flow(
        self, info: Info, within: list[DatasetPattern] | None = None, first: int = 1_000
    ) -> DataFlow:
        return DataFlow.of(run_question(info, data_flow.data_flow, dataset_patterns(within), first))

    @definitions.resolver(
        description="The present data flow between groups of all datasets, as declared by runs and job events, and "
        "to programs that collected data: by namespaces, and where these are open by folders or schemas. Every "
        "dataset is in one of the groups."
    )
    @needs(Permission.ASK)
    def overview(self, info: Info, opened: list[OpenGroup] | None = None, first: int = 500) -> Overview:
        return Overview.of(run_question(info, overview.overview, open_groups(opened), first))
