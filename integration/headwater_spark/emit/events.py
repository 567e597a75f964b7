"""OpenLineage events of an application and of its executions.

An event is assembled from tables of facet builders: each is a plain function of the scene that returns a
facet, or None when it has nothing to say. START says that a run has begun: of which job, under which parent, by
which engine, on which datasets. All else is told once, with the end, since the facets of a run's events add up: the
job's kind, the datasets' schemas, how the outputs were made, what was looked at, the program's text, what was counted,
and why it failed if it did. The engine is told by each event, since there are receivers that refuse one without it
(DataHub's); what the application is, by its own run, which is every execution's parent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import Any, Final, TypeVar

from openlineage.client.event_v2 import InputDataset, OutputDataset, Run, RunEvent, RunState
from openlineage.client.event_v2 import Job as EventJob
from openlineage.client.facet_v2 import (
    DatasetFacet,
    InputDatasetFacet,
    JobFacet,
    OutputDatasetFacet,
    RunFacet,
)

from headwater_facets import schemas
from headwater_spark.capture.application import FACET_PRODUCER, PRODUCER, Application, Execution, Outcome
from headwater_spark.capture.ending import Ending
from headwater_spark.emit import catalog_facet, dataset_facets, path_facets, program_facets, run_facets
from headwater_spark.emit.event_size import DEFAULT_MAX_BYTES, fit
from headwater_spark.emit.facet_context import Scene
from headwater_spark.naming.datasets import Identity

S = TypeVar("S", bound=Scene | Application)
F = TypeVar("F")
DatasetBuilder = Callable[[Scene, Identity], DatasetFacet | None]

INPUT_FACETS: Final[Mapping[str, DatasetBuilder]] = {
    "dataSource": dataset_facets.data_source,
    "schema": dataset_facets.input_schema,
    "symlinks": dataset_facets.symlinks,
    "storage": dataset_facets.storage,
    "version": dataset_facets.version,
    "catalog": catalog_facet.catalog,
    schemas.ACCESS: path_facets.access,
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
    schemas.LAYOUT: dataset_facets.output_layout,
    "columnLineage": dataset_facets.column_lineage,
    schemas.PATH_LINEAGE: path_facets.path_lineage,
}
INPUT_STATISTICS: Final[Mapping[str, Callable[[Scene, Identity], InputDatasetFacet | None]]] = {
    "inputStatistics": dataset_facets.input_statistics,
}
OUTPUT_STATISTICS: Final[Mapping[str, Callable[[Scene, Identity], OutputDatasetFacet | None]]] = {
    "outputStatistics": dataset_facets.output_statistics,
}
RUN_FACETS: Final[Mapping[str, Callable[[Scene], RunFacet | None]]] = {
    "parent": run_facets.parent,
    "spark_applicationDetails": run_facets.asked_by,
    "errorMessage": run_facets.error_message,
    "extractionError": run_facets.extraction_error,
}
JOB_FACETS: Final[Mapping[str, Callable[[Scene], JobFacet | None]]] = {
    "jobType": run_facets.sql_job_type,
    "sql": program_facets.sql,
    "sourceCodeLocation": program_facets.source_code_location,
    schemas.OPERATORS: path_facets.operators,
    schemas.CONDITIONS: path_facets.conditions,
}
START_DATASET_FACETS: Final[Mapping[str, DatasetBuilder]] = {"symlinks": dataset_facets.symlinks}
START_RUN_FACETS: Final[Mapping[str, Callable[[Scene], RunFacet | None]]] = {"parent": run_facets.parent}
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
    """START of an execution that writes, or of an action that reads: about a kilobyte whatever the plan."""
    scene = Scene.of(execution, None)
    return RunEvent(
        eventTime=instant(execution.started),
        eventType=RunState.START,
        producer=PRODUCER,
        run=_run(scene, START_RUN_FACETS),
        job=_job(scene, {}),
        inputs=[
            InputDataset(*dataset.id, facets=_built_for(START_DATASET_FACETS, scene, dataset))
            for dataset, _ in scene.sources().values()
        ],
        outputs=[
            OutputDataset(*dataset.id, facets=_built_for(START_DATASET_FACETS, scene, dataset))
            for dataset in scene.targets
        ],
    )


def running(execution: Execution, outcome: Outcome) -> RunEvent:
    """RUNNING: a streaming query has got further."""
    return _event(Scene.of(execution, outcome), RunState.RUNNING, outcome.ended)


def ended(execution: Execution, outcome: Outcome) -> RunEvent:
    """COMPLETE, FAIL, or ABORT when the application went away meanwhile."""
    state = RunState.FAIL if outcome.error else RunState.ABORT if outcome.aborted else RunState.COMPLETE
    return _event(Scene.of(execution, outcome), state, outcome.ended)


def application_started(application: Application) -> RunEvent:
    """START of the application: the parent of all its executions."""
    return _application_event(application, RunState.START, application.started)


def application_ended(application: Application, ending: Ending, time: int) -> RunEvent:
    """The end of the application."""
    return _application_event(application, ending.state, time, ending.reason)


def _event(scene: Scene, state: RunState, time: int) -> RunEvent:
    event = RunEvent(
        eventTime=instant(time),
        eventType=state,
        producer=PRODUCER,
        run=_run(scene, RUN_FACETS),
        job=_job(scene, JOB_FACETS),
        inputs=[_input(scene, dataset) for dataset, _ in scene.sources().values()],
        outputs=[_output(scene, dataset) for dataset in scene.targets],
    )
    return fit(event, scene.application.size("spark.headwater.event.maxBytes", DEFAULT_MAX_BYTES))


def _run(scene: Scene, builders: Mapping[str, Callable[[Scene], RunFacet | None]]) -> Run:
    of_application = _built(EVERY_RUN_FACETS, scene.application)
    return Run(scene.execution.job.run_id, {**_built(builders, scene), **of_application})


def _job(scene: Scene, builders: Mapping[str, Callable[[Scene], JobFacet | None]]) -> EventJob:
    job, application = scene.execution.job, scene.application
    return EventJob(
        job.namespace,
        job.name,
        {**_built(builders, scene), **_built(APPLICATION_JOB_FACETS, application)},
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


def _input(scene: Scene, dataset: Identity) -> InputDataset:
    return InputDataset(
        *dataset.id,
        inputFacets=_built_for(INPUT_STATISTICS, scene, dataset),
        facets=_built_for(INPUT_FACETS, scene, dataset),
    )


def _output(scene: Scene, dataset: Identity) -> OutputDataset:
    return OutputDataset(
        *dataset.id,
        outputFacets=_built_for(OUTPUT_STATISTICS, scene, dataset),
        facets=_built_for(OUTPUT_FACETS, scene, dataset),
    )


def _built(builders: Mapping[str, Callable[[S], F | None]], subject: S) -> dict[str, F]:
    application = subject.application if isinstance(subject, Scene) else subject
    off = application.disabled_facets
    built = {key: build(subject) for key, build in builders.items() if key not in off}
    return {key: _ours(facet) for key, facet in built.items() if facet is not None}


def _built_for(
    builders: Mapping[str, Callable[[Scene, Identity], F | None]], scene: Scene, dataset: Identity
) -> dict[str, F]:
    off = scene.application.disabled_facets
    built = {key: build(scene, dataset) for key, build in builders.items() if key not in off}
    return {key: _ours(facet) for key, facet in built.items() if facet is not None}


def _ours(facet: Any) -> Any:
    facet._producer = FACET_PRODUCER
    return facet


def instant(time: int) -> str:
    """Epoch milliseconds as RFC 3339 in UTC."""
    moment = datetime.fromtimestamp(time / 1000, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
