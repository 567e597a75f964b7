"""Lists of what is classified, by whom and why: classes, declassifications, and their history, a page at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone

from headwater_backend.domain.model import JobKey, NodeKey
from headwater_backend.domain.moments import micros, moment
from headwater_backend.domain.pages import Page, numbered
from headwater_backend.domain.records import DecisionMade
from headwater_backend.ports import CataloguedGraph, StewardDecisions
from headwater_backend.privacy.classification.decided import (
    CLASS,
    REJECTED,
    REVIEWED,
    Declassification,
    PathClass,
    Rejection,
    Reviewed,
    decided,
    is_about_classes,
    place,
    subject_place,
    thing_of,
)
from headwater_backend.privacy.classification.personal import Source, declarations
from headwater_backend.privacy.classification.rules import Rule
from headwater_backend.privacy.classification.stops import Stop
from headwater_backend.questions.resolving import resolve_node


@dataclass(frozen=True, slots=True)
class ListedClass:
    """What one source says of a path: its categories, none if a steward says that it is not personal.

    Tags and rules have no author and time that is known here. ``overruled`` is whether a steward decided otherwise.
    """

    node: NodeKey
    categories: tuple[str, ...]
    source: Source
    reason: str
    author: str | None = None
    at: datetime | None = None
    overruled: bool = False


@dataclass(frozen=True, slots=True)
class ListedDecision:
    """A decision about personal data. ``text`` is the whole, for people; ``revoked`` is whether it ends another one."""

    node: NodeKey
    text: str
    made: DecisionMade
    job: JobKey | None = None
    revoked: bool = False


def classes(
    store: CataloguedGraph,
    rules: tuple[Rule, ...],
    node: NodeKey | None = None,
    as_of: datetime | None = None,
    *,
    first: int | None = None,
    after: str | None = None,
) -> Page[tuple[str, ListedClass]]:
    """The classes of all paths, or of those at or under a node, by path and authority, as of a moment.

    Tags and rules are the present ones. Raises ``UnknownDataset`` or ``UnknownPath``.
    """
    at = node and resolve_node(store, node)
    found = [each for each in _classes(store, rules, as_of) if at is None or _is_under(each.node, at)]
    found.sort(key=lambda each: (each.node, list(Source).index(each.source), each.reason))
    return numbered(found, first, after, "classes")


def declassifications(
    store: StewardDecisions,
    as_of: datetime | None = None,
    *,
    first: int | None = None,
    after: str | None = None,
) -> Page[tuple[str, Stop]]:
    """The declassifications in force at a moment, by path and job."""
    stand = decided(store, as_of or datetime.now(timezone.utc)).declassifications
    return numbered([Stop(*each) for each in stand.values()], first, after, "declassifications")


def history(
    store: StewardDecisions,
    as_of: datetime | None = None,
    *,
    first: int | None = None,
    after: str | None = None,
) -> Page[tuple[str, ListedDecision]]:
    """All decisions about personal data up to a moment, newest first."""
    until = micros(as_of) if as_of else None
    made = [
        each
        for each in reversed(store.decisions())
        if is_about_classes(each) and (until is None or each.time <= until)
    ]
    page = numbered(made, first, after, "decisions")
    return Page(tuple((cursor, listed(each)) for cursor, each in page.items), page.has_next)


def listed(made: DecisionMade) -> ListedDecision:
    """The decision with its text."""
    node, job = subject_place(made.subject)
    return ListedDecision(node, _text(made, node, job), made, job, revoked=not made.content)


def _text(made: DecisionMade, node: NodeKey, job: JobKey | None) -> str:
    where = place(node)
    match thing_of(made):
        case PathClass(_, keys, proposal):
            confirmed = f" ({proposal})" if proposal else ""
            return f"{where} is {', '.join(keys)}{confirmed}" if keys else f"{where} is not personal"
        case Declassification(_, by, until):
            end = f" until {until.isoformat()}" if until else ""
            return f"{where}{f' by {by.name}' if by else ''} is declassified{end}"
        case None if made.subject.startswith(REJECTED):
            return f"{where} may be proposed again"
        case None if made.subject.startswith(REVIEWED):
            return f"{where} is to be looked at again"
        case None:
            what = "classified" if made.subject.startswith(CLASS) else "declassified"
            return f"{where}{f' by {job.name}' if job else ''} is not {what} any more"
        case Rejection():
            return f"nothing is proposed for {where}"
        case Reviewed(_, paths):
            return (
                f"{where} was looked at: none of its {len(paths):,} paths is personal but what is classified"
            )


def _classes(
    store: CataloguedGraph, rules: tuple[Rule, ...], as_of: datetime | None
) -> Iterator[ListedClass]:
    decisions = decided(store, as_of or datetime.now(timezone.utc))
    stand = decisions.classes
    for one, made in decisions.reviewed.values():
        yield ListedClass(one.node, (), Source.STEWARD, made.reason, made.actor, moment(made.time))
    for node, (thing, made) in stand.items():
        yield ListedClass(node, thing.categories, Source.STEWARD, made.reason, made.actor, moment(made.time))
    for node, namings in declarations(store, rules).namings.items():
        by_text: dict[tuple[Source, str], set[str]] = defaultdict(set)
        for each in namings:
            by_text[each.source, each.text].add(each.category)
        for (source, text), keys in by_text.items():
            yield ListedClass(node, tuple(sorted(keys)), source, text, overruled=node in stand)


def _is_under(node: NodeKey, above: NodeKey) -> bool:
    return node.dataset == above.dataset and node.path[: len(above.path)] == above.path
