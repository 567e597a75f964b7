"""Lists of findings and of their changes, a page at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import NodeKey
from headwater_backend.domain.moments import micros
from headwater_backend.domain.pages import Page, numbered
from headwater_backend.domain.records import DecisionMade
from headwater_backend.ports import StewardDecisions
from headwater_backend.privacy.findings.finding import Change, State, changes, newest


def findings(
    store: StewardDecisions,
    first: int | None = None,
    after: str | None = None,
    *,
    states: Collection[State] | None = None,
    policy: str | None = None,
    ids: Collection[str] | None = None,
    at: NodeKey | None = None,
    as_of: datetime | None = None,
) -> Page[tuple[str, Change]]:
    """The findings in these states, of one policy, with these ids and at or below that path, as they were then.

    None stands for all. The last noticed come first.
    """
    records: Sequence[DecisionMade] = store.decisions()
    if as_of is not None:
        records = [each for each in records if each.time <= micros(as_of)]
    found = [
        change
        for change in newest(records).values()
        if (states is None or change.finding.state in states)
        and policy in (None, change.finding.policy)
        and (ids is None or change.finding.id in ids)
        and (at is None or _is_below(change.finding.node, at))
    ]
    found.sort(key=lambda each: (each.noticed, each.finding.id), reverse=True)
    return numbered(found, first, after, "findings")


def _is_below(node: NodeKey, outer: NodeKey) -> bool:
    return node.dataset == outer.dataset and node.path[: len(outer.path)] == outer.path


def history(
    store: StewardDecisions, finding_id: str, first: int | None = None, after: str | None = None
) -> Page[tuple[str, Change]]:
    """All changes of a finding, newest first. Raises ``BadQuestion`` for an unknown one."""
    found = [change for change in changes(store.decisions()) if change.finding.id == finding_id]
    if not found:
        raise BadQuestion(f"no finding has the id {finding_id!r}", "`headwater findings list` lists all")
    return numbered(found[::-1], first, after, "findings")
