"""Policies on personal data in GraphQL: what is known about each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from headwater_backend.domain.errors import BadQuestion, RulesError
from headwater_backend.domain.pages import size
from headwater_backend.domain.roles import Permission
from headwater_backend.privacy import held_attributes, policies
from headwater_backend.privacy.answers import policy_check
from headwater_backend.privacy.classification.rules import check_category
from headwater_backend.privacy.findings import acceptance
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.countries import check_country_or_group
from headwater_backend.privacy.organisation.statements import Organisation, check_purpose
from headwater_backend.questions.resolving import labels
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.privacy.declassifications import Declassification
from headwater_graphql.fields.privacy.exposure import (
    Classification,
    FunctionRule,
    PersonalRule,
    exposure_bounds,
    ruling_of,
)
from headwater_graphql.fields.privacy.held_attributes import HeldAttribute, nodes_of
from headwater_graphql.fields.types import Incomplete

if TYPE_CHECKING:
    from headwater_backend.domain.model import NodeKey

MOST_POLICIES = 2_000
"""Maximum number of policies in a query."""
VIOLATIONS = 1_000

definitions.enum(
    policies.Severity,
    name="PolicySeverity",
    description="The weight of a violation; only an error fails a check.",
)
definitions.enum(
    policy_check.Outcome,
    name="PolicyOutcome",
    description="UNKNOWN: no violation is known, but something about the lineage or the classification is not.",
)


@definitions.input_type(
    description="Data of the category may be at the places only in the allowed forms. Patterns are those of "
    "`PersonalRule`. Without `allow`, aggregated and masked values and influences may be there."
)
class Policy:
    policy: str = definitions.field(description="The policy's name.")
    category: str = definitions.field(description="A key of fideslang's taxonomy: `user` or a subcategory.")
    name: str = definitions.field(default="*", description="Names of datasets.")
    namespace: str | None = None
    path: str = policies.EVERY_PATH
    allow: list[Form] | None = None
    severity: policies.Severity = policies.Severity.ERROR
    purposes: list[str] | None = definitions.field(
        default=None,
        description="Data uses of fideslang, for which the data may be there in any form; the organisation states what "
        "datasets and jobs are for.",
    )
    countries: list[str] | None = definitions.field(
        default=None,
        description="Codes of ISO 3166-1, `EU` or `EEA`: the countries in which the data may be in any form; the "
        "organisation states where datasets and recipients are.",
    )
    forbids_reidentification: bool = definitions.field(
        default=False,
        description="The policy is about re-identification alone: no pseudonym of the data may be readable at the "
        "places. Then it has neither `allow`, `purposes` nor `countries`.",
    )
    line: int | None = definitions.field(default=None, description="Line in a file of policies.")

    def value(self, number: int) -> policies.Policy:
        line = number if self.line is None else self.line
        check_category(self.category, "policies", line)
        for purpose in self.purposes or ():
            check_purpose(purpose, "policies", line)
        for country in self.countries or ():
            check_country_or_group(country, "policies", line)
        if self.forbids_reidentification and (self.allow is not None or self.purposes or self.countries):
            raise RulesError(
                "policies",
                line,
                "a policy that forbids re-identification permits no forms, purposes or countries",
                "write two policies",
            )
        return policies.Policy(
            dataset_text=(self.namespace or "", self.name),
            path_text=self.path,
            line=line,
            name=self.policy,
            category=self.category,
            allowed=policies.DEFAULT_ALLOWED if self.allow is None else frozenset(self.allow),
            severity=self.severity,
            purposes=tuple(self.purposes or ()),
            countries=tuple(self.countries or ()),
            forbids_reidentification=self.forbids_reidentification,
        )


@definitions.object_type(description="What is known about one policy.")
class PolicyVerdict:
    policy: str
    category: str
    severity: policies.Severity
    line: int
    outcome: policy_check.Outcome
    violation_count: int
    violations: list[HeldAttribute] = definitions.field(
        description="Attributes at places where they may not be, or not in one of these forms, or where their "
        "pseudonyms are readable: the first ones, by attribute and strength, or by place."
    )
    incomplete: list[Incomplete]
    declassifications: list[Declassification] = definitions.field(
        description="The declassified paths without which there would be more violations."
    )


@definitions.object_type(description="What is known about each policy, in their order.")
class PolicyCheck:
    outcome: policy_check.Outcome = definitions.field(
        description="VIOLATED or UNKNOWN if any policy is whose severity is ERROR."
    )
    verdicts: list[PolicyVerdict]
    as_of: datetime = definitions.field(description="The time of the lineage used.")
    classification: Classification


@definitions.object_type()
class PolicyQuery:
    @definitions.resolver(
        description="Checks policies on personal data. `first` is the number of violations to list for each policy; "
        "`organisation` is the YAML of the organisation's statements, instead of the server's; with `active`, "
        "violations that no row can take are `barred`; the other arguments are those of `attributeExposure`."
    )
    @needs(Permission.AUDIT, audited_as="policy check")
    def policy_check(
        self,
        info: Info,
        policies: list[Policy],
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        organisation: str | None = None,
        first: int | None = VIOLATIONS,
        active: bool = False,
    ) -> PolicyCheck:
        info = as_known(info, as_known_at)
        found = run_question(
            info,
            acceptance.check_with_acceptances,
            policies_of(policies),
            ruling_of(info, rules, functions, lenient),
            exposure_bounds(info, depth, as_of),
            stated(info, organisation),
            active=active,
        )
        most = size(first, "violations")
        shown = [each.violations[:most] for each in found.verdicts]
        named = run_question(info, labels, nodes_of(chain.from_iterable(shown)))
        return PolicyCheck(
            outcome=found.outcome,
            verdicts=[_verdict(*each, named) for each in zip(found.verdicts, shown, strict=True)],
            as_of=found.as_of,
            classification=Classification.of(found.classification),
        )


def _verdict(
    found: policy_check.Verdict,
    shown: Sequence[held_attributes.HeldAttribute],
    labels: Mapping[NodeKey, str],
) -> PolicyVerdict:
    return PolicyVerdict(
        policy=found.policy.name,
        category=found.policy.category,
        severity=found.policy.severity,
        line=found.policy.line,
        outcome=found.outcome,
        violation_count=len(found.violations),
        violations=[HeldAttribute.of(each, labels, found.accepted.get(each)) for each in shown],
        incomplete=[Incomplete.of(entry) for entry in found.incomplete],
        declassifications=[Declassification.of(stop) for stop in found.stops],
    )


def policies_of(given: Sequence[Policy]) -> tuple[policies.Policy, ...]:
    """The policies of a query. Raises ``BadQuestion`` for too many, and ``RulesError``."""
    if len(given) > MOST_POLICIES:
        raise BadQuestion(
            f"{len(given):,} policies in the query, more than the maximum {MOST_POLICIES:,}",
            "check them in several queries",
        )
    return tuple(policy.value(number) for number, policy in enumerate(given, 1))


def stated(info: Info, text: str | None) -> Organisation:
    """What the query states of the organisation, or the server."""
    if text is None:
        return info.context.organisation
    from headwater_backend.privacy.organisation.organisation_file import (  # noqa: PLC0415 - needs YAML
        parse_organisation,
    )

    return parse_organisation(text)
