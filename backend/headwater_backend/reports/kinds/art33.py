"""The notification of a breach to the supervisory authority: Art. 33(3) GDPR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from headwater_backend.privacy.answers.breach import Breach, breach
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.held_attributes import HeldAttribute
from headwater_backend.reports.document.model import Cell, Section, Table
from headwater_backend.reports.kinds import processing
from headwater_backend.reports.kinds.blocks import Blocks, Found, form_names, party


def notification(blocks: Blocks) -> list[Section]:
    """What the notification must describe, and what else lineage knows of the leak."""
    question = blocks.material.question
    found = breach(blocks.material.store, question.leaked, question.ruling, question.bounds)
    return [
        _nature(blocks, found),
        _persons(blocks, found),
        _contact(blocks),
        _consequences(blocks, found),
        processing.measures(blocks),
        _taken(blocks, found),
        _downstream(blocks, found),
    ]


def _nature(blocks: Blocks, found: Breach) -> Section:
    incident = blocks.material.question.organisation.incident
    rows = (
        (
            *each.dataset,
            each.rows,
            each.written_at.isoformat() if each.written_at else None,
            tuple(job.name for job in each.writers),
        )
        for each in found.datasets
    )
    return blocks.section(
        "nature",
        blocks.facts(
            "nature", discovered=incident.discovered, nature=incident.nature, notified=incident.notified
        ),
        blocks.table("leaked", "namespace dataset rows written_at writers", rows),
        _attributes(blocks, "leaked_values", found.values),
        blocks.findings("leaked_values", map(_finding, found.values)),
    )


def _persons(blocks: Blocks, found: Breach) -> Section:
    """The categories of persons and the numbers of records."""
    incident = blocks.material.question.organisation.incident
    leaked = [each.dataset for each in found.datasets]
    subjects = {
        key for dataset in leaked for each in blocks.material.statements_of(dataset) for key in each.subjects
    }
    counted = [each.rows for each in found.datasets if each.rows is not None]
    uncounted = len(found.datasets) - len(counted)
    records = blocks.words(
        "values.records", rows=f"{sum(counted):,}", datasets=f"{len(counted):,}", unknown=f"{uncounted:,}"
    )
    categories = sorted({key for each in found.values for key in each.attribute.categories})
    return blocks.section(
        "persons",
        blocks.facts(
            "persons",
            subjects=[blocks.words.of("subjects", key) for key in sorted(subjects)],
            persons=incident.persons,
            records=records if counted else "",
            categories=categories,
        ),
        blocks.paragraph("records"),
    )


def _contact(blocks: Blocks) -> Section:
    stated = blocks.material.question.organisation
    return blocks.section(
        "contact",
        blocks.facts(
            "contact",
            controller=party(stated.controller),
            data_protection_officer=party(stated.data_protection_officer),
        ),
    )


def _consequences(blocks: Blocks, found: Breach) -> Section:
    incident = blocks.material.question.organisation.incident
    shown = blocks.listed(found.joinable)
    place = blocks.material.places(chain.from_iterable((each.attribute.node, each.node) for each in shown))
    rows = (
        (
            place(each.attribute.node).path,
            each.attribute.node.dataset.name,
            (each.form.name,),
            *each.node.dataset,
            place(each.node).path,
            ("YES" if each.reidentifies else "NO",),
        )
        for each in shown
    )
    keys = any(each.reidentifies for each in found.joinable)
    return blocks.section(
        "consequences",
        blocks.facts("consequences", consequences=incident.consequences),
        blocks.paragraph("reidentified", notice=True) if keys else None,
        blocks.paragraph("joinable"),
        blocks.table(
            "joinable",
            "attribute attribute_dataset form namespace dataset path reidentifies",
            rows,
            len(found.joinable),
        ),
        blocks.paragraph("leaked_influences"),
        _attributes(blocks, "leaked_influences", found.influences),
    )


def _taken(blocks: Blocks, found: Breach) -> Section:
    """The measures that are stated, and how far the leaked values are protected."""
    incident = blocks.material.question.organisation.incident
    counts = {form: sum(each.forms[0] is form for each in found.values) for form in Form}
    rows = (((form.name,), count) for form, count in counts.items() if count)
    return blocks.section(
        "taken",
        blocks.facts("taken", taken=incident.measures),
        blocks.table("leaked_forms", "form count", rows),
    )


def _downstream(blocks: Blocks, found: Breach) -> Section:
    """Who has read the leaked datasets, and may hold copies."""
    rows = ((*each.dataset, tuple(job.name for job in each.readers)) for each in found.datasets)
    return blocks.section(
        "downstream",
        blocks.paragraph("downstream"),
        blocks.table("downstream", "namespace dataset readers", rows),
    )


def _attributes(blocks: Blocks, key: str, found: Sequence[HeldAttribute]) -> Table:
    shown = blocks.listed(found)
    place = blocks.material.places(chain.from_iterable((each.attribute.node, each.node) for each in shown))
    rows: Iterator[tuple[Cell, ...]] = (
        (
            each.node.dataset.name,
            place(each.node).path,
            place(each.attribute.node).path,
            each.attribute.node.dataset.name,
            each.attribute.categories,
            form_names(each.forms),
        )
        for each in shown
    )
    columns = "dataset path attribute attribute_dataset categories forms"
    return blocks.table(key, columns, rows, len(found))


def _finding(each: HeldAttribute) -> Found:
    return each.attribute, each.node, each.forms, each.witness, ""
