"""The document of a report: the sections of its kind, between its status and what it is based on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Final

from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import exposed
from headwater_backend.privacy.reviews.last_review import last_review
from headwater_backend.reports.document.model import Document, Section
from headwater_backend.reports.kinds import always, art15, art17, art30, art33, exposure, review, transfers
from headwater_backend.reports.kinds.blocks import Blocks
from headwater_backend.reports.kinds.material import Material
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from headwater_backend.reports.kinds.verdicts import verdicts
from headwater_backend.reports.languages.catalogue import words

SECTIONS: Final[Mapping[Kind, Callable[[Blocks], list[Section]]]] = {
    Kind.ART30: art30.controller,
    Kind.ART30_PROCESSOR: art30.processor,
    Kind.ART15: art15.access,
    Kind.ART17: art17.erasure,
    Kind.ART33: art33.notification,
    Kind.EXPOSURE: exposure.exposure,
    Kind.REVIEW: review.review,
    Kind.TRANSFERS: transfers.transfers,
}


def build(store: LineageStore, question: ReportQuestion) -> Document:
    """The document that answers the question. Raises what ``exposed`` and the answers of its kind raise.

    The lineage is that of the question's moment, or of now; all answers in one report are of the same moment.
    """
    as_of = question.bounds.as_of or datetime.now(timezone.utc)
    asked = replace(question, bounds=replace(question.bounds, as_of=as_of))
    if asked.kind is Kind.REVIEW and asked.since is None:
        asked = replace(asked, since=last_review(store, asked.scope, as_of).report.as_of)
    catalogue = words(question.language)
    report = exposed(store, asked.scope, asked.ruling)
    material = Material(store, asked, report, catalogue)
    blocks = Blocks(material)
    checked = [verdicts(blocks)] if question.policies else []
    return Document(
        kind=question.kind.value,
        language=question.language.value,
        title=catalogue(f"titles.{question.kind.value}"),
        law=catalogue(f"laws.{question.kind.value}"),
        as_of=as_of,
        version=version("headwater"),
        question=asked.as_json(),
        complete=not material.incomplete,
        classified=always.is_classified(report.incomplete),
        sections=(
            always.status(blocks, art33.figures(blocks) if question.kind is Kind.ART33 else None),
            *SECTIONS[question.kind](blocks),
            *checked,
            always.completeness(blocks),
            always.basis(blocks),
        ),
    )
