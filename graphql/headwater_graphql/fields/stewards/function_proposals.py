"""Proposals of what user functions do, in GraphQL: a second opinion's answers, and what stewards decide of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from headwater_backend.domain.model import JobKey
from headwater_backend.domain.moments import moment
from headwater_backend.domain.records import DecisionMade
from headwater_backend.domain.roles import Permission
from headwater_backend.function_proposals import proposal as kept
from headwater_backend.function_proposals import stewardship
from headwater_backend.names.stewardship import Steward
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, of_list
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.types import JobName, JobRef

definitions.enum(
    kept.State,
    name="FunctionProposalState",
    description="PROPOSED: nobody has decided. ACCEPTED: jobs may be configured with it. REFUSED: it is not true.",
)


@definitions.input_type(
    description="What a function may do, in the notation of declarations, and to which code."
)
class FunctionProposalInput:
    function: str
    reads: list[str]
    digest: str
    file: str
    line: int
    parameters: list[str] | None = None
    writes: str | None = None
    checks: list[str] | None = None

    def proposal(self, job: JobKey) -> kept.Proposal:
        code = kept.CodeSeen(self.digest, self.file, self.line)
        parameters, checks = tuple(self.parameters or ()), tuple(self.checks or ())
        return kept.Proposal(job, self.function, parameters, tuple(self.reads), self.writes, code, checks)


@definitions.object_type(description="A decision about a proposal, or the proposal itself.")
class FunctionDecision:
    at: datetime
    by: str
    reason: str
    state: kept.State

    @classmethod
    def of(cls, made: DecisionMade) -> FunctionDecision:
        return cls(at=moment(made.time), by=made.actor, reason=made.reason, state=kept.state_of(made))


@definitions.object_type(
    description="What a second opinion takes a function to do. It is no lineage: once it is accepted, the job has "
    "to be configured with it, and reports it as declared by the steward."
)
class FunctionProposal:
    id: str
    job: JobRef
    function: str = definitions.field(description="As the job's plans have it.")
    parameters: list[str]
    reads: list[str] = definitions.field(description="In the notation of declarations.")
    writes: str | None = definitions.field(description="The result's path for lines without an arrow.")
    digest: str = definitions.field(description="Of the code that it is about; it counts for no other.")
    file: str
    line: int
    checks: list[str] = definitions.field(description="What the analysis and trial runs say of it.")
    state: kept.State
    decisions: list[FunctionDecision] = definitions.field(description="Newest first.")

    @classmethod
    def of(cls, found: kept.Stated) -> FunctionProposal:
        proposal = found.proposal
        return cls(
            id=proposal.id,
            job=JobRef.of(proposal.job),
            function=proposal.function,
            parameters=list(proposal.parameters),
            reads=list(proposal.reads),
            writes=proposal.writes,
            digest=proposal.code.digest,
            file=proposal.code.file,
            line=proposal.code.line,
            checks=list(proposal.checks),
            state=found.state,
            decisions=[FunctionDecision.of(made) for made in found.decisions],
        )


@definitions.object_type()
class FunctionProposalQuery:
    @definitions.resolver(
        description="Proposals of what functions of a job, or of all jobs, do, the one of the newest decision first."
    )
    @needs(Permission.ASK)
    def function_proposals(
        self,
        info: Info,
        job: JobName | None = None,
        states: list[kept.State] | None = None,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[FunctionProposal]:
        info.context.require_all_names()
        found = run_question(info, stewardship.proposals, job.key() if job else None, states)
        return of_list(found, FunctionProposal.of, first, after, "proposals")


@definitions.object_type()
class FunctionProposalMutation:
    @definitions.resolver(
        description="Keep proposals for functions of a job, all or none, and return those that are new. With `dryRun`, "
        "only report them. Stewards only for their namespaces."
    )
    @needs(Permission.NAME, audited_as="propose functions", audited_by_store=True)
    def propose_functions(
        self,
        info: Info,
        reason: str,
        job: JobName,
        proposals: list[FunctionProposalInput],
        dry_run: bool = False,
    ) -> list[FunctionProposal]:
        proposed = [each.proposal(job.key()) for each in proposals]
        made = run_question(info, stewardship.propose, proposed, _steward(info, reason), dry_run=dry_run)
        return [FunctionProposal.of(each) for each in made]

    @definitions.resolver(
        description="Accept, refuse or reopen proposals by their ids, all or none, and return those whose state "
        "changes. With `dryRun`, only report them. Stewards only for their namespaces."
    )
    @needs(Permission.NAME, audited_as="decide functions", audited_by_store=True)
    def decide_functions(
        self,
        info: Info,
        reason: str,
        accepted: list[str] | None = None,
        refused: list[str] | None = None,
        reopened: list[str] | None = None,
        dry_run: bool = False,
    ) -> list[FunctionProposal]:
        wanted = stewardship.Wanted(*map(_ids, (accepted, refused, reopened)))
        made = run_question(info, stewardship.decide, wanted, _steward(info, reason), dry_run=dry_run)
        return [FunctionProposal.of(each) for each in made]


def _steward(info: Info, reason: str) -> Steward:
    return Steward(info.context.caller, reason, info.context.request_id)


def _ids(given: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(given or ())
