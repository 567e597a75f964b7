"""From stored rows to the model, for both stores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from headwater_backend.domain import facet_readers
from headwater_backend.domain.expand import subtree, tree_of
from headwater_backend.domain.model import (
    Dataset,
    DatasetKey,
    Drift,
    Fan,
    LineageType,
    NodeKey,
    PathSteps,
    Run,
    SchemaField,
    StateChange,
    Use,
    Used,
)
from headwater_backend.domain.moments import maybe_moment, moment
from headwater_backend.domain.node_keys import (
    dataset_of,
    dataset_part,
    holders,
    job_of,
    named_text,
    node_of,
    path_text,
)
from headwater_backend.domain.transformations import of_types
from headwater_backend.in_force.datasets.changes import ChangeRow, dropped_at, in_order
from headwater_backend.in_force.datasets.facets import FacetRow, newest
from headwater_backend.in_force.datasets.outcomes import Outcome, latest_state
from headwater_backend.in_force.drift import DriftRow
from headwater_facets.path import Path, PathSyntaxError

K = TypeVar("K")
V = TypeVar("V")


class RunRow(NamedTuple):
    """A run as stored."""

    key: str
    job: str
    run_id: str
    first: int
    last: int
    started: int | None
    running: int | None
    completed: int | None
    failed: int | None
    aborted: int | None
    other: int | None
    ended: int | None


class UsedRow(NamedTuple):
    """A dataset that a run, or a job's runs, used; ``by`` is the key asked for."""

    by: str
    direction: str
    dataset: str
    first: int
    last: int


def run_of(row: RunRow, facets: Iterable[FacetRow]) -> Run:
    """The run with its facets."""
    known = newest(facets)
    return Run(
        run_id=row.run_id,
        job=job_of(row.job),
        state=latest_state(
            Outcome(row.started, row.running, row.completed, row.failed, row.aborted), row.other
        ),
        started_at=moment(row.first if row.started is None else row.started),
        ended_at=maybe_moment(row.ended),
        facets=known,
        parent=facet_readers.parent(known),
        root=facet_readers.root(known),
        claimed_parent=facet_readers.claimed_parent(known),
        first_seen=moment(row.first),
        last_seen=moment(row.last),
    )


def below(
    asked: Mapping[str, K], rows: Iterable[Sequence[str]], parse: Callable[[str], V]
) -> dict[K, list[V]]:
    """The values below each key, from rows of (text of a key asked for, text of a value below it)."""
    found: dict[K, list[V]] = {}
    for root, each in rows:
        found.setdefault(asked[root], []).append(parse(each))
    return found


def used_by(
    asked: Mapping[str, K], rows: Iterable[UsedRow], facets: Iterable[FacetRow]
) -> dict[K, list[Used]]:
    """The datasets that each key asked for used, inputs first. A facet's owner is ``input`` or ``output``, a blank,
    key, dataset.
    """
    by_owner: dict[str, list[FacetRow]] = {}
    for facet in facets:
        by_owner.setdefault(facet.owner, []).append(facet)
    found: dict[K, list[Used]] = {key: [] for key in asked.values()}
    for row in sorted(rows, key=lambda row: (row.direction, dataset_of(row.dataset))):
        known = newest(by_owner.get(f"{row.direction.lower()} {row.by}{row.dataset}", ()))
        dataset, use = dataset_of(row.dataset), Use(row.direction)
        found[asked[row.by]].append(Used(dataset, use, known, moment(row.first), moment(row.last)))
    return found


def with_states(
    datasets: Mapping[DatasetKey, Dataset],
    names: Iterable[tuple[str, str]],
    changes: Iterable[ChangeRow],
    alive: Collection[str],
) -> dict[DatasetKey, Dataset]:
    """The datasets with their other names, (name, canonical key), and the changes of their states."""
    others: dict[str, list[str]] = {}
    for name, own in names:
        others.setdefault(own, []).append(name)
    of_dataset: dict[str, list[ChangeRow]] = {}
    for row in changes:
        of_dataset.setdefault(row.of, []).append(row)
    return {
        key: _with_states(dataset, others.get(text, ()), of_dataset.get(text, ()), text in alive)
        for key, dataset in datasets.items()
        for text in [named_text(dataset.key)]
    }


