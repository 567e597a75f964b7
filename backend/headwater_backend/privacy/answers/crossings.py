"""Where personal data cross from country to country, and what is known of each crossing.

A *crossing* is an attribute at a path of a dataset that is in a country in which the attribute's own dataset is not, as
the organisation states (``organisation.residence``). It is judged by the policies with countries whose places include
the path, at the moment of the lineage:

VIOLATION
    in one of these countries, a policy does not permit the data in a form that they have there, and no stated safeguard
    is in force;
UNKNOWN
    no policy says where the data may be; it is not stated where one of the datasets is; or the lineage is incomplete,
    so that the data may have another form there, which would matter;
SAFEGUARDED
    what no policy permits is covered by safeguards that are in force: adequacy decisions, clauses, binding rules;
ALLOWED
    the policies permit the data there: the country, or all forms.

What a gap hides may cross as well: it is in ``incomplete``, never in a list of what is allowed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from typing import Final

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import Edge, Incomplete, NodeKey
from headwater_backend.domain.pages import Page, cursor, page, read_cursor, size
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.answers.policy_check import unmatched
from headwater_backend.privacy.classification.categories import PERSONAL
from headwater_backend.privacy.classification.known_data import places_with_data
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.classification.place_patterns import Places
from headwater_backend.privacy.exposure import AttributeExposure, ExposedOutput, ExposureReport, Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.coverage import unmatched_locations, unmatched_recipients
from headwater_backend.privacy.organisation.residence import Residences
from headwater_backend.privacy.organisation.statements import Organisation, Safeguard
from headwater_backend.privacy.policies import Policy
from headwater_backend.privacy.snapshots import Snapshots, question_digest

NO_POLICY: Final = "NO_POLICY"
INCOMPLETE: Final = "INCOMPLETE"


class CrossingVerdict(str, Enum):
    """What is known of a crossing; the gravest first."""

    VIOLATION = "VIOLATION"
    UNKNOWN = "UNKNOWN"
    SAFEGUARDED = "SAFEGUARDED"
    ALLOWED = "ALLOWED"


@dataclass(frozen=True, slots=True)
class Crossing:
    """An attribute at a path in other countries than its own dataset's.

    ``origin`` are the stated countries of the attribute's dataset, ``to`` those of the path's that are not among them.
    ``policies`` are those that concern the data; of a violation, those that do not permit it, in the countries
    ``outside``. ``lapsed`` are safeguards that would cover a violation, and are not in force then.
    """

    attribute: Attribute
    output: ExposedOutput
    origin: tuple[str, ...]
    to: tuple[str, ...]
    verdict: CrossingVerdict
    policies: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    safeguards: tuple[Safeguard, ...] = ()
    lapsed: tuple[Safeguard, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def node(self) -> NodeKey:
        return self.output.node

    @property
    def witness(self) -> tuple[Edge, ...]:
        """A shortest route for the strongest form."""
        return self.output.witness


@dataclass(frozen=True, slots=True)
class Flow:
    """The number of crossings from countries to a country, with a verdict; either is empty where none is stated."""

    origin: tuple[str, ...]
    to: str
    verdict: CrossingVerdict
    crossings: int


@dataclass(frozen=True, slots=True)
class Crossings:
    """All crossings, the gravest first; ``gaps`` are what is not known of countries and policies."""

    found: tuple[Crossing, ...]
    totals: Mapping[CrossingVerdict, int]
    flows: tuple[Flow, ...]
    gaps: tuple[Incomplete, ...]


@dataclass(frozen=True, slots=True)
class CrossingsPage:
    """A part of the crossings, the gravest first; ``totals`` and ``flows`` are of all.

    ``incomplete`` is what is not known of lineage, of what is personal, of countries and of policies.
    """

    report: ExposureReport
    items: Page[tuple[str, Crossing]]
    totals: Mapping[CrossingVerdict, int]
    flows: tuple[Flow, ...]
    incomplete: tuple[Incomplete, ...]


def crossings(
    store: CataloguedGraph,
    scope: Scope,
    ruling: Ruling,
    snapshots: Snapshots,
    *,
    policies: Sequence[Policy],
    organisation: Organisation,
    first: int | None = None,
    after: str | None = None,
) -> CrossingsPage:
    """A page of the crossings in that part of the matrix. Raises what ``exposed`` raises, and ``BadQuestion``."""
    wanted = size(first, "crossings")
    policies = with_countries(policies)
    scope = replace(scope, influenced=influences_matter(policies))
    question = " ".join((question_digest(scope, ruling), repr(policies), organisation.digest))
    asked, name, start = read_cursor(after, (str, str, int)) if after else (question, None, 0)
    if asked != question:
        raise BadQuestion("the cursor belongs to another question", "continue with the same arguments")
    report, name = snapshots.report(store, scope, ruling, name)
    whole = crossings_in(store, report, policies, organisation)
    found = whole.found
    numbered = enumerate(found[start : start + wanted + 1], start + 1)
    items = [(cursor(question, name, number), each) for number, each in numbered]
    known = tuple(dict.fromkeys((*report.incomplete, *whole.gaps)))
    return CrossingsPage(report, page(items, wanted), whole.totals, whole.flows, known)


def with_countries(policies: Sequence[Policy]) -> tuple[Policy, ...]:
    """The policies that say where data may be."""
    return tuple(each for each in policies if each.countries)


def influences_matter(policies: Sequence[Policy]) -> bool:
    """Whether a policy forbids that personal data influence others somewhere, so that they have to be looked for."""
    return any(each.forbids(Form.INFLUENCED) for each in with_countries(policies))


def crossings_in(
    store: CataloguedGraph, report: ExposureReport, policies: Sequence[Policy], organisation: Organisation
) -> Crossings:
    """All crossings of an exposure, the gravest first, judged on its day."""
    policies = with_countries(policies)
    places = places_with_data(store, policies)
    judge = _Judge(policies, places, organisation, report.as_of.date())
    found = sorted((each for one in report.attributes for each in judge.of(one)), key=_order)
    totals = Counter(dict.fromkeys(CrossingVerdict, 0))
    totals.update(each.verdict for each in found)
    known = dict.fromkeys(gap for each in policies for gap in unmatched(each, places.idle))
    known.update(dict.fromkeys(unmatched_locations(store, organisation)))
    known.update(dict.fromkeys(unmatched_recipients(store, organisation)))
    return Crossings(tuple(found), totals, tuple(_flows(found)), (*known, *judge.gaps))


_VERDICTS: Final = list(CrossingVerdict)


def _order(each: Crossing) -> tuple[object, ...]:
    return _VERDICTS.index(each.verdict), each.node, each.attribute.node


def _flows(found: Sequence[Crossing]) -> Iterator[Flow]:
    counted = Counter((each.origin, to, each.verdict) for each in found for to in each.to or ("",))
    for (origin, to, verdict), count in sorted(counted.items(), key=lambda each: each[0][:2]):
        yield Flow(origin, to, verdict, count)


class _Judge:
    """Judges crossings by policies and statements, of a day."""

    def __init__(
        self, policies: Sequence[Policy], places: Places[Policy], organisation: Organisation, day: date
    ) -> None:
        self._policies = policies
        self._places = places
        self._safeguards = organisation.safeguards
        self._residences = Residences(organisation)
        self._day = day
        self._gaps: dict[Incomplete, None] = {}

    @property
    def gaps(self) -> tuple[Incomplete, ...]:
        """What is not stated of the countries of datasets, once judged."""
        return tuple(self._gaps)

    def of(self, exposure: AttributeExposure) -> Iterator[Crossing]:
        """The crossings of an attribute."""
        origin = self._residences.of(exposure.attribute.node.dataset)
        for output in exposure.outputs:
            there = self._residences.of(output.node.dataset)
            to = tuple(each for each in there.countries if each not in origin.countries)
            unknown = () if output.node.dataset == exposure.attribute.node.dataset else there.unknown
            if to or unknown:
                doubts = dict.fromkeys((*unknown, *(origin.unknown if to else ())))
                self._gaps.update(doubts)
                reasons = tuple(dict.fromkeys(gap.reason for gap in doubts))
                found = Crossing(
                    exposure.attribute, output, origin.countries, to, CrossingVerdict.ALLOWED, unknown=reasons
                )
                yield self._judged(found, complete=exposure.complete)

    def _judged(self, found: Crossing, *, complete: bool) -> Crossing:
        concerned = [
            each
            for each in self._policies
            if _is_about(each, found.attribute)
            and each.covers(found.node.dataset)
            and (each.is_whole or self._places.include(each, found.node))
        ]
        forms = found.output.forms
        refusing = {
            country: [each for each in concerned if not each.permits_country(country)] for country in found.to
        }
        forbidden = {
            country: [each for each in refused if any(map(each.forbids, forms))]
            for country, refused in refusing.items()
        }
        wrong = {country: refused for country, refused in forbidden.items() if refused}
        used = {country: self._in_force(country, found.node) for country in wrong}
        outside = tuple(country for country in wrong if not used[country])
        names = tuple(each.name for each in concerned)
        if outside:
            return replace(
                found,
                verdict=CrossingVerdict.VIOLATION,
                policies=tuple(dict.fromkeys(each.name for country in outside for each in wrong[country])),
                outside=outside,
                lapsed=tuple(
                    dict.fromkeys(s for country in outside for s in self._covering(country, found.node))
                ),
            )
        covered = tuple(dict.fromkeys(safeguard for each in used.values() for safeguard in each))
        found = replace(found, policies=names, safeguards=covered)
        doubts = dict.fromkeys(found.unknown)
        if not concerned:
            doubts[NO_POLICY] = None
        if not complete and any(each and not self._in_force(to, found.node) for to, each in refusing.items()):
            doubts[INCOMPLETE] = None
        if doubts:
            return replace(found, verdict=CrossingVerdict.UNKNOWN, unknown=tuple(doubts))
        return replace(found, verdict=CrossingVerdict.SAFEGUARDED if covered else CrossingVerdict.ALLOWED)

    def _covering(self, country: str, node: NodeKey) -> list[Safeguard]:
        return [each for each in self._safeguards if each.covers(country, node.dataset)]

    def _in_force(self, country: str, node: NodeKey) -> list[Safeguard]:
        return [each for each in self._covering(country, node) if each.in_force(self._day)]


def _is_about(policy: Policy, attribute: Attribute) -> bool:
    """Whether the policy is about the attribute; one without any category is personal data."""
    return attribute.is_of(policy.category) or (policy.category == PERSONAL and not attribute.categories)
