"""The verdicts on policies, in every report for which some are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final

from headwater_backend.domain.model import Direction, NodeKey
from headwater_backend.privacy.answers.policy_check import Acceptance
from headwater_backend.privacy.findings.acceptance import check_with_acceptances
from headwater_backend.privacy.held_attributes import HeldAttribute
from headwater_backend.questions.active.active_lineage import active_lineage
from headwater_backend.questions.lineage import Scope
from headwater_backend.questions.resolving import written
from headwater_backend.reports.document.model import Block, Cell, Place, Section
from headwater_backend.reports.kinds.blocks import Blocks, Found, form_names
from headwater_backend.reports.kinds.processing import safeguards_in_force
from headwater_backend.reports.languages.catalogue import Words

SEARCHED: Final = 50
"""Violated places of which the rows behind them are looked for: each needs a search of its own."""


def verdicts(blocks: Blocks) -> Section:
    """What is known about each policy, and the violations."""
    question = blocks.material.question
    found = check_with_acceptances(
        blocks.material.store,
        question.policies,
        question.ruling,
        question.bounds,
        question.organisation,
        active=question.active,
    )
    violations = [
        (each.policy.name, violation, each.accepted.get(violation))
        for each in found.verdicts
        for violation in each.violations
    ]
    countries = any(each.policy.countries for each in found.verdicts)
    pseudonyms = any(each.policy.forbids_reidentification for each in found.verdicts)
    place = blocks.material.places(chain.from_iterable(_nodes(each) for _, each, _ in violations))
    rows = (
        (each.policy.name, each.policy.category, (each.policy.severity.name,), (each.outcome.name,))
        for each in found.verdicts
    )
    violated = (
        (
            name,
            *each.node.dataset,
            place(each.node).path,
            place(each.attribute.node).path,
            each.attribute.node.dataset.name,
            form_names(each.forms),
            *((each.outside or None, _safeguards(blocks, each)) if countries else ()),
            *(_readable(each, place) if pseudonyms else ()),
            *((_barred(each, accepted, blocks.words),) if question.active else ()),
        )
        for name, each, accepted in violations
    )
    known = frozenset(blocks.material.report.incomplete)
    gaps = [(each.policy.name, gap) for each in found.verdicts for gap in each.incomplete if gap not in known]
    unknown = (
        (name, *gap.dataset, written(gap.path), (gap.reason,), blocks.words.detail(gap.detail))
        for name, gap in gaps
    )
    columns = "policy namespace dataset path attribute attribute_dataset forms"
    columns += " country safeguard" if countries else ""
    columns += " pseudonym readable readable_by readable_in" if pseudonyms else ""
    columns += " barred" if question.active else ""
    drawn = chain.from_iterable(_drawn(name, each) for name, each, _ in violations)
    return blocks.section(
        "verdicts",
        blocks.table("verdicts", "policy category severity outcome", rows),
        blocks.table("violations", columns, violated),
        blocks.findings("violations", drawn),
        *(
            _concerned(blocks, [each.node for _, each, _ in violations if not each.barred])
            if question.active
            else ()
        ),
        blocks.table("verdict_gaps", "policy namespace dataset path reason detail", unknown)
        if gaps
        else None,
    )


def _concerned(blocks: Blocks, violated: Iterable[NodeKey]) -> Iterator[Block]:
    """The rows of the sources that values of these places can come from, with the queries that fetch them."""
    nodes = list(dict.fromkeys(violated))
    scope = Scope(bounds=blocks.material.question.bounds)
    found = [
        (node, fetch)
        for node in nodes[:SEARCHED]
        for fetch in active_lineage(blocks.material.store, node, Direction.BACKWARD, scope).fetches
    ]
    if not found:
        return
    place = blocks.material.places(chain.from_iterable((node, fetch.node) for node, fetch in found))
    rows = (
        (
            *node.dataset,
            place(node).path,
            fetch.node.dataset.name,
            place(fetch.node).path,
            fetch.condition or blocks.words("values.all_rows"),
            fetch.query,
        )
        for node, fetch in found
    )
    if len(nodes) > SEARCHED:
        yield blocks.paragraph("more_concerned", searched=f"{SEARCHED}", all=f"{len(nodes):,}")
    columns = "namespace dataset path source_dataset source_path condition query"
    yield blocks.table("concerned_rows", columns, rows, annex=True)


def _nodes(held: HeldAttribute) -> Iterator[NodeKey]:
    """The paths that the table names."""
    yield from (held.attribute.node, held.node)
    if held.reidentification:
        yield from (held.reidentification.pseudonym.node, held.reidentification.source.node)


def _safeguards(blocks: Blocks, held: HeldAttribute) -> Cell:
    """What transfers to the countries that the policy does not permit rest on, as the organisation states."""
    dataset = held.node.dataset
    received = (e.safeguard for e in blocks.material.recipients_of(dataset) if e.country in held.outside)
    found = (safeguards_in_force(blocks, dataset, country) for country in held.outside)
    return "; ".join(dict.fromkeys(filter(None, (*received, *found)))) or None


def _readable(held: HeldAttribute, place: Callable[[NodeKey], Place]) -> tuple[Cell, ...]:
    """The pseudonym, how it is readable, and by what; nothing of other violations."""
    found = held.reidentification
    if not found:
        return None, None, None, None
    source = place(found.source.node)
    return place(found.pseudonym.node).path, (found.how.value,), source.path, source.name


def _barred(held: HeldAttribute, accepted: Acceptance | None, words: Words) -> Cell:
    """Why no row can take the violation, and who has acknowledged that; nothing where one may."""
    if held.barred is None:
        return None
    why = tuple(map(words.detail, held.barred.because))
    return (*why, words("paragraphs.accepted", by=accepted.by, reason=accepted.reason)) if accepted else why


def _drawn(policy: str, held: HeldAttribute) -> Iterator[Found]:
    """The violation to be drawn; and where a pseudonym is readable, what makes it so."""
    yield held.attribute, held.node, held.forms, held.witness, policy
    found = held.reidentification
    if found and found.source.witness:
        yield held.attribute, found.source.node, (found.source.form,), found.source.witness, policy
