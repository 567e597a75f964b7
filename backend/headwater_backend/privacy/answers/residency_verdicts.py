"""Whether the personal data in each dataset may be in its countries: the verdicts of ``residency``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import reduce
from operator import or_
from typing import Final

from headwater_backend.domain.model import DatasetKey, Incomplete, NodeKey
from headwater_backend.privacy.classification.categories import PERSONAL
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.classification.place_patterns import Places
from headwater_backend.privacy.exposure import ExposureReport
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.residence import Residence, Residences
from headwater_backend.privacy.policies import Policy
from headwater_backend.privacy.propagation import places
from headwater_backend.questions.active.passing import Passing

NO_POLICY: Final = "NO_POLICY"
INCOMPLETE: Final = "INCOMPLETE"


class Residency(str, Enum):
    """Whether data may be in the countries in which they are."""

    WITHIN = "WITHIN"
    OUTSIDE = "OUTSIDE"
    NOT_KNOWN = "NOT_KNOWN"


@dataclass(frozen=True, slots=True)
class ResidentCategory:
    """A category in a dataset, its forms there, the strongest first, and the stated countries of the dataset.

    ``policies`` are those that concern it, or if it is OUTSIDE, those that do not permit it; ``outside`` are the
    countries that these do not permit. ``unknown`` are the reasons why it is NOT_KNOWN. ``because`` is why no row can
    bring it there in a form that is not permitted, if it is OUTSIDE and that was asked for.
    """

    dataset: DatasetKey
    category: str
    forms: tuple[Form, ...]
    countries: tuple[str, ...]
    residency: Residency
    policies: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    because: tuple[str, ...] = ()


@dataclass(slots=True)
class _Held:
    """The attributes in a dataset, as bits: by form, and by the numbers of the policies at whose places they are."""

    forms: dict[Form, int] = field(default_factory=lambda: defaultdict(int))
    concerned: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    forbidden: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    """Those in a form that the policy allows in its countries alone."""
    forbidden_at: dict[NodeKey, dict[int, int]] = field(default_factory=dict)
    """The same by path."""
    free: int = 0
    """Those that are somewhere at the place of no policy."""


class Verdicts:
    """The verdicts on the data of a report, by policies with countries.

    ``complete`` is whether all is known of lineage, and of what is personal.
    """

    def __init__(
        self,
        report: ExposureReport,
        policies: Sequence[Policy],
        places: Places[Policy],
        residences: Residences,
        *,
        complete: bool,
    ) -> None:
        self._policies = policies
        self._places = places
        self._residences = residences
        self._complete = complete
        self._covering: dict[DatasetKey, list[int]] = {}
        self._attributes = attributes = [each.attribute for each in report.attributes]
        self._of_policy = [_bits(attributes, policy.category) for policy in policies]
        self._members: dict[str, int] = defaultdict(int)
        for place, each in enumerate(attributes):
            for category in each.categories or (PERSONAL,):
                self._members[category] |= 1 << place
        self._held: dict[DatasetKey, _Held] = defaultdict(_Held)
        for node, forms in _held_at(report):
            self._note(node, forms)
        self._gaps: dict[Incomplete, None] = {}

    @property
    def gaps(self) -> tuple[Incomplete, ...]:
        """What is not known of countries, and the categories of which no policy says where they may be, once judged."""
        return tuple(self._gaps)

    def all(self) -> Iterator[ResidentCategory]:
        """The categories in each dataset, by dataset and category."""
        for dataset, held in sorted(self._held.items(), key=lambda each: each[0]):
            for category, members in sorted(self._members.items()):
                forms = tuple(sorted(form for form, bits in held.forms.items() if bits & members))
                if forms:
                    yield self._judged(dataset, category, forms, held, members)

    def judged(self, found: ResidentCategory, passing: Passing | None) -> ResidentCategory:
        """The category with why no row can bring it to where it is OUTSIDE; as it is, where one may."""
        if passing is None or found.residency is not Residency.OUTSIDE:
            return found
        because: dict[str, None] = {}
        for place, node in self._outside(found):
            barred = passing.barred(self._attributes[place].node, node)
            if barred is None:
                return found
            because.update(dict.fromkeys(barred.because))
        return replace(found, because=tuple(because))

    def _outside(self, found: ResidentCategory) -> Iterator[tuple[int, NodeKey]]:
        """The attributes of a category, by their places in the report, at each path where they may not be."""
        members = self._members[found.category]
        for node, forbidden in self._held[found.dataset].forbidden_at.items():
            bits = reduce(
                or_, (bits for at, bits in forbidden.items() if self._policies[at].name in found.policies), 0
            )
            yield from ((place, node) for place in places(bits & members))

    def _note(self, node: NodeKey, forms: Mapping[Form, int]) -> None:
        """Add what the node holds to its dataset."""
        held = self._held[node.dataset]
        numbers = [
            number
            for number in self._covering_of(node.dataset)
            if self._policies[number].is_whole or self._places.include(self._policies[number], node)
        ]
        for form, bits in forms.items():
            held.forms[form] |= bits
            for number in numbers:
                concerned = bits & self._of_policy[number]
                held.concerned[number] |= concerned
                if self._policies[number].forbids(form):
                    held.forbidden[number] |= concerned
                    at = held.forbidden_at.setdefault(node, defaultdict(int))
                    at[number] |= concerned
            held.free |= bits & ~reduce(or_, (self._of_policy[number] for number in numbers), 0)

    def _covering_of(self, dataset: DatasetKey) -> list[int]:
        """The numbers of the policies that cover the dataset."""
        if dataset not in self._covering:
            covering = (number for number, each in enumerate(self._policies) if each.covers(dataset))
            self._covering[dataset] = list(covering)
        return self._covering[dataset]

    def _judged(
        self, dataset: DatasetKey, category: str, forms: tuple[Form, ...], held: _Held, members: int
    ) -> ResidentCategory:
        residence = self._residences.of(dataset)
        found = ResidentCategory(dataset, category, forms, residence.countries, Residency.WITHIN)
        forbidden = [self._policies[number] for number, bits in held.forbidden.items() if bits & members]
        outside = [each for each in forbidden if not each.permits_countries(residence.countries)]
        if outside:
            wrong = [
                each for each in residence.countries if not all(one.permits_country(each) for one in outside)
            ]
            names = tuple(each.name for each in outside)
            return replace(found, residency=Residency.OUTSIDE, policies=names, outside=tuple(wrong))
        unknown = tuple(
            self._doubts(dataset, category, held.free & members, residence, forbidden=bool(forbidden))
        )
        names = tuple(
            self._policies[number].name for number, bits in held.concerned.items() if bits & members
        )
        if unknown:
            return replace(found, residency=Residency.NOT_KNOWN, policies=names, unknown=unknown)
        return replace(found, policies=names)

    def _doubts(
        self, dataset: DatasetKey, category: str, free: int, residence: Residence, *, forbidden: bool
    ) -> Iterator[str]:
        """Why it is not known whether the data may be there; what of it is not known of other data is a gap."""
        if free:
            detail = f"no policy says in which countries {category} may be"
            self._gaps[Incomplete(NO_POLICY, DatasetKey("", ""), detail=detail)] = None
            yield NO_POLICY
        if forbidden:
            self._gaps.update(dict.fromkeys(residence.unknown))
            yield from dict.fromkeys(gap.reason for gap in residence.unknown)
        if not self._complete and not self._permits_all(dataset, residence):
            yield INCOMPLETE

    def _permits_all(self, dataset: DatasetKey, residence: Residence) -> bool:
        """Whether any personal data may be in the dataset, whatever its path and form."""
        covering = [self._policies[number] for number in self._covering_of(dataset)]
        return (
            not residence.unknown
            and any(each.category == PERSONAL and each.is_whole for each in covering)
            and all(each.permits_countries(residence.countries) for each in covering)
        )


def _bits(attributes: Sequence[Attribute], category: str) -> int:
    """The attributes of the category, as bits; those without any category are personal data."""
    found = 0
    for place, each in enumerate(attributes):
        if each.is_of(category) or (category == PERSONAL and not each.categories):
            found |= 1 << place
    return found


def _held_at(report: ExposureReport) -> Iterator[tuple[NodeKey, Mapping[Form, int]]]:
    """Each path that holds attributes, with these as bits by form; first those that declare them."""
    for place, each in enumerate(report.attributes):
        yield each.attribute.node, {Form.IDENTITY: 1 << place}
    if report.attributes:
        propagation = report.attributes[0].propagation
        for node in propagation.nodes():
            forms = {form: bits for form, bits in propagation.reached(node).items() if bits}
            if forms:
                yield node, forms
