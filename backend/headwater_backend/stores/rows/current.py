"""The choice of what is current (``in_force.current``): with each batch for now, and with a question for a moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from operator import attrgetter
from typing import Any, NamedTuple

from headwater_backend.domain.node_keys import slot_parts
from headwater_backend.domain.records import Batch, DecisionMade, Version
from headwater_backend.in_force.aliases import Link, links_around
from headwater_backend.in_force.closing import Drop, closings
from headwater_backend.in_force.corrections import Covers, EdgeOf, accepted_until, covering
from headwater_backend.in_force.current import (
    FOREVER,
    NOTHING_ACCEPTED,
    Closed,
    Corrections,
    as_known,
    chosen,
    kept,
)
from headwater_backend.in_force.observed import Observed
from headwater_backend.stores.rows.transaction import Row, Transaction, WritingTransaction, column


class Standing(NamedTuple):
    """The newest run that reported a current version, and when, and by whom, a correction was received, beside which it
    is current.
    """

    run: str
    cleared: int | None
    cleared_by: str


Current = dict[str, Standing]
"""The current versions of a slot."""


def chosen_at(tx: Transaction, slots: Sequence[str], at: int) -> dict[str, list[Observed]]:
    """The observations of each slot that were current at that moment."""
    return _chosen(tx, observed(tx, slots), at, closed(tx, slots))


def observed(tx: Transaction, slots: Sequence[str]) -> list[Observed]:
    """All observations of the slots, as far as they count."""
    rows = starmap(Observed, tx.rows(tx.statements.current.observed, slots=list(slots)))
    return list(rows) if tx.known == FOREVER else as_known(rows, tx.known)


def corrections_of(
    tx: Transaction, observed: Iterable[Observed], more: Iterable[Version] = ()
) -> Corrections:
    """What is decided of the corrections among the observations. Edges of the versions ``more`` are not stored."""
    late: dict[str, set[str]] = defaultdict(set)
    for (slot, _), seen in _by_run(observed).items():
        if len(seen) > 1 and any(each.known > seen[0].known for each in seen):
            late[slot].update(each.version for each in seen)
    if not late:
        return NOTHING_ACCEPTED
    return Corrections(_accepted(tx, list(late)), _covering(tx, set().union(*late.values()), more))


def _by_run(observed: Iterable[Observed]) -> dict[tuple[str, str], list[Observed]]:
    """The observations of each run of a slot, those first that were known first."""
    found: dict[tuple[str, str], list[Observed]] = defaultdict(list)
    for seen in sorted(observed, key=attrgetter("known")):
        found[seen.slot, seen.run].append(seen)
    return found


def accepted(tx: Transaction) -> dict[str, int]:
    """Until when stewards have accepted corrections, by the names of datasets in their decisions."""
    made = (DecisionMade(*row) for row in tx.rows(tx.statements.names.decisions, since=None))
    return accepted_until(each for each in made if each.time <= tx.known)


def _accepted(tx: Transaction, slots: Iterable[str]) -> dict[str, int]:
    """Until when a steward has accepted corrections, by slots: under any name of their outputs."""
    until = accepted(tx)
    if not until:
        return {}
    outputs = {slot: slot_parts(slot)[1] for slot in slots}
    names: dict[str, list[str]] = defaultdict(list)
    for name, asked in tx.rows(tx.statements.names.names_of, keys=sorted(set(outputs.values()))):
        names[asked].append(name)
    return {
        slot: max(until.get(name, 0) for name in (output, *names[output])) for slot, output in outputs.items()
    }


def _covering(tx: Transaction, versions: set[str], more: Iterable[Version]) -> Covers:
    statements, fresh = tx.statements.current, [each for each in more if each.key in versions]
    stored = sorted(versions.difference(each.key for each in fresh))
    edges = list(map(EdgeOf._make, tx.rows(statements.edges_of, versions=stored)))
    edges += [EdgeOf(each.key, *edge[:3]) for each in fresh for edge in each.edges]
    untold = column(tx.rows(statements.untold, versions=sorted(versions)))
    return covering(edges, set(untold))


def _chosen(
    tx: Transaction,
    observed: Collection[Observed],
    at: int,
    drops: Mapping[str, Sequence[Closed]],
    more: Iterable[Version] = (),
) -> dict[str, list[Observed]]:
    """What is chosen of the observations, by what is decided of corrections, if there are any."""
    found = chosen(observed, at, drops)
    if all(seen.cleared is None for each in found.values() for seen in each):
        return found
    return chosen(observed, at, drops, corrections_of(tx, observed, more))


def decided_at(tx: Transaction, slots: Iterable[Row], at: int) -> dict[str, list[dict[str, Any]]]:
    """What decided the outputs of the slots (key, job, output) at that moment, by output."""
    named = {slot: (job, output) for slot, job, output in slots}
    found: dict[str, list[dict[str, Any]]] = {}
    for slot, observed in chosen_at(tx, list(named), at).items():
        job, output = named[slot]
        found.setdefault(output, []).extend(
            {"output": output, "job": job, "version": version, **standing._asdict()}
            for version, standing in _current(observed).items()
        )
    return found


def _current(observed: Sequence[Observed]) -> Current:
    """What is current of the observations, which are those of a slot, the newest first."""
    found: Current = {}
    for seen in reversed(observed):
        older = found.get(seen.version)
        if older is not None and (older.cleared is None or seen.cleared is None):
            found[seen.version] = Standing(seen.run, None, "")
        else:
            found[seen.version] = Standing(seen.run, seen.cleared, seen.cleared_by)
    return found


def closed(tx: Transaction, slots: Iterable[str]) -> dict[str, list[Closed]]:
    """The times at which the outputs of the slots were dropped; slots without any are left out."""
    found = tx.rows(tx.statements.names.drops, slots=list(slots))
    rows = [row for *row, known in found if known <= tx.known]
    if not rows:
        return {}
    outputs = {slot: output for slot, output, *_ in rows}
    links, _ = all_links(tx, {*outputs.values(), *(row[2] for row in rows)})
    return closings(outputs, (Drop(*row[2:]) for row in rows), sorted(links))


def all_links(tx: Transaction, names: set[str]) -> tuple[set[Link], set[str]]:
    """All links of the components to which the names belong, and the names in them."""
    return links_around(lambda some: tx.rows(tx.statements.names.links_at, names=some), names)


def keep(tx: WritingTransaction, runs: Sequence[str]) -> None:
    """Keep beside the observations of the runs by what they are chosen."""
    if runs:
        seen = starmap(Observed, tx.rows(tx.statements.current.of_runs, runs=list(runs)))
        tx.write(tx.statements.current.keep, (each._asdict() for each in kept(seen)))


def choose(
    tx: WritingTransaction,
    batch: Batch,
    names: Collection[str],
    fresh: Collection[str],
) -> set[str]:
    """Choose again in each slot that one of the batch's runs ever reported, whose ``names`` may have changed, or of
    which corrections were decided, and return the versions that are current in those. Edges of ``fresh`` versions are
    not stored yet.
    """
    statements, runs = tx.statements.current, batch.run_keys()
    slots = set(column(tx.rows(statements.slots_of_runs, runs=runs))) if runs else set()
    if names:
        slots.update(column(tx.rows(tx.statements.names.slots_with_drops, names=sorted(names))))
    if decided := accepted_until(batch.decisions):
        slots.update(column(tx.rows(statements.slots_among, keys=sorted(decided))))
    if not slots:
        return set()
    asked = sorted(slots)
    old: dict[str, Current] = {}
    for slot, version, *standing in tx.rows(statements.locked, slots=asked):
        known = old.setdefault(slot, {})
        if version is not None:
            known[version] = Standing(*standing)
    more = [version for version in batch.versions if version.key in fresh]
    new = {slot: _current(observed) for slot, observed in _chosen_now(tx, asked, more).items()}
    _replace(tx, old, new, fresh)
    return {version for current in new.values() for version in current}


def _chosen_now(tx: Transaction, slots: Sequence[str], more: Iterable[Version]) -> dict[str, list[Observed]]:
    drops = closed(tx, slots)
    never = [slot for slot in slots if slot not in drops]
    rows = [*tx.rows(tx.statements.current.newest, slots=never)]
    if drops:
        rows += tx.rows(tx.statements.current.observed, slots=list(drops))
    return _chosen(tx, list(starmap(Observed, rows)), FOREVER, drops, more)


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
            {"slot": slot, "version": version, **standing._asdict()}
            for slot, was, now in changed
            for version, standing in sorted(now.items())
            if was.get(version) != standing
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
