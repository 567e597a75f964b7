"""The sections on processing that several kinds share: activities, categories, recipients, transfers and measures."""

from __future__ import annotations

from collections.abc import Iterator

from headwater_backend.domain.model import DatasetKey
from headwater_backend.privacy.classification.vocabulary import special_category
from headwater_backend.privacy.organisation.countries import GROUPS
from headwater_backend.privacy.organisation.residence import Residences
from headwater_backend.privacy.retention.overdue import checked
from headwater_backend.reports.document.model import Cell, Section
from headwater_backend.reports.kinds.blocks import Blocks, form_names, names, parties, party


def parties_of_controller(blocks: Blocks) -> Section:
    """The controller and those who stand for it."""
    stated = blocks.material.question.organisation
    return blocks.section(
        "parties",
        blocks.facts(
            "parties",
            controller=party(stated.controller),
            joint_controllers=parties(stated.joint_controllers),
            representative=party(stated.representative),
            data_protection_officer=party(stated.data_protection_officer),
        ),
    )


def activities(blocks: Blocks) -> Section:
    """The purposes and legal bases that are stated, with the data that they concern."""
    material = blocks.material
    uncovered = [each for each in material.activities if each.statement is None]
    table = blocks.table(
        "activities",
        "activity purpose legal_basis subjects categories datasets recipients retention",
        _activities(blocks),
    )
    return blocks.section(
        "activities",
        blocks.paragraph("activities"),
        blocks.paragraph("uncovered", notice=True, datasets=f"{len(uncovered[0].datasets):,}")
        if uncovered
        else None,
        table,
        blocks.paragraph("idle_statements", notice=True, statements=idle)
        if (idle := _idle(blocks))
        else None,
    )


def _activities(blocks: Blocks) -> Iterator[tuple[Cell, ...]]:
    material = blocks.material
    for each in material.activities:
        said = each.statement
        recipients = dict.fromkeys(
            recipient.name for dataset in each.datasets for recipient in material.recipients_of(dataset)
        )
        yield (
            said.activity if said else None,
            (said and said.purpose) or None,
            (said.legal_basis,) if said and said.legal_basis else None,
            (said and said.subjects) or None,
            each.categories,
            names(each.datasets),
            tuple(recipients) or None,
            (said and said.retention) or None,
        )


def _idle(blocks: Blocks) -> str:
    """The activities whose patterns fit no dataset with personal data."""
    idle = (each.statement for each in blocks.material.activities if not each.datasets)
    return ", ".join(each.activity for each in idle if each)


def categories(blocks: Blocks) -> Section:
    """The computed matrix of datasets and categories."""
    rows = (
        (*dataset, category, _article(category), form_names(forms))
        for dataset, held in blocks.material.cells.items()
        for category, forms in held.items()
    )
    return blocks.section(
        "categories",
        blocks.paragraph("categories"),
        blocks.table("categories", "namespace dataset category article forms", rows),
    )


def _article(category: str) -> tuple[str, ...]:
    article = special_category(category)
    return (article.name,) if article else ("NONE",)


def recipients(blocks: Blocks) -> Section:
    """Who receives what: the datasets in which data end, and those of stated recipients."""
    material = blocks.material
    ends = set(material.ends)
    received = [each for each in material.cells if each in ends or material.recipients_of(each)]
    rows = (
        (
            *dataset,
            tuple(each.name for each in material.recipients_of(dataset)) or None,
            tuple(material.cells[dataset]),
            form_names(material.forms_in(dataset)),
        )
        for dataset in received
    )
    found = (
        (exposure.attribute, node, forms, exposure.output(node).witness, "")
        for dataset in received
        for exposure, node, forms in material.strongest(dataset)
        if node != exposure.attribute.node
    )
    return blocks.section(
        "recipients",
        blocks.paragraph("recipients"),
        blocks.table("recipients", "namespace dataset recipients categories forms", rows),
        blocks.findings("recipients", found),
    )


