"""What every report prints: its status, what is missing, and what it is based on."""

from __future__ import annotations

import hashlib
from collections import Counter
from importlib.metadata import version

from headwater_backend.domain.model import Incomplete, Transformation
from headwater_backend.domain.moments import moment
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.classification.stops import Stop
from headwater_backend.privacy.classification.vocabulary import special_category
from headwater_backend.privacy.exposure import UNCLASSIFIED
from headwater_backend.privacy.policies import EVERY_PATH
from headwater_backend.questions.resolving import written
from headwater_backend.reports.document.model import Block, Section
from headwater_backend.reports.kinds.blocks import Blocks, form_names
from headwater_backend.reports.kinds.material import Material
from headwater_backend.reports.kinds.processing import third_countries
from headwater_backend.reports.kinds.question import Kind
from headwater_backend.reports.languages.catalogue import Words, remedy


def is_classified(gaps: tuple[Incomplete, ...]) -> bool:
    """Whether anything is known as personal."""
    return not any(gap.reason == UNCLASSIFIED for gap in gaps)


def status(blocks: Blocks, figures: Block | None = None) -> Section:
    """The page for whoever signs: what the report is about, whether it is complete, and what it found.

    ``figures`` are those of the kind, in place of those of all personal data.
    """
    material, known = blocks.material, blocks.material.report.classification
    notices: list[Block] = []
    if not is_classified(material.report.incomplete):
        notices.append(blocks.paragraph("unclassified", notice=True, datasets=f"{known.datasets:,}"))
    elif not material.incomplete:
        notices.append(blocks.paragraph("complete"))
    else:
        notices.append(blocks.paragraph("incomplete", notice=True, gaps=f"{len(material.incomplete):,}"))
    signed = blocks.material.question.kind is not Kind.REVIEW
    return blocks.section(
        "status",
        *notices,
        _asked(blocks),
        figures or _figures(blocks),
        blocks.paragraph("sign_here") if signed else None,
        blocks.lines("reviewer role date signature") if signed else None,
    )


def _figures(blocks: Blocks) -> Block | None:
    """What the report found, in numbers; with influences asked for, what is only influenced does not count."""
    material = blocks.material
    if not material.cells:
        return None
    held = material.categories_in(material.cells)
    special = [key for key in held if special_category(key)]
    recipients = dict.fromkeys(
        each for dataset in material.stored for each in material.recipients_of(dataset)
    )
    third = dict.fromkeys(
        name or blocks.words.country(country)
        for dataset in material.stored
        for name, country, _ in third_countries(blocks, dataset)
    )
    uncovered = sum(not material.statements_of(each) for each in material.stored)
    words = blocks.words
    return blocks.facts(
        "found",
        holding=words("values.holding", datasets=f"{len(material.stored):,}", uncovered=f"{uncovered:,}"),
        special=", ".join(blocks.categories(special)) or words("values.none_known"),
        recipients=", ".join(each.name for each in recipients) or words("values.none_stated"),
        transfers=", ".join(third) or words("values.none_stated"),
        programs=", ".join(each.name for each in material.programs) or words("values.none_known"),
    )


def _asked(blocks: Blocks) -> Block:
    question, report, words = blocks.material.question, blocks.material.report, blocks.words
    selected = []
    if question.of:
        path = written(question.of.path)
        selected.append(" ".join(filter(None, (*question.of.dataset, path))))
    if question.category:
        selected.append(question.category)
    known = report.classification
    about = words(
        "values.attributes",
        asked=f"{len(report.attributes):,}",
        all=f"{known.attributes:,}",
        classified=f"{known.classified:,}",
        datasets=f"{known.datasets:,}",
    )
    places = [_leaked(each) for each in question.leaked]
    leaked = {"leaked": places} if places else {}
    since = {"since": f"{question.since:%Y-%m-%d %H:%M:%S %Z}"} if question.since else {}
    return blocks.facts(
        "asked",
        selection=selected or words("values.all_attributes"),
        **leaked,
        **since,
        attributes=about,
    )


