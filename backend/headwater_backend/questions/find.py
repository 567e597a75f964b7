"""Finding what a question names, and near names where there is no such thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz, process

from headwater_backend.errors import UnknownDataset, UnknownPath
from headwater_backend.model import Dataset, DatasetKey, NodeKey, PathSteps, SchemaField
from headwater_backend.ports import LineageStore
from headwater_facets.path import Path

HINTS = 3
NEAR_ENOUGH = 60.0


def dataset(store: LineageStore, key: DatasetKey) -> Dataset:
    """The dataset of that name or symlink; raises ``UnknownDataset`` with the nearest known names."""
    found = store.dataset(key)
    if found is None:
        known = [f"{near.namespace} {near.name}" for near in store.dataset_keys()]
        raise UnknownDataset(
            f"there is no dataset {key.name!r} in namespace {key.namespace!r}",
            did_you_mean(f"{key.namespace} {key.name}", known),
        )
    return found


def resolve(store: LineageStore, node: NodeKey) -> NodeKey:
    """The node under its dataset's own name; raises ``UnknownDataset`` or ``UnknownPath``."""
    found = dataset(store, node.dataset)
    if node.path:
        known = store.paths(found.key)
        if node.path not in known:
            raise UnknownPath(
                f"{found.key.name!r} has no path {written(node.path, found.fields)}",
                did_you_mean(written(node.path), [written(path, found.fields) for path in known]),
            )
    return NodeKey(found.key, node.path)


def written(path: PathSteps, fields: Sequence[SchemaField] = ()) -> str:
    """The path as people write it: ``user_mentions[].id_str``."""
    return str(Path.from_wire(path, fields))


def label(node: NodeKey) -> str:
    """What a person sees on a node: its path, or the dataset's name for the whole dataset."""
    return written(node.path) if node.path else node.dataset.name


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint with the nearest of the known names, or None when none is near."""
    near = process.extract(name, known, scorer=fuzz.WRatio, limit=HINTS, score_cutoff=NEAR_ENOUGH)
    return "did you mean " + " or ".join(repr(text) for text, *_ in near) + "?" if near else None
