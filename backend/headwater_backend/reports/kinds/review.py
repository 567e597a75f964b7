"""The review of exposure: what has changed since a date, to be signed."""

from __future__ import annotations

from itertools import chain

from headwater_backend.privacy.answers.exposure_changes import (
    ChangeKind,
    ExposureChange,
    ExposureChanges,
    exposure_changes,
)
from headwater_backend.reports.document.model import Lines, Paragraph, Section
from headwater_backend.reports.kinds.blocks import Blocks, Found, form_names

_EXPOSING = (ChangeKind.NEW, ChangeKind.STRONGER, ChangeKind.OTHER_FORMS)


def review(blocks: Blocks) -> list[Section]:
    """The changes, and lines for those who sign them off."""
    question = blocks.material.question
    assert question.since is not None  # noqa: S101 - checked by the question
    found = exposure_changes(blocks.material.store, question.scope, question.since, question.ruling)
    labels = ("reviewer", "role", "date", "signature", "remarks")
    lines = Lines("sign_off", tuple(blocks.words(f"lines.{each}") for each in labels))
    return [
        _changes(blocks, found),
        blocks.section("sign_off", blocks.paragraph("sign_off"), lines),
    ]


def _changes(blocks: Blocks, found: ExposureChanges) -> Section:
    if not found.changes:
        return blocks.section("changes", blocks.paragraph("no_changes"), _before(blocks, found))
    place = blocks.material.places(
        chain.from_iterable((each.attribute.node, each.node) for each in found.changes)
    )
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
        for each in found.changes
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
        ),
        blocks.findings("changes", drawn),
    )


def _before(blocks: Blocks, found: ExposureChanges) -> Paragraph | None:
    gaps = len(found.incomplete_before)
    return blocks.paragraph("incomplete_before", notice=True, gaps=f"{gaps:,}") if gaps else None


def _finding(each: ExposureChange) -> Found:
    return each.attribute, each.node, each.after, each.witness, ""