def transfers(blocks: Blocks) -> Section:
    """The stated recipients and locations of personal data in third countries, which are those outside the EEA."""
    rows = [
        (*stated, *dataset, tuple(held), form_names(blocks.material.forms_in(dataset)))
        for dataset, held in blocks.material.cells.items()
        for stated in _third_countries(blocks, dataset)
    ]
    columns = "recipient country safeguard namespace dataset categories forms"
    residences = Residences(blocks.material.question.organisation)
    unlocated = sum(bool(residences.of(dataset).unknown) for dataset in blocks.material.cells)
    return blocks.section(
        "transfers",
        blocks.paragraph("transfers" if rows else "no_transfers"),
        blocks.paragraph("unlocated", notice=True, datasets=f"{unlocated:,}") if unlocated else None,
        blocks.table("transfers", columns, rows) if rows else None,
    )


def _third_countries(blocks: Blocks, dataset: DatasetKey) -> Iterator[tuple[str | None, str, str | None]]:
    """The recipients of a dataset in third countries, and the other third countries in which it is."""
    received = [each for each in blocks.material.recipients_of(dataset) if each.country]
    located = {
        each.country
        for each in blocks.material.question.organisation.locations
        if each.datasets.covers(dataset)
    }
    for each in received:
        if each.country not in GROUPS["EEA"]:
            yield each.name, each.country, each.safeguard or None
    for country in sorted(located - GROUPS["EEA"] - {each.country for each in received}):
        yield None, country, None


def retention(blocks: Blocks) -> Section:
    """The time limits for erasure that are stated, by category and dataset."""
    rows = (
        (
            category,
            *dataset,
            tuple(each.activity for each in blocks.material.statements_of(dataset)) or None,
            tuple(each.retention for each in blocks.material.statements_of(dataset) if each.retention)
            or None,
        )
        for dataset, held in blocks.material.cells.items()
        for category in held
    )
    return blocks.section(
        "retention",
        blocks.paragraph("retention"),
        blocks.table("retention", "category namespace dataset activity retention", rows),
    )


def overdue(blocks: Blocks) -> Section:
    """The data that are kept for longer than stated, by the times of runs, and what is not known of it."""
    found = checked(blocks.material.store, blocks.material.report, blocks.material.question.organisation)
    rows = (
        (
            *each.dataset,
            tuple(dict.fromkeys(key for held in each.held for key in held.attribute.categories)),
            form_names(sorted({form for held in each.held for form in held.forms})),
            each.limit.retention,
            each.limit.dataset.name,
            f"{each.written:%Y-%m-%d}",
            names(each.route[:-1]),
            each.stated or None,
        )
        for each in found.overdue
    )
    columns = "namespace dataset categories forms exceeded limit_of written_on came_through stated_retention"
    drawn = (
        (held.attribute, held.node, held.forms, held.witness, "")
        for each in found.overdue
        for held in each.held
    )
    unknown = ((*gap.dataset, (gap.reason,), blocks.words.detail(gap.detail)) for gap in found.unknown)
    none_known = "none_overdue" if found.limits and not found.incomplete else "none_known_overdue"
    return blocks.section(
        "overdue",
        blocks.paragraph("overdue" if found.overdue else none_known),
        blocks.table("overdue", columns, rows) if found.overdue else None,
        blocks.findings("overdue", drawn, sum(len(each.held) for each in found.overdue)),
        blocks.paragraph("unknown_retention", notice=True) if found.unknown else None,
        blocks.table("unknown_retention", "namespace dataset reason detail", unknown)
        if found.unknown
        else None,
    )


def measures(blocks: Blocks) -> Section:
    """The security measures: those that are stated, and the masking on the way of the data."""
    rows = [
        (each.job.name, each.source.name, each.target.name, (each.form.name,), each.functions or None)
        for each in blocks.material.protections
    ]
    return blocks.section(
        "measures",
        blocks.facts("measures", measures=blocks.material.question.organisation.measures),
        blocks.paragraph("protections" if rows else "no_protections"),
        blocks.table("protections", "job source_dataset target_dataset form functions", rows)
        if rows
        else None,
    )
