"""Corrections in GraphQL: what was reported again about runs that had ended, and what stewards accept of it."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.corrections import stewardship
from headwater_backend.domain import model
from headwater_backend.domain.moments import moment
from headwater_backend.domain.records import DecisionMade
from headwater_backend.domain.roles import Permission
from headwater_backend.names.stewardship import Steward
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, of_list
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.stewards.names import DatasetName
from headwater_graphql.fields.types import DatasetRef, JobRef


@definitions.object_type(
    description="Something that was reported again about a run that had ended. What was reported before is listed as "
    "well, until a steward accepts the correction."
)
class Correction:
    dataset: DatasetRef = definitions.field(description="The output.")
    job: JobRef
    at: datetime = definitions.field(description="When it was received.")
    by: str = definitions.field(description="The sender, as in the audit log.")

    @classmethod
    def of(cls, found: model.Correction) -> Correction:
        return cls(dataset=DatasetRef.of(found.dataset), job=JobRef.of(found.job), at=found.at, by=found.by)


@definitions.object_type(
    description="A steward's decision about all that was reported of a dataset until then."
)
class CorrectionDecision:
    at: datetime
    by: str
    reason: str
    accepted: bool = definitions.field(description="False where an earlier decision is taken back.")
    dataset: DatasetRef

    @classmethod
    def of(cls, made: DecisionMade) -> CorrectionDecision:
        return cls(
            at=moment(made.time),
            by=made.actor,
            reason=made.reason,
            accepted=stewardship.is_accepted(made),
            dataset=DatasetRef.of(stewardship.dataset_of_decision(made)),
        )


@definitions.object_type()
class CorrectionQuery:
    @definitions.resolver(description="Corrections that nobody has accepted, by dataset and job.")
    @needs(Permission.ASK)
    def corrections(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[Correction]:
        info.context.require_all_names()
        return of_list(run_question(info, stewardship.pending), Correction.of, first, after, "corrections")

    @definitions.resolver(description="All decisions about corrections, newest first.")
    @needs(Permission.ASK)
    def correction_decisions(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[CorrectionDecision]:
        info.context.require_all_names()
        made = run_question(info, stewardship.history)
        return of_list(made, CorrectionDecision.of, first, after, "decisions")


@definitions.object_type()
class CorrectionMutation:
    @definitions.resolver(
        description="Accept all that was reported of datasets until now, also where it clears what was reported "
        "before, or take that back, all or none. With `dryRun`, only report the decisions. Stewards "
        "only for their namespaces."
    )
    @needs(Permission.NAME, audited_as="decide corrections", audited_by_store=True)
    def decide_corrections(
        self,
        info: Info,
        reason: str,
        accepted: list[DatasetName] | None = None,
        reopened: list[DatasetName] | None = None,
        dry_run: bool = False,
    ) -> list[CorrectionDecision]:
        named = (tuple(each.key() for each in given or ()) for given in (accepted, reopened))
        steward = Steward(info.context.caller, reason, info.context.request_id)
        made = run_question(info, stewardship.decide, stewardship.Wanted(*named), steward, dry_run=dry_run)
        return [CorrectionDecision.of(each) for each in made]
