"""Tables with versions: which one a plan reads, and what a write has read.

A frame of Delta or Iceberg reads what is the newest version when it runs, but where the program names one. A file of
a version stays what it is; the rows of a version do not, as a later one may leave out rows of the same file.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.jvm import Jvm, kind, listed

DELTA = re.compile(r"Tahoe|Delta.*FileIndex|CdcAddFileIndex")
ICEBERG = "org.apache.iceberg."
V2 = "DataSourceV2Relation"
_COMMIT = re.compile(r"^(\d{20})\.(?:[-0-9a-f]+\.)?json$")


class Version(NamedTuple):
    """A version of a table: its number or id, and whether the program ``named`` it, so that no other can be read."""

    text: str
    named: bool


def is_delta(location: Any) -> bool:
    """Whether an index of files is that of a Delta table."""
    return bool(DELTA.search(kind(location)))


def is_iceberg(leaf: Any) -> bool:
    """Whether a leaf of a plan is an Iceberg table."""
    return kind(leaf) == V2 and leaf.table().getClass().getName().startswith(ICEBERG)


def delta_version(jvm: Jvm, location: Any) -> Version:
    """The version of a Delta table that its index reads now."""
    if kind(location) != "TahoeLogFileIndex":
        raise UntraceableError(kind(location), "only plain reads of a Delta table have rows of its files")
    if location.isTimeTravelQuery():
        return Version(str(location.tableVersion()), True)
    return Version(newest(jvm, location.path().toString(), int(location.tableVersion())), False)


def newest(jvm: Jvm, root: str, known: int = -1) -> str:
    """The newest version of a Delta table by its log, at least the one that is known."""
    path = jvm.type("org.apache.hadoop.fs.Path")(root + "/_delta_log")
    system = path.getFileSystem(jvm.spark._jsparkSession.sessionState().newHadoopConf())
    names = [each.getPath().getName() for each in system.listStatus(path)]
    found = [int(commit[1]) for commit in map(_COMMIT.match, names) if commit]
    return str(max([known, *found]))


def iceberg_version(leaf: Any) -> Version:
    """The snapshot of an Iceberg table that a leaf reads now; empty where the table has none."""
    table = leaf.table()
    if kind(table) != "SparkTable":
        raise UntraceableError(V2, f"{kind(table)} is no plain read of an Iceberg table")
    named = table.snapshotId()
    if named is not None:
        return Version(str(named), True)
    if table.branch() is not None:
        raise UntraceableError(V2, "a branch of an Iceberg table is not followed")
    snapshot = table.table().currentSnapshot()
    return Version("" if snapshot is None else str(snapshot.snapshotId()), False)


def versions_read(execution: Any) -> dict[str, set[str]]:
    """By the root of each Delta table the versions that an execution has read, subqueries included."""
    found: dict[str, set[str]] = {}
    plan = execution.optimizedPlan()
    for each in (plan, *listed(plan.innerChildren()), *listed(plan.subqueriesAll())):
        for leaf in listed(each.collectLeaves()):
            if kind(leaf) == "LogicalRelation" and kind(leaf.relation()) == "HadoopFsRelation":
                location = leaf.relation().location()
                if is_delta(location):
                    found.setdefault(location.path().toString(), set()).add(str(location.tableVersion()))
    return found
