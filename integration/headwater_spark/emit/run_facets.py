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

from headwater_facets.codec import read_records
from headwater_facets.kinds import IncompleteReason
from headwater_facets.producer import VERSION
from headwater_spark.capture.application import Application, Job
from headwater_spark.constants import Setting
from headwater_spark.emit.facet_context import FacetContext
from headwater_spark.redaction import hide_message, hide_trace, redact, redacted

_OWNERS: Final = "spark.openlineage.job.owners."
_UNKNOWN: Final = "neither the plan nor the written dataset is known"


def parent(context: FacetContext) -> RunFacet:
    """The ``parent`` facet of an execution: the application, and the topmost ancestor run."""
    application = context.application
    return _parent(application.job, application.root or application.job)


def application_parent(application: Application) -> RunFacet | None:
    """The ``parent`` facet of the application, if the configuration names a parent run."""
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
    """The ``processing_engine`` facet: the versions of Spark and of this agent."""
    return processing_engine_run.ProcessingEngineRunFacet(
        version=application.versions.get("spark") or "unknown",
        name="spark",
        openlineageAdapterVersion=application.versions.get("headwater") or VERSION,
    )


def application_details(application: Application) -> RunFacet:
    """The ``spark_applicationDetails`` facet of the official agent."""
    return RunFacet().with_additional_properties(
        master=application.master,
        appName=application.name,
        applicationId=application.id,
        deployMode=application.deploy_mode or None,
        userName=application.user or None,
    )  # type: ignore[return-value]  # the client declares the base facet


def client_details(context: FacetContext) -> RunFacet | None:
    """The application's details for reads, and for a Spark Connect client, who is not in the application's own run."""
    execution = context.execution
    requested_by = execution.client_application
    needed = execution.is_access or requested_by != execution.application
    return application_details(requested_by) if needed else None


def error_message(context: FacetContext) -> RunFacet | None:
    """The ``errorMessage`` facet of a failed execution."""
    error = context.outcome.error if context.outcome else None
    return error_facet(error, context) if error else None


def application_error(reason: str) -> RunFacet | None:
    """The ``errorMessage`` facet of an application that did not end with COMPLETE."""
    return error_message_run.ErrorMessageRunFacet(reason, programmingLanguage="UNKNOWN") if reason else None


def error_facet(error: Mapping[str, Any], context: FacetContext) -> RunFacet:
    """The ``errorMessage`` facet for an error of the documents: class, message, stackTrace."""
    name, message = str(error.get("class") or ""), str(error.get("message") or "")
    trace = str(error.get("stackTrace") or "")
    of_python = "PythonException" in f"{name} {message} {trace}"
    if not context.execution.constants.shows_all:
        message, trace = hide_message(error), hide_trace(trace)
    return error_message_run.ErrorMessageRunFacet(
        message=context.shorten(message or name or "the execution failed"),
        programmingLanguage="PYTHON" if of_python else "JAVA",
        stackTrace=redact(trace)[:65_536] if trace else None,
    )


def extraction_error(context: FacetContext) -> RunFacet | None:
    """The ``extractionError`` facet of an execution whose output is unknown; else its lineage facet has the gaps."""
    gaps = context.lineage.incomplete
    unnamed = context.unnamed_target
    if (context.targets and unnamed is None) or (context.execution.is_access and not gaps):
        return None
    texts = [f"{gap.reason}: {gap.detail}" for gap in gaps if gap.reason is not IncompleteReason.OPAQUE]
    if unnamed is not None:
        texts.append(unnamed)
    texts = texts or [_UNKNOWN]
    if context.execution.constants.setting is Setting.HIDE:
        texts = [text.partition(":")[0] for text in texts]
    errors = [extraction_error_run.Error(errorMessage=context.shorten(text)) for text in texts]
    return extraction_error_run.ExtractionErrorRunFacet(totalTasks=1, failedTasks=1, errors=errors)


def records(kept: Mapping[str, Any]) -> RunFacet:
    """The ``headwater_records`` facet of a run that kept which records made what it wrote."""
    return read_records(redacted(kept))


def run_tags(application: Application) -> RunFacet | None:
    """The tags in ``spark.openlineage.run.tags``: ``key:value:source`` or ``key``, separated by ``;``."""
    tags = [tags_run.TagsRunFacetFields(*tag) for tag in _tags(application, "spark.openlineage.run.tags")]
    return tags_run.TagsRunFacet(tags) if tags else None


def job_tags(application: Application) -> JobFacet | None:
    """The tags in ``spark.openlineage.job.tags``, in the same form."""
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
    """The owners in ``spark.openlineage.job.owners.<kind>=<name>``."""
    found = [
        ownership_job.Owner(name=name, type=key.removeprefix(_OWNERS))
        for key, name in application.conf.items()
        if key.startswith(_OWNERS)
    ]
    return ownership_job.OwnershipJobFacet(owners=found) if found else None


def sql_job_type(context: FacetContext) -> JobFacet:
    """The ``jobType`` facet of an execution or a streaming query; QUERY for a read without a write.

    A write inside ``foreachBatch`` belongs to the run of its streaming query, so its job is STREAMING too.
    """
    kind = "QUERY" if context.execution.is_access else "SQL_JOB"
    processing = "STREAMING" if context.execution.query else "BATCH"
    return job_type_job.JobTypeJobFacet(processingType=processing, integration="SPARK", jobType=kind)


def application_job_type(_: Application) -> JobFacet:
    """The ``jobType`` facet of an application."""
    return job_type_job.JobTypeJobFacet(processingType="NONE", integration="SPARK", jobType="APPLICATION")
