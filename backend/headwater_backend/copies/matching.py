"""The rule by which one dataset is probably a copy of another.

Copies of files have the same size as what was written, to the byte. Rows and columns stay the same in any copy, names
often do. Each alone may be chance, except for the size of more than a few bytes::

    the same size                               a copy of the files
    the same columns and the same rows          a copy in another format
    the same columns and the same last name     a copy of another state of the dataset
    the same table but for case and schema      another spelling, in a database that ignores these

A copy has not been read before its original was written, unless both are spellings of one table. What a run reads at
the moment at which it first writes another dataset is the origin of that, and no copy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from headwater_backend.domain.model import DatasetKey
from headwater_facets.databases import is_database

LEAST_SIZE: Final = 256
"""The size in bytes below which two datasets may have the same by chance."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What a run counted of a dataset that it read or wrote; None where it did not."""

    rows: int | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Looks:
    """What is known of a dataset's content: its columns with all that is nested in them, and what runs counted."""

    dataset: DatasetKey
    columns: frozenset[str] = frozenset()
    counted: tuple[Counted, ...] = ()
    first: int = 0
    """When it was first known, in microseconds."""


@dataclass(frozen=True, slots=True, order=True)
class ProbableCopy:
    """``dataset`` is probably a copy of ``original``; ``why`` lists what both have in common."""

    dataset: DatasetKey
    original: DatasetKey
    why: tuple[str, ...]


def probable_copies(read: Iterable[Looks], written: Iterable[Looks]) -> list[ProbableCopy]:
    """The probable copies among the datasets that are only ``read``, of those that are ``written``, in order."""
    index = _Index(written)
    return sorted(
        ProbableCopy(each.dataset, other.dataset, why)
        for each in read
        for other in index.like(each)
        for why in [_in_common(each, other)]
        if why
    )


class _Index:
    """Written datasets by what a copy may have in common with them."""

    def __init__(self, written: Iterable[Looks]) -> None:
        self._by: dict[object, list[Looks]] = defaultdict(list)
        for each in written:
            for key in _keys(each):
                self._by[key].append(each)

    def like(self, read: Looks) -> Iterator[Looks]:
        """Those that were known before it was first read, or may be the same table, each once."""
        found = {each.dataset: each for key in _keys(read) for each in self._by.get(key, ())}
        return (
            each
            for each in found.values()
            if each.dataset != read.dataset
            and (each.first < read.first or may_be_one_table(each.dataset, read.dataset))
        )


def _keys(each: Looks) -> set[object]:
    sizes = {counted.size for counted in each.counted if (counted.size or 0) >= LEAST_SIZE}
    # Columns alone are no sign, and many datasets may have the same.
    alike = {last_name(each.dataset), *(counted.rows for counted in each.counted if counted.rows)}
    columns = {("columns", each.columns, same) for same in alike} if each.columns else set()
    return {*(("size", size) for size in sizes), *columns, ("table", table(each.dataset))}


def _in_common(read: Looks, written: Looks) -> tuple[str, ...]:
    sizes = _same(read, written, "size")
    rows = _same(read, written, "rows")
    columns = bool(read.columns) and read.columns == written.columns
    name = last_name(read.dataset) == last_name(written.dataset)
    spelling = may_be_one_table(read.dataset, written.dataset)
    large = any(size >= LEAST_SIZE for size in sizes)
    if not (large or spelling or (columns and (rows or name))):
        return ()
    reasons: Mapping[str, bool] = {
        f"the same size ({_numbers(sizes)} bytes)": bool(sizes),
        f"the same number of rows ({_numbers(rows)})": bool(rows),
        "the same columns": columns,
        "a name that differs in case and schema alone": spelling,
        "the same last name": name and not spelling,
    }
    return tuple(text for text, holds in reasons.items() if holds)


def _same(read: Looks, written: Looks, figure: str) -> list[int]:
    """The figures other than 0 that runs counted of both."""
    one, other = ({getattr(counted, figure) for counted in each.counted} for each in (read, written))
    return sorted(number for number in one & other if number)


def _numbers(found: Sequence[int]) -> str:
    return ", ".join(f"{each:,}" for each in found[:3])


def may_be_one_table(one: DatasetKey, other: DatasetKey) -> bool:
    """Whether both are names of a table of a database that differ in case and schema alone."""
    return table(one) is not None and table(one) == table(other)


def last_name(dataset: DatasetKey) -> str:
    """The last part of its name, without case."""
    name = dataset.name.rstrip("/")
    return name[max(name.rfind("/"), name.rfind(".")) + 1 :].casefold()


def table(dataset: DatasetKey) -> tuple[str, str] | None:
    """The database and the table's own name, without case; None for what is no table of a database."""
    if not is_database(dataset.namespace):
        return None
    return dataset.namespace.casefold(), dataset.name.rpartition(".")[2].casefold()
