"""Rows of programs of which nobody saw where they have them from: any personal data may be in them.

Such rows are a gap (``PROGRAM_ROWS``) at the paths that they were written to. No route leads there from any
attribute, so that no attribute has that gap: it is one of all answers about everything, and of those about places where
the rows may have arrived. It ends where somebody decides what the paths hold, in either direction, as for any origin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass

from headwater_backend.domain.model import PROGRAM_ROWS, DatasetKey, Direction, Incomplete, NodeKey
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.classification.decided import Decided
from headwater_backend.privacy.classification.personal import Personal
from headwater_backend.privacy.classification.place_patterns import DATASETS_AT_ONCE, P, Places
from headwater_backend.privacy.exposure_search import Scope, values
from headwater_backend.privacy.forms import FormTable
from headwater_backend.privacy.propagation import Propagation
from headwater_backend.questions.onward import onward
from headwater_backend.questions.traversal import ALL_TYPES, explore


@dataclass(frozen=True, slots=True)
class UnknownRows:
    """A gap of such rows, and the paths where they may be."""

    gap: Incomplete
    nodes: frozenset[NodeKey]


def unknown_rows(
    store: CataloguedGraph, is_decided: Callable[[NodeKey], bool], scope: Scope, forms: FormTable
) -> tuple[UnknownRows, ...]:
    """All rows of unknown origin about which nobody has decided."""
    gaps = [gap for gap in _gaps(store, scope) if not is_decided(node_of(gap))]
    if not gaps:
        return ()
    starts = sorted({node_of(gap) for gap in gaps})
    found = explore(store, starts, Direction.FORWARD, ALL_TYPES, scope.bounds, part=values(scope))
    propagation = Propagation(found, starts, scope.bounds.depth, forms)
    reached = {start: propagation.holders(place) for place, start in enumerate(starts)}
    nodes = {start: frozenset([start, *reached[start]]) for start in starts}
    elsewhere = _made_earlier(store, {start.dataset for start in starts}, scope)
    return tuple(UnknownRows(gap, nodes[node_of(gap)] | elsewhere[gap.dataset]) for gap in gaps)


def _made_earlier(
    store: CataloguedGraph, starts: Set[DatasetKey], scope: Scope
) -> dict[DatasetKey, frozenset[NodeKey]]:
    """All paths where something may be left of what jobs made of the rows earlier, by the dataset of these."""
    known = onward(store, starts, scope.bounds, values(scope))
    reached = {start: known.after_earlier(start) if known else set() for start in starts}
    datasets = sorted(set().union(*reached.values()))
    paths = store.paths(datasets) if datasets else {}
    nodes = {key: frozenset(NodeKey(key, path) for path in ((), *paths.get(key, ()))) for key in datasets}
    return {start: frozenset().union(*(nodes[key] for key in keys)) for start, keys in reached.items()}


def at_places(rows: Iterable[UnknownRows], patterns: Iterable[P], places: Places[P]) -> Iterator[Incomplete]:
    """The gaps of those rows that may be at one of the patterns' places."""
    wanted = list(patterns)
    for each in rows:
        if any(places.include(pattern, node) for pattern in wanted for node in each.nodes):
            yield each.gap


def _gaps(store: CataloguedGraph, scope: Scope) -> Iterator[Incomplete]:
    datasets = list(store.dataset_keys())
    for start in range(0, len(datasets), DATASETS_AT_ONCE):
        some = datasets[start : start + DATASETS_AT_ONCE]
        yield from store.incomplete(some, scope.bounds.as_of, earlier=True, only=PROGRAM_ROWS)


def node_of(gap: Incomplete) -> NodeKey:
    """The place of a gap."""
    return NodeKey(gap.dataset, gap.path)


def decided_by(named: Personal, decisions: Decided) -> Callable[[NodeKey], bool]:
    """A predicate: whether somebody decided of the path, or of one that contains it, whether it is personal."""
    classified = {each.node for each in named.attributes} | named.denied

    def is_decided(node: NodeKey) -> bool:
        above = (NodeKey(node.dataset, node.path[:end]) for end in range(len(node.path)))
        return node in classified or not decisions.is_open(node) or not classified.isdisjoint(above)

    return is_decided
