"""The conditions under which what an output holds was made, by versions of its lineage.

One version may have been made under several conditions: each night those of another day, all of which are in the output
where runs append. It is known under which it was made only if that is known of all of these runs. So a question may
take a way for impossible only where it is so under each of the conditions that count:

- those of the runs that are in force (``current.standing``);
- those of other runs that wrote with the version, if what they wrote may be left (``copies``).

Where all runs that ever reported a version stated the same conditions, it does not matter which of them count
(``alike``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from headwater_backend.domain.node_keys import slot_parts
from headwater_backend.domain.records import NOT_STATED
from headwater_backend.in_force.copies import Copies
from headwater_backend.in_force.current import (
    NOTHING_ACCEPTED,
    Closed,
    Corrections,
    Written,
    standing,
    writes,
    written_between,
)
from headwater_backend.in_force.observed import Observed


class ReportedUnder(NamedTuple):
    """Some run reported a version under one of the conditions (a set, ``domain.records``), as ``who`` sent it."""

    version: str
    slot: str
    conditions: str
    who: str


class MadeUnder(NamedTuple):
    """Runs made a version under the conditions with that digest, or ones that are not known; see ``model.Making``."""

    digest: str
    by: tuple[str, ...] = ()
    left: bool = False


UNKNOWN: Final = MadeUnder(NOT_STATED)


def alike(reported: Iterable[ReportedUnder]) -> dict[str, list[MadeUnder]]:
    """What counts of the versions of which all runs stated the same conditions."""
    found: dict[str, list[ReportedUnder]] = defaultdict(list)
    for each in reported:
        found[each.version].append(each)
    return {
        version: [MadeUnder(digest, _sorted(each.who for each in some)) for digest in _digests(some[0])]
        for version, some in found.items()
        if len({each.conditions for each in some}) == 1
    }


def made_under(
    observed: Collection[Observed],
    closed: Mapping[str, Sequence[Closed]],
    copies: Copies,
    at: int,
    corrections: Corrections = NOTHING_ACCEPTED,
) -> dict[str, list[MadeUnder]]:
    """What counts at the moment, by versions of the observed slots."""
    by: dict[tuple[str, str], set[str]] = defaultdict(set)
    for seen in observed:
        for key in _keys(seen):
            by[key].add(seen.who)
    slots = standing(observed, at, closed, corrections).values()
    now = {key for each in slots for run in each.runs for seen in run for key in _keys(seen)}
    left = _left(writes(observed, at, corrections), now, copies)
    found: dict[str, list[MadeUnder]] = defaultdict(list)
    for key in sorted(now | left):
        version, digest = key
        found[version].append(MadeUnder(digest, _sorted(by[key]), key in left))
    return dict(found)


def _left(
    written: Iterable[Written], now: Collection[tuple[str, str]], copies: Copies
) -> set[tuple[str, str]]:
    """The versions, each with conditions that are not in force, of which data may be left."""
    others: dict[tuple[str, str], list[Written]] = defaultdict(list)
    for each in written:
        for key in _keys(each):
            if key not in now:
                others[key].append(each)
    return {
        key
        for key, some in others.items()
        for (slot, _), span in written_between(some).items()
        if copies.may_be_left(slot_parts(slot)[1], *span)
    }


def _keys(made: Observed | Written) -> list[tuple[str, str]]:
    return [(made.version, digest) for digest in _digests(made)]


def _digests(made: Observed | Written | ReportedUnder) -> list[str]:
    return made.conditions.split(" ")


def _sorted(who: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(who)))
