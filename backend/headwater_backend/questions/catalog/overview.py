"""A whole store in few groups: all its datasets, and how many jobs took data from one group to another.

Like the data flow, this is the present state by what runs and job events declare. Groups are those of
``ports.overview``: each that is open is replaced by what is in it, so that every dataset is in one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.ports import Catalog, Overview, PathGraph
from headwater_backend.ports.overview import Grouped, OpenGroup, Wanted, place_of

MOST: Final = 2_000
"""The largest number of groups in one answer."""
MOST_OPEN: Final = 100
MOST_CONNECTIONS: Final = 10_000


class OverviewStore(Catalog, PathGraph, Overview, Protocol):
    """The ports that the overview is read from."""


@dataclass(frozen=True, slots=True)
class StoreOverview:
    """Groups with their connections; ``gaps`` are the numbers of known gaps in the lineage into each group, and
    ``gap_count`` is that of all gaps, also into groups that ``first`` left out.
    """

    grouped: Grouped
    gaps: tuple[int, ...]
    gap_count: int


def overview(store: OverviewStore, opened: Sequence[OpenGroup] = (), first: int = 500) -> StoreOverview:
    """The first groups of all datasets that exist, where ``opened`` are open; raises ``BadQuestion``."""
    if not 0 < first <= MOST:
        raise BadQuestion(f"an overview of {first} groups", f"first is from 1 to {MOST}")
    if len(opened) > MOST_OPEN:
        raise BadQuestion(f"an overview with {len(opened)} open groups", f"open at most {MOST_OPEN}")
    known = store.dataset_keys()
    there = store.existing(known)
    gone = [key for key in known if key not in there]
    found = store.grouped(Wanted(opened, first, MOST_CONNECTIONS, gone))
    among = [each for each in opened if (each.namespace, None) not in {group.at for group in found.shown}]
    gaps = Counter(place_of(among, gap.dataset) for gap in store.incomplete(sorted(there)))
    return StoreOverview(found, tuple(gaps[group.at] for group in found.shown), gaps.total())
