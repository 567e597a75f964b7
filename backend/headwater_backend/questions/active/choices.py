"""Where an answer has too many ways: conditions with which to ask about fewer, and what each does.

The conditions are those of the ways at the frontier, where the search stopped, as far as they are conditions on the row
that the question is about. What each does is tried: the same search, with that condition, among the edges that it had
come to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Final

from headwater_backend.active.carrying import Fact, shown
from headwater_backend.active.fetching import sql
from headwater_backend.active.frontier import most_met, of_the_start
from headwater_backend.active.terms import Term, conjuncts
from headwater_backend.active.ways import ActiveWays
from headwater_backend.domain.errors import BadCondition
from headwater_backend.domain.model import Direction, Edge
from headwater_backend.ports import Datasets
from headwater_backend.questions.active.effects import Searched
from headwater_backend.questions.active.initial_conditions import Types, read_conditions
from headwater_backend.questions.closure import Choice, Place, Stop
from headwater_backend.questions.resolving import labels

MOST_CHOICES: Final = 8
MOST_TRIED: Final = 24
"""Conditions of which it is tried what they do."""
_PLAINER: Final = re.compile(r"`([A-Za-z_]\w*)`|CAST\((-?\d+) AS \w+\)")
"""Names without quotes and numbers without casts mean the same in most conditions."""


def stopped(
    store: Datasets,
    ways: ActiveWays,
    direction: Direction,
    *,
    types: Types,
    facts: Sequence[Fact],
    searched: Searched,
) -> Stop:
    """Where the search stopped, with the conditions to choose from."""
    nodes = sorted({way.node for way in ways.frontier})
    named = labels(store, nodes)
    last = frozenset(way.edge for way in ways.frontier if way.edge is not None)
    offered = islice(_offered(ways, direction, types, facts), MOST_TRIED)
    dividing = (
        choice for text, more in offered if (choice := _tried(text, [*facts, *more], last, ways, searched))
    )
    return Stop(
        ways=sum(map(len, ways.conditions.values())),
        at=tuple(Place(each, named[each]) for each in nodes),
        choices=tuple(islice(dividing, MOST_CHOICES)),
    )


def _offered(
    ways: ActiveWays, direction: Direction, types: Types, facts: Sequence[Fact]
) -> Iterator[tuple[str, Sequence[Fact]]]:
    """The conditions that the question does not have yet, as they would be asked."""
    asked = {shown(fact.term) for fact in facts}
    for term in most_met([list(of_the_start(way, direction, types)) for way in ways.frontier]):
        text = sql(term)
        found = None if text is None or shown(term) in asked else _as_asked(term, text, types)
        if found:
            yield found


def _as_asked(term: Term, text: str, types: Types) -> tuple[str, Sequence[Fact]] | None:
    """The condition as somebody would type it, and what is read from that; None if that is not the same."""
    whole = text[1:-1] if text.startswith("(") else text
    for written in (_PLAINER.sub(lambda found: found[1] or found[2], whole), whole):
        try:
            facts = read_conditions(written, types)
        except BadCondition:
            continue
        if [shown(each.term) for each in facts] == [shown(each) for each in conjuncts(term)]:
            return written, facts
    return None


def _tried(
    text: str, facts: Sequence[Fact], last: Collection[Edge], ways: ActiveWays, searched: Searched
) -> Choice | None:
    """What the condition does at the frontier; None if that is nothing, or not known, or it leaves no way."""
    found = searched(facts, ways.followed)
    keeps = sum(edge in found.taken for edge in last)
    return Choice(text, keeps, len(last) - keeps) if not found.cut and 0 < keeps < len(last) else None
