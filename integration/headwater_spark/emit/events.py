"""OpenLineage events of an application and of its executions.

An event is assembled from tables of facet builders: each is a plain function of a ``FacetContext`` that returns a
facet, or None. START has the job, the parent, the engine and the datasets of a run. All other facets are only in the
last event, since the facets of a run's events add up: the job's type, schemas, lineage, access, SQL text, statistics,
and errors. The engine is in each event, since some receivers refuse events without it (DataHub's); details of the
application are in its own run, which is the parent of all executions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from openlineage.client.event_v2 import InputDataset, OutputDataset, Run, RunEvent, RunState
from openlineage.client.event_v2 import Job as EventJob
from openlineage.client.facet_v2 import (
    BaseFacet,
    DatasetFacet,
    InputDatasetFacet,
    JobFacet,
    OutputDatasetFacet,
    RunFacet,
)

from headwater_facets import schemas
from headwater_facets.producer import stated
from headwater_spark.capture.application import PRODUCER, Application, Job
from headwater_spark.capture.application_end import ApplicationEnd
from headwater_spark.capture.execution import Outcome
from headwater_spark.emit import catalog_facet, dataset_facets, path_facets, program_facets, run_facets
from headwater_spark.emit.event_size import DEFAULT_MAX_BYTES, fit
from headwater_spark.emit.facet_context import FacetContext
from headwater_spark.executions.execution import Execution
from headwater_spark.naming.datasets import ResolvedDataset
from headwater_spark.units import instant

S = TypeVar("S", bound=FacetContext | Application)
F = TypeVar("F", bound=BaseFacet)
DatasetBuilder = Callable[[FacetContext, ResolvedDataset], DatasetFacet | None]

INPUT_FACETS: Final[Mapping[str, DatasetBuilder]] = {
    "dataSource": dataset_facets.data_source,
    "schema": dataset_facets.input_schema,
    "symlinks": dataset_facets.symlinks,
    "storage": dataset_facets.storage,
    "version": dataset_facets.version,
    "catalog": catalog_facet.catalog,
    schemas.ACCESS: path_facets.access,
    schemas.EXTENT: dataset_facets.input_extent,
    schemas.LAYOUT: dataset_facets.input_layout,
}
OUTPUT_FACETS: Final[Mapping[str, DatasetBuilder]] = {
    "dataSource": dataset_facets.data_source,
    "schema": dataset_facets.output_schema,
    "symlinks": dataset_facets.symlinks,
    "storage": dataset_facets.storage,
    "version": dataset_facets.written_version,
    "catalog": catalog_facet.catalog,
    "lifecycleStateChange": dataset_facets.lifecycle,
    schemas.EXTENT: dataset_facets.extent,
    schemas.LAYOUT: dataset_facets.output_layout,
    "columnLineage": dataset_facets.column_lineage,
    schemas.PATH_LINEAGE: path_facets.path_lineage,
}
INPUT_STATISTICS: Final[Mapping[str, Callable[[FacetContext, ResolvedDataset], InputDatasetFacet | None]]] = {
    "inputStatistics": dataset_facets.input_statistics,
}
OUTPUT_STATISTICS: Final[
    Mapping[str, Callable[[FacetContext, ResolvedDataset], OutputDatasetFacet | None]]
] = {
    "outputStatistics": dataset_facets.output_statistics,
}
RUN_FACETS: Final[Mapping[str, Callable[[FacetContext], RunFacet | None]]] = {
    "parent": run_facets.parent,
    "spark_applicationDetails": run_facets.client_details,
    "errorMessage": run_facets.error_message,
    "extractionError": run_facets.extraction_error,
}
JOB_FACETS: Final[Mapping[str, Callable[[FacetContext], JobFacet | None]]] = {
    "jobType": run_facets.sql_job_type,
    "sql": program_facets.sql,
    "sourceCodeLocation": program_facets.source_code_location,
    schemas.OPERATORS: path_facets.operators,
    schemas.FUNCTIONS: path_facets.functions,
    schemas.CONDITIONS: path_facets.conditions,
}
START_DATASET_FACETS: Final[Mapping[str, DatasetBuilder]] = {"symlinks": dataset_facets.symlinks}
START_RUN_FACETS: Final[Mapping[str, Callable[[FacetContext], RunFacet | None]]] = {
    "parent": run_facets.parent
}
EVERY_RUN_FACETS: Final[Mapping[str, Callable[[Application], RunFacet | None]]] = {
    "processing_engine": run_facets.processing_engine,
    "tags": run_facets.run_tags,
}
APPLICATION_RUN_FACETS: Final[Mapping[str, Callable[[Application], RunFacet | None]]] = {
    **EVERY_RUN_FACETS,
    "spark_applicationDetails": run_facets.application_details,
}
APPLICATION_JOB_FACETS: Final[Mapping[str, Callable[[Application], JobFacet | None]]] = {
    "ownership": run_facets.owners,
    "tags": run_facets.job_tags,
}


def started(execution: Execution) -> RunEvent:
    """The START event of a write or of a reported read: about a kilobyte, whatever the plan."""
    context = FacetContext.of(execution, None)
    return RunEvent(
        eventTime=instant(execution.started),
        eventType=RunState.START,
        producer=PRODUCER,
        run=_run(context, START_RUN_FACETS),
        job=_job(context, {}),
        inputs=[
            InputDataset(*dataset.id, facets=_built_for(START_DATASET_FACETS, context, dataset))
            for dataset, _ in context.inputs().values()
        ],
        outputs=[
            OutputDataset(*dataset.id, facets=_built_for(START_DATASET_FACETS, context, dataset))
            for dataset in context.targets
        ],
    )


def running(execution: Execution, outcome: Outcome) -> RunEvent:
    """The RUNNING event of a streaming query: its state after a micro-batch."""
    return _event(FacetContext.of(execution, outcome), RunState.RUNNING, outcome.ended)


def ended(execution: Execution, outcome: Outcome) -> RunEvent:
    """The last event: COMPLETE, FAIL, or ABORT if the application ended before the execution."""
    state = RunState.FAIL if outcome.error else RunState.ABORT if outcome.aborted else RunState.COMPLETE
    return _event(FacetContext.of(execution, outcome), state, outcome.ended)


def records_kept(application: Application, job: Job, kept: Mapping[str, Any], time: int) -> RunEvent:
    """An event that adds to a run, whatever its state, where it is kept which records made what it wrote."""
    facets = {schemas.RECORDS: lambda _: run_facets.records(kept), **EVERY_RUN_FACETS}
    return RunEvent(
        eventTime=instant(time),
        eventType=RunState.OTHER,
        producer=PRODUCER,
        run=Run(job.run_id, _built(facets, application)),
        job=EventJob(job.namespace, job.name, {}),
    )


def application_started(application: Application) -> RunEvent:
    """The START event of the application, the parent of all its executions."""
    return _application_event(application, RunState.START, application.started)


def application_ended(application: Application, end: ApplicationEnd, time: int) -> RunEvent:
    """The last event of the application."""
    return _application_event(application, end.state, time, end.reason)


def read_by(context: FacetContext) -> list[InputDataset]:
    """The datasets that an execution reads, with their facets."""
    return [_input(context, dataset) for dataset, _ in context.inputs().values()]


def _event(context: FacetContext, state: RunState, time: int) -> RunEvent:
    event = RunEvent(
        eventTime=instant(time),
        eventType=state,
        producer=PRODUCER,
        run=_run(context, RUN_FACETS),
        job=_job(context, JOB_FACETS),
        inputs=read_by(context),
        outputs=[_output(context, dataset) for dataset in context.targets],
    )
    return fit(event, context.application.size("spark.headwater.event.maxBytes", DEFAULT_MAX_BYTES))


def _run(context: FacetContext, builders: Mapping[str, Callable[[FacetContext], RunFacet | None]]) -> Run:
    of_application = _built(EVERY_RUN_FACETS, context.application)
    return Run(context.execution.job.run_id, {**_built(builders, context), **of_application})


def _job(
    context: FacetContext, builders: Mapping[str, Callable[[FacetContext], JobFacet | None]]
) -> EventJob:
    job, application = context.execution.job, context.application
    return EventJob(
        job.namespace,
        job.name,
        {**_built(builders, context), **_built(APPLICATION_JOB_FACETS, application)},
    )


def _application_event(application: Application, state: RunState, time: int, error: str = "") -> RunEvent:
    job = application.job
    errors = {"errorMessage": lambda _: run_facets.application_error(error)}
    parents = {"parent": run_facets.application_parent}
    types = {"jobType": run_facets.application_job_type}
    return RunEvent(
        eventTime=instant(time),
        eventType=state,
        producer=PRODUCER,
        run=Run(job.run_id, {**_built({**parents, **errors, **APPLICATION_RUN_FACETS}, application)}),
        job=EventJob(
            job.namespace,
            job.name,
            {**_built(types, application), **_built(APPLICATION_JOB_FACETS, application)},
        ),
    )


def _input(context: FacetContext, dataset: ResolvedDataset) -> InputDataset:
    return InputDataset(
        *dataset.id,
        inputFacets=_built_for(INPUT_STATISTICS, context, dataset),
        facets=_built_for(INPUT_FACETS, context, dataset),
    )


def _output(context: FacetContext, dataset: ResolvedDataset) -> OutputDataset:
    return OutputDataset(
        *dataset.id,
        outputFacets=_built_for(OUTPUT_STATISTICS, context, dataset),
        facets=_built_for(OUTPUT_FACETS, context, dataset),
    )


def _built(builders: Mapping[str, Callable[[S], F | None]], subject: S) -> dict[str, F]:
    application = subject.application if isinstance(subject, FacetContext) else subject
    off = application.disabled_facets
    built = {key: build(subject) for key, build in builders.items() if key not in off}
    return {key: stated(facet) for key, facet in built.items() if facet is not None}


def _built_for(
    builders: Mapping[str, Callable[[FacetContext, ResolvedDataset], F | None]],
    context: FacetContext,
    dataset: ResolvedDataset,
) -> dict[str, F]:
    off = context.application.disabled_facets
    built = {key: build(context, dataset) for key, build in builders.items() if key not in off}
    return {key: stated(facet) for key, facet in built.items() if facet is not None}