def _with_states(dataset: Dataset, names: Iterable[str], rows: Iterable[ChangeRow], alive: bool) -> Dataset:
    newest_first = in_order(rows)[::-1]
    return replace(
        dataset,
        names=tuple(sorted(map(dataset_of, names))),
        changes=tuple(map(_state_change, newest_first)),
        dropped_at=maybe_moment(dropped_at(newest_first, alive=alive)),
    )


def _state_change(row: ChangeRow) -> StateChange:
    return StateChange(
        change=row.change,
        at=moment(row.time),
        dataset=dataset_of(row.dataset),
        previous=dataset_of(row.previous) if row.previous else None,
        job=job_of(dataset_part(row.run)) if row.run else None,
        run_id=row.run_id,
        replaced=row.replaced or None,
    )


def dataset_from(key: str, first: int, last: int, facets: Mapping[str, Any]) -> Dataset:
    """The dataset with its facets and the fields of its schema."""
    schema = facets.get("schema") or {}
    return Dataset(dataset_of(key), schema_fields(schema.get("fields")), facets, moment(first), moment(last))


def datasets_of(
    keys: Sequence[DatasetKey], rows: Iterable[tuple[str, str, int, int, Iterable[FacetRow]]]
) -> dict[DatasetKey, Dataset]:
    """The datasets out of (key asked for, own key, first, last, facets), in the order asked for."""
    found = {
        asked: dataset_from(own, first, last, newest(facets)) for asked, own, first, last, facets in rows
    }
    return {key: found[text] for key in keys if (text := named_text(key)) in found}


def paths_of(
    datasets: Sequence[DatasetKey], rows: Iterable[Sequence[str]]
) -> dict[DatasetKey, list[PathSteps]]:
    """The paths of each dataset out of (key asked for, node key)."""
    keys: dict[str, list[str]] = {}
    for asked, key in rows:
        keys.setdefault(asked, []).append(key)
    return {dataset: with_ancestors(keys.get(named_text(dataset), ())) for dataset in datasets}


