"""Datasets and paths that have data, as opposed to names that somebody has only mentioned.

Anybody may name a dataset as an input, and claim paths of it. A pattern that covers nothing but such names may be
misspelt, as one that covers nothing at all. A dataset has data where a job wrote it, or a schema or a lineage names a
path of it; a path has data where the schema that counts for its dataset has it, or else a lineage. Where no schema
counts, as of a source that only others read, their claims are all that is known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import chain

from headwater_backend.domain.expand import all_paths, tree_of
from headwater_backend.domain.model import DatasetKey, Direction, LineageType, NodeKey, PathSteps, Use
from headwater_backend.ports import CataloguedGraph, Datasets, Edges, NamedEdges
from headwater_backend.privacy.classification.place_patterns import (
    DATASETS_AT_ONCE,
    Covering,
    Idle,
    P,
    Places,
    covering,
    why_idle,
)


def with_data(store: CataloguedGraph, datasets: Sequence[DatasetKey]) -> Set[DatasetKey]:
    """The datasets that a job wrote, or of which a schema or a lineage names a path."""
    written = store.jobs_with(datasets, Use.OUTPUT)
    others = [key for key in datasets if key not in written]
    return {*written, *(key for key, paths in store.paths(others).items() if any(paths))}


def covering_data(store: CataloguedGraph, covered_by: Covering[P]) -> Set[P]:
    """The patterns that cover a dataset with data."""
    found: set[P] = set()
    covered = [key for key, patterns in covered_by.items() if patterns]
    for start in range(0, len(covered), DATASETS_AT_ONCE):
        some = covered[start : start + DATASETS_AT_ONCE]
        undecided = [key for key in some if not found.issuperset(covered_by[key])]
        for key in with_data(store, undecided):
            found.update(covered_by[key])
    return found


def covering_no_data(store: CataloguedGraph, patterns: Sequence[P]) -> dict[P, Idle]:
    """The patterns that cover no dataset with data, each with why."""
    covered_by = covering(store, patterns)
    known = covering_data(store, covered_by)
    return {each: why_idle(store, each, covered_by) for each in patterns if each not in known}


def matching_no_data(store: NamedEdges, matched: Mapping[P, Collection[NodeKey]]) -> Set[P]:
    """The patterns that match paths, none of which has data."""
    firsts = {pattern: next(iter(nodes)) for pattern, nodes in matched.items()}
    # Of most patterns, the first path that it matches has data.
    found = with_data_at(store, list(firsts.values()))
    doubtful = {pattern: matched[pattern] for pattern, first in firsts.items() if first not in found}
    known = with_data_at(store, list(chain.from_iterable(doubtful.values())))
    return {pattern for pattern, nodes in doubtful.items() if known.isdisjoint(nodes)}


def places_with_data(store: CataloguedGraph, patterns: Sequence[P]) -> Places[P]:
    """The places of the patterns; those that match no path with data are idle, too."""
    places = Places(store, patterns)
    if empty := matching_no_data(store, places.matched):
        covered_by = covering(store, list(empty))
        places.idle.update({each: why_idle(store, each, covered_by) for each in empty})
    return places


def with_data_at(store: NamedEdges, nodes: Sequence[NodeKey]) -> Set[NodeKey]:
    """The known paths, of these, that have data."""
    schemas = _schemas(store, sorted({node.dataset for node in nodes}))
    missing = [node for node in nodes if (schema := schemas.get(node.dataset)) and node.path not in schema]
    return set(nodes).difference(missing).union(_in_a_lineage(store, missing))


def _schemas(store: Datasets, keys: Sequence[DatasetKey]) -> dict[DatasetKey, Set[PathSteps]]:
    """The paths of the schema that counts for each dataset that has one."""
    found: dict[DatasetKey, Set[PathSteps]] = {}
    for start in range(0, len(keys), DATASETS_AT_ONCE):
        for key, dataset in store.get_datasets(keys[start : start + DATASETS_AT_ONCE]).items():
            found[key] = frozenset(all_paths(tree_of(dataset.facets.get("schema", {}).get("fields"))))
    return found


def _in_a_lineage(store: Edges, nodes: Sequence[NodeKey]) -> Iterator[NodeKey]:
    """The nodes that are, contain or are contained in a path of an edge; whole datasets say nothing of a path."""
    fans = [
        fan
        for direction in Direction
        for fan in (store.neighbours(nodes, direction, frozenset(LineageType)).fans if nodes else ())
    ]
    ends = {fan.near for fan in fans if fan.near.path}
    for node in nodes:
        if any(end.dataset == node.dataset and _comparable(end.path, node.path) for end in ends):
            yield node


def _comparable(one: PathSteps, other: PathSteps) -> bool:
    length = min(len(one), len(other))
    return one[:length] == other[:length]
