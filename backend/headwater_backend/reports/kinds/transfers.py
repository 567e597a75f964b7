"""Transfers between countries: what crosses, on what that rests, and lines for those who assess it."""

from __future__ import annotations

from itertools import chain
from typing import Final

from headwater_backend.privacy.answers import crossings
from headwater_backend.privacy.answers.crossings import Crossing, Crossings, CrossingVerdict
from headwater_backend.reports.document.model import Flow, Flows, Section
from headwater_backend.reports.kinds.blocks import ASSESSMENT, Blocks, Found, form_names
from headwater_backend.reports.kinds.processing import safeguard_text
from headwater_backend.reports.languages.catalogue import Words

_DRAWN: Final = (CrossingVerdict.VIOLATION, CrossingVerdict.UNKNOWN, CrossingVerdict.SAFEGUARDED)


def transfers(blocks: Blocks) -> list[Section]:
    """The flows between countries, each crossing with its reasons, the safeguards, and lines for an assessment."""
    found = blocks.material.crossings
    return [
        _flows(blocks, found),
        _crossings(blocks, found),
        _safeguards(blocks),
        blocks.section("assessment", blocks.paragraph("assessment"), blocks.lines(ASSESSMENT)),
    ]


def _flows(blocks: Blocks, found: Crossings) -> Section:
    if not found.found:
        return blocks.section("flows", blocks.paragraph("no_crossings"))
    rows = (
        (each.origin or None, each.to or None, (each.verdict.name,), each.crossings) for each in found.flows
    )
    counts = (((verdict.name,), found.totals[verdict]) for verdict in CrossingVerdict)
    return blocks.section(
        "flows",
        blocks.paragraph("flows"),
        Flows("flows", blocks.words("tables.flows"), tuple(_drawn(each) for each in found.flows)),
        blocks.table("crossing_counts", "verdict count", counts),
        blocks.table("flows", "from_countries to_country verdict count", rows),
    )


def _drawn(each: crossings.Flow) -> Flow:
    return Flow(each.origin, each.to, each.verdict.name, each.crossings)


def _crossings(blocks: Blocks, found: Crossings) -> Section:
    shown = blocks.listed(found.found)
    place = blocks.material.places(chain.from_iterable((each.attribute.node, each.node) for each in shown))
    rows = (
        (
            (each.verdict.name,),
            each.origin or None,
            each.to or None,
            place(each.attribute.node).path,
            each.attribute.node.dataset.name,
            each.attribute.categories,
            *each.node.dataset,
            place(each.node).path,
            form_names(each.output.forms),
            _because(each, blocks.words) or None,
            tuple(dict.fromkeys(edge.job.title for edge in each.witness)),
        )
        for each in shown
    )
    columns = (
        "verdict from_countries to_countries attribute attribute_dataset categories namespace dataset path forms"
        " because jobs"
    )
    drawn = [_finding(blocks.words, each) for each in found.found if each.verdict in _DRAWN]
    return blocks.section(
        "crossings",
        blocks.table("crossings", columns, rows, len(found.found)),
        blocks.findings("crossings", drawn),
    )


def _because(each: Crossing, words: Words) -> tuple[str, ...]:
    """What the verdict follows from."""
    outside = (
        (words("values.not_permitted", countries=words.countries(each.outside)),) if each.outside else ()
    )
    lapsed = (words("values.not_in_force", safeguard=safeguard_text(words, one)) for one in each.lapsed)
    unknown = (words(f"reasons.{reason}") for reason in each.unknown)
    return (
        *outside,
        *each.policies,
        *(safeguard_text(words, one) for one in each.safeguards),
        *lapsed,
        *unknown,
    )


def _safeguards(blocks: Blocks) -> Section:
    """What is stated that transfers rest on, whether or not anything crosses."""
    material = blocks.material
    day = material.report.as_of.date()
    stated = material.question.organisation.safeguards
    rows = (
        (
            (each.kind,),
            each.countries,
            " ".join(filter(None, each.datasets.dataset_text)) if each.datasets else None,
            f"{each.since:%Y-%m-%d}" if each.since else None,
            f"{each.until:%Y-%m-%d}" if each.until else None,
            ("YES" if each.in_force(day) else "NO",),
            each.note or None,
        )
        for each in stated
    )
    columns = "safeguard_kind countries of_datasets since until in_force note"
    return blocks.section(
        "safeguards",
        blocks.paragraph("safeguards" if stated else "no_safeguards"),
        blocks.table("safeguards", columns, rows) if stated else None,
    )


def _finding(words: Words, each: Crossing) -> Found:
    return each.attribute, each.node, each.output.forms, each.witness, words.countries(each.to)
