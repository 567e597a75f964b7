"""What a format of tables with versions has to say: of leaves of plans, and of a table by its root."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from pyspark.sql import DataFrame

from headwater_records_spark.jvm import Jvm

UNKNOWN = "unknown"
NOTHING = ""
"""The version of a table in which nothing was written yet."""


class Version(NamedTuple):
    """The version that a leaf reads of the table at ``root``, and whether the program ``named`` it.

    ``table`` tells the table from another one with the same version at that place; it is empty where no two have.
    ``format`` is the name of the table's format.
    """

    root: str
    text: str
    named: bool
    format: str
    table: str = ""


class Read(NamedTuple):
    """The version of the table at ``root`` that an execution has read; it may be UNKNOWN."""

    root: str
    text: str


class Table(Protocol):
    """A table with versions."""

    def newest(self) -> str:
        """The version that is the newest now."""
        ...

    def at(self, version: str) -> DataFrame:
        """The rows of a version."""
        ...

    def files(self, version: str) -> tuple[str, ...]:
        """The files that rows of a version are in."""
        ...


class Format(Protocol):
    """A format of tables with versions."""

    name: str

    def owns(self, leaf: Any) -> bool:
        """Whether a leaf of a plan is a table of this format."""
        ...

    def version_of(self, leaf: Any) -> Version:
        """The version that a leaf reads now; an UntraceableError names what reads more than the rows of one."""
        ...

    def pinned(self, jvm: Jvm, leaf: Any, version: str) -> tuple[Any, dict[str, str]]:
        """The leaf as a read of this version, and the types of its columns by name."""
        ...

    def read_by(self, jvm: Jvm, leaf: Any) -> Read | None:
        """What a leaf of an optimised plan that ran has read; None if it is of another format."""
        ...

    def table(self, jvm: Jvm, root: str) -> Table:
        """The table at a root."""
        ...