def _leaked(place: PlacePattern) -> str:
    path = "" if place.path_text == EVERY_PATH else place.path_text
    return " ".join(filter(None, (*place.dataset_text, path)))


def completeness(blocks: Blocks) -> Section:
    """What is known to be missing."""
    gaps = blocks.material.incomplete
    if not gaps:
        return blocks.section("completeness", blocks.paragraph("nothing_missing"))
    counts = Counter(gap.reason for gap in gaps)
    by_reason = (
        (reason, (reason,), count, remedy(reason, blocks.words.language))
        for reason, count in sorted(counts.items())
    )
    if blocks.material.question.kind is Kind.ART15:
        counted = blocks.table("gap_counts", "reason count", (row[1:3] for row in by_reason))
    else:
        counted = blocks.table("gap_counts", "code reason count remedy", by_reason)
    return blocks.section(
        "completeness",
        blocks.paragraph("missing"),
        counted,
        blocks.table(
            "gaps",
            "namespace dataset path job code detail",
            (_gap(gap, blocks.words) for gap in gaps),
            annex=True,
        ),
    )


def _gap(gap: Incomplete, words: Words) -> tuple[str, ...]:
    return (
        *gap.dataset,
        written(gap.path),
        gap.job.title if gap.job else "",
        gap.reason,
        words.detail(gap.detail),
    )


def basis(blocks: Blocks) -> Section:
    """What the report is based on: versions, digests, rules and declassifications."""
    question, known = blocks.material.question.as_json(), blocks.material.report.classification
    functions = ((name, form_names((form,))) for name, form in known.functions)
    words = blocks.words
    idle = (
        (str(each.rule.line), words.detail(each.detail), words.detail(each.hint or "")) for each in known.idle
    )
    return blocks.section(
        "basis",
        blocks.facts(
            "basis",
            version=f"Headwater {version('headwater')}",
            taxonomy=f"fideslang {version('fideslang')}",
            rules=[words("values.rules", count=f"{known.rules:,}"), question["rules"] or ""],
            policies=question["policies"] or words("values.none_given"),
            organisation=question["organisation"] or words("values.none_given"),
            declassifications=[_declassified(stop, words) for stop in known.stops]
            or words("values.none_in_force"),
            graph=graph_digest(blocks.material),
        ),
        blocks.table("functions", "functions form", functions) if known.functions else None,
        blocks.table("idle_rules", "line detail hint", idle) if known.idle else None,
        blocks.paragraph("scope_of_knowledge"),
        blocks.paragraph("not_legal_advice", notice=True),
    )


def _declassified(stop: Stop, words: Words) -> str:
    """A declassification in force: where, why, by whom, and until when."""
    until, made = stop.declassification.until, stop.made
    return words(
        "values.declassified",
        place=str(stop.declassification),
        reason=made.reason,
        by=made.actor,
        since=f"{moment(made.time):%Y-%m-%d %H:%M:%S %Z}",
        until=f"{until:%Y-%m-%d %H:%M:%S %Z}" if until else words("values.revoked"),
    )


def graph_digest(material: Material) -> str:
    """The SHA-256 of all edges that the answer used, whatever the order in which the store gives them."""
    edges = {
        hashlib.sha256(
            repr((fan.near, far, fan.job, sorted(map(_kind, fan.transformations)))).encode(
                "utf-8", "surrogatepass"
            )
        ).digest()
        for fan in (material.propagation.fans() if material.propagation else ())
        for far in fan.fars
    }
    return "sha256:" + hashlib.sha256(b"".join(sorted(edges))).hexdigest()


def _kind(kind: Transformation) -> tuple[object, ...]:
    return (
        kind.type.value,
        kind.subtype,
        kind.masking,
        kind.manipulation,
        kind.access or "",
        tuple(sorted(kind.functions)),
    )
