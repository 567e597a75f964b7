"""The data flow between all datasets in GraphQL: the map that the explorer opens with."""

from __future__ import annotations

from headwater_backend.domain import model
from headwater_backend.domain.roles import Permission
from headwater_backend.questions.catalog import data_flow
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
        )


@definitions.object_type()
class DataFlowQuery:
    @definitions.resolver(
        description="The present data flow between datasets, as declared by runs and job events: the whole store at "
        "a glance, without paths."
    )
    @needs(Permission.ASK)
    def data_flow(
        self, info: Info, within: list[DatasetPattern] | None = None, first: int = 1_000
    ) -> DataFlow:
        return DataFlow.of(run_question(info, data_flow.data_flow, dataset_patterns(within), first))
