"""Findings in GraphQL: violations of policies that were noticed, and what was done about them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.domain.pages import Page
from headwater_backend.domain.roles import Permission
from headwater_backend.names.stewardship import Steward
from headwater_backend.privacy import policies, reidentified
from headwater_backend.privacy.findings import finding, listing, recording
from headwater_backend.privacy.findings.finding import Change, State
from headwater_backend.privacy.forms import Form
from headwater_backend.questions.resolving import labels
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, connection
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.privacy.held_attributes import Barred
from headwater_graphql.fields.types import JobRef, NodeRef, PathRef

if TYPE_CHECKING:
    from headwater_backend.domain.model import NodeKey

definitions.enum(
    finding.State,
    name="FindingState",
    description="ACKNOWLEDGED: somebody lets it be. RESOLVED: somebody says that it is mended; it opens again if it is "
    "noticed again. CLEARED: it is certainly not there any more.",
)


@definitions.object_type(description="How a pseudonym is readable that may not be.")
class ReadablePseudonym:
    how: reidentified.How
    pseudonym: PathRef
    source: PathRef = definitions.field(description="What makes it readable.")
    form: Form = definitions.field(description="The form of the attribute there.")

    @classmethod
    def of(cls, found: finding.Readable, labels: Mapping[NodeKey, str]) -> ReadablePseudonym:
        return cls(
            how=found.how,
            pseudonym=PathRef.of(found.pseudonym, labels),
            source=PathRef.of(found.source, labels),
            form=found.form,
        )


@definitions.object_type(description="A violation of a policy that was noticed when lineage changed.")
class Finding:
    id: str
    state: State
    policy: str
    category: str
    severity: policies.Severity
    attribute: PathRef
    node: PathRef = definitions.field(description="The path that holds it.")
    forms: list[Form] = definitions.field(description="All forms, strongest first.")
    jobs: list[JobRef] = definitions.field(description="The jobs that brought it there.")
    countries: list[str] = definitions.field(
        description="The stated countries in which the policy does not permit it."
    )
    readable: ReadablePseudonym | None = definitions.field(
        description="How its pseudonym is readable, if the policy forbids that."
    )
    barred: Barred | None = definitions.field(
        description="Why no row can bring it there, if the server's findings are by active lineage."
    )
    noticed: datetime = definitions.field(
        description="When it was noticed first, or noticed again after it had been cleared."
    )
    changed: datetime = definitions.field(description="The time of its newest change.")
    by: str = definitions.field(description="Who made that change.")
    reason: str

    @classmethod
    def of(cls, change: Change, labels: Mapping[NodeKey, str]) -> Finding:
        found = change.finding
        return cls(
            id=found.id,
            state=found.state,
            policy=found.policy,
            category=found.category,
            severity=found.severity,
            attribute=PathRef.of(found.attribute, labels),
            node=PathRef.of(found.node, labels),
            forms=list(found.forms),
            jobs=[JobRef.of(job) for job in found.jobs],
            countries=list(found.countries),
            readable=ReadablePseudonym.of(found.readable, labels) if found.readable else None,
            barred=Barred.of(found.barred) if found.barred else None,
            noticed=change.noticed,
            changed=change.time,
            by=change.actor,
            reason=change.reason,
        )


@definitions.object_type()
class FindingQuery:
    @definitions.resolver(
        description="Findings by policies of the server, the last noticed first; without `states`, all. `at` returns "
        "those at or below a node, `asOf` returns them as they were then."
    )
    @needs(Permission.AUDIT, audited_as="list findings")
    def findings(
        self,
        info: Info,
        states: list[State] | None = None,
        policy: str | None = None,
        ids: list[str] | None = None,
        at: NodeRef | None = None,
        as_of: datetime | None = None,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[Finding]:
        node = at.key() if at else None
        page = run_question(
            info, listing.findings, first, after, states=states, policy=policy, ids=ids, at=node, as_of=as_of
        )
        return _connection(info, page, after)

    @definitions.resolver(description="All changes of a finding, newest first.")
    @needs(Permission.AUDIT, audited_as="list findings")
    def finding_history(
        self, info: Info, finding: str, first: int | None = 50, after: str | None = None
    ) -> Connection[Finding]:
        return _connection(info, run_question(info, listing.history, finding, first, after), after)


@definitions.object_type()
class FindingMutation:
    @definitions.resolver(
        description="Put findings in a state, ACKNOWLEDGED or RESOLVED, all of them or none."
    )
    @needs(Permission.AUDIT, audited_as="findings", audited_by_store=True)
    def decide_findings(self, info: Info, ids: list[str], state: State, reason: str) -> list[Finding]:
        steward = Steward(info.context.caller, reason, info.context.request_id)
        found = run_question(info, recording.decide, ids, state, steward)
        named = _labels(info, found)
        return [Finding.of(change, named) for change in found]


def _connection(info: Info, page: Page[tuple[str, Change]], after: str | None) -> Connection[Finding]:
    found = [change for _, change in page.items]
    named = _labels(info, found)
    cursors = [cursor for cursor, _ in page.items]
    return connection((Finding.of(each, named) for each in found), cursors, page.has_next, after)


def _labels(info: Info, found: list[Change]) -> Mapping[NodeKey, str]:
    return run_question(info, labels, (node for each in found for node in each.finding.nodes))
