"""Corrections: what was reported again about a run after it had ended, and does not clear what was reported before.

A run's statements are *settled* when its end was first received, or a day after it was first reported; a job event's
when it was received. What counted of the run then, and whatever counted later until something finer replaced it, is
what was answered. It stays in force beside what counts now, until a steward accepts the correction::

    received            1 START from p,  2 COMPLETE from p,    5 COMPLETE from nothing, but finer
    in force            from p           from p                from nothing, and beside it from p

A correction that states all that was reported before, and more, needs nobody's decision (``covering``).

All of this is about moments of *receipt*, by the server's clock, which no producer chooses.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

from headwater_backend.domain.model import OF_ROWS
from headwater_backend.domain.node_keys import dataset_part, slot_parts
from headwater_backend.domain.records import DecisionMade
from headwater_backend.domain.transformations import transformations_of
from headwater_backend.in_force.observed import Observed
from headwater_facets.canonical_json import canonical

DAY: Final = 24 * 60 * 60 * 1_000_000
"""Until then a run that has not ended may report again what it does."""
_PLACES: Final = ("operators", "at")

Covers = Callable[[str, str], bool]
"""Whether the first version states all that the second does."""


SUBJECT: Final = "correction "
"""The beginning of the subjects of decisions that accept corrections; a dataset's key follows."""
ACCEPTED: Final = canonical({"accepted": True})
"""The content of a decision that accepts what was reported until it was made; an empty one takes that back."""


def accepted_until(decisions: Iterable[DecisionMade], known: int | None = None) -> dict[str, int]:
    """Until when corrections about datasets were accepted, by the names of datasets in the decisions; if not None, in
    those that had been made by the moment ``known``.
    """
    found: dict[str, int] = {}
    for made in sorted(decisions, key=lambda made: (made.time, made.content)):
        if made.subject.startswith(SUBJECT) and (known is None or made.time <= known):
            found[made.subject.removeprefix(SUBJECT)] = made.time if made.content == ACCEPTED else 0
    return found


def accepted_of_slots(
    slots: Iterable[str], until: Mapping[str, int], names: Iterable[tuple[str, str]]
) -> dict[str, int]:
    """Until when corrections of each slot were accepted, under any name of its output: ``names`` are (name, output)."""
    known: dict[str, list[str]] = defaultdict(list)
    for name, output in names:
        known[output].append(name)
    outputs = {slot: slot_parts(slot)[1] for slot in slots}
    return {
        slot: max(until.get(name, 0) for name in (output, *known[output])) for slot, output in outputs.items()
    }


class EdgeOf(NamedTuple):
    """An edge of a version; both ends are node keys, transformations are JSON."""

    version: str
    source: str
    target: str
    transformations: str


def nothing_covers(newer: str, older: str) -> bool:
    del newer, older
    return False


def reported_before(
    run: Sequence[Observed], counting: Callable[[Sequence[Observed]], Observed], accepted: int, covers: Covers
) -> list[Observed]:
    """What else counted of a run's observations of a slot since they were settled, as cleared by what replaced it.

    ``accepted`` is the moment until which a steward has accepted corrections.
    """
    settled = max(_settled(run), accepted)
    later = sorted({seen.known for seen in run if seen.known > settled})
    if not later:
        return []
    stages = [counting(known) for at in (settled, *later) if (known := [s for s in run if s.known <= at])]
    newest = stages[-1]
    found: dict[str, Observed] = {}
    for old, then in pairwise(stages):
        if old.version not in (then.version, newest.version) and not covers(newest.version, old.version):
            found[old.version] = old._replace(cleared=then.known, cleared_by=then.who)
    return list(found.values())


def versions_reported_again(observed: Iterable[Observed]) -> dict[str, set[str]]:
    """The versions of each slot among which a correction may be: some run reported several, not all at once."""
    runs: dict[tuple[str, str], list[Observed]] = defaultdict(list)
    for seen in observed:
        runs[seen.slot, seen.run].append(seen)
    found: dict[str, set[str]] = defaultdict(set)
    for (slot, _), run in runs.items():
        if len({seen.known for seen in run}) > 1:
            found[slot].update(seen.version for seen in run)
    return dict(found)


def is_late(run: Sequence[Observed]) -> bool:
    """Whether something was reported of a run's slot after the run's statements were settled."""
    return max(seen.known for seen in run) > _settled(run)


def _settled(run: Sequence[Observed]) -> int:
    first = min(seen.known for seen in run)
    if any(seen.static for seen in run):
        return first
    ends = [seen.settled for seen in run if seen.settled is not None]
    return min(*ends, first + DAY) if ends else first + DAY


def covering(edges: Iterable[EdgeOf], unlisted: Collection[str]) -> Covers:
    """Whether a version states all that another does: by the edges of both, and by those that have ``unlisted`` reads.

    An edge is covered by one from the same path or above it, to the same path or above it, of which all is stated
    that is stated of the other: what happened to the value decides in which form it is held.
    """
    of_versions: dict[str, dict[tuple[str, str], list[EdgeOf]]] = {}
    for edge in edges:
        if transformations_of(edge.transformations) == OF_ROWS:
            continue  # nobody states that
        ends = (dataset_part(edge.source), dataset_part(edge.target))
        of_versions.setdefault(edge.version, {}).setdefault(ends, []).append(edge)

    def covers(newer: str, older: str) -> bool:
        if older in unlisted and newer not in unlisted:
            return False
        by = of_versions.get(newer, {})
        stated = of_versions.get(older, {})
        return all(_are_covered(some, by.get(ends, ())) for ends, some in stated.items())

    return covers


def _are_covered(stated: Iterable[EdgeOf], by: Iterable[EdgeOf]) -> bool:
    kinds: dict[tuple[str, str], frozenset[str]] = {}
    for edge in by:
        ends = (edge.source, edge.target)
        kinds[ends] = kinds.get(ends, frozenset()) | _kinds(edge.transformations)
    return all(_is_covered(edge, kinds) for edge in stated)


def _is_covered(stated: EdgeOf, kinds: Mapping[tuple[str, str], frozenset[str]]) -> bool:
    of_it = _kinds(stated.transformations)
    above = ((source, target) for source in _and_above(stated.source) for target in _and_above(stated.target))
    return any(of_it <= kinds.get(ends, frozenset()) for ends in above)


def _and_above(node: str) -> list[str]:
    """The path and those that contain it, down from its dataset."""
    first = len(dataset_part(node))
    return [node[: at + 1] for at in range(first - 1, len(node)) if node[at] == "/"]


@lru_cache(maxsize=1_024)
def _kinds(transformations: str) -> frozenset[str]:
    """Each transformation, without where in the program it happened."""
    kinds: list[dict[str, Any]] = json.loads(transformations)
    return frozenset(canonical({k: v for k, v in kind.items() if k not in _PLACES}) for kind in kinds)
