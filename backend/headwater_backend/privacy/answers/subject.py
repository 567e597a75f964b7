"""Where the data of a person are: for access (Art. 15 GDPR) and for erasure (Art. 17).

The answer lists each dataset that holds an attribute of the scope, and each path that holds it, with its form and its
*keys*: paths of the same dataset by which the person is found. A key holds an identifying attribute that is declared in
the same dataset as the other attribute and came by the same jobs, as it is or as a pseudonym; of a pseudonym, whoever
looks for the person must make the same one. A path is *erasable* if it has a key, and holds something of one person:
aggregates, masked values and influences do not.

Without such a key, a path may have *possible* ones, by which whoever knows the data may find the person: what was
computed from an identifying attribute, such as a number in another notation; and identifying attributes of other
origins in the same rows, such as the other side of a join, which may also be of another person. Quasi-identifiers, such
as a city, a postal code or a gender, are nobody's alone: at least two different ones are possible keys.

The datasets come in the order of erasure. From the sources on, what is computed from a source again does not hold the
person any more; from the copies back, no copy is left when the source is gone. A dataset that jobs write anew may come
back from its inputs, so these jobs are listed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from itertools import chain
from typing import Final

from headwater_backend.domain.facet_readers import Owner, owners
from headwater_backend.domain.model import DatasetKey, Incomplete, JobKey, NodeKey
from headwater_backend.ports import CataloguedGraph, Datasets
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.exposure import Classification, ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import LINKABLE, Form
from headwater_backend.privacy.held_attributes import HeldAttribute, held_attributes

_OF_ONE_PERSON: Final = frozenset(
    {Form.IDENTITY, Form.TRANSFORMED, Form.DERIVED, Form.PSEUDONYMISED, Form.POSSIBLE}
)
"""Forms that hold something of one person."""
_KEY_FORMS: Final = (*LINKABLE, Form.TRANSFORMED)


class Order(Enum):
    """The order in which datasets are listed for erasure."""

    SOURCES_FIRST = "SOURCES_FIRST"
    SOURCES_LAST = "SOURCES_LAST"


class Erasure(Enum):
    """Whether a path can be erased for one person, or why it cannot."""

    ERASABLE = "ERASABLE"
    POSSIBLE_KEY = "POSSIBLE_KEY"
    NO_KEY = "NO_KEY"
    NOT_OF_ONE_PERSON = "NOT_OF_ONE_PERSON"


@dataclass(frozen=True, slots=True)
class PersonKey:
    """A path by which a person is found in its dataset; ``form`` is IDENTITY or PSEUDONYMISED, or TRANSFORMED of a
    possible one.
    """

    attribute: Attribute
    node: NodeKey
    form: Form


@dataclass(frozen=True, slots=True)
class HeldPath:
    """A path that holds an attribute, and the keys of the same rows; possible ones only where there are no others."""

    held: HeldAttribute
    keys: tuple[PersonKey, ...]
    possible_keys: tuple[PersonKey, ...] = ()

    @property
    def erasure(self) -> Erasure:
        """Whether it holds something of one person, who can be found there."""
        if _OF_ONE_PERSON.isdisjoint(self.held.forms):
            return Erasure.NOT_OF_ONE_PERSON
        if self.keys:
            return Erasure.ERASABLE
        return Erasure.POSSIBLE_KEY if self.possible_keys else Erasure.NO_KEY

    @property
    def erasable(self) -> bool:
        """Whether it can be erased for one person, by a key that is sure to be that person's."""
        return self.erasure is Erasure.ERASABLE


@dataclass(frozen=True, slots=True)
class SubjectDataset:
    """A dataset that holds data of persons.

    ``distance`` is the largest number of edges from an attribute to its paths, 0 for a dataset that only declares
    attributes. ``writers`` are the jobs that brought the data there and may do so again; a source has none.
    """

    key: DatasetKey
    distance: int
    paths: tuple[HeldPath, ...]
    writers: tuple[JobKey, ...]


