"""The choice of what is current (``in_force.current``): with each batch for now, and with a question for a moment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from headwater_backend.domain.node_keys import slot_parts
from headwater_backend.in_force.aliases import Link, links_around
from headwater_backend.in_force.closing import Drop, closings
from headwater_backend.in_force.current import Closed, Observed, chosen
from headwater_backend.stores.rows.transaction import Row, Transaction, WritingTransaction, column

Current = dict[str, str]
"""The current versions of a slot, each with the newest run that reported it."""


def chosen_at(tx: Transaction, slots: Sequence[str], at: int) -> dict[str, list[Observed]]:
    """The observations of each slot that were current at that moment."""
    rows = tx.rows(tx.statements.current.observed, slots=list(slots))
    return chosen(map(Observed._make, rows), at, closed(tx, slots))


def decided_at(tx: Transaction, slots: Iterable[Row], at: int) -> dict[str, list[dict[str, str]]]:
    """What decided the outputs of the slots (key, job, output) at that moment, by output."""
    named = {slot: (job, output) for slot, job, output in slots}
    found: dict[str, list[dict[str, str]]] = {}
    for slot, observed in chosen_at(tx, list(named), at).items():
        job, output = named[slot]
        found.setdefault(output, []).extend(
            {"output": output, "job": job, "version": version, "run": run}
            for version, run in _current(observed).items()
        )
    return found


def _current(observed: Sequence[Observed]) -> Current:
    """What is current of the observations, which are those of a slot, the newest first."""
    return {seen.version: seen.run for seen in reversed(observed)}


def closed(tx: Transaction, slots: Iterable[str]) -> dict[str, list[Closed]]:
    """The times at which the outputs of the slots were dropped; slots without any are left out."""
    rows = tx.rows(tx.statements.names.drops, slots=list(slots))
    if not rows:
        return {}
    outputs = {slot: output for slot, output, *_ in rows}
    links, _ = all_links(tx, {*outputs.values(), *(row[2] for row in rows)})
    return closings(outputs, (Drop(*row[2:]) for row in rows), sorted(links))


def all_links(tx: Transaction, names: set[str]) -> tuple[set[Link], set[str]]:
    """All links of the components to which the names belong, and the names in them."""
    return links_around(lambda some: tx.rows(tx.statements.names.links_at, names=some), names)


def choose(
    tx: WritingTransaction, runs: Sequence[str], names: Collection[str], fresh: Collection[str]
) -> set[str]:
    """Choose again in each slot that one of the runs ever reported, or whose ``names`` may have changed, and return the
    versions that are current in those. Edges of ``fresh`` versions are not stored yet.
    """
    statements = tx.statements.current
    slots = set(column(tx.rows(statements.slots_of_runs, runs=list(runs)))) if runs else set()
    if names:
        slots.update(column(tx.rows(tx.statements.names.slots_with_drops, names=sorted(names))))
    if not slots:
        return set()
    asked = sorted(slots)
    old: dict[str, Current] = {}
    for slot, version, run in tx.rows(statements.locked, slots=asked):
        known = old.setdefault(slot, {})
        if version is not None:
            known[version] = run
    new = {slot: _current(observed) for slot, observed in _chosen_now(tx, asked).items()}
    _replace(tx, old, new, fresh)
    return {version for current in new.values() for version in current}


def _chosen_now(tx: Transaction, slots: Sequence[str]) -> dict[str, list[Observed]]:
    drops = closed(tx, slots)
    never = [slot for slot in slots if slot not in drops]
    rows = [*tx.rows(tx.statements.current.newest, slots=never)]
    if drops:
        rows += tx.rows(tx.statements.current.observed, slots=list(drops))
    return chosen(map(Observed._make, rows), closed=drops)


def _replace(
    tx: WritingTransaction, old: Mapping[str, Current], new: Mapping[str, Current], fresh: Collection[str]
) -> None:
    statements = tx.statements.current
    changed = [(slot, was, new.get(slot, {})) for slot, was in sorted(old.items())]
    changed = [(slot, was, now) for slot, was, now in changed if was != now]
    tx.write(
        statements.unchoose,
        (
            {"slot": slot, "version": version}
            for slot, was, now in changed
            for version in sorted(was.keys() - now.keys())
        ),
    )
    tx.write(
        statements.choose,
        (
            {"slot": slot, "version": version, "run": run}
            for slot, was, now in changed
            for version, run in sorted(now.items())
            if was.get(version) != run
        ),
    )
    marks = (mark for slot, was, now in changed for mark in _marks(slot, was, now, fresh))
    tx.write(statements.mark_edges, marks)


def _marks(
    slot: str, was: Collection[str], now: Collection[str], fresh: Collection[str]
) -> Iterator[dict[str, Any]]:
    """The marks to change on stored edges; new ones are written with their mark."""
    output = slot_parts(slot)[1]
    for version in sorted({*was} ^ {*now}):
        if version not in fresh:
            yield {"output": output, "version": version, "current": version in now}
