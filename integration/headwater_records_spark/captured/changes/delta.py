"""The commands that change a table of Delta."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from headwater_records_spark.captured.changes import merging
from headwater_records_spark.captured.changes.change import ALONE, FIRST, Change, Rule
from headwater_records_spark.captured.changes.merging import Clause, Merge
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.inputs import leaves
from headwater_records_spark.jvm import Jvm, analysed, kind, listed, optional, output
from headwater_records_spark.versioned.delta import Delta, DeltaTable

MADE = ("delta.generationExpression", "CURRENT_DEFAULT")
"""Where the metadata of a column say what is in it when it is not given."""


def _delete(jvm: Jvm, execution: Any) -> Change | None:
    command = execution.analyzed()
    plan = merging.deleted(jvm, command.target(), optional(command.condition()))
    return _changed(jvm, command, "DELETE", plan)


def _update(jvm: Jvm, execution: Any) -> Change | None:
    command = execution.analyzed()
    values = listed(command.updateExpressions())
    plan = merging.updated(jvm, command.target(), optional(command.condition()), values)
    return _changed(jvm, command, "UPDATE", plan)


def _merge(jvm: Jvm, execution: Any) -> Change | None:
    command = execution.analyzed()
    schema = optional(command.migratedSchema())
    before = {each.name(): each.dataType() for each in output(command.target())}
    added = {} if schema is None else {each.name(): each.dataType() for each in schema.fields()}
    for name in added.keys() & before.keys():
        if added[name].catalogString() != before[name].catalogString():
            raise UntraceableError(kind(command), f"it changes the type of the column {name}", hint=FIRST)
    merge = Merge(
        command.target(),
        command.source(),
        jvm.column(command.condition()),
        before | added,
        [_clause(jvm, each) for each in listed(command.matchedClauses())],
        [_clause(jvm, each) for each in listed(command.notMatchedClauses())],
        [_clause(jvm, each) for each in listed(command.notMatchedBySourceClauses())],
    )
    return _changed(jvm, command, "MERGE", merging.merged(jvm, merge))


def _clause(jvm: Jvm, clause: Any) -> Clause:
    deletes = kind(clause).endswith("DeleteClause")
    actions = [] if deletes else listed(clause.resolvedActions())
    values = {action.targetColNameParts().apply(0): jvm.column(action.expr()) for action in actions}
    return Clause(merging.true(jvm, optional(clause.condition())), deletes, values)


def _append(jvm: Jvm, execution: Any) -> Change | None:
    command = execution.analyzed()
    table = command.table().table()
    snapshot = table.initialSnapshot()
    root, at = table.path().toString(), int(snapshot.version())
    before = DeltaTable(jvm, root).at(str(at))
    given = _filled(snapshot.metadata().schema(), jvm.frame(command.query()))
    if not _made(jvm, command, root, at, "WRITE"):
        return None
    whole = analysed(merging.appended(before, given, by_name=command.isByName()))
    return Change("delta", root, str(at), str(at + 1), whole, _planned(whole))


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


def _changed(jvm: Jvm, command: Any, operation: str, plan: Any) -> Change | None:
    (leaf,) = listed(command.target().collectLeaves())
    location = leaf.relation().location()
    at = int(location.snapshotAtAnalysis().version())
    root = location.path().toString()
    if not _made(jvm, command, root, at, operation):
        return None
    return Change("delta", root, str(at), str(at + 1), plan, _planned(plan))


def _planned(plan: Any) -> dict[str, set[str]]:
    """The versions of tables of Delta when a plan was made: no listener is given what a command runs inside."""
    read: dict[str, set[str]] = {}
    for leaf in leaves(plan):
        if Delta().owns(leaf):
            location = leaf.relation().location()
            version = str(location.snapshotAtAnalysis().version())
            read.setdefault(location.path().toString(), set()).add(version)
    return read


def _made(jvm: Jvm, command: Any, root: str, at: int, operation: str) -> bool:
    """Whether a command made a version after this one, which has to be the next one and of this command."""
    history = DeltaTable(jvm, root).history().where(f"version >= {at}")
    commits = history.select("version", "readVersion", "operation").collect()
    found = {row["version"]: (row["readVersion"], row["operation"]) for row in commits}
    if set(found) == {at}:
        return False
    if found.get(at + 1) != (at, operation):
        raise UntraceableError(
            kind(command), "another program changed the table at the same time", hint=ALONE
        )
    return True


RULES: dict[str, Rule] = {
    "DeleteCommand": _delete,
    "UpdateCommand": _update,
    "MergeIntoCommand": _merge,
    "AppendData": _append,
}
