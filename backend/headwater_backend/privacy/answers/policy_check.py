"""Whether personal data are only where policies allow them, and in the forms that these allow.

All policies share one exposure (``exposure``). A policy is *violated* where an attribute of its category is at one of
its places in another form than those allowed: it arrived there, or is declared there. A place is a known path that the
policy's pattern matches; what it contains, and what contains it, such as a struct or a whole row, counts as well.
A policy with *purposes* or *countries* is not violated where the organisation states one of these for the dataset, or
the purpose for the job that brought the data; where it states none, that is not known.
A policy that *forbids re-identification* is violated where a pseudonym of its category is readable
(``reidentification``): at the pseudonym's path, or in the rows of a dataset that was joined with a key table.

A policy without a violation is *satisfied* only if that is certain. It is *unknown* if the lineage of an attribute of
its category is incomplete, if no attribute has the category, if nobody has decided what of an origin is personal from
which values may come to a place of the policy, or if the policy matches no known path: its names may be misspelt.
Re-identification is unknown also if the lineage of any attribute is incomplete that identifies a person: it may be what
a key table tells.

With *active* lineage, a violation that no row can take is listed with its proof, and counts until somebody has
acknowledged its finding for what the jobs on its ways do now (``findings.acceptance``).

Stewards may have declassified paths that data of the category would pass on their way to a place. Where a value ended
at one, all is computed once more without declassifications, and a verdict lists those without which a violation, or
another one, would be found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from enum import Enum
from itertools import zip_longest
from typing import NamedTuple

from headwater_backend.domain.model import DatasetKey, Edge, Incomplete, NodeKey
from headwater_backend.privacy.answers.policy_conditions import Conditions
from headwater_backend.privacy.answers.reidentification import found_in
from headwater_backend.privacy.classification.decided import decided
from headwater_backend.privacy.classification.known_data import places_with_data
from headwater_backend.privacy.classification.personal import UNKNOWN_CATEGORY
from headwater_backend.privacy.classification.place_patterns import Idle, Places
from headwater_backend.privacy.classification.stops import Stop, Stops, in_order
from headwater_backend.privacy.classification.undecided import KINDS
from headwater_backend.privacy.exposure import (
    UNCLASSIFIED,
    UNMATCHED_RULE,
    AttributeExposure,
    Classification,
    ExposureReport,
    Ruling,
    exposed,
    passing,
)
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.held_attributes import HeldAttribute, held_at_places
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION, Organisation
from headwater_backend.privacy.policies import Policy, Severity
from headwater_backend.privacy.reaching import Reaching
from headwater_backend.privacy.reidentified import Reidentification
from headwater_backend.privacy.unknown_rows import at_places
from headwater_backend.questions.active.steps import ActiveGraph
from headwater_backend.questions.traversal import Bounds

UNMATCHED_POLICY = "UNMATCHED_POLICY"


class Outcome(str, Enum):
    """What is known about a policy."""

    SATISFIED = "SATISFIED"
    VIOLATED = "VIOLATED"
    UNKNOWN = "UNKNOWN"


class Acceptance(NamedTuple):
    """Who has acknowledged that no row can take a violation."""

    by: str
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known about one policy: its violations, by attribute and strength, and what is not known.

    A violation is an attribute at a place, in forms of which at least one is not allowed.
    """

    policy: Policy
    violations: tuple[HeldAttribute, ...]
    incomplete: tuple[Incomplete, ...]
    complete_for: frozenset[NodeKey] = frozenset()
    """The attributes of its category whose lineage is complete, and of which nothing that it asks for is unstated."""
    stops: tuple[Stop, ...] = ()
    """The declassifications without which there would be more violations."""
    accepted: Mapping[HeldAttribute, Acceptance] = field(default_factory=dict)
    """The violations that no row can take, as somebody has acknowledged."""

    @property
    def outcome(self) -> Outcome:
        if len(self.violations) > len(self.accepted):
            return Outcome.VIOLATED
        return Outcome.UNKNOWN if self.incomplete else Outcome.SATISFIED

    def is_certain_of(self, attribute: NodeKey) -> bool:
        """Whether the attribute is certainly nowhere but in its violations, if it is not allowed there. What else may
        be personal says nothing of it.
        """
        return attribute in self.complete_for or all(gap.reason in KINDS for gap in self.incomplete)


@dataclass(frozen=True, slots=True)
class PolicyCheck:
    """The verdicts on all policies, in their order, by the exposure at a moment."""

    report: ExposureReport
    verdicts: tuple[Verdict, ...]

    @property
    def as_of(self) -> datetime:
        return self.report.as_of

    @property
    def classification(self) -> Classification:
        return self.report.classification

    @property
    def outcome(self) -> Outcome:
        """VIOLATED by an error of any policy; else UNKNOWN if any policy with that severity is; else SATISFIED."""
        found = {each.outcome for each in self.verdicts if each.policy.severity is Severity.ERROR}
        return next(
            (each for each in (Outcome.VIOLATED, Outcome.UNKNOWN) if each in found), Outcome.SATISFIED
        )


