"""Lists of overdue datasets, a page at a time; all pages are of one moment."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.pages import Page, cursor, page, read_cursor, size
from headwater_backend.ports import LineageAndRuns
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.organisation.statements import Organisation
from headwater_backend.privacy.retention.overdue import Overdue, RetentionCheck, checked
from headwater_backend.privacy.snapshots import Snapshots, question_digest


@dataclass(frozen=True, slots=True)
class OverduePage:
    """A page of the overdue datasets of a check, by limit and dataset, each with the cursor after it."""

    check: RetentionCheck
    overdue: Page[tuple[str, Overdue]]


def overdue_page(
    store: LineageAndRuns,
    scope: Scope,
    ruling: Ruling,
    organisation: Organisation,
    snapshots: Snapshots,
    *,
    first: int | None = None,
    after: str | None = None,
) -> OverduePage:
    """Where data of the scope are kept for longer than stated. Raises what ``exposed`` raises, and ``BadQuestion``."""
    wanted = size(first, "datasets")
    question = f"{question_digest(scope, ruling)} {organisation.digest}"
    asked, name, *last = read_cursor(after, (str,) * 9) if after else (question, None)
    if asked != question:
        raise BadQuestion("the cursor belongs to another question", "continue with the same arguments")
    report, name = snapshots.report(store, scope, ruling, name)
    check = checked(store, report, organisation)
    found = sorted(check.overdue, key=_order)
    start = bisect_right(found, tuple(last), key=_order) if last else 0
    items = [(cursor(question, name, *_order(each)), each) for each in found[start : start + wanted + 1]]
    return OverduePage(check, page(items, wanted))


def _order(found: Overdue) -> tuple[str, ...]:
    limit = found.limit
    return (*limit.dataset, limit.activity, limit.retention, limit.before.isoformat(), *found.dataset)
