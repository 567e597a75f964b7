"""Tables with versions: which one a plan reads, what an execution has read, and how to read that one again.

A frame of Delta or Iceberg reads what is the newest version when it runs, but where the program names one. A file of
a version stays what it is; the rows of a version do not, as a later one may leave out rows of the same file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from headwater_records_spark.errors import ChangedInputError, UntraceableError
from headwater_records_spark.jvm import Jvm, has_method, kind, listed, optional

DELTA = re.compile(r"Tahoe|Delta.*FileIndex|CdcAddFileIndex")
ICEBERG = "org.apache.iceberg."
V2 = "DataSourceV2Relation"
PLAIN_ICEBERG = {"BaseTable", "RESTTable"}
FILES = "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
PARQUET = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
AS_OF = "org.apache.spark.sql.catalyst.analysis.AsOfVersion"
UNKNOWN = "unknown"
NO_SNAPSHOT = ""
"""The version of an Iceberg table that has no snapshot yet."""


class Version(NamedTuple):
    """The version that a leaf reads of the table at ``root``, and whether the program ``named`` it.

    ``table`` tells the table from another one with the same version at that place; it is empty where no two have.
    """

    root: str
    text: str
    named: bool
    table: str = ""


def is_delta(location: Any) -> bool:
    """Whether an index of files is that of a Delta table."""
    return bool(DELTA.search(kind(location)))


def is_iceberg(leaf: Any) -> bool:
    """Whether a leaf of a plan is an Iceberg table."""
    return kind(leaf) == V2 and leaf.table().getClass().getName().startswith(ICEBERG)


def version_of(leaf: Any) -> Version | None:
    """The version of a table that a leaf of a plan reads now; None if it reads no table with versions.

    An UntraceableError names what reads more than the rows of one version.
    """
    if is_iceberg(leaf):
        return _iceberg(leaf)
    if kind(leaf) != "LogicalRelation" or kind(leaf.relation()) != "HadoopFsRelation":
        return None
    location = leaf.relation().location()
    return _delta(location) if is_delta(location) else None


def _delta(location: Any) -> Version:
    if kind(location) != "TahoeLogFileIndex":
        raise UntraceableError(kind(location), "only plain reads of a Delta table have rows of its files")
    named = bool(location.isTimeTravelQuery())
    snapshot = location.getSnapshot()
    return Version(location.path().toString(), str(snapshot.version()), named, str(snapshot.metadata().id()))


def _iceberg(leaf: Any) -> Version:
    table = leaf.table()
    inner = table.table() if kind(table) == "SparkTable" else table
    if kind(inner) not in PLAIN_ICEBERG:
        raise UntraceableError(V2, f"{kind(inner)} is no plain read of an Iceberg table")
    if table.branch() is not None:
        raise UntraceableError(V2, "a branch of an Iceberg table is not followed")
    if has_method(leaf, "timeTravelSpec"):
        named = optional(leaf.timeTravelSpec()) is not None or leaf.options().containsKey("snapshot-id")
    else:
        named = table.snapshotId() is not None
    current = inner.currentSnapshot()
    snapshot = table.snapshotId() if named or current is None else current.snapshotId()
    return Version(inner.name(), NO_SNAPSHOT if snapshot is None else str(snapshot), named)


def pinned(jvm: Jvm, leaf: Any, version: Version) -> Any:
    """The leaf as a read of this version, whatever is the newest one; a ChangedInputError if that is not kept."""
    read = _pinned_iceberg if is_iceberg(leaf) else _pinned_delta
    try:
        found, columns = read(jvm, leaf, version.text)
    except Exception as problem:
        raise ChangedInputError(version.root, f"version {version.text}", "is gone") from problem
    lost = [each.name() for each in listed(leaf.output()) if columns.get(each.name()) != _type(each)]
    if lost:
        change = f"has no column {lost[0]} of its type"
        raise ChangedInputError(version.root, f"version {version.text}", change)
    return found


def _type(column: Any) -> str:
    return str(column.dataType().catalogString())


def _pinned_delta(jvm: Jvm, leaf: Any, version: str) -> tuple[Any, dict[str, str]]:
    location = leaf.relation().location()
    read = jvm.spark.read.format("delta").option("versionAsOf", version).load(location.path().toString())
    (there,) = listed(read._jdf.queryExecution().analyzed().collectLeaves())
    columns = {each.name(): _type(each) for each in listed(there.output())}
    relation = there.relation()
    if location.partitionFilters().nonEmpty():
        filters = {f"_{location.productArity() - 2}": location.partitionFilters()}
        relation = _files(jvm, relation, _0=jvm.copy(relation.location(), **filters))
    return jvm.copy(leaf, _0=relation), columns


def _files(jvm: Jvm, relation: Any, **changes: Any) -> Any:
    """A relation of files with some of its arguments changed; Delta's is of a class without a name."""
    given = {f"_{place}": relation.productElement(place) for place in range(relation.productArity())}
    return jvm.type(FILES)(*(given | changes).values(), jvm.spark._jsparkSession)


def with_positions(jvm: Jvm, leaf: Any) -> Any:
    """A leaf of files whose rows have positions.

    Delta hides them where no table has rows that were deleted in a file: such files are plain Parquet, if columns have
    their own names in it.
    """
    relation = leaf.relation()
    given = relation.fileFormat()
    if not is_delta(relation.location()) or "row_index" in [
        each.name() for each in listed(given.metadataSchemaFields())
    ]:
        return leaf
    if kind(given.columnMappingMode()) != "NoMapping":
        raise UntraceableError(
            kind(given), "with mapped columns and no deletion vectors its rows have no position"
        )
    return jvm.copy(leaf, _0=_files(jvm, relation, _4=jvm.type(PARQUET)()))


