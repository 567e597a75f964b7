"""The review of exposure: what has changed since a date, to be signed."""

from __future__ import annotations

from itertools import chain

from headwater_backend.domain.moments import micros, moment
from headwater_backend.domain.records import DecisionMade
from headwater_backend.privacy.answers.exposure_changes import (
    NOT_AS_SIGNED,
    ChangeKind,
    ExposureChange,
    ExposureChanges,
)
from headwater_backend.privacy.classification.decided import (
    Declassification,
    PathClass,
    Rejection,
    Reviewed,
    is_about_classes,
    place,
    subject_place,
    thing_of,
)
from headwater_backend.reports.document.model import Lines, Paragraph, Section
from headwater_backend.reports.kinds.blocks import Blocks, Found, form_names
from headwater_backend.reports.languages.catalogue import Words

_EXPOSING = (ChangeKind.NEW, ChangeKind.STRONGER, ChangeKind.OTHER_FORMS)


def review(blocks: Blocks) -> list[Section]:
    """The changes, and lines for those who sign them off."""
    found = blocks.material.changes
    assert found is not None  # noqa: S101 - a review has a moment since which changes are listed
    labels = ("reviewer", "role", "date", "signature", "remarks")
    lines = Lines("sign_off", tuple(blocks.words(f"lines.{each}") for each in labels))
    return [
        _previous(blocks, found),
        _changes(blocks, found),
        _decisions(blocks, found),
        blocks.section("sign_off", blocks.paragraph("sign_off"), lines),
    ]


def _previous(blocks: Blocks, found: ExposureChanges) -> Section:
    """The signed review that this one continues."""
    signed = found.review
    if signed is None:
        return blocks.section("previous_review", blocks.paragraph("no_previous_review"))
    otherwise = any(gap.reason == NOT_AS_SIGNED for gap in found.incomplete_before)
    return blocks.section(
        "previous_review",
        blocks.facts(
            "previous_review",
            signed_by=signed.by,
            signed_at=f"{signed.at:%Y-%m-%d %H:%M:%S %Z}",
            signed_reason=signed.reason,
            signed_hash=signed.report.hash,
        ),
        blocks.paragraph("not_as_signed", notice=True) if otherwise else None,
    )


def _decisions(blocks: Blocks, found: ExposureChanges) -> Section:
    """What stewards decided since then about what is personal; it is no change of lineage."""
    made = [
        each
        for each in blocks.material.store.decisions()
        if is_about_classes(each) and micros(found.since) < each.time <= micros(found.as_of)
    ]
    rows = (
        (f"{moment(each.time):%Y-%m-%d %H:%M:%S %Z}", _text(each, blocks.words), each.actor, each.reason)
        for each in made
    )
    return blocks.section(
        "class_decisions",
        blocks.paragraph("class_decisions"),
        blocks.table("class_decisions", "decided_at decision by decision_reason", rows),
    )


def _text(made: DecisionMade, words: Words) -> str:
    """What was decided, of which path."""
    node, job = subject_place(made.subject)
    where = place(node) + (f" ({job.title})" if job else "")
    match thing_of(made):
        case PathClass(_, keys, _) if keys:
            return words("values.decided_class", place=where, categories=", ".join(keys))
        case PathClass():
            return words("values.decided_not_personal", place=where)
        case Declassification(_, _, until):
            end = f"{until:%Y-%m-%d %H:%M:%S %Z}" if until else words("values.revoked")
            return words("values.decided_declassified", place=where, until=end)
        case Rejection():
            return words("values.decided_rejected", place=where)
        case Reviewed(_, paths):
            return words("values.decided_looked_at", place=where, paths=f"{len(paths):,}")
        case None:
            return words("values.decided_revoked", place=where)


def _changes(blocks: Blocks, found: ExposureChanges) -> Section:
    if not found.changes:
        return blocks.section("changes", blocks.paragraph("no_changes"), _before(blocks, found))
    shown = blocks.listed(found.changes)
    place = blocks.material.places(chain.from_iterable((each.attribute.node, each.node) for each in shown))
    counts = ((kind.name, sum(each.kind is kind for each in found.changes)) for kind in ChangeKind)
    rows = (
        (
            (each.kind.name,),
            *each.node.dataset,
            place(each.node).path,
            place(each.attribute.node).path,
            each.attribute.node.dataset.name,
            each.attribute.categories,
            form_names(each.before),
            form_names(each.after),
        )
        for each in shown
    )
    drawn = [_finding(each) for each in found.changes if each.kind in _EXPOSING]
    return blocks.section(
        "changes",
        blocks.paragraph("changes"),
        _before(blocks, found),
        blocks.table("change_counts", "change count", (((name,), count) for name, count in counts)),
        blocks.table(
            "changes",
            "change namespace dataset path attribute attribute_dataset categories before after",
            rows,
            len(found.changes),
        ),
        blocks.findings("changes", drawn),
    )


def _before(blocks: Blocks, found: ExposureChanges) -> Paragraph | None:
    gaps = sum(gap.reason != NOT_AS_SIGNED for gap in found.incomplete_before)
    return blocks.paragraph("incomplete_before", notice=True, gaps=f"{gaps:,}") if gaps else None


def _finding(each: ExposureChange) -> Found:
    return each.attribute, each.node, each.after, each.witness, ""
