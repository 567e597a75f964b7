"""Where violations of policies would end by the least changes: the question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from headwater_backend.domain import facet_readers
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.facet_readers import Owner
from headwater_backend.domain.model import Incomplete, JobKey, NodeKey
from headwater_backend.ports import ConditionedGraph, LineageAndRuns
from headwater_backend.privacy.answers.policy_check import PolicyCheck, check_policies
from headwater_backend.privacy.cut.changes import NO_COSTS, Change, Costs
from headwater_backend.privacy.cut.downstream import Downstream, downstream
from headwater_backend.privacy.cut.parts import Parts
from headwater_backend.privacy.cut.routes import Routes, State, routes
from headwater_backend.privacy.cut.solving import Chosen, Part
from headwater_backend.privacy.exposure import Classification, Ruling
from headwater_backend.privacy.exposure_search import comparable
from headwater_backend.privacy.forms import WHOLE, Form
from headwater_backend.privacy.held_attributes import HeldAttribute
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION, Organisation
from headwater_backend.privacy.policies import Policy
from headwater_backend.questions.resolving import resolve_node
from headwater_backend.questions.traversal import Bounds

ALTERNATIVES: Final = 3
MOST_ALTERNATIVES: Final = 20
MOST_EACH: Final = 200


class CutStore(LineageAndRuns, ConditionedGraph, Protocol):
    """The ports of the cut: those of policies, and the jobs whose owners it names."""


class Violation(NamedTuple):
    """A violation of a policy: an attribute at a place where it may not be, or not in one of its forms."""

    policy: Policy
    held: HeldAttribute


@dataclass(frozen=True, slots=True)
class Cut:
    """Violations that are ended together, and how: the cheapest sets of changes first.

    Without alternatives, no changes that the costs allow end them.
    """

    violations: tuple[Violation, ...]
    alternatives: tuple[Chosen, ...]


@dataclass(frozen=True, slots=True)
class Cuts:
    """The cuts, those with the most violations first, and what no change of what a job writes ends.

    ``kept`` are attributes at places that declare them, pseudonyms that are readable there, and those of which no route
    is known. ``incomplete`` is what is not known of the policies: there may be more violations, and more routes.
    """

    as_of: datetime
    classification: Classification
    cuts: tuple[Cut, ...]
    kept: tuple[Violation, ...]
    owners: Mapping[JobKey, tuple[Owner, ...]]
    """The owners of the jobs on the routes, and downstream of the changes."""
    downstream: Mapping[NodeKey, Downstream]
    """What is downstream of each changed path."""
    incomplete: tuple[Incomplete, ...]


def least_cuts(
    store: CutStore,
    policies: Sequence[Policy],
    ruling: Ruling,
    bounds: Bounds | None = None,
    organisation: Organisation = NO_ORGANISATION,
    *,
    costs: Costs = NO_COSTS,
    at: NodeKey | None = None,
    each: bool = False,
    alternatives: int = ALTERNATIVES,
) -> Cuts:
    """The least changes that end all violations of the policies, or those ``at`` a node; or ``each`` by itself.

    Raises ``BadQuestion``, and what ``check_policies`` raises.
    """
    if not 1 <= alternatives <= MOST_ALTERNATIVES:
        raise BadQuestion(f"{alternatives} alternatives", f"ask for 1 to {MOST_ALTERNATIVES}")
    at = at and resolve_node(store, at)
    check = check_policies(store, policies, ruling, bounds, organisation)
    found = [
        Violation(verdict.policy, held)
        for verdict in check.verdicts
        for held in verdict.violations
        if at is None or comparable(held.node, at)
    ]
    brought = [violation for violation in found if violation.held.is_brought]
    if each and len(brought) > MOST_EACH:
        raise BadQuestion(
            f"{len(brought):,} violations, more than {MOST_EACH} to cut each",
            "name a place, or cut all at once",
        )
    problems = [_Problem(check, [one]) for one in brought] if each else [_Problem(check, brought)]
    owners = _owners(store, {job for problem in problems for job in problem.jobs})

    def price(change: Change) -> float:
        return costs.of(change, [owner.name for owner in owners.get(change.place.job, ())])

    cuts = [
        Cut(tuple(violations), tuple(Part(part, price).cheapest(alternatives)))
        for problem in problems
        for part, violations in problem.parts()
    ]
    cut = {violation for each_cut in cuts for violation in each_cut.violations}
    below = _below(check, cuts)
    jobs = {job for found_below in below.values() for job in found_below.jobs} - owners.keys()
    return Cuts(
        check.as_of,
        check.classification,
        tuple(sorted(cuts, key=_order)),
        tuple(violation for violation in found if violation not in cut),
        {**owners, **_owners(store, jobs)},
        below,
        tuple(dict.fromkeys(gap for verdict in check.verdicts for gap in verdict.incomplete)),
    )


class _Problem:
    """Violations that are ended together, and the routes to them: a graph for each policy."""

    def __init__(self, check: PolicyCheck, violations: Sequence[Violation]) -> None:
        self._numbers = {exposure.attribute.node: exposure.place for exposure in check.report.attributes}
        self._violations = violations
        self._policies = list(dict.fromkeys(violation.policy for violation in violations))
        exposures = check.report.attributes
        self._propagation = exposures[0].propagation if exposures else None
        self._routes = [self._of(policy) for policy in self._policies]

    @property
    def jobs(self) -> Iterator[JobKey]:
        """The jobs on the routes."""
        return (step.place.job for each in self._routes for step in each.steps)

    def parts(self) -> Iterable[tuple[list[Routes], list[Violation]]]:
        """The parts of the routes, with the violations to which they lead; what has no routes is left out."""
        parts = Parts(self._routes)
        found: dict[Hashable, list[Violation]] = defaultdict(list)
        for violation in self._violations:
            part = parts.of(
                self._policies.index(violation.policy), self._source(violation.held.attribute.node)
            )
            if part is not None:
                found[part].append(violation)
        return ((some, found[part]) for part, some in parts.all().items())

    def _of(self, policy: Policy) -> Routes:
        assert self._propagation is not None  # noqa: S101 - there is a violation, so there is an attribute
        own = [each.held for each in self._violations if each.policy == policy]
        return routes(
            self._propagation,
            sorted({self._numbers[held.attribute.node] for held in own}),
            {held.node for held in own},
            [form for form in Form if policy.forbids(form)],
        )

    def _source(self, node: NodeKey) -> State:
        assert self._propagation is not None  # noqa: S101 - there is a violation, so there is an attribute
        return State(node, WHOLE, None, self._propagation.value_of(self._numbers[node]), declared=True)


def _below(check: PolicyCheck, cuts: Sequence[Cut]) -> Mapping[NodeKey, Downstream]:
    """What is downstream of each path that an alternative changes."""
    nodes = {change.place.node for cut in cuts for chosen in cut.alternatives for change in chosen.changes}
    return {node: downstream(check.report.attributes[0].propagation, node) for node in sorted(nodes)}


def _owners(store: CutStore, jobs: Iterable[JobKey]) -> Mapping[JobKey, tuple[Owner, ...]]:
    described = store.get_jobs(sorted(jobs))
    return {key: facet_readers.owners(found.facets) for key, found in described.items()}


def _order(cut: Cut) -> tuple[object, ...]:
    first = cut.violations[0]
    return -len(cut.violations), first.policy.line, first.held.attribute.node, first.held.node
