"""The choice of what is current (``in_force.current``): with each batch for now, and with a question for a moment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any

from headwater_backend.domain.node_keys import slot_parts
from headwater_backend.domain.records import Batch, DecisionMade, Version
from headwater_backend.in_force.aliases import Link, links_around
from headwater_backend.in_force.closing import closings
from headwater_backend.in_force.corrections import (
    Covers,
    EdgeOf,
    accepted_of_slots,
    accepted_until,
    covering,
    versions_reported_again,
)
from headwater_backend.in_force.current import (
    FOREVER,
    NOTHING_ACCEPTED,
    Closed,
    Corrections,
    Decides,
    Versions,
    as_known,
    chosen,
    kept,
    versions_of,
)
from headwater_backend.in_force.datasets.changes import drop_row, drops, links
from headwater_backend.in_force.datasets.use import Deciding
from headwater_backend.in_force.observed import Observed
from headwater_backend.stores.rows.transaction import Row, Transaction, WritingTransaction, column


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
    late = versions_reported_again(observed)
    if not late:
        return NOTHING_ACCEPTED
    return Corrections(_accepted(tx, list(late)), _covering(tx, set().union(*late.values()), more))


def accepted(tx: Transaction) -> dict[str, int]:
    """Until when stewards have accepted corrections, by the names of datasets in their decisions."""
    made = (DecisionMade(*row) for row in tx.rows(tx.statements.names.decisions, since=None))
    return accepted_until(made, tx.known)


def _accepted(tx: Transaction, slots: Iterable[str]) -> dict[str, int]:
    """Until when a steward has accepted corrections, by slots."""
    until = accepted(tx)
    if not until:
        return {}
    outputs = sorted({slot_parts(slot)[1] for slot in slots})
    return accepted_of_slots(slots, until, tx.rows(tx.statements.names.names_of, keys=outputs))


def _covering(tx: Transaction, versions: set[str], more: Iterable[Version]) -> Covers:
    statements, fresh = tx.statements.current, [each for each in more if each.key in versions]
    stored = sorted(versions.difference(each.key for each in fresh))
    edges = list(map(EdgeOf._make, tx.rows(statements.edges_of, versions=stored)))
    edges += [EdgeOf(each.key, *edge[:3]) for each in fresh for edge in each.edges]
    unlisted = column(tx.rows(statements.with_unlisted, versions=sorted(versions)))
    return covering(edges, set(unlisted))


def _chosen(
    tx: Transaction,
    observed: Collection[Observed],
    at: int,
    dropped: Mapping[str, Sequence[Closed]],
    more: Iterable[Version] = (),
) -> dict[str, list[Observed]]:
    """What is chosen of the observations, by what is decided of corrections, if there are any."""
    found = chosen(observed, at, dropped)
    if all(seen.cleared is None for each in found.values() for seen in each):
        return found
    return chosen(observed, at, dropped, corrections_of(tx, observed, more))


def deciding_at(tx: Transaction, slots: Iterable[Row], at: int) -> list[Deciding]:
    """What decided the outputs of the slots (key, job, output) at that moment."""
    named = {slot: (job, output) for slot, job, output in slots}
    return [
        Deciding(output, job, version, *decides)
        for slot, observed in chosen_at(tx, list(named), at).items()
        for job, output in [named[slot]]
        for version, decides in versions_of(observed).items()
    ]


def traced_at(tx: Transaction, slots: Iterable[Row], at: int) -> list[tuple[str, str, str]]:
    """Output, job and version of what had lineage in the slots (key, job, output) at that moment."""
    named = {slot: (output, job) for slot, job, output in slots}
    return [
        (*named[slot], seen.version)
        for slot, observed in chosen_at(tx, list(named), at).items()
        for seen in observed
        if seen.rank
    ]


def closed(tx: Transaction, slots: Iterable[str]) -> dict[str, list[Closed]]:
    """The times at which the outputs of the slots were dropped; slots without any are left out."""
    found = drops(map(drop_row, tx.rows(tx.statements.names.drops, slots=list(slots))), tx.known)
    outputs = {slot: output for some in found.values() for slot, output in some.items()}
    if not found:
        return {}
    known, _ = all_links(tx, {*outputs.values(), *(drop.dataset for drop in found)})
    return closings(outputs, found, sorted(known))


def all_links(tx: Transaction, names: set[str]) -> tuple[set[Link], set[str]]:
    """All links of the components to which the names belong, and the names in them."""
    return links_around(lambda some: links(tx.rows(tx.statements.names.links_at, names=some)), names)


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
    old: dict[str, Versions] = {}
    for slot, version, *decides in tx.rows(statements.locked, slots=asked):
        known = old.setdefault(slot, {})
        if version is not None:
            known[version] = Decides(*decides)
    more = [version for version in batch.versions if version.key in fresh]
    new = {slot: versions_of(observed) for slot, observed in _chosen_now(tx, asked, more).items()}
    _replace(tx, old, new, fresh)
    return {version for current in new.values() for version in current}


def _chosen_now(tx: Transaction, slots: Sequence[str], more: Iterable[Version]) -> dict[str, list[Observed]]:
    dropped = closed(tx, slots)
    never = [slot for slot in slots if slot not in dropped]
    rows = [*tx.rows(tx.statements.current.newest, slots=never)]
    if dropped:
        rows += tx.rows(tx.statements.current.observed, slots=list(dropped))
    return _chosen(tx, list(starmap(Observed, rows)), FOREVER, dropped, more)


def _replace(
    tx: WritingTransaction, old: Mapping[str, Versions], new: Mapping[str, Versions], fresh: Collection[str]
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
            {"slot": slot, "version": version, **decides._asdict()}
            for slot, was, now in changed
            for version, decides in sorted(now.items())
            if was.get(version) != decides
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
