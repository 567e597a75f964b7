"""The lineage of an output, with what it names; if it is small, it is remembered for the next run of its job."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from headwater_backend.domain.expand import Tree, all_paths, tree_of
from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey
from headwater_backend.domain.node_keys import dataset_of, dataset_part, node_text
from headwater_backend.domain.records import Version
from headwater_backend.ingest.decoding import lineage

REMEMBERED: Final = 10_000
"""Characters of facets and schemas up to which an output's lineage stays in memory, for the next run of its job."""
REMEMBERED_TEXTS: Final = 2_048


class Lineage(NamedTuple):
    """A version with the datasets and paths that it names, which may be known from it alone."""

    version: Version
    sources: tuple[DatasetKey, ...]
    datasets: tuple[DatasetKey, ...]
    paths: tuple[str, ...]


def lineage_of(
    job: JobKey, output: DatasetKey, found: lineage.FacetLineage, trees: Mapping[DatasetKey, Tree], edges: int
) -> Lineage:
    """The version of an output's lineage, with the datasets and paths that it names."""
    version = lineage.version(job, output, found, trees, edges)
    ends = {end for edge in version.edges for end in (edge.source, edge.target)}
    sources = _datasets(edge.source for edge in version.edges)
    return Lineage(version, sources, _datasets(ends), tuple(ends))


def _datasets(nodes: Iterable[str]) -> tuple[DatasetKey, ...]:
    return tuple(sorted(dataset_of(part) for part in set(map(dataset_part, nodes))))


@lru_cache(maxsize=REMEMBERED_TEXTS)
def repeated_lineage(  # noqa: PLR0917 - a cache's key
    job: JobKey,
    output: DatasetKey,
    facets: tuple[tuple[str, str], ...],
    schemas: tuple[tuple[DatasetKey, str], ...],
    place: str,
    inputs: tuple[DatasetKey, ...],
    edges: int,
) -> Lineage:
    """``lineage_of`` by the texts of facets and schemas, cached: a job's runs mostly have the same lineage."""
    parsed = {name: json.loads(body) for name, body in facets}
    trees = {key: tree_of_schema(schema) for key, schema in schemas}
    return lineage_of(job, output, lineage.read(parsed, trees, output, place, inputs=inputs), trees, edges)


def tree_of_schema(schema: str) -> Tree:
    """The tree of a ``schema`` facet's text; callers must not change it."""
    return _small_tree(schema) if len(schema) <= REMEMBERED else _tree(schema)


def known_paths(dataset: DatasetKey, schema: str) -> tuple[str, ...]:
    """The keys of all paths that a schema gives a dataset."""
    return _few_paths(dataset, schema) if len(schema) <= REMEMBERED else _paths(dataset, schema)


def _tree(schema: str) -> Tree:
    return tree_of(json.loads(schema).get("fields"))


def _paths(dataset: DatasetKey, schema: str) -> tuple[str, ...]:
    return tuple(node_text(NodeKey(dataset, path)) for path in all_paths(tree_of_schema(schema)))


_small_tree = lru_cache(maxsize=REMEMBERED_TEXTS)(_tree)
_few_paths = lru_cache(maxsize=REMEMBERED_TEXTS)(_paths)
