"""The exposure matrix as a list of its cells, page by page.

A *holding* is a cell: an attribute and a path that holds it. They are listed by attribute, and within one by strength
and then by name. A cursor identifies the holding after which the next page begins, so any server can answer it at any
time.

The pages of one list are of one moment, as long as the server keeps the report (``snapshots``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from headwater_backend.domain import pages
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import NodeKey
from headwater_backend.domain.node_keys import node_of, node_text
from headwater_backend.domain.pages import size
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.exposure import (
    AttributeExposure,
    ExposedOutput,
    ExposureReport,
    Ruling,
)
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.snapshots import Snapshots, question_digest


@dataclass(frozen=True, slots=True)
class Holding:
    """An attribute and a path that holds it; ``cursor`` continues the list after it."""

    exposure: AttributeExposure
    output: ExposedOutput
    cursor: str


@dataclass(frozen=True, slots=True)
class HoldingsPage:
    """A part of the list of all holdings of the report."""

    report: ExposureReport
    items: tuple[Holding, ...]
    has_next: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """The holding after which a page begins, and the name of its report."""

    snapshot: str
    attribute: NodeKey
    form: int
    node: NodeKey


def holdings(
    store: CataloguedGraph,
    scope: Scope,
    ruling: Ruling,
    snapshots: Snapshots,
    *,
    first: int | None = None,
    after: str | None = None,
) -> HoldingsPage:
    """A page of the holdings of that part of the matrix. Raises what ``exposed`` raises, and ``BadQuestion``."""
    wanted, question = size(first, "holdings"), question_digest(scope, ruling)
    place = _place(after, question) if after else None
    report, name = snapshots.report(store, scope, ruling, place.snapshot if place else None)
    found = list(islice(_listed(report, place, name, question), wanted + 1))
    return HoldingsPage(report, tuple(found[:wanted]), len(found) > wanted)


def _listed(report: ExposureReport, after: _Place | None, snapshot: str, question: str) -> Iterator[Holding]:
    for each in report.attributes:
        if after and each.attribute.node < after.attribute:
            continue
        attribute = node_text(each.attribute.node)
        behind = (after.form, after.node) if after and each.attribute.node == after.attribute else None
        for node in each.holders:
            output = each.output(node)
            form = output.form
            if behind is None or (form, node) > behind:
                yield Holding(
                    each, output, pages.cursor(question, snapshot, attribute, int(form), node_text(node))
                )


def _place(cursor: str, question: str) -> _Place:
    asked, snapshot, attribute, form, node = pages.read_cursor(cursor, (str, str, str, int, str))
    if asked != question:
        raise BadQuestion("the cursor belongs to another question", "continue with the same arguments")
    try:
        return _Place(snapshot, node_of(attribute), Form(form), node_of(node))
    except (ValueError, IndexError):
        raise BadQuestion(f"{cursor!r} is not a cursor", "take the cursor of the page before") from None
