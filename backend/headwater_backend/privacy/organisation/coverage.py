"""What an organisation's statements say of datasets that hold personal data: recipients, and whose data they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from headwater_backend.domain.model import DatasetKey, Incomplete, JobKey
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.classification.known_data import covering_data, covering_no_data
from headwater_backend.privacy.classification.place_patterns import PlacePattern, covering
from headwater_backend.privacy.organisation.statements import Organisation, Recipient, Statement
from headwater_backend.privacy.propagation import Propagation

UNMATCHED_STATEMENT: Final = "UNMATCHED_STATEMENT"
"""The reason of the gap where a statement fits no known dataset, because its names may be misspelt."""


class Coverage:
    """The statements that cover each dataset, of those that personal data reach."""

    def __init__(self, organisation: Organisation, propagation: Propagation | None) -> None:
        self.organisation = organisation
        self._propagation = propagation
        self._statements: dict[DatasetKey, tuple[Statement, ...]] = {}

    @cached_property
    def writers(self) -> Mapping[DatasetKey, tuple[JobKey, ...]]:
        """The jobs that bring personal data into each dataset, sorted."""
        found: dict[DatasetKey, set[JobKey]] = defaultdict(set)
        for fan in self._propagation.fans() if self._propagation else ():
            for far in fan.fars:
                found[far.dataset].add(fan.job)
        return {dataset: tuple(sorted(jobs)) for dataset, jobs in found.items()}

    def statements_of(self, dataset: DatasetKey) -> tuple[Statement, ...]:
        """The statements on processing that cover the dataset."""
        if dataset not in self._statements:
            writers = self.writers.get(dataset, ())
            found = (each for each in self.organisation.processing if each.covers(dataset, writers))
            self._statements[dataset] = tuple(found)
        return self._statements[dataset]

    def recipients_of(self, dataset: DatasetKey) -> tuple[Recipient, ...]:
        """The stated recipients of the dataset."""
        return tuple(each for each in self.organisation.recipients if each.datasets.covers(dataset))

    def subjects_of(self, declared: DatasetKey, held: DatasetKey) -> tuple[str, ...]:
        """Whose data an attribute is, that is declared in one dataset and held by another; empty if nothing is stated.

        What is stated of the dataset that declares it takes precedence: whose data they are does not change on the way.
        """
        return self._subjects(declared) or self._subjects(held)

    def _subjects(self, dataset: DatasetKey) -> tuple[str, ...]:
        return tuple(sorted({subject for each in self.statements_of(dataset) for subject in each.subjects}))


def known_recipients(store: CataloguedGraph, organisation: Organisation) -> frozenset[str]:
    """The recipients of known datasets that have data."""
    covered_by = covering(store, [each.datasets for each in organisation.recipients])
    known = covering_data(store, covered_by)
    return frozenset(each.name for each in organisation.recipients if each.datasets in known)


def unmatched_recipients(store: CataloguedGraph, organisation: Organisation) -> Iterator[Incomplete]:
    """A gap for each recipient whose datasets are not known."""
    named = [(each.datasets, f"the recipient {each.name!r}") for each in organisation.recipients]
    yield from _unmatched(store, named)


def unmatched_locations(store: CataloguedGraph, organisation: Organisation) -> Iterator[Incomplete]:
    """A gap for each location whose datasets are not known."""
    named = [
        (each.datasets, f"the location {each.country} in line {each.datasets.line}")
        for each in organisation.locations
    ]
    yield from _unmatched(store, named)


def unmatched_subjects(store: CataloguedGraph, organisation: Organisation) -> Iterator[Incomplete]:
    """A gap for each statement on data subjects whose datasets are not known."""
    named = [
        (each.outputs, f"the statement {each.activity!r} in line {each.line}")
        for each in organisation.processing
        if each.subjects and each.outputs
    ]
    yield from _unmatched(store, named)


def _unmatched(store: CataloguedGraph, named: list[tuple[PlacePattern, str]]) -> Iterator[Incomplete]:
    idle_ones = covering_no_data(store, [pattern for pattern, _ in named])
    for pattern, name in named:
        if (idle := idle_ones.get(pattern)) is not None:
            detail = f"{name} fits {idle.detail}" + (f"; {idle.hint}" if idle.hint else "")
            yield Incomplete(UNMATCHED_STATEMENT, DatasetKey(*pattern.dataset_text), detail=detail)
