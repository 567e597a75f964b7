"""The right of access: Art. 15(1) GDPR."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from headwater_backend.privacy.classification.vocabulary import special_category
from headwater_backend.privacy.exposure import AttributeExposure, ExposedOutput
from headwater_backend.privacy.forms import Form
from headwater_backend.reports.document.model import Cell, Section
from headwater_backend.reports.kinds import processing
from headwater_backend.reports.kinds.blocks import DRAWN, Blocks, form_names, names, party


def access(blocks: Blocks) -> list[Section]:
    """What a person may learn about the processing of their data, in their words, and then where it is in detail."""
    return [
        processing.parties_of_controller(blocks),
        _your_data(blocks),
        _sources(blocks),
        _rights(blocks),
        _decisions(blocks),
        processing.activities(blocks),
        processing.categories(blocks),
        processing.recipients(blocks),
        processing.transfers(blocks),
        processing.retention(blocks),
    ]


def _your_data(blocks: Blocks) -> Section:
    """For each kind of data, what it is used for, who receives it, and for how long it is kept."""
    material = blocks.material
    rows = (_of_category(blocks, category) for category in material.categories_in(material.cells))
    columns = "category article purposes legal_bases recipients retention"
    return blocks.section(
        "your_data", blocks.paragraph("your_data"), blocks.table("your_data", columns, rows)
    )


def _of_category(blocks: Blocks, category: str) -> tuple[Cell, ...]:
    material = blocks.material
    holding = [each for each in material.stored if category in material.cells[each]]
    stated = list(dict.fromkeys(one for each in holding for one in material.statements_of(each)))
    received = dict.fromkeys(
        processing.with_country(blocks.words, each.name, each.country)
        for dataset in holding
        for each in material.recipients_of(dataset)
    )
    article = special_category(category)
    return (
        category,
        (article.name,) if article else ("NONE",),
        tuple(dict.fromkeys(each.purpose for each in stated if each.purpose)) or None,
        tuple(dict.fromkeys(each.legal_basis for each in stated if each.legal_basis)) or None,
        tuple(received) or None,
        blocks.periods(stated) or None,
    )


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
    """Where the data come from: the datasets in which they are first known, and the paths there."""
    attributes = [each.attribute for each in blocks.material.report.attributes]
    place = blocks.material.places(each.node for each in attributes)
    rows = ((*each.node.dataset, place(each.node).path, each.categories) for each in attributes)
    first = sorted({each.node.dataset for each in attributes})
    return blocks.section(
        "sources",
        blocks.paragraph("sources"),
        blocks.facts("sources", origins=names(first)),
        blocks.table("sources", "namespace dataset path categories", rows, annex=True),
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
    columns = "attribute attribute_dataset dataset path kinds forms"
    return blocks.section(
        "decisions",
        blocks.facts("decisions", automated_decisions=stated.automated_decisions),
        blocks.paragraph("decisions" if total else "no_decisions", count=f"{total:,}"),
        blocks.table("decisions", columns, rows, total, annex=True),
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
