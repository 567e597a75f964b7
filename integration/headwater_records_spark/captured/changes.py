"""Commands that change a table with versions: what it is after them is a plan over the version before.

The plan is the meaning of the command, and not how it was run. So it is compared with the rows of the version that the
command made, wherever it is asked or kept: if they are others, nothing is said.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from headwater_records_spark.captured import merging
from headwater_records_spark.captured.store import Output
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.inputs import Files, Input, at_one, leaves
from headwater_records_spark.jvm import Jvm, analysed, kind, listed, optional, output
from headwater_records_spark.versions import delta_at, delta_history, is_delta

INSTEAD = (
    "write files, or change a table of Delta by INSERT, UPDATE, DELETE or MERGE: these can be asked about"
)
FIRST = "change the type first, by ALTER TABLE"
ALONE = "change the table by one program at a time"
MADE = ("delta.generationExpression", "CURRENT_DEFAULT")
"""Where the metadata of a column say what is in it when it is not given."""


@dataclass(frozen=True, slots=True)
class Change:
    """A command's change of the table at ``root`` from one version to the next; ``query`` is what it is after that."""

    root: str
    before: str
    after: str
    query: Any


def change_of(jvm: Jvm, command: Any) -> Change | None:
    """What a command changed; None if it has changed nothing.

    An UntraceableError says why that is not known, or that the command is none of these.
    """
    rule = RULES.get(kind(command))
    if rule is None:
        raise UntraceableError(kind(command), "it is no write or change that is followed", hint=INSTEAD)
    return rule(jvm, command)


def as_read(plan: Any, inputs: list[Input], change: Change) -> list[Input]:
    """The inputs of a change: the table as it was before, and others as they were when the command was planned."""
    read: dict[str, set[str]] = {}
    for leaf in leaves(plan):
        if kind(leaf) != "LogicalRelation" or kind(leaf.relation()) != "HadoopFsRelation":
            continue
        location = leaf.relation().location()
        if is_delta(location):
            planned = str(location.snapshotAtAnalysis().version())
            read.setdefault(location.path().toString(), set()).add(planned)
    for each in inputs:
        if each.root in read:
            read[each.root].add(each.version)
    read[change.root] = {change.before}
    return [at_one(each, read) if each.root and not each.named else each for each in inputs]


def output_at(jvm: Jvm, change: Change) -> Output:
    """The table as the change left it: its files have no times, as those of a version stay what they are."""
    frame = delta_at(jvm, change.root, change.after)
    files: Files = dict.fromkeys(frame.inputFiles(), (0, 0))
    schema = json.loads(frame.schema.json())
    return Output(change.root, "", "delta", {}, schema, files, change.after)


def _delete(jvm: Jvm, command: Any) -> Change | None:
    plan = merging.deleted(jvm, command.target(), optional(command.condition()))
    return _changed(jvm, command, command.target(), "DELETE", plan)


def _update(jvm: Jvm, command: Any) -> Change | None:
    values = listed(command.updateExpressions())
    plan = merging.updated(jvm, command.target(), optional(command.condition()), values)
    return _changed(jvm, command, command.target(), "UPDATE", plan)


def _merge(jvm: Jvm, command: Any) -> Change | None:
    schema = optional(command.migratedSchema())
    types = {each.name(): each.dataType().catalogString() for each in output(command.target())}
    for each in () if schema is None else schema.fields():
        if types.get(each.name(), each.dataType().catalogString()) != each.dataType().catalogString():
            raise UntraceableError(
                kind(command), f"it changes the type of the column {each.name()}", hint=FIRST
            )
    return _changed(jvm, command, command.target(), "MERGE", merging.merged(jvm, command))


def _append(jvm: Jvm, command: Any) -> Change | None:
    table = command.table()
    if not hasattr(table, "table") or kind(table.table()) != "DeltaTableV2":
        raise UntraceableError(
            kind(command), "only tables of Delta are followed from version to version", hint=INSTEAD
        )
    snapshot = table.table().initialSnapshot()
    root, at = table.table().path().toString(), int(snapshot.version())
    before = delta_at(jvm, root, str(at))
    given = _filled(snapshot.metadata().schema(), jvm.frame(command.query()))
    by_name = command.isByName()
    whole = before.unionByName(given, allowMissingColumns=True) if by_name else before.union(given)
    if not _made(jvm, command, root, at, "WRITE"):
        return None
    return Change(root, str(at), str(at + 1), analysed(whole))


def _filled(schema: Any, given: DataFrame) -> DataFrame:
    """The rows with the columns that a table makes itself where they are not given."""
    names = {each.lower() for each in given.columns}
    made = {
        each.name(): F.expr(each.metadata().getString(key))
        for each in schema.fields()
        for key in MADE
        if each.name().lower() not in names and each.metadata().contains(key)
    }
    return given.withColumns(made) if made else given


def _changed(jvm: Jvm, command: Any, target: Any, operation: str, plan: Any) -> Change | None:
    (leaf,) = listed(target.collectLeaves())
    location = leaf.relation().location()
    at = int(location.snapshotAtAnalysis().version())
    root = location.path().toString()
    return Change(root, str(at), str(at + 1), plan) if _made(jvm, command, root, at, operation) else None


def _made(jvm: Jvm, command: Any, root: str, at: int, operation: str) -> bool:
    """Whether a command made a version after this one, which has to be the next one and of this command."""
    history = delta_history(jvm, root).where(f"version >= {at}").select("version", "readVersion", "operation")
    found = {row["version"]: (row["readVersion"], row["operation"]) for row in history.collect()}
    if set(found) == {at}:
        return False
    if found.get(at + 1) != (at, operation):
        raise UntraceableError(
            kind(command), "another program changed the table at the same time", hint=ALONE
        )
    return True


RULES: dict[str, Callable[[Jvm, Any], Change | None]] = {
    "DeleteCommand": _delete,
    "UpdateCommand": _update,
    "MergeIntoCommand": _merge,
    "AppendData": _append,
}
