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
from headwater_backend.questions.onward import Onward, before, onward


class Reaching:
    """The gaps of undecided origins and copies in a report.

    Their ways are searched from the places that are asked about. Once these are more than the gaps' datasets, in all
    questions together, they are searched from the gaps, once for all.
    """

    def __init__(self, store: CataloguedGraph, report: ExposureReport) -> None:
        self._store = store
        self._gaps = tuple(gap for gap in report.incomplete if gap.reason in (*KINDS, POSSIBLE_COPY))
        self._starts = frozenset(gap.dataset for gap in self._gaps)
        self._scope = report.scope
        self._asked = 0
        self._known: dict[frozenset[DatasetKey], Set[DatasetKey] | None] = {}

    def elsewhere(self, places: Set[DatasetKey]) -> Set[Incomplete]:
        """The gaps at origins from which no value comes to one of the places."""
        return set(self._gaps).difference(self.to(places))

    def to(self, places: Set[DatasetKey]) -> tuple[Incomplete, ...]:
        """The gaps at one of the places, or at a dataset from which values may come to one of them."""
        before_them = self._starts if self._starts <= places else self._before(frozenset(places))
        return self._gaps if before_them is None else tuple(g for g in self._gaps if g.dataset in before_them)

    def _before(self, places: frozenset[DatasetKey]) -> Set[DatasetKey] | None:
        """The places, and the datasets from which values may come to them; None if the search did not end."""
        if places not in self._known:
            self._known[places] = self._search(places)
        return self._known[places]

    def _search(self, places: frozenset[DatasetKey]) -> Set[DatasetKey] | None:
        self._asked += len(places)
        if self._asked <= len(self._starts):
            return before(self._store, places, self._scope.bounds, values(self._scope, backward=True))
        return self._onward.before_any(places) if self._onward else None

    @cached_property
    def _onward(self) -> Onward | None:
        """From the gaps' datasets, where values may come to; None if the search did not end."""
        return onward(self._store, self._starts, self._scope.bounds, values(self._scope))
