"""Residency in GraphQL: in which countries personal data are, and whether they may be there."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.domain.roles import Permission
from headwater_backend.privacy.answers import residency, residency_verdicts
from headwater_backend.privacy.forms import Form
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import PageInfo
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.privacy.exposure import (
    Classification,
    FunctionRule,
    PersonalRule,
    exposure_scope,
    ruling_of,
)
from headwater_graphql.fields.privacy.policies.check import Policy, policies_of, stated
from headwater_graphql.fields.types import DatasetRef, Incomplete, NodeRef

definitions.enum(
    residency_verdicts.Residency,
    name="ResidencyVerdict",
    description="OUTSIDE: data are in a country that a policy does not permit. NOT_KNOWN: no policy says where they "
    "may be, it is not stated where they are, or lineage is incomplete.",
)


@definitions.object_type(
    description="A category of personal data in a dataset, and the countries of the dataset."
)
class ResidentCategory:
    dataset: DatasetRef
    category: str
    forms: list[Form] = definitions.field(description="All forms there, strongest first.")
    countries: list[str] = definitions.field(
        description="Those that are stated, by their codes of ISO 3166-1: of the dataset and of its recipients."
    )
    verdict: residency_verdicts.Residency
    policies: list[str] = definitions.field(
        description="The policies that concern the data; if they are OUTSIDE, those that do not permit it."
    )
    outside: list[str] = definitions.field(description="The countries that these policies do not permit.")
    unknown: list[str] = definitions.field(
        description="Why it is NOT_KNOWN: NO_POLICY, UNSTATED_LOCATION, UNCLEAR_COUNTRY, INCOMPLETE."
    )

    because: list[str] = definitions.field(
        description="With `active`, if it is OUTSIDE: why no row can bring it there. Empty where one may."
    )

    @classmethod
    def of(cls, found: residency_verdicts.ResidentCategory) -> ResidentCategory:
        return cls(
            dataset=DatasetRef.of(found.dataset),
            category=found.category,
            forms=list(found.forms),
            countries=list(found.countries),
            verdict=found.residency,
            policies=list(found.policies),
            outside=list(found.outside),
            unknown=list(found.unknown),
            because=list(found.because),
        )


@definitions.object_type()
class ResidentCategoryEdge:
    node: ResidentCategory
    cursor: str


@definitions.object_type(description="The number of categories in datasets with this verdict.")
class ResidencyCount:
    verdict: residency_verdicts.Residency
    count: int


@definitions.object_type(description="A page of the categories in datasets, by dataset and category.")
class ResidencyConnection:
    edges: list[ResidentCategoryEdge]
    page_info: PageInfo
    total_count: int
    totals: list[ResidencyCount]
    complete: bool
    incomplete: list[Incomplete] = definitions.field(
        description="Gaps of the whole answer, on every page: of lineage, of what is personal, locations that are not "
        "stated, and categories without a policy."
    )
    as_of: datetime = definitions.field(description="The time of the lineage used for all pages.")
    classification: Classification

    @classmethod
    def of(cls, found: residency.ResidencyPage, after: str | None) -> ResidencyConnection:
        items = found.items.items
        return cls(
            edges=[ResidentCategoryEdge(node=ResidentCategory.of(each), cursor=at) for at, each in items],
            page_info=PageInfo.of([at for at, _ in items], found.items.has_next, after),
            total_count=sum(found.totals.values()),
            totals=[ResidencyCount(verdict=each, count=count) for each, count in found.totals.items()],
            complete=not found.incomplete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
            as_of=found.report.as_of,
            classification=Classification.of(found.report.classification),
        )


@definitions.object_type()
class ResidencyQuery:
    @definitions.resolver(
        description="In which countries personal data are, and whether they may be there: by what the organisation "
        "states, in its YAML file or that of the server, and by the policies that have countries, those of the query "
        "or of the server. Other arguments are those of `attributeExposure`."
    )
    @needs(Permission.AUDIT, audited_as="residency")
    def residency(
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
        active: bool = False,
    ) -> ResidencyConnection:
        info = as_known(info, as_known_at)
        found = run_question(
            info,
            residency.residency,
            exposure_scope(info, node, None, category, depth, as_of, influenced=False),
            ruling_of(info, rules, functions, lenient),
            info.context.snapshots,
            policies=info.context.policies if policies is None else policies_of(policies),
            organisation=stated(info, organisation),
            first=first,
            after=after,
            active=active,
        )
        return ResidencyConnection.of(found, after)
