"""Crossings in GraphQL: personal data that cross from country to country, and what is known of each."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.domain.roles import Permission
from headwater_backend.privacy.answers import crossings
from headwater_backend.privacy.exposure import labels_of
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation import statements
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import PageInfo
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.privacy.exposure import (
    Classification,
    FunctionRule,
    PersonalAttribute,
    PersonalRule,
    exposure_scope,
    ruling_of,
)
from headwater_graphql.fields.privacy.policies.check import Policy, policies_of, stated
from headwater_graphql.fields.types import Incomplete, NodeRef, PathRef, WitnessStep

if TYPE_CHECKING:
    from headwater_backend.domain.model import NodeKey

definitions.enum(
    crossings.CrossingVerdict,
    name="CrossingVerdict",
    description="SAFEGUARDED: no policy permits it, but safeguards that are in force cover it. UNKNOWN: no policy says "
    "where the data may be, it is not stated where they are, or lineage is incomplete, which would matter.",
)


@definitions.object_type(description="What transfers rest on, from a day until another, both included.")
class Safeguard:
    kind: str = definitions.field(description="adequacy, clauses or binding_rules.")
    countries: list[str]
    since: str | None = definitions.field(description="A day, such as 2026-06-11.")
    until: str | None
    note: str

    @classmethod
    def of(cls, found: statements.Safeguard) -> Safeguard:
        return cls(
            kind=found.kind,
            countries=list(found.countries),
            since=None if found.since is None else found.since.isoformat(),
            until=None if found.until is None else found.until.isoformat(),
            note=found.note,
        )


@definitions.object_type(description="An attribute at a path in other countries than its own dataset's.")
class Crossing:
    attribute: PersonalAttribute
    node: PathRef
    forms: list[Form] = definitions.field(description="All forms there, strongest first.")
    origin: list[str] = definitions.field(description="The stated countries of the attribute's dataset.")
    to: list[str] = definitions.field(description="Those of the path's dataset that are not among them.")
    verdict: crossings.CrossingVerdict
    policies: list[str] = definitions.field(
        description="The policies that concern the data; of a VIOLATION, those that do not permit them."
    )
    outside: list[str] = definitions.field(description="The countries in which they are violated.")
    safeguards: list[Safeguard] = definitions.field(description="Those in force that cover it.")
    lapsed: list[Safeguard] = definitions.field(
        description="Those that would cover a VIOLATION, and are not in force then."
    )
    unknown: list[str] = definitions.field(
        description="What is not known: NO_POLICY, UNSTATED_LOCATION, UNCLEAR_COUNTRY, INCOMPLETE."
    )
    witness: list[WitnessStep] = definitions.field(description="A shortest route for the strongest form.")

    @classmethod
    def of(cls, found: crossings.Crossing, labels: Mapping[NodeKey, str]) -> Crossing:
        return cls(
            attribute=PersonalAttribute.of(found.attribute, labels),
            node=PathRef.of(found.node, labels),
            forms=list(found.output.forms),
            origin=list(found.origin),
            to=list(found.to),
            verdict=found.verdict,
            policies=list(found.policies),
            outside=list(found.outside),
            safeguards=[Safeguard.of(each) for each in found.safeguards],
            lapsed=[Safeguard.of(each) for each in found.lapsed],
            unknown=list(found.unknown),
            witness=[WitnessStep.of(edge, labels) for edge in found.witness],
        )


@definitions.object_type()
class CrossingEdge:
    node: Crossing
    cursor: str


@definitions.object_type(description="The number of crossings with this verdict.")
class CrossingCount:
    verdict: crossings.CrossingVerdict
    count: int


@definitions.object_type(
    description="The number of crossings from countries to a country, with a verdict; empty where none is stated."
)
class CrossingFlow:
    origin: list[str]
    to: str
    verdict: crossings.CrossingVerdict
    count: int


@definitions.object_type(description="A page of crossings, the gravest verdict first.")
class CrossingConnection:
    edges: list[CrossingEdge]
    page_info: PageInfo
    total_count: int
    totals: list[CrossingCount]
    flows: list[CrossingFlow] = definitions.field(description="All crossings, counted by countries.")
    complete: bool
    incomplete: list[Incomplete] = definitions.field(
        description="Gaps of the whole answer, on every page: what they hide may cross, too."
    )
    as_of: datetime = definitions.field(
        description="The time of the lineage and of safeguards, for all pages."
    )
    classification: Classification


@definitions.object_type()
class CrossingQuery:
    @definitions.resolver(
        description="Personal data that cross from country to country: each attribute at each path, with a verdict and "
        "a witness. By what the organisation states of locations and safeguards, and by the policies that have "
        "countries. Arguments are those of `residency`."
    )
    @needs(Permission.AUDIT, audited_as="crossings")
    def crossings(
        self,
        info: Info,
        node: NodeRef | None = None,
        category: str | None = None,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        policies: list[Policy] | None = None,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        organisation: str | None = None,
        first: int | None = 500,
        after: str | None = None,
    ) -> CrossingConnection:
        info = as_known(info, as_known_at)
        found = run_question(
            info,
            crossings.crossings,
            exposure_scope(info, node, None, category, depth, as_of, influenced=False),
            ruling_of(info, rules, functions, lenient),
            info.context.snapshots,
            policies=info.context.policies if policies is None else policies_of(policies),
            organisation=stated(info, organisation),
            first=first,
            after=after,
        )
        items = found.items.items
        shown = [each for _, each in items]
        labels = run_question(
            info, labels_of, [each.output for each in shown], [each.attribute for each in shown]
        )
        return CrossingConnection(
            edges=[CrossingEdge(node=Crossing.of(each, labels), cursor=at) for at, each in items],
            page_info=PageInfo.of([at for at, _ in items], found.items.has_next, after),
            total_count=sum(found.totals.values()),
            totals=[CrossingCount(verdict=each, count=count) for each, count in found.totals.items()],
            flows=[
                CrossingFlow(origin=list(each.origin), to=each.to, verdict=each.verdict, count=each.crossings)
                for each in found.flows
            ],
            complete=not found.incomplete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
            as_of=found.report.as_of,
            classification=Classification.of(found.report.classification),
        )