def schema_fields(entries: Any) -> tuple[SchemaField, ...]:
    """The fields of a ``schema`` facet; entries without a name, and types that are no text, are skipped."""
    named = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return tuple(
        SchemaField(
            entry["name"],
            _text(entry.get("type")),
            _text(entry.get("description")),
            schema_fields(entry.get("fields")),
        )
        for entry in named
        if isinstance(entry.get("name"), str)
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def fans_of(
    groups: Iterable[tuple[str, str, str, Iterable[tuple[K, Iterable[K]]]]],
    types: frozenset[LineageType],
    node: Callable[[K], NodeKey],
) -> list[Fan]:
    """The fans of (slot, version, transformations, (near end, far ends)…), with the ends resolved by ``node``.

    Fans without a transformation of the types are left out, and edges between two names of one path, as of a rename.
    """
    found: list[Fan] = []
    for slot, version, how, ends in groups:
        job, kinds = job_of(dataset_part(slot)), of_types(how, types)
        for near, fars in ends if kinds else ():
            here = node(near)
            far = tuple(there for key in fars for there in (node(key),) if there != here or key == near)
            if far:
                found.append(Fan(here, far, job, kinds, version))
    return found


def node_named(text: str, own: Mapping[str, str]) -> NodeKey:
    """The node, its dataset by its canonical name; ``own`` leads from other names to it."""
    if not own:
        return node_of(text)
    part = dataset_part(text)
    return node_of(own.get(part, part) + text[len(part) :])


class Asked(NamedTuple):
    """The paths of one dataset that are comparable with a frontier, as texts that follow its key."""

    dataset: str
    exact: list[str]
    """Paths to match exactly: the ancestors of nodes of the frontier that lie in no subtree."""
    subtrees: list[str]
    """Paths to match with all their descendants; none holds another."""


def asked_of(frontier: Iterable[NodeKey]) -> list[Asked]:
    """The nodes, their ancestors and their descendants, by dataset."""
    by_dataset: dict[DatasetKey, list[PathSteps]] = defaultdict(list)
    for dataset, path in frontier:
        by_dataset[dataset].append(path)
    return [
        _asked(named_text(dataset), sorted(set(map(path_text, paths))))
        for dataset, paths in by_dataset.items()
    ]


def _asked(dataset: str, paths: list[str]) -> Asked:
    subtrees = _outermost(paths)
    held_by = set(chain.from_iterable(map(holders, subtrees)))
    return Asked(dataset, sorted(held_by), subtrees)


def _outermost(ordered: list[str]) -> list[str]:
    """The paths without those in another's subtree; a subtree follows its root in key order."""
    kept: list[str] = []
    for key in ordered:
        if not kept or not key.startswith(kept[-1]):
            kept.append(key)
    return kept


def drifts(rows: Iterable[DriftRow], own: Mapping[str, str]) -> list[Drift]:
    """Each drift once, by dataset, job and path."""
    found = {
        Drift(node.dataset, node.path, job_of(row.job), row.use == Use.OUTPUT.value, row.detail)
        for row in rows
        for node in [node_named(row.path, own)]
    }
    return sorted(found, key=lambda each: (each.dataset, each.job, each.written, each.path, each.detail))


def with_ancestors(texts: Iterable[str]) -> list[PathSteps]:
    """The paths of these node keys, inner nodes included, sorted; not the empty path."""
    paths = {node_of(text).path for text in texts}
    return sorted({path[:depth] for path in paths for depth in range(1, len(path) + 1)})


def field_tags(dataset: DatasetKey, tags: Any, schema: Any) -> Iterable[tuple[NodeKey, str, str]]:
    """The field tags of a ``tags`` facet: (node, key, value)."""
    entries = tags.get("tags") if isinstance(tags, dict) else None
    tree = tree_of(schema.get("fields")) if isinstance(schema, dict) else {}
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("field"), str) and entry["field"]:
            path = _tagged_path(entry["field"], tree)
            yield NodeKey(dataset, path), str(entry.get("key", "")), str(entry.get("value", ""))


def all_field_tags(rows: Iterable[FacetRow], own: Mapping[str, str]) -> list[tuple[NodeKey, str, str]]:
    """The field tags out of the ``tags`` and ``schema`` facets of datasets, in node order.

    A dataset with several names has the tags of all of them: what is tagged as personal under one name stays so when
    somebody tags another.
    """
    by_dataset: dict[str, dict[str, list[FacetRow]]] = {}
    for row in rows:
        key = row.owner.removeprefix("dataset ")
        by_dataset.setdefault(own.get(key, key), {}).setdefault(key, []).append(row)
    found: set[tuple[NodeKey, str, str]] = set()
    for key, of_names in by_dataset.items():
        schema = newest(chain.from_iterable(of_names.values())).get("schema")
        for of_one in of_names.values():
            found.update(field_tags(dataset_of(key), newest(of_one).get("tags"), schema))
    return sorted(found)


def _tagged_path(text: str, tree: dict[str, Any]) -> PathSteps:
    """The path that a tag's text means: a top-level column, a path in text form, or step names with dots."""
    dotted = tuple(text.split("."))
    if text in tree:
        return (text,)
    if subtree(tree, dotted) is not None:
        return dotted
    try:
        return tuple(Path.parse(text).to_wire())
    except PathSyntaxError:
        return (text,)


def folded(key: DatasetKey) -> str:
    """The text in which a search looks for a dataset."""
    return f"{key.namespace}\n{key.name}".casefold()
