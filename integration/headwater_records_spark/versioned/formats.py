"""The formats of tables with versions, and what is asked of whichever it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headwater_records_spark.errors import ChangedInputError
from headwater_records_spark.jvm import Jvm, leaves_of, listed
from headwater_records_spark.versioned.delta import Delta
from headwater_records_spark.versioned.iceberg import Iceberg
from headwater_records_spark.versioned.port import Format, Table, Version

FORMATS: dict[str, Format] = {each.name: each for each in (Delta(), Iceberg())}


def format_of(leaf: Any) -> Format | None:
    """The format of the table that a leaf of a plan is; None if it is no table with versions."""
    return next((each for each in FORMATS.values() if each.owns(leaf)), None)


def version_of(leaf: Any) -> Version | None:
    """The version of a table that a leaf of a plan reads now; None if it reads no table with versions.

    An UntraceableError names what reads more than the rows of one version.
    """
    given = format_of(leaf)
    return None if given is None else given.version_of(leaf)


def pinned(jvm: Jvm, leaf: Any, version: Version) -> Any:
    """The leaf as a read of this version, whatever is the newest one; a ChangedInputError if that is not kept."""
    try:
        found, columns = FORMATS[version.format].pinned(jvm, leaf, version.text)
    except Exception as problem:
        raise ChangedInputError(version.root, f"version {version.text}", "is gone") from problem
    for each in listed(leaf.output()):
        if columns.get(each.name()) != str(each.dataType().catalogString()):
            change = f"has no column {each.name()} of its type"
            raise ChangedInputError(version.root, f"version {version.text}", change)
    return found


def table_of(jvm: Jvm, name: str, root: str) -> Table:
    """The table at a root, of the format of this name."""
    return FORMATS[name].table(jvm, root)


def is_anew(jvm: Jvm, given: Version) -> bool:
    """Whether a table was dropped and made anew, so that this version is one of another table."""
    if not given.table:
        return False
    try:
        frame = table_of(jvm, given.format, given.root).at(given.text)
    except Exception:  # noqa: BLE001 - a version that is gone is refused where it is read
        return False
    (leaf,) = leaves_of(frame)
    return FORMATS[given.format].version_of(leaf).table != given.table


def versions_read(jvm: Jvm, execution: Any) -> dict[str, set[str]]:
    """By the root of each table the versions that an execution has read, subqueries included.

    Of what is not certain there is none.
    """
    found: dict[str, set[str]] = {}
    for leaf in _leaves(execution.optimizedPlan()):
        for each in FORMATS.values():
            read = each.read_by(jvm, leaf)
            if read is not None:
                found.setdefault(read.root, set()).add(read.text)
    return found


def _leaves(plan: Any) -> Iterator[Any]:
    for root in (plan, *listed(plan.innerChildren())):
        for each in (root, *listed(root.subqueriesAll())):
            yield from listed(each.collectLeaves())
