"""A change of a table with versions, and what can be done where a command is no such change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from headwater_records_spark.jvm import Jvm

FIRST = "change the type first, by ALTER TABLE"
ALONE = "change the table by one program at a time"


@dataclass(frozen=True, slots=True)
class Change:
    """A command's change of the table at ``root`` from one version to the next; ``query`` is what it is after that.

    ``read`` are, by the roots of other tables, the versions that the command has read.
    """

    format: str
    root: str
    before: str
    after: str
    query: Any
    read: dict[str, set[str]] = field(default_factory=dict)


Rule: TypeAlias = Callable[[Jvm, Any], Change | None]
"""The change that an execution of a command made; None if it has changed nothing."""