def check_policies(
    store: ActiveGraph,
    policies: Sequence[Policy],
    ruling: Ruling,
    bounds: Bounds | None = None,
    organisation: Organisation = NO_ORGANISATION,
    *,
    active: bool = False,
) -> PolicyCheck:
    """Check the policies over all personal attributes, by what the organisation states; with ``active``, say of each
    violation whether a row can take it.

    Raises what ``exposed`` raises.
    """
    influenced = any(policy.forbids(Form.INFLUENCED) for policy in policies)
    bounds = bounds or Bounds()
    moment = bounds.as_of or datetime.now(timezone.utc)
    scope = Scope(influenced=influenced, bounds=bounds)
    decisions = decided(store, moment)
    report = exposed(store, scope, ruling, decisions)
    places, conditions = places_with_data(store, policies), Conditions(organisation)
    undecided = Reaching(store, report)

    def verdicts_on(report: ExposureReport) -> list[Verdict]:
        forbidden = any(policy.forbids_reidentification for policy in policies)
        reidentified = found_in(store, report, bounds.as_of) if forbidden else []
        return [
            _on_reidentification(report, policy, places, reidentified)
            if policy.forbids_reidentification
            else _verdict(report, policy, places, conditions, undecided)
            for policy in policies
        ]

    verdicts = verdicts_on(report)
    if report.classification.stops:
        without = verdicts_on(exposed(store, scope, ruling, decisions.without_declassifications()))
        stops = Stops(decisions)
        verdicts = [
            replace(each, stops=_stops(each, other, stops))
            for each, other in zip(verdicts, without, strict=True)
        ]
    ways = passing(store, report) if active else None
    if ways is not None:
        verdicts = [
            replace(each, violations=tuple(held.judged(ways) for held in each.violations))
            for each in verdicts
        ]
    return PolicyCheck(report, tuple(verdicts))


def _stops(found: Verdict, without: Verdict, stops: Stops) -> tuple[Stop, ...]:
    """The declassifications on the routes of violations that are only found without them."""
    known = set(found.violations)
    new = (route for each in without.violations if each not in known for route in each.routes)
    return in_order(stop for route in new for stop in _on_route(route, stops))


def _on_route(route: Sequence[Edge], stops: Stops) -> Iterator[Stop]:
    """The stops at which the route ends, also where it leaves a struct from a member of it."""
    for edge, following in zip_longest(route, route[1:]):
        if following is None:
            yield from stops.around(edge.target, edge.job)
        elif stop := stops.at(following.source, edge.job):
            yield stop


def _verdict(
    report: ExposureReport,
    policy: Policy,
    places: Places[Policy],
    conditions: Conditions,
    undecided: Reaching,
) -> Verdict:
    concerned = [each for each in report.attributes if each.attribute.is_of(policy.category)]
    judged = [conditions.judge(policy, held) for held in _forbidden(concerned, policy, places)]
    covered = {node.dataset for node in places.matched.get(policy, ())}
    elsewhere = undecided.elsewhere(covered)
    gaps = {gap: None for each in concerned for gap in each.incomplete if gap not in elsewhere}
    gaps.update(dict.fromkeys(gap for each in judged for gap in each.unknown))
    gaps.update(dict.fromkeys(_unknown(report, policy, places, classified=bool(concerned))))
    gaps.update({gap: None for gap in undecided.to(covered) if gap.reason in KINDS})
    doubtful = {each.held.attribute.node for each in judged if each.unknown}
    complete_for = frozenset(each.attribute.node for each in concerned if each.complete) - doubtful
    violations = tuple(each.held for each in judged if each.violates)
    return Verdict(policy, violations, tuple(gaps), complete_for)


def _on_reidentification(
    report: ExposureReport,
    policy: Policy,
    places: Places[Policy],
    reidentified: Sequence[Reidentification],
) -> Verdict:
    concerned = [each for each in report.attributes if each.attribute.is_of(policy.category)]
    telling = [each for each in report.attributes if each.attribute.identifies]
    gaps: dict[Incomplete, None] = {gap: None for each in (*concerned, *telling) for gap in each.incomplete}
    gaps.update(dict.fromkeys(_unknown(report, policy, places, classified=bool(concerned))))
    # What nobody decided about may be a key table, wherever it is.
    gaps.update({gap: None for gap in report.incomplete if gap.reason in KINDS})
    violations = tuple(
        HeldAttribute.reidentified(each)
        for each in reidentified
        if each.attribute.is_of(policy.category) and places.include(policy, each.node)
    )
    certain = concerned if all(each.complete for each in telling) else ()
    complete_for = frozenset(each.attribute.node for each in certain if each.complete)
    return Verdict(policy, violations, tuple(gaps), complete_for)


def _forbidden(
    concerned: Sequence[AttributeExposure], policy: Policy, places: Places[Policy]
) -> Iterator[HeldAttribute]:
    """Where the attributes are at a place of the policy, in a form that the policy does not allow."""
    for held in held_at_places(concerned, (policy,), places):
        if any(map(policy.forbids, held.forms)):
            yield held


def _unknown(
    report: ExposureReport, policy: Policy, places: Places[Policy], *, classified: bool
) -> Iterable[Incomplete]:
    """What is not known about the policy itself, about the classification, and of rows that may be anybody's."""
    yield from unmatched(policy, places.idle)
    yield from at_places(report.unknown_rows, (policy,), places)
    if not classified:
        detail = f"no known path is classified as {policy.category}"
        yield Incomplete(UNCLASSIFIED, DatasetKey("", ""), detail=detail)
    yield from (gap for gap in report.incomplete if gap.reason in (UNMATCHED_RULE, UNKNOWN_CATEGORY))


def unmatched(policy: Policy, idle_ones: Mapping[Policy, Idle]) -> Iterator[Incomplete]:
    """The gap of a policy if it is one of those that match nothing, because its names may be misspelt."""
    if policy in idle_ones:
        idle = idle_ones[policy]
        text = f"the policy fits {idle.detail}" + (f"; {idle.hint}" if idle.hint else "")
        dataset = DatasetKey(*policy.dataset_text)
        yield Incomplete(UNMATCHED_POLICY, dataset, (policy.path_text,), detail=text)
