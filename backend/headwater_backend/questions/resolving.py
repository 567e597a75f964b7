"""Resolution of the names in a question, with similar names where a name is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from headwater_backend.domain.errors import BadQuestion, UnknownDataset, UnknownPath
from headwater_backend.domain.model import (
    Dataset,
    DatasetKey,
    DatasetPage,
    Incomplete,
    NodeKey,
    PathSteps,
    SchemaField,
)
from headwater_backend.names.stewardship import by_rules
from headwater_backend.ports import Catalog, CataloguedGraph, Datasets, Edges, Gaps, get_dataset
from headwater_facets.path import Fields, Path

HINTS = 3
NEAR_ENOUGH = 60.0
MUCH_FARTHER = 8.0
COMPARED = 200
"""The characters of each end of a long name that are compared, because a comparison takes the product of both
lengths.
"""
PAGE = 50
MAX_PAGE = 1_000
_MAP_STEPS = frozenset({"key", "value"})


@dataclass(frozen=True, slots=True)
class DescribedPath:
    """A path with its type and description in the schema facet, if any."""

    path: PathSteps
    label: str
    type: str | None = None
    description: str | None = None


def resolve_dataset(store: Catalog, key: DatasetKey) -> Dataset:
    """The dataset of that name or symlink; raises ``UnknownDataset`` with the nearest known names."""
    found = find_dataset(store, *key)
    if found is None:
        known = [f"{near.namespace} {near.name}" for near in store.dataset_keys()]
        raise UnknownDataset(
            f"no dataset {key.name!r} exists in namespace {key.namespace!r}",
            did_you_mean(f"{key.namespace} {key.name}", known),
        )
    return found


def find_dataset(store: Catalog, namespace: str, name: str) -> Dataset | None:
    """The dataset of that name or symlink, or None. A name without events is resolved by namespace rules."""
    key = DatasetKey(namespace, name)
    found = get_dataset(store, key)
    if found is not None:
        return found
    renamed = by_rules(store, key)
    return get_dataset(store, renamed) if renamed != key else None


def datasets(
    store: Datasets, search: str | None = None, first: int | None = PAGE, after: str | None = None
) -> DatasetPage:
    """A page of datasets. Raises ``BadQuestion`` for a size out of range or an invalid cursor."""
    size = PAGE if first is None else first
    if not 0 < size <= MAX_PAGE:
        raise BadQuestion(f"a page of {size} datasets", f"first is from 1 to {MAX_PAGE}")
    return store.datasets(search, size, after)


def get_datasets(store: Datasets, keys: Sequence[DatasetKey]) -> Mapping[DatasetKey, Dataset]:
    """The known datasets, by the keys asked for."""
    return store.get_datasets(keys)


def paths(store: Edges, datasets: Sequence[DatasetKey]) -> Mapping[DatasetKey, Sequence[PathSteps]]:
    """All known paths of the datasets."""
    return store.paths(datasets)


def describe_paths(known: Iterable[PathSteps], fields: Sequence[SchemaField]) -> list[DescribedPath]:
    """A dataset's known paths with their types."""
    described, by_name = dict(_schema_paths(fields)), Fields(fields)
    return [
        DescribedPath(
            path, written(path, by_name), field.type if field else None, field.description if field else None
        )
        for path in known
        for field in [described.get(path)]
    ]


def _schema_paths(fields: Sequence[SchemaField]) -> Iterator[tuple[PathSteps, SchemaField]]:
    level: list[tuple[PathSteps, SchemaField]] = [((field.name,), field) for field in fields]
    while level:
        yield from level
        level = [((*path, inner.name), inner) for path, field in level for inner in field.fields]


def gaps(store: Gaps, datasets: Sequence[DatasetKey]) -> Mapping[DatasetKey, Sequence[Incomplete]]:
    """The gaps of the lineage into each of the datasets, by their own names."""
    found: dict[DatasetKey, list[Incomplete]] = {key: [] for key in datasets}
    for entry in store.incomplete(datasets):
        found.setdefault(entry.dataset, []).append(entry)
    return found


def resolve_node(store: CataloguedGraph, node: NodeKey) -> NodeKey:
    """The node under its dataset's own name; raises ``UnknownDataset`` or ``UnknownPath``."""
    found = resolve_dataset(store, node.dataset)
    if node.path:
        known = store.paths([found.key])[found.key]
        if node.path not in known:
            fields = Fields(found.fields)
            raise UnknownPath(
                f"{found.key.name!r} has no path {written(node.path, fields)}",
                did_you_mean(written(node.path), (written(path, fields) for path in known)),
            )
    return NodeKey(found.key, node.path)


def written(path: PathSteps, fields: Fields | None = None) -> str:
    """The path as people write it: ``user_mentions[].id_str``."""
    return str(Path.from_wire(path, fields)) if fields else _written(path)


@lru_cache(maxsize=65_536)
def _written(path: PathSteps) -> str:
    return str(Path.from_wire(path))


def labels(store: Datasets, nodes: Iterable[NodeKey]) -> dict[NodeKey, str]:
    """The text of each node for people: its path, or the dataset's name for the whole dataset.

    Only a schema distinguishes a map's key and value from members of that name, so the schemas of datasets with such
    paths are looked up, and no others.
    """
    nodes = list(nodes)
    texts = {path: _written(path) for path in {path for _, path in nodes}}
    found = {node: texts[node.path] if node.path else node.dataset.name for node in nodes}
    of_maps = {path for path in texts if not _MAP_STEPS.isdisjoint(path)}
    doubtful = [node for node in nodes if node.path in of_maps] if of_maps else []
    if doubtful:
        known = store.get_datasets(sorted({node.dataset for node in doubtful}))
        fields = {key: Fields(dataset.fields) for key, dataset in known.items()}
        found.update(
            (node, written(node.path, fields[node.dataset])) for node in doubtful if node.dataset in fields
        )
    return found


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint with the most similar of the known names, or None."""
    names = [repr(text) for text, _ in near(name, known)]
    return f"did you mean {' or '.join(names)}?" if names else None


def near(name: str, known: Iterable[str]) -> list[tuple[str, float]]:
    """The most similar of the known names, each with its similarity up to 100."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only loaded for mistyped names

    found = process.extract(
        name, known, scorer=fuzz.WRatio, processor=_compared, limit=HINTS, score_cutoff=NEAR_ENOUGH
    )
    best = max((score for _, score, _ in found), default=0.0)
    return [(text, score) for text, score, _ in found if score > best - MUCH_FARTHER]


def _compared(text: str) -> str:
    return text if len(text) <= 2 * COMPARED else text[:COMPARED] + text[-COMPARED:]
