"""Records of processing activities: Art. 30(1) GDPR for controllers, Art. 30(2) for processors."""

from __future__ import annotations

from headwater_backend.reports.document.model import Section
from headwater_backend.reports.kinds import processing
from headwater_backend.reports.kinds.blocks import Blocks, parties, party


def controller(blocks: Blocks) -> list[Section]:
    """The record of a controller."""
    return [
        processing.parties_of_controller(blocks),
        processing.activities(blocks),
        processing.categories(blocks),
        processing.recipients(blocks),
        processing.transfers(blocks),
        processing.retention(blocks),
        processing.overdue(blocks),
        processing.measures(blocks),
    ]


def processor(blocks: Blocks) -> list[Section]:
    """The record of a processor: whom it acts for, the categories of processing, transfers and measures."""
    return [
        _parties(blocks),
        processing.activities(blocks),
        processing.categories(blocks),
        processing.transfers(blocks),
        processing.measures(blocks),
    ]


def _parties(blocks: Blocks) -> Section:
    stated = blocks.material.question.organisation
    return blocks.section(
        "parties",
        blocks.facts(
            "parties",
            processor=party(stated.processor),
            on_behalf_of=parties(stated.on_behalf_of),
            representative=party(stated.representative),
            data_protection_officer=party(stated.data_protection_officer),
        ),
    )
