"""The undecided origins and copies from which values may come to a place: by datasets, so rather too many of them."""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property

from headwater_backend.copies.gaps import POSSIBLE_COPY
from headwater_backend.domain.model import DatasetKey, Incomplete
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.classification.undecided import KINDS
from headwater_backend.privacy.exposure import ExposureReport
from headwater_backend.privacy.exposure_search import values
from headwater_backend.questions.onward import Onward, onward


class Reaching:
    """The gaps of undecided origins and copies in a report. Their ways are searched once, when first asked for."""

    def __init__(self, store: CataloguedGraph, report: ExposureReport) -> None:
        self._store = store
        self._gaps = tuple(gap for gap in report.incomplete if gap.reason in (*KINDS, POSSIBLE_COPY))
        self._scope = report.scope

    def elsewhere(self, places: Set[DatasetKey]) -> Set[Incomplete]:
        """The gaps at origins from which no value comes to one of the places."""
        return set(self._gaps).difference(self.to(places))

    def to(self, places: Set[DatasetKey]) -> tuple[Incomplete, ...]:
        """The gaps at one of the places, or at a dataset from which values may come to one of them."""
        if all(gap.dataset in places for gap in self._gaps) or self._onward is None:
            return self._gaps
        before = self._onward.before_any(places)
        return tuple(gap for gap in self._gaps if gap.dataset in before)

    @cached_property
    def _onward(self) -> Onward | None:
        """From the gaps' datasets, where values may come to; None if the search did not end."""
        starts = {gap.dataset for gap in self._gaps}
        return onward(self._store, starts, self._scope.bounds, values(self._scope))
