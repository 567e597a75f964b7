"""The sections on processing that several kinds share: activities, categories, recipients, transfers and measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headwater_backend.domain.model import DatasetKey
from headwater_backend.privacy.classification.vocabulary import special_category
from headwater_backend.privacy.organisation.countries import GROUPS
from headwater_backend.privacy.organisation.residence import Residences
from headwater_backend.privacy.organisation.statements import Recipient, Safeguard
from headwater_backend.privacy.retention.overdue import checked
from headwater_backend.reports.document.model import Cell, Paragraph, Section, Table
from headwater_backend.reports.kinds.blocks import Blocks, form_names, names, parties, party
from headwater_backend.reports.kinds.material import Activity
from headwater_backend.reports.kinds.protections import protections, shortened
from headwater_backend.reports.languages.catalogue import Words


def parties_of_controller(blocks: Blocks) -> Section:
    """The controller and those who stand for it; joint controllers and a representative only where there are any."""
    stated = blocks.material.question.organisation
    more = {
        "joint_controllers": parties(stated.joint_controllers),
        "representative": party(stated.representative),
    }
    return blocks.section(
        "parties",
        blocks.facts(
            "parties",
            controller=party(stated.controller),
            **{key: lines for key, lines in more.items() if lines},
            data_protection_officer=party(stated.data_protection_officer),
        ),
    )


def activities(blocks: Blocks) -> Section:
    """The purposes and legal bases that are stated, with the data that they concern."""
    material = blocks.material
    (uncovered,) = [each for each in material.activities if each.statement is None] or (None,)
    columns = "activity purpose legal_basis subjects categories datasets recipients retention"
    return blocks.section(
        "activities",
        blocks.paragraph("activities"),
        blocks.paragraph("uncovered", notice=True, datasets=f"{len(uncovered.datasets):,}")
        if uncovered
        else None,
        blocks.table(
            "overview", "activity purpose legal_basis subjects recipients retention", _overview(blocks)
        ),
        blocks.table("activities", columns, _activities(blocks), annex=True),
        _uncovered(blocks, uncovered) if uncovered else None,
        blocks.paragraph("idle_statements", notice=True, statements=idle)
        if (idle := _idle(blocks))
        else None,
    )


def _overview(blocks: Blocks) -> Iterator[tuple[Cell, ...]]:
    rows = zip(blocks.material.activities, _activities(blocks), strict=True)
    yield from ((*row[:4], *row[6:]) for each, row in rows if each.statement)


def _activities(blocks: Blocks) -> Iterator[tuple[Cell, ...]]:
    for each in blocks.material.activities:
        stated = each.statement
        received = dict.fromkeys(recipient.name for recipient, _ in recipients_of(blocks, each))
        yield (
            stated.activity if stated else None,
            (stated and stated.purpose) or None,
            (stated.legal_basis,) if stated and stated.legal_basis else None,
            (stated and stated.subjects) or None,
            each.categories,
            names(each.datasets),
            tuple(received) or None,
            (stated and blocks.period(stated.retention)) or None,
        )


def _uncovered(blocks: Blocks, uncovered: Activity) -> Table:
    held = blocks.material.cells
    rows = ((*dataset, tuple(held[dataset])) for dataset in uncovered.datasets)
    return blocks.table("uncovered", "namespace dataset categories", rows, annex=True)


def recipients_of(blocks: Blocks, activity: Activity) -> list[tuple[Recipient, DatasetKey]]:
    """The stated recipients of an activity's data, wherever jobs bring these, with the datasets that they receive."""
    material = blocks.material
    return [
        (each, dataset)
        for dataset in material.downstream(activity.datasets)
        for each in material.recipients_of(dataset)
    ]


def _idle(blocks: Blocks) -> str:
    """The activities whose patterns fit no dataset with personal data."""
    idle = (each.statement for each in blocks.material.activities if not each.datasets)
    return ", ".join(each.activity for each in idle if each)


