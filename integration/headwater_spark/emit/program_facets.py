"""Facets that say which program text a job comes from: its SQL, and the line that called Spark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from openlineage.client.facet_v2 import JobFacet, source_code_location_job, sql_job

from headwater_spark.capture.statements import statement
from headwater_spark.emit.facet_context import Scene
from headwater_spark.redaction import redact

_AT: Final = re.compile(r" at (?P<file>.+):(?P<line>\d+)$")
_FRAME: Final = re.compile(r"^(?P<method>[\w.$]+)\((?P<file>[^:()]+\.\w+):(?P<line>\d+)\)$")
_NOT_THE_USERS: Final = ("NativeMethodAccessorImpl.java", "DirectMethodHandleAccessor.java", "<unknown>")


def sql(scene: Scene) -> JobFacet | None:
    """The SQL text of the statement, where it was one."""
    text = (scene.execution.sql or "").strip()
    if not text:
        return None
    shown = statement(redact(text), scene.execution.constants)
    return sql_job.SQLJobFacet(query=scene.cut(shown), dialect="spark")


def source_code_location(scene: Scene) -> JobFacet | None:
    """The user's line that Spark noted. PySpark notes one for what it collects; for what it writes, only where
    ``headwater_spark.note_call_sites()`` was called.
    """
    execution = scene.execution
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
    """``collect at /jobs/report.py:25``."""
    found = _AT.search(description)
    if found is None or found["file"] in _NOT_THE_USERS or not found["file"].endswith(".py"):
        return None
    return found["file"], found["line"]


def _jvm_line(frame: str) -> tuple[str, str] | None:
    """``com.shop.Report$.main(Report.scala:12)``: the package tells the folder."""
    found = _FRAME.match(frame)
    if found is None or found["file"] in _NOT_THE_USERS or _is_sparks(found["method"]):
        return None
    package = found["method"].split(".")[:-2]
    return "/".join([*package, found["file"]]), found["line"]


def _is_sparks(method: str) -> bool:
    return method.startswith(("org.apache.spark.", "java.", "jdk.", "sun.", "scala.", "py4j."))


def _uri(path: str) -> str:
    """A file's URI; a JVM's source file has no place of its own, so its name stands alone."""
    if not path.endswith(".py"):
        return redact(path)
    return redact(Path(path).absolute().resolve().as_uri())
