"""What a command of Spark wrote: the query, the place, and the files that came of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Set
from dataclasses import dataclass
from typing import Any

from headwater_records_spark.batches import followed
from headwater_records_spark.captured.store import Output
from headwater_records_spark.errors import NotCapturedError
from headwater_records_spark.inputs import Files, called, listing
from headwater_records_spark.jvm import Jvm, has_method, kind, listed, optional

COMMAND = "InsertIntoHadoopFsRelationCommand"
OTHER_WRITES = {
    "SaveIntoDataSourceCommand", "InsertIntoHiveTable", "CreateHiveTableAsSelectCommand", "AppendData",
    "OverwriteByExpression", "OverwritePartitionsDynamic", "ReplaceData", "WriteDelta", "MergeIntoTable",
    "UpdateTable", "DeleteFromTable", "CreateTableAsSelect", "ReplaceTableAsSelect", "InsertIntoHiveDirCommand",
    "InsertIntoDataSourceCommand", "MergeIntoCommand", "UpdateCommand", "DeleteCommand",
}  # fmt: skip
"""Commands that write otherwise: changes of tables, and what is refused by its name."""
Kept = Callable[[str], Set[str]]
"""Gives the files that captured runs wrote below the root of an output."""
_JOB = re.compile(r"/part-\d+-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})[^/]*$")


@dataclass(frozen=True, slots=True)
class Write:
    """A command that wrote ``query`` to files below ``root``."""

    query: Any
    root: str
    table: str
    format: str
    options: dict[str, str]


def write_of(jvm: Jvm, command: Any) -> Write:
    """What a write of files wrote."""
    table = optional(command.catalogTable())
    return Write(
        followed(jvm, command.query()),
        command.outputPath().toString(),
        table.identifier().unquotedString() if table is not None else "",
        _format(command.fileFormat()),
        _options(command.options()),
    )


def target_of(command: Any) -> str:
    """The table or the path that a command writes to, in whichever way its class says it; empty if it does not."""
    for name, read in TARGETS.items():
        if has_method(command, name):
            return str(read(getattr(command, name)()))
    return ""


def _of_table(given: Any) -> Any:
    if kind(given) == "CatalogTable":
        return given.identifier().unquotedString()
    return called(listed(given.collectLeaves())[0])


def _of_options(given: Any) -> Any:
    path = optional(given.get("path"))
    return "" if path is None else path


TARGETS: dict[str, Callable[[Any], Any]] = {
    "outputPath": lambda path: path.toString(),
    "target": _of_table,
    "logicalRelation": called,
    "tableName": lambda name: name.toString(),
    "tableDesc": _of_table,
    "storage": lambda storage: storage.locationUri().get().toString(),
    "table": _of_table,
    "options": _of_options,
}
"""The methods that commands have for it, the surest first."""


def _format(given: Any) -> str:
    try:
        return str(given.shortName())
    except Exception as problem:
        raise NotCapturedError(f"files of {kind(given)} cannot be read back") from problem


def _options(given: Any) -> dict[str, str]:
    found = {}
    pairs = given.toSeq()
    for number in range(pairs.size()):
        pair = pairs.apply(number)
        if pair._1() != "path":
            found[pair._1()] = pair._2()
    return found


def output_of(jvm: Jvm, write: Write, before: Collection[str], since: int, kept: Kept) -> Output:
    """What was written; ``before`` are files of earlier writes, ``since`` the start of the capture in milliseconds."""
    files = files_of_job(listing(jvm, [write.root]), before, since, lambda: kept(write.root))
    if files is None:
        raise NotCapturedError(f"several jobs wrote to {write.root} at the same time")
    return Output(
        write.root, write.table, write.format, write.options, json.loads(write.query.schema().json()), files
    )


def rows_of(execution: Any) -> int | None:
    """How many rows a command has written, as its committed tasks have counted; None if it does not say."""
    plan = execution.executedPlan()
    while kind(plan) in {"AdaptiveSparkPlanExec", "ResultQueryStageExec"}:
        plan = plan.executedPlan() if kind(plan) == "AdaptiveSparkPlanExec" else plan.plan()
    counted = optional(plan.metrics().get("numOutputRows"))
    return None if counted is None else int(counted.value())


def files_of_job(
    files: Files, before: Collection[str], since: int, kept: Callable[[], Set[str]]
) -> Files | None:
    """The files of one job, which puts its own id into their names; None if several jobs wrote since then.

    Times of files may have no more than seconds: what was written just before is known by what is ``kept`` of it.
    """
    jobs: dict[str, Files] = {}
    for path, (size, time) in files.items():
        job = _JOB.search(path)
        if job and path not in before and time >= since:
            jobs.setdefault(job[1], {})[path] = (size, time)
    found = list(jobs.values())
    if len(found) > 1:
        known = kept()
        found = [each for each in found if known.isdisjoint(each)]
    if len(found) > 1:
        return None
    return next(iter(found), {})


def fingerprint(plan: Any) -> str:
    """A digest of what a normal plan does and reads; identities and addresses of one session are no part of it."""
    lines: list[str] = []
    _describe(plan, 0, lines)
    numbers: dict[str, str] = {}
    text = re.sub(r"#\d+", lambda found: numbers.setdefault(found[0], f"#{len(numbers)}"), "\n".join(lines))
    text = re.sub(r"@[0-9a-f]+|plan_id=\d+|\[id=#\d+\]", "", text)
    return hashlib.sha256(text.encode()).hexdigest()


def _describe(plan: Any, depth: int, lines: list[str]) -> None:
    lines.append(" " * depth + plan.simpleString(100_000))
    for each in (*listed(plan.children()), *listed(plan.subqueries())):
        _describe(each, depth + 1, lines)