def categories(blocks: Blocks) -> Section:
    """The computed matrix of datasets and categories."""
    material = blocks.material
    cells = [(dataset, category) for dataset, held in material.cells.items() for category in held]
    rows = (
        (*dataset, category, _article(category), material.cell_forms(dataset, category))
        for dataset, category in blocks.listed(cells)
    )
    special = sorted({key for held in material.cells.values() for key in held if special_category(key)})
    return blocks.section(
        "categories",
        blocks.paragraph("categories"),
        blocks.facts(
            "categories",
            categories=", ".join(blocks.categories(material.categories_in(material.cells))),
            special=", ".join(blocks.categories(special)) or blocks.words("values.none_known"),
        ),
        blocks.table("categories", "namespace dataset category article forms", rows, len(cells), annex=True),
    )


def _article(category: str) -> tuple[str, ...]:
    article = special_category(category)
    return (article.name,) if article else ("NONE",)


def recipients(blocks: Blocks) -> Section:
    """The stated recipients of data, and the other datasets in which data end, which may be anybody's."""
    material = blocks.material
    received = [each for each in material.stored if material.recipients_of(each)]
    ends = set(material.ends)
    left = [each for each in material.stored if each in ends and each not in received]
    rows = (
        (
            each.name,
            each.country or None,
            *dataset,
            tuple(material.cells[dataset]),
            material.shown_forms_in(dataset),
        )
        for dataset in received
        for each in material.recipients_of(dataset)
    )
    others = ((*each, tuple(material.cells[each]), material.shown_forms_in(each)) for each in left)
    found = (
        (exposure.attribute, node, forms, exposure.output(node).witness, "")
        for dataset in (*received, *left)
        for exposure, node, forms in material.strongest(dataset)
        if node != exposure.attribute.node
    )
    columns = "recipient country namespace dataset categories forms"
    return blocks.section(
        "recipients",
        blocks.paragraph("recipients" if received else "no_recipients"),
        blocks.table("recipients", columns, rows) if received else None,
        blocks.paragraph("ends", notice=True, datasets=f"{len(left):,}") if left else None,
        programs(blocks, blocks.material.programs),
        blocks.table("ends", "namespace dataset categories forms", others, annex=True) if left else None,
        blocks.findings("recipients", found),
    )


def programs(blocks: Blocks, found: Iterable[DatasetKey]) -> Paragraph | None:
    """That these programs collected data, if there are any."""
    named = names(sorted(found))
    return blocks.paragraph("programs", notice=True, programs=", ".join(named)) if named else None


def transfers(blocks: Blocks) -> Section:
    """The stated recipients and locations of personal data in third countries, which are those outside the EEA."""
    rows = [
        (*stated, *dataset, tuple(held), blocks.material.shown_forms_in(dataset))
        for dataset, held in blocks.material.cells.items()
        for stated in third_countries(blocks, dataset)
    ]
    columns = "recipient country safeguard namespace dataset categories forms"
    residences = Residences(blocks.material.question.organisation)
    unlocated = sum(bool(residences.of(dataset).unknown) for dataset in blocks.material.stored)
    return blocks.section(
        "transfers",
        blocks.paragraph("transfers" if rows else "no_transfers"),
        blocks.paragraph("unlocated", notice=True, datasets=f"{unlocated:,}") if unlocated else None,
        blocks.table("transfers", columns, rows) if rows else None,
    )


def third_countries(blocks: Blocks, dataset: DatasetKey) -> Iterator[tuple[str | None, str, str | None]]:
    """The recipients of a dataset in third countries, and the other third countries in which it is, each with what it
    rests on.
    """
    received = [each for each in blocks.material.recipients_of(dataset) if each.country]
    located = {
        each.country
        for each in blocks.material.question.organisation.locations
        if each.datasets.covers(dataset)
    }
    for each in received:
        if each.country not in GROUPS["EEA"]:
            yield (
                each.name,
                each.country,
                each.safeguard or safeguards_in_force(blocks, dataset, each.country),
            )
    for country in sorted(located - GROUPS["EEA"] - {each.country for each in received}):
        yield None, country, safeguards_in_force(blocks, dataset, country)


