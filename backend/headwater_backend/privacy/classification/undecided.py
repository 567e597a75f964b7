"""Origins of which nobody has decided whether they hold personal data, and their paths that look personal.

An *origin* is a dataset without inputs of its own (``ports.graph.PathGraph.sources``), or one that was read before
anybody is known to have written it, or in which a job that wrote it found data of others
(``ports.users.DatasetUsers.found_there``): what it holds, or held then, no lineage tells. It is decided once a rule, a
tag or a steward decides anything about it, in either direction; what looks personal beside that is an open proposal. A
steward's look at a whole dataset decides of the paths that were known then: of one that appeared later, nobody has
decided.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence, Set
from datetime import datetime
from typing import Final, TypeAlias

from headwater_backend.domain.model import DatasetKey, Incomplete, NodeKey, Use
from headwater_backend.domain.moments import moment
from headwater_backend.domain.records import DecisionMade
from headwater_backend.ports import CataloguedGraph, Edges, NamedEdges
from headwater_backend.privacy.classification.decided import Decided
from headwater_backend.privacy.classification.personal import Personal
from headwater_backend.privacy.classification.place_patterns import DATASETS_AT_ONCE
from headwater_backend.privacy.classification.suggestions import described_leaves, joined_with, suggested_for
from headwater_backend.privacy.ways import Ways
from headwater_backend.questions.resolving import DescribedPath

UNDECIDED_ORIGIN: Final = "UNDECIDED_ORIGIN"
OPEN_PROPOSAL: Final = "OPEN_PROPOSAL"
Identifying: TypeAlias = Callable[[Collection[NodeKey]], Set[NodeKey]]
KINDS: Final = (UNDECIDED_ORIGIN, OPEN_PROPOSAL)
_NAMED: Final = 3
"""The number of paths that a gap names."""


def undecided(
    store: CataloguedGraph,
    is_open: Open,
    as_of: datetime | None,
    identifying: Identifying,
) -> Iterator[Incomplete]:
    """The gaps of the origins on the ways: at most one for each, with the number of its paths.

    ``identifying`` chooses, of some paths, those that hold what identifies a person.
    """
    origins = _origins(store, is_open.ways.datasets, as_of)
    known = [key for key in origins if is_open.is_decided(key)]
    yield from map(_undecided, sorted(set(origins).difference(known)))
    for start in range(0, len(known), DATASETS_AT_ONCE):
        some = known[start : start + DATASETS_AT_ONCE]
        yield from _of_known(store, some, is_open, as_of, identifying)


def _origins(
    store: CataloguedGraph, among: Collection[DatasetKey] | None, as_of: datetime | None
) -> Sequence[DatasetKey]:
    """The origins at that moment. One that was dropped counts if no job is known to have made it of others: its data
    may be in what was made of it.
    """
    some = None if among is None else sorted(among)
    before = store.found_there(some, as_of)
    count = store.datasets(first=0).total if among is None else len(among)
    found = store.sources(count, None, some, as_of) if count else ()
    there = store.existing(found, as_of) if found else set()
    return sorted({*before, *there, *_never_made(store, [key for key in found if key not in there], as_of)})


def _never_made(
    store: CataloguedGraph, gone: Sequence[DatasetKey], as_of: datetime | None
) -> Iterator[DatasetKey]:
    """Those that were known by then, and that no job with inputs wrote."""
    known = store.get_datasets(gone) if gone else {}
    then = [key for key, each in known.items() if not (as_of and each.first_seen and each.first_seen > as_of)]
    jobs = store.jobs_with(then, Use.OUTPUT) if then else {}
    used = store.used_by_jobs(sorted({job for some in jobs.values() for job in some})) if jobs else {}
    for key in then:
        uses = (use for job in jobs.get(key, ()) for use in used.get(job, ()))
        if not any(use.use is Use.INPUT and use.dataset != key for use in uses):
            yield key


def _of_known(
    store: NamedEdges,
    keys: Sequence[DatasetKey],
    is_open: Open,
    as_of: datetime | None,
    identifying: Identifying,
) -> Iterator[Incomplete]:
    """The gaps of datasets of which something is decided."""
    reviewed = is_open.decisions.reviewed
    leaves = {node: each for node, each in described_leaves(store, keys) if is_open(node)}
    plain = [
        node
        for node, each in leaves.items()
        if node.dataset not in reviewed and not suggested_for(node, each.type)
    ]
    unasked = set(plain) - _keys(store, plain, as_of, identifying)
    found: dict[DatasetKey, list[DescribedPath]] = {}
    for node, each in leaves.items():
        if node not in unasked:
            found.setdefault(node.dataset, []).append(each)
    for key, paths in found.items():
        review = reviewed.get(key)
        yield _came_later(key, paths, review[1]) if review else _proposed(key, paths)


def _keys(
    store: Edges, nodes: Sequence[NodeKey], as_of: datetime | None, identifying: Identifying
) -> Set[NodeKey]:
    """Those that a job joins on beside a path that identifies a person."""
    joined = [(node, other) for node, other, _ in joined_with(store, set(nodes), as_of)]
    others = identifying({other for _, other in joined}) if joined else ()
    return {node for node, other in joined if other in others}


class Open:
    """A predicate: whether a path is on the ways, and nobody has decided about it, or about one that contains it."""

    def __init__(self, named: Personal, decisions: Decided, ways: Ways) -> None:
        self.decisions = decisions
        self.ways = ways
        self._named = named
        self._classified = frozenset(each.node for each in named.attributes)

    def is_decided(self, dataset: DatasetKey) -> bool:
        """Whether somebody has decided anything about the dataset."""
        return dataset in self._named.decided or dataset in self.decisions.reviewed

    def __call__(self, node: NodeKey) -> bool:
        holders = (NodeKey(node.dataset, node.path[:end]) for end in range(len(node.path)))
        return (
            self.decisions.is_open(node)
            and node not in self._classified
            and not any(each in self._classified or each in self.decisions.denied for each in holders)
            and self.ways.lead_by(Incomplete(OPEN_PROPOSAL, *node))
        )


def _undecided(dataset: DatasetKey) -> Incomplete:
    detail = "nobody has decided whether it holds personal data"
    return Incomplete(UNDECIDED_ORIGIN, dataset, detail=detail)


def _came_later(dataset: DatasetKey, paths: Sequence[DescribedPath], made: DecisionMade) -> Incomplete:
    when = f"{moment(made.time):%Y-%m-%d}"
    detail = f"paths that {made.actor} did not know when looking at it on {when}: {_listed(paths)}"
    return Incomplete(UNDECIDED_ORIGIN, dataset, detail=detail)


def _proposed(dataset: DatasetKey, paths: Sequence[DescribedPath]) -> Incomplete:
    return Incomplete(OPEN_PROPOSAL, dataset, detail=f"paths that look personal: {_listed(paths)}")


def _listed(paths: Sequence[DescribedPath]) -> str:
    """The number of the paths, and the first."""
    names = ", ".join(each.label for each in paths[:_NAMED])
    more = ", …" if len(paths) > _NAMED else ""
    return f"{len(paths):,} ({names}{more})"
