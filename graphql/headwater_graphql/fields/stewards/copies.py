"""Copies that no producer reported, in GraphQL: proposals, decisions, and their history."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import Enum

from headwater_backend.copies import proposals, stewardship
from headwater_backend.copies.decisions import Pair, is_confirmed
from headwater_backend.copies.matching import ProbableCopy
from headwater_backend.domain.moments import moment
from headwater_backend.domain.records import DecisionMade
from headwater_backend.domain.roles import Permission
from headwater_backend.names.stewardship import Steward
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.stewards.names import DatasetName
from headwater_graphql.fields.types import DatasetRef


class CopyVerdict(Enum):
    """A steward's verdict on a probable copy."""

    CONFIRMED = "CONFIRMED"
    REFUSED = "REFUSED"
    REOPENED = "REOPENED"


definitions.enum(CopyVerdict, description="What a steward decided about a probable copy.")


@definitions.input_type(description="A dataset, and another one that it may be a copy of.")
class CopyInput:
    dataset: DatasetName
    original: DatasetName

    def pair(self) -> Pair:
        return Pair(self.dataset.key(), self.original.key())


@definitions.object_type(
    description="A dataset that was read before anybody wrote it, and another one that it is probably a copy of."
)
class CopyProposal:
    dataset: DatasetRef
    original: DatasetRef
    why: list[str] = definitions.field(description="What both have in common.")

    @classmethod
    def of(cls, found: ProbableCopy) -> CopyProposal:
        return cls(
            dataset=DatasetRef.of(found.dataset), original=DatasetRef.of(found.original), why=list(found.why)
        )


@definitions.object_type(description="A steward's decision about a probable copy.")
class CopyDecision:
    at: datetime
    by: str
    reason: str
    verdict: CopyVerdict
    dataset: DatasetRef
    original: DatasetRef

    @classmethod
    def of(cls, made: DecisionMade) -> CopyDecision:
        pair, confirmed = Pair.of_subject(made.subject), is_confirmed(made)
        verdict = CopyVerdict.CONFIRMED if confirmed else CopyVerdict.REFUSED
        return cls(
            at=moment(made.time),
            by=made.actor,
            reason=made.reason,
            verdict=CopyVerdict.REOPENED if confirmed is None else verdict,
            dataset=DatasetRef.of(pair.dataset),
            original=DatasetRef.of(pair.original),
        )


@definitions.object_type()
class CopyQuery:
    @definitions.resolver(
        description="Datasets that were read before anybody wrote them, with others of the same size, rows or columns."
    )
    @needs(Permission.ASK)
    def copy_proposals(self, info: Info, first: int | None = 50) -> list[CopyProposal]:
        info.context.require_all_names()
        return [CopyProposal.of(each) for each in run_question(info, proposals.proposals, first)]

    @definitions.resolver(description="All decisions about copies, newest first.")
    @needs(Permission.ASK)
    def copy_decisions(self, info: Info, first: int | None = 50) -> list[CopyDecision]:
        info.context.require_all_names()
        return [CopyDecision.of(made) for made in run_question(info, stewardship.history, first)]


@definitions.object_type()
class CopyMutation:
    @definitions.resolver(
        description="Confirm, refuse or reopen probable copies, all or none. What is confirmed becomes lineage. With "
        "`dryRun`, only report the decisions. Stewards only for their namespaces."
    )
    @needs(Permission.NAME, audited_as="decide copies", audited_by_store=True)
    def decide_copies(
        self,
        info: Info,
        reason: str,
        confirmed: list[CopyInput] | None = None,
        refused: list[CopyInput] | None = None,
        reopened: list[CopyInput] | None = None,
        dry_run: bool = False,
    ) -> list[CopyDecision]:
        wanted = stewardship.Wanted(*map(_pairs, (confirmed, refused, reopened)))
        steward = Steward(info.context.caller, reason, info.context.request_id)
        made = run_question(info, stewardship.decide, wanted, steward, dry_run=dry_run)
        return [CopyDecision.of(each) for each in made]


def _pairs(given: Iterable[CopyInput] | None) -> tuple[Pair, ...]:
    return tuple(each.pair() for each in given or ())
