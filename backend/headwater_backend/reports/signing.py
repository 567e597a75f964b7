"""Signing of reports: the same question is asked again, and only what still has that answer is signed.

So the record never holds a hash that Headwater would not give, or another moment or selection than the report's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.moments import micros
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.names.checks import require_reason
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import CataloguedGraph, LineageStore, Names
from headwater_backend.privacy.exposure import exposed
from headwater_backend.privacy.reviews.last_review import holdings_digest
from headwater_backend.privacy.reviews.sign_off import SignedReport, SignOff
from headwater_backend.questions.resolving import resolve_node
from headwater_backend.reports.document.canonical import as_json, digest
from headwater_backend.reports.document.model import Document
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import MOST_ROWS, Kind, ReportQuestion

ACTION: Final = "sign-offs"
"""The action of an entry of the audit log about a sign-off."""


def sign(store: LineageStore, question: ReportQuestion, read: str, steward: Steward) -> SignOff:
    """Record that the steward signs the report with the hash ``read``, which answers the question.

    What the same person has signed for the same reason stays as it is. Raises ``BadQuestion``, and what ``build``
    raises.
    """
    require_reason(steward.reason)
    as_of = question.bounds.as_of
    if as_of is None:
        raise BadQuestion("the moment of the report is needed", "name its asOf")
    if as_of > steward.now:
        raise BadQuestion(
            f"{as_of.isoformat()} is in the future", "sign a report of a moment that has passed"
        )
    document = build(store, question)
    _require_signable(document, read)
    return _recorded(store, _signed(store, question, document, read), steward)


def _require_signable(document: Document, read: str) -> None:
    if digest(as_json(document)) != read:
        raise BadQuestion(
            f"the same question has another answer now than the report {read}",
            "`headwater report verify` with --store or --url lists what differs; write the report again, and read that",
        )
    if not document.classified:
        raise BadQuestion(
            "nothing is classified as personal, so there is nothing to sign", "classify it first"
        )
    for _, table in document.tables():
        if document.kind == Kind.REVIEW.value and table.key == "changes" and len(table.rows) < table.total:
            raise BadQuestion(
                f"the review lists {len(table.rows):,} of {table.total:,} changes; the rest would count as reviewed",
                f"write it with --rows, up to {MOST_ROWS:,}, or of a dataset or a category",
            )


def _signed(store: CataloguedGraph, question: ReportQuestion, document: Document, read: str) -> SignedReport:
    is_review = question.kind is Kind.REVIEW
    scope = question.scope
    return SignedReport(
        kind=document.kind,
        as_of=document.as_of,
        hash=read,
        complete=document.complete,
        version=document.version,
        since=question.since,
        of=scope.of and resolve_node(store, scope.of),
        category=scope.category,
        depth=scope.bounds.depth,
        influenced=scope.influenced,
        holdings=holdings_digest(exposed(store, scope, question.ruling)) if is_review else "",
    )


def _recorded(store: Names, report: SignedReport, steward: Steward) -> SignOff:
    found: list[SignOff] = []

    def batch(records: Sequence[DecisionMade]) -> Batch:
        same = [each for each in records if each.subject == report.subject]
        known = [each for each in same if (each.actor, each.reason) == (steward.caller.name, steward.reason)]
        if known:
            found[:] = [SignOff.of(known[0])]
            return Batch()
        time = max([micros(steward.now), *(each.time + 1 for each in same)])
        made = DecisionMade(report.subject, time, report.content(), steward.caller.name, steward.reason)
        found[:] = [SignOff.of(made)]
        details = {
            "hash": report.hash,
            "kind": report.kind,
            "asOf": report.as_of.isoformat(),
            "reason": steward.reason,
        }
        note = AuditNote(steward.caller.name, ACTION, "signed", steward.request, details)
        return Batch(decisions=(made,), notes=(note,))

    store.decide(batch)
    return found[0]