@dataclass(frozen=True, slots=True)
class SubjectData:
    """All datasets that hold data of persons, in the order asked for, as of a moment."""

    as_of: datetime
    order: Order
    datasets: tuple[SubjectDataset, ...]
    incomplete: tuple[Incomplete, ...]
    classification: Classification

    @property
    def complete(self) -> bool:
        return not self.incomplete


def subject_data(
    store: CataloguedGraph, scope: Scope, ruling: Ruling, order: Order = Order.SOURCES_FIRST
) -> SubjectData:
    """Where the data of a person are whose attributes the scope selects. Raises what ``exposed`` raises.

    Without a node or a category in the scope, those are all personal attributes.
    """
    return subject_data_in(exposed(store, scope, ruling), order)


def subject_data_in(report: ExposureReport, order: Order = Order.SOURCES_FIRST) -> SubjectData:
    """Where the data of a person are, by an exposure."""
    held: dict[DatasetKey, list[HeldAttribute]] = defaultdict(list)
    for exposure in report.attributes:
        for each in held_attributes(exposure):
            held[each.node.dataset].append(each)
    found = [_dataset(key, there) for key, there in held.items()]
    found.sort(key=lambda each: (each.distance, each.key), reverse=order is Order.SOURCES_LAST)
    return SubjectData(report.as_of, order, tuple(found), report.incomplete, report.classification)


def owners_of(store: Datasets, datasets: Sequence[DatasetKey]) -> dict[DatasetKey, tuple[Owner, ...]]:
    """The owners of each dataset; none if no event names any."""
    return {key: owners(found.facets) for key, found in store.get_datasets(datasets).items()}


def _dataset(key: DatasetKey, there: Sequence[HeldAttribute]) -> SubjectDataset:
    there = sorted(there, key=lambda each: (each.node, each.attribute.node))
    keys = _Keys(there)
    return SubjectDataset(
        key=key,
        distance=max(each.distance for each in there),
        paths=tuple(map(keys.with_keys, there)),
        writers=tuple(sorted({each.jobs[-1] for each in there if each.jobs})),
    )


class _Keys:
    """The keys of one dataset."""

    def __init__(self, there: Sequence[HeldAttribute]) -> None:
        same_way: dict[object, list[PersonKey]] = defaultdict(list)
        same_rows: dict[JobKey | None, list[PersonKey]] = defaultdict(list)
        for each in there:
            form = next((form for form in _KEY_FORMS if form in each.forms), None)
            attribute = each.attribute
            if form is None or not (attribute.identifies_alone or attribute.identifies_together):
                continue
            found = PersonKey(each.attribute, each.node, form)
            same_rows[_last_job(each)].append(found)
            if form in LINKABLE and attribute.identifies_alone:
                same_way[_way(each)].append(found)
        self._same_way = {way: tuple(found) for way, found in same_way.items()}
        self._same_rows = {job: tuple(found) for job, found in same_rows.items()}

    def with_keys(self, each: HeldAttribute) -> HeldPath:
        """The path with its keys."""
        if keys := self._same_way.get(_way(each)):
            return HeldPath(each, keys)
        return HeldPath(each, (), self._possible(_last_job(each)))

    def _possible(self, job: JobKey | None) -> tuple[PersonKey, ...]:
        """What the same job brought is in the same rows, and what is declared in the dataset is in all of them."""
        if job is None:
            return _telling(tuple(chain.from_iterable(self._same_rows.values())))
        return _telling(self._same_rows.get(job, ()) + self._same_rows.get(None, ()))


def _telling(keys: tuple[PersonKey, ...]) -> tuple[PersonKey, ...]:
    """The keys without a quasi-identifier that is the only one."""
    together = {each.attribute.categories for each in keys if each.attribute.identifies_together}
    return keys if len(together) > 1 else tuple(each for each in keys if each.attribute.identifies_alone)


def _way(each: HeldAttribute) -> tuple[DatasetKey, tuple[JobKey, ...]]:
    """The dataset that declares the attribute, and the jobs that brought it to the path."""
    return each.attribute.node.dataset, each.jobs


def _last_job(each: HeldAttribute) -> JobKey | None:
    """The job that brought the attribute to the path; None where it is declared there."""
    return each.jobs[-1] if each.jobs else None
