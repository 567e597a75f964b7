"""What the documents of an execution state: at its start, of its program, and at its end, of its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headwater_spark.decode import source_of_leaf
from headwater_spark.guard import Failure, guarded


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What the start of an execution states, or its end if the start was lost."""

    id: int
    started: int
    is_part: bool = False
    """Whether another execution started it, as some commands do."""
    description: str = ""
    """Spark's description: the user's own text, or ``collect at job.py:3``."""
    api: str = ""
    """The Spark method that the user called, as a stack frame."""
    call_site: str = ""
    """The first stack frame outside of Spark, if any."""
    called_from: str = ""
    """The user's line that a Python driver recorded for the execution's jobs, as ``save at job.py:3``."""
    sql: str | None = None
    client_user: str = ""
    """The user of the Spark Connect client that requested the execution, if one did."""
    client_name: str = ""
    """The name that this client gives itself."""
    infers: str = ""
    """The class of Spark by which it learns the schema of files in this execution, if it is an action on an RDD."""
    of_model: bool = False
    """Whether Spark's machine learning library runs it to save or load a model."""


def stated(document: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of ``Stated`` in an ``execution-start`` document."""
    client = document.get("client") or {}
    return {
        "id": int(document["execution"]),
        "started": int(document.get("time") or 0),
        "is_part": document.get("root") not in (None, document["execution"]),
        "description": str(document.get("description") or ""),
        "api": str(document.get("api") or ""),
        "call_site": str(document.get("callSite") or ""),
        "called_from": str(document.get("calledFrom") or ""),
        "sql": document.get("sql"),
        "infers": str(document.get("infers") or ""),
        "of_model": bool(document.get("model")),
        "client_user": str(client.get("user") or ""),
        "client_name": str(client.get("application") or ""),
    }


def stated_at_end(document: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an execution that its ``execution-end`` document alone has."""
    return {
        "called_from": str(document.get("calledFrom") or ""),
        "overwrite_mode": str(document.get("overwriteMode") or "").upper() or None,
        "found_files": bool(document.get("foundFiles")),
    }


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of an execution. ``dropped`` is the number of documents lost while it ran."""

    ended: int
    error: Mapping[str, Any] | None = None
    output: Mapping[str, Any] | None = None
    """{"rows", "bytes", "files"} written."""
    inputs: tuple[Mapping[str, Any], ...] = ()
    """{"roots", "table" or "source", "rows", "bytes", "files"} read."""
    version: str | None = None
    """The version of the written table that this execution created."""
    content: Mapping[str, Any] | None = None
    """What it found in what it wrote, and left there ("base"), and what it left in all ("state"), if that is known."""
    ids: Sequence[Any] | None = None
    """The identifiers of the written table's columns, as (name, identifier, members)."""
    dropped: int = 0
    aborted: bool = False
    jobs: int | None = None
    """Spark's jobs that it ran, those of nested executions included; None where they were not counted."""

    @classmethod
    def of(cls, document: Mapping[str, Any], started: int, dropped: int) -> Outcome:
        """The outcome in an ``execution-end`` document of what began at ``started``."""
        metrics = document.get("metrics") or {}
        return cls(
            ended=int(document.get("time") or started),
            error=document.get("error"),
            output=metrics.get("output"),
            inputs=tuple(_with_source(each) for each in metrics.get("input") or ()),
            version=document.get("version"),
            content=document.get("content"),
            ids=document.get("ids"),
            dropped=dropped,
            jobs=document.get("jobs"),
        )


def _with_source(counted: Mapping[str, Any]) -> Mapping[str, Any]:
    """The statistics of a scan with its source, or without one if its leaf cannot be read."""
    if "leaf" not in counted:
        return counted
    source = guarded(lambda: source_of_leaf(counted["leaf"]))
    rest = {key: each for key, each in counted.items() if key != "leaf"}
    return rest if isinstance(source, Failure) else {**rest, "source": source}
