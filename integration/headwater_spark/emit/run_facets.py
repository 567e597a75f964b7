"""The standard facets of runs and jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from openlineage.client.facet_v2 import (
    JobFacet,
    RunFacet,
    error_message_run,
    extraction_error_run,
    job_type_job,
    ownership_job,
    parent_run,
    processing_engine_run,
    tags_job,
    tags_run,
)

from headwater_facets.kinds import IncompleteReason
from headwater_spark.capture.application import VERSION, Application, Job
from headwater_spark.constants import Setting
from headwater_spark.emit.facet_context import Scene
from headwater_spark.redaction import hide_message, hide_trace, redact

_OWNERS: Final = "spark.openlineage.job.owners."
_UNTOLD: Final = "neither a plan nor what was written is known"


def parent(scene: Scene) -> RunFacet:
    """The application, and the run above it all."""
    application = scene.application
    return _parent(application.job, application.root or application.job)


def application_parent(application: Application) -> RunFacet | None:
    """The run that the configuration names as the application's parent."""
    above = application.parent
    return _parent(above, application.root or above) if above else None


def _parent(job: Job, root: Job) -> RunFacet:
    return parent_run.ParentRunFacet(
        run=parent_run.Run(job.run_id),
        job=parent_run.Job(job.namespace, job.name),
        root=parent_run.Root(
            run=parent_run.RootRun(root.run_id), job=parent_run.RootJob(root.namespace, root.name)
        ),
    )


def processing_engine(application: Application) -> RunFacet:
    """Spark, and this agent."""
    return processing_engine_run.ProcessingEngineRunFacet(
        version=application.versions.get("spark") or "unknown",
        name="spark",
        openlineageAdapterVersion=application.versions.get("headwater") or VERSION,
    )


def application_details(application: Application) -> RunFacet:
    """``spark_applicationDetails``, the official agent's facet of that name."""
    return RunFacet().with_additional_properties(
        master=application.master,
        appName=application.name,
        applicationId=application.id,
        deployMode=application.deploy_mode or None,
        userName=application.user or None,
    )  # type: ignore[return-value]  # the client declares the base facet


def asked_by(scene: Scene) -> RunFacet | None:
    """The application's details where its own run does not tell who asked: of reads, and for a Connect client."""
    execution = scene.execution
    told = execution.is_access or execution.seen_as != execution.application
    return application_details(execution.seen_as) if told else None


def error_message(scene: Scene) -> RunFacet | None:
    """Why the execution failed."""
    error = scene.outcome.error if scene.outcome else None
    return error_facet(error, scene) if error else None


def application_error(reason: str) -> RunFacet | None:
    """Why the application ended as it did, where that was not well."""
    return error_message_run.ErrorMessageRunFacet(reason, programmingLanguage="UNKNOWN") if reason else None


def error_facet(error: Mapping[str, Any], scene: Scene) -> RunFacet:
    """An error of the eye's documents: class, message, stackTrace."""
    name, message = str(error.get("class") or ""), str(error.get("message") or "")
    trace = str(error.get("stackTrace") or "")
    of_python = "PythonException" in f"{name} {message} {trace}"
    if not scene.execution.constants.shows_all:
        message, trace = hide_message(error), hide_trace(trace)
    return error_message_run.ErrorMessageRunFacet(
        message=scene.cut(message or name or "the execution failed"),
        programmingLanguage="PYTHON" if of_python else "JAVA",
        stackTrace=redact(trace)[:65_536] if trace else None,
    )


def extraction_error(scene: Scene) -> RunFacet | None:
    """Why it is not known what the execution wrote; with a known output, its lineage facet says so."""
    gaps = scene.lineage.incomplete
    if scene.targets or (scene.execution.is_access and not gaps):
        return None
    texts = [f"{gap.reason}: {gap.detail}" for gap in gaps if gap.reason is not IncompleteReason.OPAQUE]
    target = scene.lineage.target
    if target is not None:
        texts.append(
            f"what {target.command} writes to has no name: {target.source.get('class') or 'a query'}"
        )
    texts = texts or [_UNTOLD]
    if scene.execution.constants.setting is Setting.HIDE:
        texts = [text.partition(":")[0] for text in texts]
    errors = [extraction_error_run.Error(errorMessage=scene.cut(text)) for text in texts]
    return extraction_error_run.ExtractionErrorRunFacet(totalTasks=1, failedTasks=1, errors=errors)


def run_tags(application: Application) -> RunFacet | None:
    """``spark.openlineage.run.tags``: ``key:value:source`` or ``key``, separated by ``;``."""
    tags = [tags_run.TagsRunFacetFields(*tag) for tag in _tags(application, "spark.openlineage.run.tags")]
    return tags_run.TagsRunFacet(tags) if tags else None


def job_tags(application: Application) -> JobFacet | None:
    """``spark.openlineage.job.tags``, in the same form."""
    tags = [tags_job.TagsJobFacetFields(*tag) for tag in _tags(application, "spark.openlineage.job.tags")]
    return tags_job.TagsJobFacet(tags) if tags else None


def _tags(application: Application, key: str) -> list[tuple[str, str, str]]:
    found = []
    for text in application.conf.get(key, "").split(";"):
        name, value, source, *_ = [*(part.strip() for part in text.split(":", 2)), "", "", ""]
        if name:
            found.append((name, value or "true", source or "CONFIG"))
    return found


def owners(application: Application) -> JobFacet | None:
    """``spark.openlineage.job.owners.<kind>=<name>``."""
    found = [
        ownership_job.Owner(name=name, type=key.removeprefix(_OWNERS))
        for key, name in application.conf.items()
        if key.startswith(_OWNERS)
    ]
    return ownership_job.OwnershipJobFacet(owners=found) if found else None


def sql_job_type(scene: Scene) -> JobFacet:
    """A job that is one execution, or a streaming query; one that only reads is a query.

    A write inside ``foreachBatch`` is told in the run of its streaming query, which goes on with the next batch: its
    job streams, too.
    """
    kind = "QUERY" if scene.execution.is_access else "SQL_JOB"
    processing = "STREAMING" if scene.execution.query else "BATCH"
    return job_type_job.JobTypeJobFacet(processingType=processing, integration="SPARK", jobType=kind)


def application_job_type(_: Application) -> JobFacet:
    """A job that is a whole application."""
    return job_type_job.JobTypeJobFacet(processingType="NONE", integration="SPARK", jobType="APPLICATION")
