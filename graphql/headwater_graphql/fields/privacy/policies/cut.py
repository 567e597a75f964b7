"""The least cut in GraphQL: the changes of jobs that end violations of policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.domain.pages import size
from headwater_backend.domain.roles import Permission
from headwater_backend.privacy.cut import changes, solving
from headwater_backend.privacy.cut import cut as least
from headwater_backend.questions.resolving import labels
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.privacy.exposure import (
    Classification,
    FunctionRule,
    PersonalRule,
    exposure_bounds,
    ruling_of,
)
from headwater_graphql.fields.privacy.held_attributes import HeldAttribute, nodes_of
from headwater_graphql.fields.privacy.policies.check import Policy, policies_of, stated
from headwater_graphql.fields.types import DatasetRef, Incomplete, JobRef, NodeRef, Owner, PathRef

if TYPE_CHECKING:
    from headwater_backend.domain.model import JobKey, NodeKey

CUTS = 100
VIOLATIONS = 20
DOWNSTREAM = 50
"""Datasets and jobs that are listed of a change."""

definitions.enum(
    changes.Kind,
    name="CutKind",
    description="What a job does with the value at the path instead: it replaces its characters, computes a figure of "
    "many persons of it, or leaves it out (of what only decides, the decision).",
)


@definitions.object_type(
    description="A job that carries values of a path on, and who is to be informed of a change."
)
class CutReader:
    job: JobRef
    owners: list[Owner]


@definitions.object_type(description="A change of what a job writes at a path, and what it alters.")
class CutChange:
    job: JobRef
    owners: list[Owner] = definitions.field(description="The owners of the job.")
    node: PathRef
    kind: changes.Kind
    path_count: int = definitions.field(
        description="The number of paths that hold something of these personal data by the path: what is there would "
        "change. `impact` lists all that depends on the path."
    )
    datasets: list[DatasetRef] = definitions.field(description="The datasets of these paths, nearest first.")
    readers: list[CutReader] = definitions.field(description="The jobs that carry them there, nearest first.")


@definitions.object_type(
    description="Changes that end the violations together; none of them may be left out."
)
class CutAlternative:
    cost: float
    changes: list[CutChange]


@definitions.object_type(description="A violation of a policy.")
class CutViolation:
    policy: str
    held: HeldAttribute


@definitions.object_type(description="Violations whose routes share places, and what ends them.")
class Cut:
    violation_count: int
    violations: list[CutViolation] = definitions.field(description="The first ones.")
    alternatives: list[CutAlternative] = definitions.field(
        description="The cheapest first, of which none contains another; empty if no changes that the costs allow end "
        "the violations."
    )


@definitions.object_type(description="The least changes that end violations of policies.")
class Cuts:
    cuts: list[Cut] = definitions.field(description="Those with the most violations first.")
    cut_count: int
    kept: list[CutViolation] = definitions.field(
        description="What no change of a job ends: data at paths that declare them, and readable pseudonyms; the first "
        "ones."
    )
    kept_count: int
    complete: bool
    incomplete: list[Incomplete] = definitions.field(
        description="What is not known of the policies: there may be more violations, and more routes."
    )
    as_of: datetime
    classification: Classification


class _Shown:
    """The answer's parts, as the schema has them."""

    def __init__(self, found: least.Cuts, labels: Mapping[NodeKey, str]) -> None:
        self._found = found
        self._labels = labels

    def cut(self, each: least.Cut) -> Cut:
        return Cut(
            violation_count=len(each.violations),
            violations=[self.violation(violation) for violation in each.violations[:VIOLATIONS]],
            alternatives=[self.alternative(chosen) for chosen in each.alternatives],
        )

    def violation(self, each: least.Violation) -> CutViolation:
        return CutViolation(policy=each.policy.name, held=HeldAttribute.of(each.held, self._labels))

    def alternative(self, chosen: solving.Chosen) -> CutAlternative:
        return CutAlternative(cost=chosen.cost, changes=[self.change(each) for each in chosen.changes])

    def change(self, each: changes.Change) -> CutChange:
        below = self._found.downstream[each.place.node]
        return CutChange(
            job=JobRef.of(each.place.job),
            owners=self._owners(each.place.job),
            node=PathRef.of(each.place.node, self._labels),
            kind=each.kind,
            path_count=below.paths,
            datasets=[DatasetRef.of(key) for key in below.datasets[:DOWNSTREAM]],
            readers=[
                CutReader(job=JobRef.of(key), owners=self._owners(key)) for key in below.jobs[:DOWNSTREAM]
            ],
        )

    def _owners(self, job: JobKey) -> list[Owner]:
        return [Owner.of(each) for each in self._found.owners.get(job, ())]


@definitions.object_type()
class CutQuery:
    @definitions.resolver(
        description="The least changes of jobs that end violations of policies: all of them, those `at` a node, or "
        "`each` by itself. `costs` is YAML: what changes cost by kind, job and owner; other arguments are those of "
        "`policyCheck`. Needs SciPy."
    )
    @needs(Permission.AUDIT, audited_as="cut")
    def cut(
        self,
        info: Info,
        policies: list[Policy],
        at: NodeRef | None = None,
        each: bool = False,
        costs: str | None = None,
        alternatives: int = least.ALTERNATIVES,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        organisation: str | None = None,
        first: int | None = CUTS,
    ) -> Cuts:
        info = as_known(info, as_known_at)
        most = size(first, "cuts")
        found = run_question(
            info,
            least.least_cuts,
            policies_of(policies),
            ruling_of(info, rules, functions, lenient),
            exposure_bounds(info, depth, as_of),
            stated(info, organisation),
            costs=_costs(costs),
            at=at.key() if at else None,
            each=each,
            alternatives=alternatives,
        )
        listed, kept = found.cuts[:most], found.kept[:VIOLATIONS]
        shown = _Shown(found, run_question(info, labels, _nodes(listed, kept)))
        return Cuts(
            cuts=[shown.cut(one) for one in listed],
            cut_count=len(found.cuts),
            kept=[shown.violation(one) for one in kept],
            kept_count=len(found.kept),
            complete=not found.incomplete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
            as_of=found.as_of,
            classification=Classification.of(found.classification),
        )


def _nodes(cuts: Sequence[least.Cut], kept: Sequence[least.Violation]) -> Iterator[NodeKey]:
    for each in cuts:
        yield from nodes_of(violation.held for violation in each.violations[:VIOLATIONS])
        yield from (change.place.node for chosen in each.alternatives for change in chosen.changes)
    yield from nodes_of(violation.held for violation in kept)


def _costs(text: str | None) -> changes.Costs:
    if text is None:
        return changes.NO_COSTS
    from headwater_backend.privacy.cut.costs_file import parse_costs  # noqa: PLC0415 - needs YAML

    return parse_costs(text)
