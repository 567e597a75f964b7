"""Tables of Iceberg: versions are snapshots, and roots are names in a catalog."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.jvm import Jvm, has_method, kind, leaves_of, optional
from headwater_records_spark.versioned.port import NOTHING, UNKNOWN, Read, Version

ICEBERG = "org.apache.iceberg."
V2 = "DataSourceV2Relation"
PLAIN = {"BaseTable", "RESTTable"}
AS_OF = "org.apache.spark.sql.catalyst.analysis.AsOfVersion"


class IcebergTable:
    """A table of Iceberg."""

    def __init__(self, jvm: Jvm, root: str) -> None:
        self._jvm = jvm
        self._root = root

    def newest(self) -> str:
        """The snapshot that is the newest now."""
        current = self.loaded().currentSnapshot()
        return NOTHING if current is None else str(current.snapshotId())

    def at(self, version: str) -> DataFrame:
        """The rows of a snapshot."""
        return self._jvm.spark.read.format("iceberg").option("versionAsOf", version).load(self._root)

    def files(self, version: str) -> tuple[str, ...]:
        """The files that rows of a snapshot are in."""
        return files_of(self.loaded(), version)

    def loaded(self) -> Any:
        """Iceberg's own table, as it is now."""
        (leaf,) = leaves_of(self._jvm.spark.table(self._root))
        table = leaf.table().table()
        table.refresh()
        return table


class Iceberg:
    """The format of Iceberg."""

    name = "iceberg"

    def owns(self, leaf: Any) -> bool:
        """Whether a leaf of a plan is a table of Iceberg."""
        return kind(leaf) == V2 and unwrapped(leaf.table()).getClass().getName().startswith(ICEBERG)

    def version_of(self, leaf: Any) -> Version:
        """The snapshot that a leaf reads now."""
        table = leaf.table()
        inner = table.table() if kind(table) == "SparkTable" else table
        if kind(inner) not in PLAIN:
            raise UntraceableError(V2, f"{kind(inner)} is no plain read of an Iceberg table")
        if table.branch() is not None:
            raise UntraceableError(V2, "a branch of an Iceberg table is not followed")
        if has_method(leaf, "timeTravelSpec"):
            named = optional(leaf.timeTravelSpec()) is not None or leaf.options().containsKey("snapshot-id")
        else:
            named = table.snapshotId() is not None
        current = inner.currentSnapshot()
        snapshot = table.snapshotId() if named or current is None else current.snapshotId()
        return Version(inner.name(), NOTHING if snapshot is None else str(snapshot), named, self.name)

    def pinned(self, jvm: Jvm, leaf: Any, version: str) -> tuple[Any, dict[str, str]]:
        """The leaf as a read of this snapshot, and the types of its columns by name."""
        table = leaf.table()
        if version == NOTHING:
            raise LookupError("nothing was in the table")
        if table.snapshotId() is None or str(table.snapshotId()) != version:
            table = _at(jvm, table, version)
        changes = {"_0": table}
        if has_method(leaf, "timeTravelSpec"):
            changes["_5"] = jvm.view.scala.Option.apply(jvm.type(AS_OF)(version))
        columns = (*table.schema().fields(), *table.metadataColumns())
        return jvm.copy(leaf, **changes), {
            each.name(): str(each.dataType().catalogString()) for each in columns
        }

    def read_by(self, jvm: Jvm, leaf: Any) -> Read | None:
        """What a leaf of an optimised plan that ran has read."""
        if kind(leaf) != "DataSourceV2ScanRelation" or not self.owns(leaf.relation()):
            return None
        table = leaf.relation().table()
        if kind(table) == "RowLevelOperationTable":
            return None
        return Read(table.table().name(), _scanned(jvm, leaf))

    def table(self, jvm: Jvm, root: str) -> IcebergTable:
        """The table of a name."""
        return IcebergTable(jvm, root)


def unwrapped(table: Any) -> Any:
    """A table, without what Spark wraps it in to change its rows."""
    return table.table() if kind(table) == "RowLevelOperationTable" else table


def files_of(table: Any, version: str) -> tuple[str, ...]:
    """The files of a snapshot of Iceberg's own table; of each one name, whatever the parts that it is read in."""
    if version == NOTHING:
        return ()
    scan = table.newBatchScan().useSnapshot(int(version))
    return tuple(sorted({file for file, _ in _planned(scan.planFiles().iterator())}))


def _at(jvm: Jvm, table: Any, version: str) -> Any:
    inner = table.table()
    if inner.snapshot(int(version)) is None:
        raise LookupError("the snapshot has expired")
    if has_method(table, "copyWithSnapshotId"):
        return table.copyWithSnapshotId(int(version))
    travel = table.getClass().getClassLoader().loadClass(ICEBERG + "spark.TimeTravel$AsOfVersion")
    (constructor,) = travel.getDeclaredConstructors()
    return table.create(inner, constructor.newInstance(jvm.array(version)))


def _scanned(jvm: Jvm, leaf: Any) -> str:
    """The snapshot of a scan that ran: its own, or else the newest if that has the files that were read."""
    scan = leaf.scan()
    own = _hidden(jvm, scan, "snapshotId")
    if own is not None:
        return str(own)
    newest = leaf.relation().table().table().currentSnapshot()
    if newest is None:
        return NOTHING
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
