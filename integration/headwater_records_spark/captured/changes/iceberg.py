"""The commands that change a table of Iceberg.

Spark has put them into plans of its own before they run: ``ReplaceData`` gives all rows of the files that it writes
anew, and ``WriteDelta`` gives the rows that go and those that come. Both have the command's own expressions in them.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column

from headwater_records_spark.captured.changes import merging
from headwater_records_spark.captured.changes.change import ALONE, Change, Rule
from headwater_records_spark.captured.changes.merging import Clause, Merge
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.jvm import LOGICAL, Jvm, analysed, kind, listed, output
from headwater_records_spark.versioned.formats import versions_read
from headwater_records_spark.versioned.iceberg import Iceberg, IcebergTable, unwrapped
from headwater_records_spark.versioned.port import NOTHING

OPERATION = "__row_operation"
DELETES = 1
"""The number of a row that goes."""
OPERATIONS = {"append", "overwrite", "delete"}


def _append(jvm: Jvm, execution: Any) -> Change | None:
    command = execution.analyzed()
    root, made = _made(jvm, execution, command.table())
    if made is None:
        return None
    given = jvm.frame(_plain(jvm, command.query()))
    if made[0] != NOTHING:
        before = IcebergTable(jvm, root).at(made[0])
        given = merging.appended(before, given, by_name=command.isByName())
    return Change("iceberg", root, *made, analysed(given), versions_read(jvm, execution))


def _replace(jvm: Jvm, execution: Any) -> Change | None:
    return _changed(jvm, execution, _plain(jvm, execution.analyzed().query()))


def _write(jvm: Jvm, execution: Any) -> Change | None:
    query = execution.analyzed().query()
    if kind(query) == "MergeRows":
        return _changed(jvm, execution, _plain(jvm, query))
    if kind(query) not in {"Project", "Expand"} or kind(query.child()) != "Filter":
        raise UntraceableError(kind(query), "it is no change of rows that is followed")
    target, condition = _plain(jvm, query.child().child()), query.child().condition()
    kept = merging.deleted(jvm, target, condition)
    values = _reinserted(query)
    if values is None:
        return _changed(jvm, execution, kept)
    changed = jvm.type(LOGICAL + "Project")(
        jvm.seq([jvm.alias(values[each.name()], each.newInstance()) for each in output(target)]),
        jvm.type(LOGICAL + "Filter")(condition, target),
    )
    return _changed(jvm, execution, jvm.type(LOGICAL + "Union")(jvm.seq([kept, changed]), False, False))


def _reinserted(query: Any) -> dict[str, Any] | None:
    """The values, by column, of the rows that come in the places of those that go; None if none come."""
    names = [each.name() for each in output(query)]
    if kind(query) == "Project":
        given = [[each.child() if kind(each) == "Alias" else each for each in listed(query.projectList())]]
    else:
        given = list(map(listed, listed(query.projections())))
    rows = [dict(zip(names, each, strict=True)) for each in given]
    come = [each for each in rows if each[OPERATION].value() != DELETES]
    if len(rows) - len(come) != 1 or len(come) > 1:
        raise UntraceableError(kind(query), "each of its rows does not go, or come again, as one row")
    return come[0] if come else None


def _delete(jvm: Jvm, execution: Any) -> Change | None:
    command = execution.analyzed()
    (leaf,) = listed(command.table().collectLeaves())
    return _changed(jvm, execution, merging.deleted(jvm, leaf, command.condition()))


def _changed(jvm: Jvm, execution: Any, plan: Any) -> Change | None:
    """The change to the rows of a plan, of which the table has some of the columns."""
    (leaf,) = listed(execution.analyzed().table().collectLeaves())
    given = {each.name(): each for each in output(plan)}
    whole = jvm.select(plan, [given[each.name()] for each in output(leaf)])
    root, made = _made(jvm, execution, leaf)
    return None if made is None else Change("iceberg", root, *made, whole, versions_read(jvm, execution))


def _plain(jvm: Jvm, plan: Any) -> Any:
    """The plan with the table itself and with joins, where Spark has what can only be run as a part of a command."""
    if kind(plan) == "MergeRows":
        return _merged(jvm, plan)
    if Iceberg().owns(plan):
        return jvm.copy(plan, _0=unwrapped(plan.table()))
    before = listed(plan.children())
    children = [_plain(jvm, each) for each in before]
    same = all(new.equals(old) for new, old in zip(children, before, strict=True))
    return plan if same else plan.withNewChildren(jvm.seq(children))


def _merged(jvm: Jvm, rows: Any) -> Any:
    """What the rows of the target are after a MERGE; if it only inserts, those that come."""
    join = rows.child()
    if kind(join) != "Join":
        raise UntraceableError(kind(rows), "it is not over a join of the table with the source")
    missing = _clauses(jvm, rows, rows.notMatchedInstructions(), [])
    if kind(join.joinType()) == "LeftAnti":
        columns = {each.name(): each.dataType() for each in output(rows) if each.name() != OPERATION}
        return merging.inserted(jvm, _plain(jvm, join), columns, missing)
    target, condition = _target(jvm, join)
    own = output(target)
    merge = Merge(
        target,
        _plain(jvm, _unmarked(join.right())),
        condition,
        {each.name(): each.dataType() for each in own},
        _clauses(jvm, rows, rows.matchedInstructions(), own),
        missing,
        _clauses(jvm, rows, rows.notMatchedBySourceInstructions(), own),
    )
    return merging.merged(jvm, merge)


def _target(jvm: Jvm, join: Any) -> tuple[Any, Column]:
    """The table itself, and what has to be true of its rows and those of the source that match them.

    What is asked of the rows of the table alone has been made a filter of them.
    """
    side, condition = _unmarked(join.left()), jvm.column(join.condition().get())
    while kind(side) == "Filter":
        side, condition = side.child(), condition & jvm.column(side.condition())
    if not Iceberg().owns(side):
        raise UntraceableError(kind(side), "it is not the table that is changed")
    leaf = _plain(jvm, side)
    columns = {each.name() for each in leaf.table().schema().fields()}
    return jvm.copy(leaf, _1=jvm.seq([each for each in output(leaf) if each.name() in columns])), condition


def _unmarked(plan: Any) -> Any:
    """A side of the join without the marks that Spark gives its rows."""
    return plan.child() if kind(plan) == "Project" else plan


def _clauses(jvm: Jvm, rows: Any, instructions: Any, target: list[Any]) -> list[Clause]:
    """What is done with rows, in order; a last one by which a row of the target stays as it is, is left out."""
    names = [each.name() for each in output(rows)]
    given = listed(instructions)
    found = [dict(zip(names, _values(each), strict=False)) for each in given]
    if found and target and _stays(found[-1], target):
        given.pop()
    return [_clause(jvm, each, values) for each, values in zip(given, found, strict=False)]


def _values(instruction: Any) -> list[Any]:
    """The row that comes, or else the one that goes; none if it is discarded."""
    if kind(instruction) == "Discard":
        return []
    return listed(instruction.otherOutput() if kind(instruction) == "Split" else instruction.output())


def _stays(values: dict[str, Any], target: list[Any]) -> bool:
    given = [(values.get(each.name()), each) for each in target]
    return all(value is not None and value.semanticEquals(each) for value, each in given)


def _clause(jvm: Jvm, instruction: Any, values: dict[str, Any]) -> Clause:
    operation = values.get(OPERATION)
    deletes = not values or (operation is not None and operation.value() == DELETES)
    columns = {} if deletes else {name: jvm.column(value) for name, value in values.items()}
    return Clause(merging.true(jvm, instruction.condition()), deletes, columns)


def _made(jvm: Jvm, execution: Any, leaf: Any) -> tuple[str, tuple[str, str] | None]:
    """The root of the table, and the snapshots before and after a command; None if it made none."""
    command = kind(execution.analyzed())
    target = jvm.copy(leaf, _0=unwrapped(leaf.table()))
    root = Iceberg().version_of(target).root
    table = IcebergTable(jvm, root).loaded()
    since = execution.tracker().phases().apply("analysis").startTimeMs()
    made = [each for each in table.snapshots() if each.timestampMillis() >= since]
    if not made:
        return root, None
    ours = jvm.spark.sparkContext.applicationId
    new = made[-1]
    own = new.summary().get("spark.app.id") == ours and new.operation() in OPERATIONS
    if len(made) > 1 or not own or new.snapshotId() != table.currentSnapshot().snapshotId():
        raise UntraceableError(command, "another program changed the table at the same time", hint=ALONE)
    before = new.parentId()
    return root, (NOTHING if before is None else str(before), str(new.snapshotId()))


RULES: dict[str, Rule] = {
    "AppendData": _append,
    "ReplaceData": _replace,
    "WriteDelta": _write,
    "DeleteFromTable": _delete,
}
