"""Records of processing activities: Art. 30(1) GDPR for controllers, Art. 30(2) for processors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headwater_backend.domain.model import DatasetKey
from headwater_backend.privacy.classification.vocabulary import special_category
from headwater_backend.privacy.organisation.statements import Client, Statement
from headwater_backend.reports.document.model import Cell, Paragraph, Section
from headwater_backend.reports.kinds import processing
from headwater_backend.reports.kinds.blocks import Blocks, names, party
from headwater_backend.reports.kinds.material import Activity


def controller(blocks: Blocks) -> list[Section]:
    """The record of a controller: all activities, and then each on a page of its own."""
    return [
        processing.parties_of_controller(blocks),
        processing.activities(blocks),
        *_pages(blocks),
        processing.categories(blocks),
        processing.recipients(blocks),
        processing.transfers(blocks),
        processing.retention(blocks),
        processing.overdue(blocks),
        processing.measures(blocks),
    ]


def processor(blocks: Blocks) -> list[Section]:
    """The record of a processor: whom it acts for, the categories of processing for each, transfers and measures."""
    return [
        _parties(blocks),
        *_clients(blocks),
        processing.activities(blocks),
        processing.categories(blocks),
        processing.transfers(blocks),
        processing.measures(blocks),
    ]


def _pages(blocks: Blocks) -> Iterator[Section]:
    stated = [each for each in blocks.material.activities if each.statement]
    for number, each in enumerate(stated, 1):
        if each.statement:
            yield _page(blocks, number, each, each.statement)


def _page(blocks: Blocks, number: int, activity: Activity, statement: Statement) -> Section:
    """What Art. 30(1) asks for about one activity."""
    words, organisation = blocks.words, blocks.material.question.organisation
    special = [key for key in activity.categories if special_category(key)]
    more = {"special": blocks.categories(special)} if special else {}
    return blocks.page(
        f"activity_{number}",
        words("values.activity", activity=statement.activity),
        blocks.facts(
            "activity",
            controller=party(organisation.controller),
            data_protection_officer=party(organisation.data_protection_officer),
            purpose=words.of("uses", statement.purpose) if statement.purpose else "",
            legal_basis=words.of("bases", statement.legal_basis) if statement.legal_basis else "",
            subjects=[words.of("subjects", key) for key in statement.subjects],
            categories=", ".join(blocks.categories(activity.categories)),
            **more,
            recipients=_recipients(blocks, activity) or words("values.none_stated"),
            transfers=_transfers(blocks, activity) or words("values.none_stated"),
            retention=blocks.period(statement.retention),
            measures=organisation.measures,
            datasets=", ".join(names(activity.datasets)),
        ),
        *_unknown(blocks, activity.datasets),
        blocks.paragraph("activity_page"),
    )


def _unknown(blocks: Blocks, datasets: Iterable[DatasetKey]) -> Iterator[Paragraph | None]:
    """What may be missing on a page that is handed out alone, of data in these datasets."""
    material = blocks.material
    yield processing.programs(blocks, set(material.downstream(datasets)).intersection(material.programs))
    if material.incomplete:
        yield blocks.paragraph("page_incomplete", notice=True, gaps=f"{len(material.incomplete):,}")


def _recipients(blocks: Blocks, activity: Activity) -> list[str]:
    found = (each for each, _ in processing.recipients_of(blocks, activity))
    return list(
        dict.fromkeys(processing.with_country(blocks.words, each.name, each.country) for each in found)
    )


def _transfers(blocks: Blocks, activity: Activity) -> list[str]:
    """The recipients in third countries, and the other third countries that data reach, with their safeguards."""
    missing = blocks.words("values.no_safeguard")
    found = (
        f"{processing.with_country(blocks.words, name, country)}: {safeguard or missing}"
        for dataset in blocks.material.downstream(activity.datasets)
        for name, country, safeguard in processing.third_countries(blocks, dataset)
    )
    return list(dict.fromkeys(found))


def _parties(blocks: Blocks) -> Section:
    stated = blocks.material.question.organisation
    more = {"representative": party(stated.representative)}
    return blocks.section(
        "parties",
        blocks.facts(
            "parties",
            processor=party(stated.processor),
            on_behalf_of=[", ".join(party(each)) for each in stated.on_behalf_of],
            **{key: lines for key, lines in more.items() if lines},
            data_protection_officer=party(stated.data_protection_officer),
        ),
    )


def _clients(blocks: Blocks) -> Iterator[Section]:
    """What is done for each controller, and what is done for none that is stated."""
    stated = blocks.material.question.organisation
    for number, each in enumerate(stated.on_behalf_of, 1):
        yield _client(blocks, number, each)
    served = {activity for each in stated.on_behalf_of for activity in each.activities}
    left = [each.activity for each in stated.processing if each.activity not in served]
    if left and stated.on_behalf_of:
        notice = blocks.paragraph("for_nobody", notice=True, activities=", ".join(left))
        yield blocks.section("for_nobody", notice)


def _client(blocks: Blocks, number: int, client: Client) -> Section:
    columns = "activity purpose categories recipients transfers"
    rows = list(_done_for(blocks, client))
    served = (each for each in blocks.material.activities if _serves(each, client))
    return blocks.page(
        f"client_{number}",
        blocks.words("values.client", client=client.name),
        blocks.facts("client", controller=party(client), activities=client.activities),
        blocks.table("client", columns, rows)
        if rows
        else blocks.paragraph("no_client_activities", notice=True),
        *_unknown(blocks, [dataset for each in served for dataset in each.datasets]),
    )


def _serves(activity: Activity, client: Client) -> bool:
    return activity.statement is not None and activity.statement.activity in client.activities


def _done_for(blocks: Blocks, client: Client) -> Iterator[tuple[Cell, ...]]:
    for each in blocks.material.activities:
        if each.statement and _serves(each, client):
            yield (
                each.statement.activity,
                each.statement.purpose or None,
                each.categories,
                tuple(_recipients(blocks, each)) or None,
                tuple(_transfers(blocks, each)) or None,
            )
