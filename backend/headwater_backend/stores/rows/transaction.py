"""The transaction in which a store executes its statements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from headwater_backend.domain.moments import micros
from headwater_backend.domain.records import Batch, Observation, Version
from headwater_backend.in_force.current import FOREVER
from headwater_backend.in_force.datasets.facets import FacetRow
from headwater_backend.stores.rows.statements import Statements

if TYPE_CHECKING:
    from typing_extensions import LiteralString

Row = Any
"""A sequence of the columns that the statement names."""


class Transaction(Protocol):
    """A transaction of a database, with the statements of its language."""

    @property
    def statements(self) -> Statements: ...

    @property
    def known(self) -> int:
        """The moment of receipt until which records count."""
        ...

    def rows(self, statement: LiteralString, **parameters: Any) -> Sequence[Row]:
        """The rows that the statement returns."""
        ...


class WritingTransaction(Transaction, Protocol):
    """A transaction that writes."""

    def write(self, statement: LiteralString, rows: Iterable[Mapping[str, Any]]) -> None:
        """Execute the statement for each row."""
        ...

    def delete(self, statement: LiteralString, **parameters: Any) -> int:
        """Execute the statement, and return how much it deleted."""
        ...

    def write_records(self, batch: Batch) -> None:
        """Merge what has names, runs with what they used, facets and symlinks."""
        ...

    def write_versions(self, versions: Collection[Version]) -> set[str]:
        """Store the new ones without their edges, and return their keys."""
        ...

    def write_observations(self, observations: Collection[Observation]) -> None:
        """Merge the observations."""
        ...

    def write_edges(self, versions: Collection[Version], current: Collection[str]) -> None:
        """Store the edges of new versions, with a mark at those of ``current`` versions."""
        ...


def moment_of(tx: Transaction, as_of: datetime | None) -> int | None:
    """The moment that a question asks about, None for the present that stores keep as current."""
    if as_of is not None:
        return micros(as_of)
    return None if tx.known == FOREVER else FOREVER


def with_facets(
    tx: Transaction, statement: LiteralString, facets: LiteralString | None, **parameters: Any
) -> list[tuple[Row, list[FacetRow]]]:
    """The rows of the statement, each with its facets, which are its last column or the rows of another statement."""
    rows = tx.rows(statement, **parameters)
    if facets is None:
        return [(row[:-1], list(map(FacetRow._make, row[-1]))) for row in rows]
    found: dict[str, list[FacetRow]] = {row[0]: [] for row in rows}
    for key, *facet in tx.rows(facets, keys=list(found)) if found else ():
        found[key].append(FacetRow._make(facet))
    return [(row, found[row[0]]) for row in rows]


def column(rows: Iterable[Row]) -> list[Any]:
    """The first column."""
    return [row[0] for row in rows]
