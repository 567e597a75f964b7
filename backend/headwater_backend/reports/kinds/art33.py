"""The notification of a breach to the supervisory authority: Art. 33(3) GDPR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from headwater_backend.privacy.answers.breach import Breach
from headwater_backend.privacy.classification.vocabulary import special_category
from headwater_backend.privacy.forms import READABLE
from headwater_backend.privacy.held_attributes import HeldAttribute
from headwater_backend.privacy.organisation.deadline import deadline, is_late
from headwater_backend.reports.document.model import Cell, Facts, Section, Table
from headwater_backend.reports.kinds import processing
from headwater_backend.reports.kinds.blocks import Blocks, Found, party
from headwater_backend.reports.kinds.material import shown_forms_of
from headwater_backend.reports.shown_forms import by_strength


def notification(blocks: Blocks) -> list[Section]:
    """What the notification must describe, in the order of the law, and then what else lineage knows of the leak."""
    found = blocks.material.breach
    return [
        _nature(blocks, found),
        _persons(blocks, found),
        _contact(blocks),
        _consequences(blocks, found),
        _taken(blocks, found),
        _informed(blocks, found),
        _follow_up(blocks, found),
        _leaked(blocks, found),
        _joinable(blocks, found),
        _downstream(blocks, found),
        processing.measures(blocks),
    ]


def figures(blocks: Blocks) -> Facts:
    """What whoever signs has to know: the deadline, who is concerned, and the risk."""
    incident, found = blocks.material.question.organisation.incident, blocks.material.breach
    subjects = {key for each in found.values for key in _subjects(blocks, each)}
    held = sorted({key for each in found.values for key in each.attribute.categories})
    return blocks.facts(
        "found",
        deadline=_deadline(blocks, incident.discovered),
        notified=incident.notified,
        subjects=", ".join(blocks.words.of("subjects", key) for key in sorted(subjects)),
        categories=", ".join(blocks.categories(held)),
        special=", ".join(blocks.categories(filter(special_category, held)))
        or blocks.words("values.none_known"),
        risk=incident.risk,
        signs=_signs_in_words(blocks, found),
    )


def _nature(blocks: Blocks, found: Breach) -> Section:
    incident = blocks.material.question.organisation.incident
    late = is_late(incident.discovered, incident.notified)
    rows = (
        (
            *each.dataset,
            each.rows,
            each.written_at.isoformat() if each.written_at else None,
            tuple(job.title for job in each.writers),
        )
        for each in found.datasets
    )
    return blocks.section(
        "nature",
        blocks.facts(
            "nature",
            nature=incident.nature,
            discovered=incident.discovered,
            deadline=_deadline(blocks, incident.discovered),
            notified=incident.notified,
            **({"delay": incident.delay} if late is not False or incident.delay else {}),
        ),
        None if late is False else blocks.paragraph("late" if late else "perhaps_late", notice=True),
        blocks.table("leaked", "namespace dataset rows written_at writers", rows),
    )


def _deadline(blocks: Blocks, discovered: str) -> str:
    known = deadline(discovered)
    if known is None:
        return blocks.words("values.deadline_unknown")
    return blocks.words("values.deadline", time=known)


def _persons(blocks: Blocks, found: Breach) -> Section:
    """The categories of persons and the numbers of records."""
    incident = blocks.material.question.organisation.incident
    subjects = {key for each in found.values for key in _subjects(blocks, each)}
    unstated = sorted(
        {each.attribute.node.dataset.name for each in found.values if not _subjects(blocks, each)}
    )
    counted = [each.rows for each in found.datasets if each.rows is not None]
    uncounted = len(found.datasets) - len(counted)
    records = blocks.words(
        "values.records", rows=f"{sum(counted):,}", datasets=f"{len(counted):,}", unknown=f"{uncounted:,}"
    )
    categories = sorted({key for each in found.values for key in each.attribute.categories})
    special = [key for key in categories if special_category(key)]
    return blocks.section(
        "persons",
        blocks.facts(
            "persons",
            subjects=[blocks.words.of("subjects", key) for key in sorted(subjects)],
            persons=incident.persons,
            records=records if counted else "",
            categories=", ".join(blocks.categories(categories)),
            special=blocks.categories(special) or blocks.words("values.none_known"),
        ),
        blocks.paragraph("unstated_subjects", notice=True, datasets=", ".join(unstated))
        if unstated
        else None,
        blocks.paragraph("records"),
    )


def _subjects(blocks: Blocks, each: HeldAttribute) -> tuple[str, ...]:
    """Whose data it is, as stated of the dataset that declares it, of those on its way, or of the leaked one."""
    coverage, declared = blocks.material.coverage, each.attribute.node.dataset
    way = (declared, *(edge.target.dataset for edge in each.witness), each.node.dataset)
    return next((found for dataset in way if (found := coverage.subjects_of(declared, dataset))), ())


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
    keys = any(each.reidentifies for each in found.joinable)
    return blocks.section(
        "consequences",
        blocks.facts(
            "consequences",
            consequences=incident.consequences,
            risk=incident.risk,
            signs=_signs_in_words(blocks, found),
        ),
        blocks.paragraph("reidentified", notice=True) if keys else None,
    )


def _signs_in_words(blocks: Blocks, found: Breach) -> list[str]:
    signs = [blocks.words(f"values.{key}", count=f"{count:,}") for key, count in _signs(found) if count]
    return signs or [blocks.words("values.none_known")]


def _signs(found: Breach) -> Iterator[tuple[str, int]]:
    """What speaks for a risk to the persons, with how many leaked attributes it is true of."""
    readable = [each for each in found.values if each.forms[0] in READABLE]
    special = [each for each in readable if any(map(special_category, each.attribute.categories))]
    yield "sign_readable", len({each.attribute.node for each in readable})
    yield "sign_special", len({each.attribute.node for each in special})
    yield "sign_joinable", len({each.node.dataset for each in found.joinable})
    yield "sign_reidentified", sum(each.reidentifies for each in found.joinable)


def _taken(blocks: Blocks, found: Breach) -> Section:
    """The measures that are stated, and how far the leaked values are protected."""
    incident = blocks.material.question.organisation.incident
    counts = Counter(shown_forms_of(each.forms, each.witness)[0] for each in found.values)
    rows = (((form,), counts[form]) for form in by_strength(counts))
    return blocks.section(
        "taken",
        blocks.facts("taken", taken=incident.measures),
        blocks.table("leaked_forms", "form count", rows),
    )


def _informed(blocks: Blocks, found: Breach) -> Section:
    """The communication to the persons: Art. 34."""
    incident = blocks.material.question.organisation.incident
    readable = any(each.forms[0] in READABLE for each in found.values)
    return blocks.section(
        "informed",
        blocks.facts("informed", informed=incident.informed),
        blocks.paragraph("informed_readable" if readable else "informed_protected"),
        blocks.paragraph("informed_unknown", notice=True) if found.incomplete and not readable else None,
    )


def _follow_up(blocks: Blocks, found: Breach) -> Section:
    """What may be notified in phases: Art. 33(4)."""
    incident = blocks.material.question.organisation.incident
    asked = ("nature", "persons", "consequences", "risk", "measures", "informed")
    missing = [blocks.words(f"facts.{key}") for key in asked if not getattr(incident, key)]
    missing += [blocks.words("values.gaps", count=f"{len(found.incomplete):,}")] if found.incomplete else []
    return blocks.section(
        "follow_up",
        blocks.facts(
            "follow_up", follow_up=incident.follow_up, missing=missing or blocks.words("values.none_known")
        ),
        blocks.paragraph("follow_up"),
    )


def _leaked(blocks: Blocks, found: Breach) -> Section:
    return blocks.section(
        "leaked",
        _attributes(blocks, "leaked_values", found.values),
        blocks.findings("leaked_values", map(_finding, found.values)),
        blocks.paragraph("leaked_influences") if found.influences else None,
        _attributes(blocks, "leaked_influences", found.influences) if found.influences else None,
    )


def _joinable(blocks: Blocks, found: Breach) -> Section:
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
    columns = "attribute attribute_dataset form namespace dataset path reidentifies"
    return blocks.section(
        "joinable",
        blocks.paragraph("joinable"),
        blocks.table("joinable", columns, rows, len(found.joinable), annex=True),
    )


def _downstream(blocks: Blocks, found: Breach) -> Section:
    """Who has read the leaked datasets, and may hold copies."""
    rows = ((*each.dataset, tuple(job.title for job in each.readers)) for each in found.datasets)
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
            shown_forms_of(each.forms, each.witness),
        )
        for each in shown
    )
    columns = "dataset path attribute attribute_dataset categories forms"
    return blocks.table(key, columns, rows, len(found), annex=True)


def _finding(each: HeldAttribute) -> Found:
    return each.attribute, each.node, each.forms, each.witness, ""
