"""Pruning of old runs, see ``in_force.pruning``.

The locks of runs come first and those of slots after them, as in ``writing``: so no other process reports a version
again while it is found that no run has it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import starmap

from headwater_backend.domain.model import Pruned
from headwater_backend.domain.node_keys import slot_parts
from headwater_backend.in_force.copies import Copies, Route
from headwater_backend.in_force.current import Written
from headwater_backend.in_force.datasets.changes import forgotten_with_runs
from headwater_backend.in_force.observed import Observed
from headwater_backend.in_force.pruning import (
    RUNS_AT_ONCE,
    OfJob,
    ReadBy,
    needed,
    newest_of_jobs,
    newest_readers,
    showing,
)
from headwater_backend.stores.rows.current import closed
from headwater_backend.stores.rows.history import StoredHistory
from headwater_backend.stores.rows.transaction import Transaction, WritingTransaction, column


def showing_what_is_left(tx: Transaction, slots: Sequence[str], before: int) -> set[str]:
    """The runs by which it is known what may be left at the moment of data that were written to the slots."""
    seen = starmap(Observed, tx.rows(tx.statements.current.observed, slots=list(slots)))
    return showing(seen, before, Copies(StoredHistory(tx), before - 1), lambda route: _copying(tx, route))


def _copying(tx: Transaction, route: Route) -> list[Written]:
    moments = {"since": route.window.since, "until": max(route.window.until, route.window.late)}
    names = list(route.names)
    rows = tx.rows(tx.statements.pruning.copying, names=names, output=route.output, **moments)
    return [Written("", "", *row) for row in rows]


def page(
    tx: WritingTransaction, before: int, after: str, shown_by: Collection[str], *, dry_run: bool
) -> tuple[str | None, Pruned]:
    """Delete some runs after that key, but none that what is left is ``shown_by``, and return the last key examined,
    None at the end, and what was (or would be) deleted.
    """
    statements, current = tx.statements.pruning, tx.statements.current
    found = column(tx.rows(statements.candidates, before=before, after=after, count=RUNS_AT_ONCE))
    if not found:
        return None, Pruned()
    runs = found if dry_run else column(tx.rows(statements.locked, runs=found, before=before))
    slots = column(tx.rows(current.slots_of_runs, runs=runs))
    if not dry_run:
        tx.rows(current.locked, slots=slots)
    kept = _needed(tx, slots, before).union(shown_by, _newest(tx, runs))
    gone = [run for run in runs if run not in kept]
    return found[-1], Pruned(len(gone)) if dry_run else _forget(tx, gone)


def forget_conditions(tx: WritingTransaction) -> None:
    """Delete the conditions that no run has any more."""
    tx.delete(tx.statements.pruning.forget_conditions)


def _newest(tx: Transaction, runs: Sequence[str]) -> set[str]:
    """The newest runs of the jobs of these runs, and those that read their inputs last."""
    statements, some = tx.statements.pruning, list(runs)
    of_jobs = newest_of_jobs(map(OfJob._make, tx.rows(statements.newest_of_jobs, runs=some)))
    return of_jobs | newest_readers(map(ReadBy._make, tx.rows(statements.last_reads, runs=some)))


def _needed(tx: Transaction, slots: Sequence[str], before: int) -> set[str]:
    seen = list(starmap(Observed, tx.rows(tx.statements.current.observed, slots=list(slots))))
    observed = sorted({each.run for each in seen})
    recent = set(column(tx.rows(tx.statements.pruning.recent, runs=observed, before=before)))
    return needed(seen, recent, before, closed(tx, slots))


def _forget(tx: WritingTransaction, runs: Sequence[str]) -> Pruned:
    statements = tx.statements.pruning
    versions = column(tx.rows(statements.versions, runs=list(runs)))
    changes = forgotten_with_runs(tx.rows(statements.changes, runs=list(runs)))
    tx.write(statements.forget_change, (change._asdict() for change in changes))
    for statement in statements.forget:
        tx.delete(statement, runs=list(runs))
    by_output: dict[str, list[str]] = {}
    for key, slot in tx.rows(statements.orphans, versions=versions):
        by_output.setdefault(slot_parts(slot)[1], []).append(key)
    orphans = [key for keys in by_output.values() for key in keys]
    rows = [{"output": output, "versions": keys} for output, keys in by_output.items()]
    edges = tx.delete(statements.forget_edges, rows=rows, versions=orphans)
    for statement in statements.forget_versions:
        tx.delete(statement, versions=orphans)
    return Pruned(len(runs), len(orphans), edges)
