"""Closings of lineage: what was reported of a dataset before it was dropped is not its current lineage.

A DROP applies to the dataset under every name that it had at that moment. So it closes the lineage of an output if, by
all symlinks, by the decisions of stewards, and by the renames and creations up to the DROP, both names lead to the same
dataset::

    staged is written, final is dropped, staged becomes final        the lineage of staged stays

A DROP by a failed run does not count (``datasets.changes.drops``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from headwater_backend.in_force.aliases import TIMELESS, Link, canonical_names
from headwater_backend.in_force.current import Closed


class Drop(NamedTuple):
    """A DROP of that dataset; ``run`` is empty where it comes from an event without a run."""

    dataset: str
    time: int
    run: str


def closings(
    outputs: Mapping[str, str], drops: Iterable[Drop], links: Sequence[Link]
) -> dict[str, list[Closed]]:
    """The closings of each slot (``outputs``: slot to its output); ``links`` are those of all their components."""
    found: dict[str, list[Closed]] = {}
    for drop in sorted(set(drops)):
        names = names_then(links, drop.time)
        dropped = names.get(drop.dataset, drop.dataset)
        for slot, output in outputs.items():
            if names.get(output, output) == dropped:
                found.setdefault(slot, []).append(Closed(drop.time, drop.run))
    return found


def names_then(links: Iterable[Link], time: int) -> dict[str, str]:
    """From each name that was not canonical at the time to the one that was, by links of whole components."""
    return canonical_names(link for link in links if link.kind in TIMELESS or link.time <= time)
