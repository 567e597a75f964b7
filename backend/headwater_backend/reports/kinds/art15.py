"""The right of access: Art. 15(1) GDPR."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from headwater_backend.privacy.exposure import AttributeExposure, ExposedOutput
from headwater_backend.privacy.forms import Form
from headwater_backend.reports.document.model import Cell, Section
from headwater_backend.reports.kinds import processing
from headwater_backend.reports.kinds.blocks import DRAWN, Blocks, form_names, party


def access(blocks: Blocks) -> list[Section]:
    """What a person may learn about the processing of their data."""
    return [
        processing.parties_of_controller(blocks),
        processing.activities(blocks),
        processing.categories(blocks),
        processing.recipients(blocks),
        processing.transfers(blocks),
        processing.retention(blocks),
        _rights(blocks),
        _sources(blocks),
        _decisions(blocks),
    ]


def _rights(blocks: Blocks) -> Section:
    stated = blocks.material.question.organisation
    return blocks.section(
        "rights",
        blocks.paragraph("rights"),
        blocks.facts(
            "rights",
            rights=stated.rights,
            authority=stated.authority,
            data_protection_officer=party(stated.data_protection_officer),
        ),
    )


def _sources(blocks: Blocks) -> Section:
    """Where the data come from: the paths that are declared personal."""
    attributes = [each.attribute for each in blocks.material.report.attributes]
    place = blocks.material.places(each.node for each in attributes)
    rows = (
        (*each.node.dataset, place(each.node).path, each.categories, each.named_by) for each in attributes
    )
    return blocks.section(
        "sources",
        blocks.paragraph("sources"),
        blocks.table("sources", "namespace dataset path categories named_by", rows),
    )


def _decisions(blocks: Blocks) -> Section:
    """Automated decisions: what the data decided about without being there."""
    stated = blocks.material.question.organisation
    total = sum(map(_influences, blocks.material.report.attributes))
    found = list(islice(_influenced(blocks), blocks.material.question.rows))
    place = blocks.material.places(
        node for exposure, output in found for node in (exposure.attribute.node, output.node)
    )
    rows: Iterator[tuple[Cell, ...]] = (
        (
            place(exposure.attribute.node).path,
            exposure.attribute.node.dataset.name,
            output.node.dataset.name,
            place(output.node).path,
            output.kinds,
            form_names(output.forms),
        )
        for exposure, output in found
    )
    drawn = (
        (each.attribute, output.node, output.forms, output.witness, "") for each, output in found[:DRAWN]
    )
    return blocks.section(
        "decisions",
        blocks.facts("decisions", automated_decisions=stated.automated_decisions),
        blocks.paragraph("decisions"),
        blocks.table("decisions", "attribute attribute_dataset dataset path kinds forms", rows, total),
        blocks.findings("decisions", drawn, total),
    )


def _influenced(blocks: Blocks) -> Iterator[tuple[AttributeExposure, ExposedOutput]]:
    """What each attribute influences or perhaps reaches: the weakest forms, which come last."""
    for each in blocks.material.report.attributes:
        holders = each.holders
        for node in holders[len(holders) - _influences(each) :]:
            yield each, each.output(node)


def _influences(each: AttributeExposure) -> int:
    """The number of paths that the attribute at most influences, or perhaps reaches."""
    return each.totals.get(Form.POSSIBLE, 0) + each.totals.get(Form.INFLUENCED, 0)