def _pinned_iceberg(jvm: Jvm, leaf: Any, version: str) -> tuple[Any, dict[str, str]]:
    table = leaf.table()
    if version == NO_SNAPSHOT:
        raise LookupError("nothing was in the table")
    if table.snapshotId() is None or str(table.snapshotId()) != version:
        table = _iceberg_at(jvm, table, version)
    changes = {"_0": table}
    if has_method(leaf, "timeTravelSpec"):
        changes["_5"] = jvm.view.scala.Option.apply(jvm.type(AS_OF)(version))
    columns = {each.name(): _type(each) for each in table.schema().fields()}
    return jvm.copy(leaf, **changes), columns


def _iceberg_at(jvm: Jvm, table: Any, version: str) -> Any:
    inner = table.table()
    if inner.snapshot(int(version)) is None:
        raise LookupError("the snapshot has expired")
    if has_method(table, "copyWithSnapshotId"):
        return table.copyWithSnapshotId(int(version))
    travel = table.getClass().getClassLoader().loadClass(ICEBERG + "spark.TimeTravel$AsOfVersion")
    (constructor,) = travel.getDeclaredConstructors()
    return table.create(inner, constructor.newInstance(jvm.array(version)))


def delta_at(jvm: Jvm, root: str, version: str) -> DataFrame:
    """A version of a Delta table."""
    return jvm.spark.read.format("delta").option("versionAsOf", version).load(root)


def is_anew(jvm: Jvm, root: str, version: str, table: str) -> bool:
    """Whether a table was dropped and made anew, so that this version is one of another ``table``."""
    if not table:
        return False
    try:
        (leaf,) = listed(delta_at(jvm, root, version)._jdf.queryExecution().analyzed().collectLeaves())
    except Exception:  # noqa: BLE001 - a version that is gone is refused where it is read
        return False
    return _delta(leaf.relation().location()).table != table


def newest_delta(jvm: Jvm, root: str) -> str:
    """The version of a Delta table that is the newest now."""
    return str(delta_history(jvm, root).agg(F.max("version")).collect()[0][0])


def delta_history(jvm: Jvm, root: str) -> DataFrame:
    """The commits of a Delta table; read past ``SparkSession.sql``, which is a write to who captures."""
    return DataFrame(jvm.spark._jsparkSession.sql(f"DESCRIBE HISTORY delta.`{root}`"), jvm.spark)


def iceberg_files(leaf: Any, version: str) -> tuple[str, ...]:
    """The files of a version of a leaf's table; of each one name, whatever the parts that it is read in."""
    if version == NO_SNAPSHOT:
        return ()
    scan = leaf.table().table().newBatchScan().useSnapshot(int(version))
    return tuple(sorted({file for file, _ in _planned(scan.planFiles().iterator())}))


def versions_read(jvm: Jvm, execution: Any) -> dict[str, set[str]]:
    """By the root of each table the versions that an execution has read, subqueries included.

    Of what is not certain there is none.
    """
    found: dict[str, set[str]] = {}
    for leaf in _leaves(execution.optimizedPlan()):
        if kind(leaf) == "DataSourceV2ScanRelation" and is_iceberg(leaf.relation()):
            name = leaf.relation().table().table().name()
            found.setdefault(name, set()).add(_scanned(jvm, leaf))
        elif kind(leaf) == "LogicalRelation" and kind(leaf.relation()) == "HadoopFsRelation":
            location = leaf.relation().location()
            if is_delta(location):
                found.setdefault(location.path().toString(), set()).add(str(location.version()))
    return found


def _leaves(plan: Any) -> Iterator[Any]:
    for root in (plan, *listed(plan.innerChildren())):
        for each in (root, *listed(root.subqueriesAll())):
            yield from listed(each.collectLeaves())


def _scanned(jvm: Jvm, leaf: Any) -> str:
    """The snapshot of a scan that ran: its own, or else the newest if that has the files that were read."""
    scan = leaf.scan()
    own = _hidden(jvm, scan, "snapshotId")
    if own is not None:
        return str(own)
    newest = leaf.relation().table().table().currentSnapshot()
    if newest is None:
        return NO_SNAPSHOT
    given = _hidden(jvm, scan, "scan")
    if given is None:
        return UNKNOWN
    there = _planned(given.useSnapshot(newest.snapshotId()).planFiles().iterator())
    return str(newest.snapshotId()) if there == _planned(_hidden(jvm, scan, "tasks").iterator()) else UNKNOWN


def _planned(tasks: Any) -> set[tuple[str, tuple[str, ...]]]:
    """Each file with those that delete rows of it, by the tasks that read it."""
    found = set()
    while tasks.hasNext():
        task = tasks.next()
        deletes = sorted(f"{each.location()} {each.contentOffset()}" for each in task.deletes())
        found.add((str(task.file().location()), tuple(deletes)))
    return found


def _hidden(jvm: Jvm, scan: Any, method: str) -> Any:
    """What a method without arguments gives that only its own package may call; None if there is no such method."""
    of: Any = scan.getClass()
    while of is not None:
        for each in of.getDeclaredMethods():
            if each.getName() == method and each.getParameterCount() == 0 and not each.isBridge():
                each.setAccessible(True)
                return each.invoke(scan, jvm.array())
        of = of.getSuperclass()
    return None
