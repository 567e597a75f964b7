"""What values take through the whole graph: mappings that none takes, loops, ends, and what is copied for nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from headwater_backend.active.passages import related
from headwater_backend.active.reading import Made
from headwater_backend.active.terms import Applied, Constant, Term, parts
from headwater_backend.active.ways import ActiveWays, onward_ways
from headwater_backend.active.words import because
from headwater_backend.domain.model import DatasetKey, Edge, NodeKey, only_read_as
from headwater_backend.questions.checks.whole import Check, Found, Whole, by_source, by_target

STATES_PER_EDGE = 4
"""How many states are searched for each edge at most, in the middle."""


def redundant_mappings(whole: Whole, ends: Callable[[], bool]) -> Iterator[Found]:
    """The edges that move values and that no row takes, whatever it comes from; nothing if the search was cut."""
    edges = list(whole.flows)
    ways = _onward(whole, edges, ends)
    if ways.cut:
        return
    for edge in edges:
        if edge not in ways.taken:
            why = tuple(dict.fromkeys(map(because, ways.excluded.get(edge, ()))))
            only = why or ("only ways that no row can take lead there",)
            yield Found(Check.REDUNDANT_MAPPING, edge.target, edge.job, because=only, along=(edge.source,))


def _onward(whole: Whole, edges: Sequence[Edge], ends: Callable[[], bool]) -> ActiveWays:
    most = STATES_PER_EDGE * len(edges) + 20_000
    return onward_ways(edges, whole.steps, _starts(whole, edges), ends=ends, most_states=most)


def _starts(whole: Whole, edges: Sequence[Edge]) -> list[NodeKey]:
    """The paths at which values may begin: nobody writes them, or somebody else than is known, or constants are
    written there; and all of what is made of itself alone.
    """
    into, onward = by_target(edges), by_source(edges)
    sources = list(dict.fromkeys(edge.source for edge in edges))
    begun = _Begun(whole)
    starts = [
        node
        for node in sources
        if begun.at(node) or not any(related(e.target.path, node.path) for e in into.get(node.dataset, ()))
    ]
    reached = _closure(starts, onward, lambda edge: (edge.source, edge.target))
    return [*starts, *(node for node in sources if node not in reached)]


class _Begun:
    """Where values begin, though others lead there."""

    def __init__(self, whole: Whole) -> None:
        self._made: dict[DatasetKey, list[Mapping[tuple[str, ...], Made]]] = defaultdict(list)
        self._unknown = {step.output for step in whole.steps if step.populations is None} | set(whole.foreign)
        for step in whole.steps:
            self._made[step.output] += [each.values for each in step.populations or ()]

    def at(self, node: NodeKey) -> bool:
        """Whether a value may begin at the path, by what is known of the jobs that write it."""
        if node.dataset in self._unknown:
            return True
        return not all(
            made.exact and made.of and not _has_constants(made.term)
            for values in self._made.get(node.dataset, ())
            for path, made in values.items()
            if related(path, node.path)
        )


def _has_constants(term: Term) -> bool:
    """Whether the value may be a constant, in a branch or alone."""
    if isinstance(term, Constant):
        return True
    chosen = (each for each in parts(term) if isinstance(each, Applied) and each.op in ("case", "coalesce"))
    return any(isinstance(arg, Constant) for each in chosen for arg in each.args)


def loops(whole: Whole) -> Iterator[Found]:
    """The paths whose values are made of themselves, by several datasets: each loop once, at its first path."""
    onward: dict[NodeKey, set[NodeKey]] = defaultdict(set)
    jobs: dict[NodeKey, set[tuple[NodeKey, Edge]]] = defaultdict(set)
    for edge in whole.flows:
        if not only_read_as(edge.transformations) and edge.source.dataset != edge.target.dataset:
            onward[edge.source].add(edge.target)
            jobs[edge.source].add((edge.target, edge))
    for found in _strong(onward):
        some = sorted(found)
        by = sorted({edge.job for node in some for target, edge in jobs[node] if target in found})
        names = ", ".join(each.name for each in by)
        yield Found(Check.LOOP, some[0], because=(f"by {names}",), along=tuple(some[1:]))


def _strong(onward: Mapping[NodeKey, Set[NodeKey]]) -> Iterator[frozenset[NodeKey]]:
    """The strongly connected components of more than one node, by Tarjan's algorithm without recursion."""
    number: dict[NodeKey, int] = {}
    low: dict[NodeKey, int] = {}
    open_: dict[NodeKey, None] = {}
    for root in sorted(onward):
        if root in number:
            continue
        work = [(root, iter(sorted(onward.get(root, ()))))]
        number[root] = low[root] = len(number)
        open_[root] = None
        while work:
            node, following = work[-1]
            fresh = next(following, None)
            if fresh is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    component = _popped(open_, node)
                    if len(component) > 1:
                        yield component
            elif fresh not in number:
                number[fresh] = low[fresh] = len(number)
                open_[fresh] = None
                work.append((fresh, iter(sorted(onward.get(fresh, ())))))
            elif fresh in open_:
                low[node] = min(low[node], number[fresh])


def _popped(open_: dict[NodeKey, None], until: NodeKey) -> frozenset[NodeKey]:
    found: set[NodeKey] = set()
    while until not in found:
        found.add(open_.popitem()[0])
    return frozenset(found)


def copied_for_nothing(whole: Whole, read: Set[DatasetKey], ends: Set[DatasetKey]) -> Iterator[Found]:
    """The paths of datasets that others are made of, which were copied there and which nothing at an end is made of or
    decided by. ``read`` are the datasets that somebody reads in a way that is known, ``ends`` those where data end.
    """
    used = _closure(
        [edge.target for edge in whole.edges if edge.target.dataset in ends],
        by_target(whole.edges),
        lambda edge: (edge.target, edge.source),
    )
    used_in: dict[DatasetKey, list[NodeKey]] = defaultdict(list)
    for node in used:
        used_in[node.dataset].append(node)
    into: dict[NodeKey, dict[Edge, None]] = defaultdict(dict)
    for edge in whole.flows:
        if edge.target.dataset in read and edge.target.dataset not in ends:
            into[edge.target][edge] = None
    for target, edges in sorted(into.items()):
        if not any(related(each.path, target.path) for each in used_in.get(target.dataset, ())):
            jobs = sorted({edge.job for edge in edges})
            sources = tuple(sorted({edge.source for edge in edges}))
            yield Found(Check.COPIED_FOR_NOTHING, target, jobs[0], along=sources)


def _closure(
    starts: Iterable[NodeKey],
    edges: Mapping[DatasetKey, Sequence[Edge]],
    ends: Callable[[Edge], tuple[NodeKey, NodeKey]],
) -> set[NodeKey]:
    """The nodes from which edges lead on, passively, and those that they lead to."""
    found = set(starts)
    pending = list(found)
    while pending:
        node = pending.pop()
        for edge in edges.get(node.dataset, ()):
            near, far = ends(edge)
            if related(near.path, node.path):
                found.add(near)
                if far not in found:
                    found.add(far)
                    pending.append(far)
    return found
