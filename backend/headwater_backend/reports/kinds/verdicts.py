"""The verdicts on policies, in every report for which some are given."""

from __future__ import annotations

from itertools import chain

from headwater_backend.privacy.answers.policy_check import check_policies
from headwater_backend.questions.resolving import written
from headwater_backend.reports.document.model import Section
from headwater_backend.reports.kinds.blocks import Blocks, form_names


def verdicts(blocks: Blocks) -> Section:
    """What is known about each policy, and the violations."""
    question = blocks.material.question
    found = check_policies(
        blocks.material.store,
        question.policies,
        question.ruling,
        question.bounds,
        question.organisation,
    )
    violations = [(each.policy.name, violation) for each in found.verdicts for violation in each.violations]
    countries = any(each.policy.countries for each in found.verdicts)
    place = blocks.material.places(
        chain.from_iterable((each.attribute.node, each.node) for _, each in violations)
    )
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
            *((each.outside or None,) if countries else ()),
        )
        for name, each in violations
    )
    known = frozenset(blocks.material.report.incomplete)
    gaps = [(each.policy.name, gap) for each in found.verdicts for gap in each.incomplete if gap not in known]
    unknown = (
        (name, *gap.dataset, written(gap.path), (gap.reason,), blocks.words.detail(gap.detail))
        for name, gap in gaps
    )
    columns = "policy namespace dataset path attribute attribute_dataset forms" + (
        " country" if countries else ""
    )
    drawn = ((each.attribute, each.node, each.forms, each.witness, name) for name, each in violations)
    return blocks.section(
        "verdicts",
        blocks.table("verdicts", "policy category severity outcome", rows),
        blocks.table("violations", columns, violated),
        blocks.findings("violations", drawn),
        blocks.table("verdict_gaps", "policy namespace dataset path reason detail", unknown)
        if gaps
        else None,
    )
