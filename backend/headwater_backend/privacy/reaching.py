"""The undecided origins and copies from which values may come to a place: by datasets, so rather too many of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from functools import cached_property

from headwater_backend.copies.gaps import POSSIBLE_COPY
from headwater_backend.domain.model import DatasetKey, Direction, Incomplete, NodeKey
from headwater_backend.ports import PathGraph
from headwater_backend.privacy.classification.undecided import KINDS
from headwater_backend.privacy.exposure import ExposureReport
from headwater_backend.privacy.exposure_search import values
from headwater_backend.questions.traversal import ALL_TYPES, explore


class Reaching:
    """The gaps of undecided origins and copies in a report. Their ways are searched once, when first asked for."""

    def __init__(self, store: PathGraph, report: ExposureReport) -> None:
        self._store = store
        self._gaps = tuple(gap for gap in report.incomplete if gap.reason in (*KINDS, POSSIBLE_COPY))
        self._scope = report.scope

    def elsewhere(self, places: Set[DatasetKey]) -> Set[Incomplete]:
        """The gaps at origins from which no value comes to one of the places."""
        return set(self._gaps).difference(self.to(places))

    def to(self, places: Set[DatasetKey]) -> tuple[Incomplete, ...]:
        """The gaps at one of the places, or at a dataset from which values may come to one of them."""
        if all(gap.dataset in places for gap in self._gaps):
            return self._gaps
        if self._sources is None:
            return self._gaps
        seen, frontier = set(places), list(places)
        while frontier:
            more = self._sources[frontier.pop()] - seen
            seen |= more
            frontier += more
        return tuple(gap for gap in self._gaps if gap.dataset in seen)

    @cached_property
    def _sources(self) -> defaultdict[DatasetKey, set[DatasetKey]] | None:
        """From each dataset to those from which its values may come at once; None if the search did not end."""
        starts = [NodeKey(key, ()) for key in sorted({gap.dataset for gap in self._gaps})]
        found = explore(
            self._store, starts, Direction.FORWARD, ALL_TYPES, self._scope.bounds, part=values(self._scope)
        )
        if found.limited or found.cut:
            return None
        sources: defaultdict[DatasetKey, set[DatasetKey]] = defaultdict(set)
        for fan in (fan for fans in found.fans.values() for fan in fans):
            for far in fan.fars:
                sources[far.dataset].add(fan.near.dataset)
        return sources