def with_country(words: Words, name: str | None, country: str) -> str:
    """A recipient and its country, as far as they are stated."""
    return ", ".join(filter(None, (name, words.country(country))))


def safeguards_in_force(blocks: Blocks, dataset: DatasetKey, country: str) -> str | None:
    """The stated safeguards for a dataset in a country that are in force on the day of the lineage."""
    day = blocks.material.report.as_of.date()
    found = (
        safeguard_text(blocks.words, each)
        for each in blocks.material.question.organisation.safeguards
        if each.covers(country, dataset) and each.in_force(day)
    )
    return "; ".join(found) or None


def safeguard_text(words: Words, safeguard: Safeguard) -> str:
    """What a transfer rests on, for which countries, and from when until when."""
    days = (f"{day:%Y-%m-%d}" if day else "…" for day in (safeguard.since, safeguard.until))
    kind = words(f"safeguards.{safeguard.kind}")
    return f"{kind} ({', '.join(map(words.country_name, safeguard.countries))}, {' – '.join(days)})"


def retention(blocks: Blocks) -> Section:
    """The time limits for erasure that are stated, by category and dataset."""
    rows = (
        (
            category,
            *dataset,
            tuple(each.activity for each in blocks.material.statements_of(dataset)) or None,
            blocks.periods(blocks.material.statements_of(dataset)) or None,
        )
        for dataset in blocks.material.stored
        for category in blocks.material.cells[dataset]
    )
    return blocks.section(
        "retention",
        blocks.paragraph("retention"),
        blocks.table("periods", "activity retention", _periods(blocks)),
        blocks.table("retention", "category namespace dataset activity retention", rows, annex=True),
    )


def _periods(blocks: Blocks) -> Iterator[tuple[Cell, ...]]:
    stated = (each.statement for each in blocks.material.activities)
    missing = blocks.words("page.not_provided")
    yield from ((each.activity, blocks.period(each.retention) or missing) for each in stated if each)


def overdue(blocks: Blocks) -> Section:
    """The data that are kept for longer than stated, by the times of runs, and what is not known of it."""
    found = checked(blocks.material.store, blocks.material.report, blocks.material.question.organisation)
    rows = (
        (
            *each.dataset,
            tuple(dict.fromkeys(key for held in each.held for key in held.attribute.categories)),
            form_names(sorted({form for held in each.held for form in held.forms})),
            blocks.period(each.limit.retention),
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
        blocks.table("overdue", columns, rows, annex=True) if found.overdue else None,
        blocks.findings("overdue", drawn, sum(len(each.held) for each in found.overdue)),
        blocks.paragraph("unknown_retention", notice=True) if found.unknown else None,
        blocks.table("unknown_retention", "namespace dataset reason detail", unknown, annex=True)
        if found.unknown
        else None,
    )


def measures(blocks: Blocks) -> Section:
    """The security measures: those that are stated, and the masking on the way of the data."""
    rows = [
        (
            each.job.title,
            each.source.name,
            each.target.name,
            (each.form.name,),
            (each.how,),
            each.functions or None,
        )
        for each in protections(blocks.material)
    ]
    weak = [
        (each.job.title, each.source.name, each.target.name, each.functions or None)
        for each in shortened(blocks.material)
    ]
    columns = "job source_dataset target_dataset form protection functions"
    return blocks.section(
        "measures",
        blocks.facts("measures", measures=blocks.material.question.organisation.measures),
        blocks.paragraph("protections" if rows else "no_protections"),
        blocks.table("protections", columns, rows) if rows else None,
        blocks.paragraph("shortened", notice=True) if weak else None,
        blocks.table("shortened", "job source_dataset target_dataset functions", weak) if weak else None,
    )
