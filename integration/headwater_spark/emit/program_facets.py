"""Facets of a job's program: its SQL text, and the line that called Spark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from openlineage.client.facet_v2 import JobFacet, source_code_location_job, sql_job

from headwater_spark.capture.statements import statement
from headwater_spark.emit.facet_context import FacetContext
from headwater_spark.redaction import redact

_AT: Final = re.compile(r" at (?P<file>.+):(?P<line>\d+)$")
_FRAME: Final = re.compile(r"^(?P<method>[\w.$]+)\((?P<file>[^:()]+\.\w+):(?P<line>\d+)\)$")
_NOT_THE_USERS: Final = ("NativeMethodAccessorImpl.java", "DirectMethodHandleAccessor.java", "<unknown>")


def sql(context: FacetContext) -> JobFacet | None:
    """The ``sql`` facet, if the execution is of a SQL statement."""
    text = (context.execution.sql or "").strip()
    if not text:
        return None
    shown = statement(redact(text), context.execution.constants)
    return sql_job.SQLJobFacet(query=context.shorten(shown), dialect="spark")


def source_code_location(context: FacetContext) -> JobFacet | None:
    """The ``sourceCodeLocation`` facet: the user's line that Spark recorded.

    PySpark records one for actions that collect; for writes, only after ``headwater_spark.note_call_sites()``.
    """
    execution = context.execution
    found = (
        _python_line(execution.description)
        or _python_line(execution.called_from)
        or _jvm_line(execution.call_site)
    )
    if found is None:
        return None
    path, line = found
    url = f"{_uri(path)}#L{line}"
    return source_code_location_job.SourceCodeLocationJobFacet(type="file", url=url, path=redact(path))


def _python_line(description: str) -> tuple[str, str] | None:
    """The file and line of a description like ``collect at /jobs/report.py:25``."""
    found = _AT.search(description)
    if found is None or found["file"] in _NOT_THE_USERS or not found["file"].endswith(".py"):
        return None
    return found["file"], found["line"]


def _jvm_line(frame: str) -> tuple[str, str] | None:
    """The file and line of ``com.shop.Report$.main(Report.scala:12)``; the folder is derived from the package."""
    found = _FRAME.match(frame)
    if found is None or found["file"] in _NOT_THE_USERS or _is_sparks(found["method"]):
        return None
    package = found["method"].split(".")[:-2]
    return "/".join([*package, found["file"]]), found["line"]


def _is_sparks(method: str) -> bool:
    return method.startswith(("org.apache.spark.", "java.", "jdk.", "sun.", "scala.", "py4j."))


def _uri(path: str) -> str:
    """The URI of a Python file; the path of a JVM's source file, whose location is unknown."""
    if not path.endswith(".py"):
        return redact(path)
    return redact(Path(path).absolute().resolve().as_uri())
