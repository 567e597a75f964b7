"""What follows from changes of datasets: links between names, drops, ends of contents, and states.

Each rule gets the changes with the outcomes of their runs, and leaves out those that do not count (``outcomes``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from headwater_backend.domain.records import OF_STATES
from headwater_backend.in_force.aliases import Link
from headwater_backend.in_force.closing import Drop
from headwater_backend.in_force.copies import Copied, End
from headwater_backend.in_force.datasets.outcomes import Outcome

OF_NAMES: Final = frozenset({"CREATE", "RENAME", "DROP"})
"""The changes that names and states follow from, however long ago they were."""
DROP: Final = "DROP"
_LASTING: Final = OF_NAMES | OF_STATES
"""What stays when its run is deleted: the state that one run left is the base of another."""


def links(rows: Iterable[Sequence[Any]]) -> list[Link]:
    """The links, out of a ``Link`` and when its run failed and was aborted."""
    return [
        Link._make(link)
        for *link, failed, aborted in rows
        if not Outcome(failed=failed, aborted=aborted).has_failed
    ]


class DropRow(NamedTuple):
    """A DROP under some name of a slot's output, when it was ``known``, and the outcome of its run."""

    slot: str
    output: str
    dataset: str
    time: int
    run: str
    known: int
    outcome: Outcome


def drop_row(row: Sequence[Any]) -> DropRow:
    """A row whose last columns are an outcome."""
    return DropRow._make((*row[:6], Outcome(*row[6:])))


def drops(rows: Iterable[DropRow], known: int) -> dict[Drop, dict[str, str]]:
    """The drops that count of those known by a moment, each with the slots of which it may be, and their outputs."""
    found: dict[Drop, dict[str, str]] = {}
    for row in rows:
        if row.known <= known and row.outcome.has_happened:
            found.setdefault(Drop(row.dataset, row.time, row.run), {})[row.slot] = row.output
    return found


class EndRow(NamedTuple):
    """A change that ends the content of the dataset, with the span and the outcome of its run, if one is known."""

    dataset: str
    time: int
    run: str
    known: int
    who: str
    first: int | None
    last: int | None
    outcome: Outcome


def end_row(row: Sequence[Any]) -> EndRow:
    """A row whose last columns are an outcome."""
    return EndRow._make((*row[:7], Outcome(*row[7:])))


def ends(rows: Iterable[EndRow], known: int, accepted: int) -> list[End]:
    """The ends that count of those known by a moment. Of one that was received until stewards ``accepted`` corrections
    it does not matter when that was.
    """
    return [
        End(
            row.dataset,
            row.time if row.first is None else min(row.time, row.first),
            row.time if row.last is None else max(row.time, row.last),
            row.run,
            row.known if row.known > accepted else 0,
            row.who,
        )
        for row in rows
        if row.known <= known and row.outcome.has_happened
    ]


def copied(rows: Iterable[Sequence[Any]]) -> list[Copied]:
    """Where data went, out of a ``Copied`` and, where that was by a rename, when its run failed and was aborted."""
    return [
        Copied(output, began, ended, bool(late))
        for output, began, ended, late, failed, aborted in rows
        if not Outcome(failed=failed, aborted=aborted).has_failed
    ]


class ChangeRow(NamedTuple):
    """A change of a dataset's state; ``of`` is the dataset's canonical key, ``run`` is empty for a change without a
    run.
    """

    of: str
    dataset: str
    change: str
    time: int
    run: str
    previous: str
    run_id: str | None
    replaced: str


def counting(rows: Iterable[Sequence[Any]]) -> list[ChangeRow]:
    """The changes that count, out of a ``ChangeRow`` and the outcome of its run, without the states that are noted."""
    width = len(ChangeRow._fields)
    known = ((ChangeRow(*row[:width]), Outcome(*row[width:])) for row in rows)
    return [change for change, outcome in known if change.change not in OF_STATES and outcome.has_happened]


def in_order(rows: Iterable[ChangeRow]) -> list[ChangeRow]:
    """The changes, oldest first."""
    return sorted(rows, key=lambda row: (row.time, row.dataset, row.change, row.run, row.previous))


def dropped(rows: Iterable[ChangeRow], at: int) -> list[str]:
    """The canonical keys of the datasets whose last change by the moment is a DROP, sorted."""
    last = {row.of: row for row in in_order(rows) if row.time <= at}
    return sorted(of for of, row in last.items() if row.change == DROP)


def dropped_at(newest_first: Sequence[ChangeRow], *, alive: bool) -> int | None:
    """When a dataset with these changes was dropped; None where it exists: it is ``alive`` if it has lineage, which was
    written since.
    """
    is_gone = bool(newest_first) and newest_first[0].change == DROP and not alive
    return newest_first[0].time if is_gone else None


class ChangeOfRun(NamedTuple):
    """What identifies a change by a run."""

    dataset: str
    change: str
    time: int
    run: str
    previous: str


def forgotten_with_runs(rows: Iterable[Sequence[Any]]) -> list[ChangeOfRun]:
    """The changes that nothing follows from when their runs are deleted, out of a ``ChangeOfRun`` and an outcome."""
    width = len(ChangeOfRun._fields)
    known = ((ChangeOfRun(*row[:width]), Outcome(*row[width:])) for row in rows)
    return [
        change
        for change, outcome in known
        if change.change not in _LASTING or outcome.has_failed or outcome.has_only_begun
    ]
