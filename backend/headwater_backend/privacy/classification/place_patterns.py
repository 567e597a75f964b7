"""Patterns for paths of datasets, as rules and policies write them, and the known paths that they match.

``*`` is any text within one step of a path (within a dataset's name: any text), ``**.`` any number of leading steps,
``**`` any text, ``?`` one character; all else is literal: ``mentions[].id`` means itself. A pattern matches a whole
path as people write it.

Letter case counts in names of files, objects and topics, and in the paths within; not in those of tables
(``domain.patterns``). What only restricts is about more, since it is not always known that two names are of two things:
a rule is about a path in any case, and a policy also about a dataset.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import ClassVar, Final, Generic, NamedTuple, TypeVar

from headwater_backend.domain.model import DatasetKey, NodeKey, PathSteps, SchemaField
from headwater_backend.domain.patterns import Pattern, case_counts, name_pattern, wildcards
from headwater_backend.ports import CataloguedGraph, Datasets, Edges, NamedEdges
from headwater_backend.questions.resolving import did_you_mean, written
from headwater_facets.path import Fields

DATASETS_AT_ONCE: Final = 500
"""The number of datasets whose schemas and paths are held in memory at a time."""
_WILDCARDS: Final = {"**.": r"(?:.*\.)?", "**": ".*", "*": r"[^.\[\]{}]*", "?": r"[^.\[\]{}]"}


@dataclass(frozen=True, slots=True)
class PlacePattern:
    """The paths of some datasets; ``line`` is the pattern's line in its file."""

    dataset_text: tuple[str, str]
    """The patterns of namespace and name as they are written; the first is empty where one is for both."""
    path_text: str
    line: int
    _exact: _Patterns = field(init=False, repr=False, compare=False)
    _any_case: _Patterns = field(init=False, repr=False, compare=False)
    datasets_in_any_case: ClassVar[bool] = False
    """Whether letter case does not count in datasets' names, wherever these are."""
    paths_in_any_case: ClassVar[bool] = False
    """Whether letter case does not count in paths, wherever the dataset is."""

    def __post_init__(self) -> None:
        """Compile the patterns; raises ``BadQuestion``."""
        for attribute, any_case in (("_exact", False), ("_any_case", True)):
            compiled = _compiled(self.dataset_text, self.path_text, any_case=any_case)
            object.__setattr__(self, attribute, compiled)

    @property
    def is_whole(self) -> bool:
        """Whether it matches all paths of the datasets, whatever their names."""
        return self.path_text == "**"

    def covers(self, dataset: DatasetKey) -> bool:
        """Whether the pattern applies to this dataset; without a namespace, it is for both names together."""
        namespace, name, _ = self._patterns(dataset, any_case=self.datasets_in_any_case)
        if namespace is None:
            return name.fullmatch(f"{dataset.namespace} {dataset.name}") is not None
        return bool(namespace.fullmatch(dataset.namespace) and name.fullmatch(dataset.name))

    def includes(self, dataset: DatasetKey, path: str) -> bool:
        """Whether the pattern matches this path, as people write it, of a dataset that it covers."""
        found = self._patterns(dataset, any_case=self.paths_in_any_case)
        return found.path.fullmatch(path) is not None

    def _patterns(self, dataset: DatasetKey, *, any_case: bool) -> _Patterns:
        return self._any_case if any_case or not case_counts(dataset.namespace) else self._exact


class _Patterns(NamedTuple):
    """The compiled patterns of namespace, name and path, as people write these."""

    namespace: Pattern | None
    name: Pattern
    path: Pattern


def _compiled(dataset: tuple[str, str], path: str, *, any_case: bool) -> _Patterns:
    namespace, name = dataset
    return _Patterns(
        name_pattern(namespace, any_case=any_case) if namespace else None,
        name_pattern(name, any_case=any_case),
        wildcards(path, r"\*\*\.|\*\*|\*|\?", tuple(_WILDCARDS.items()), any_case=any_case),
    )


P = TypeVar("P", bound=PlacePattern)
Covering = Mapping[DatasetKey, Sequence[P]]
"""From each known dataset to the patterns that cover it."""


def covering(store: Datasets, patterns: Sequence[P]) -> Covering[P]:
    """The patterns that cover each known dataset."""
    if not patterns:
        return {}
    return {key: [each for each in patterns if each.covers(key)] for key in store.dataset_keys()}


def matches(store: NamedEdges, covered_by: Covering[P]) -> Iterable[tuple[NodeKey, P]]:
    """Each known path with each pattern that matches it."""
    covered = [key for key, named in covered_by.items() if named]
    for start in range(0, len(covered), DATASETS_AT_ONCE):
        keys = covered[start : start + DATASETS_AT_ONCE]
        partly = {
            key: named for key in keys if (named := [each for each in covered_by[key] if not each.is_whole])
        }
        described, paths = store.get_datasets(list(partly)), store.paths(keys)
        for key in keys:
            whole = [each for each in covered_by[key] if each.is_whole]
            yield from ((NodeKey(key, path), each) for path in paths[key] for each in whole)
            if key in partly:
                fields = described[key].fields if key in described else ()
                yield from _matched(key, paths[key], fields, partly[key])


def _matched(
    dataset: DatasetKey, paths: Iterable[PathSteps], fields: Sequence[SchemaField], patterns: Sequence[P]
) -> Iterable[tuple[NodeKey, P]]:
    by_name = Fields(fields)
    for path in paths:
        text = written(path, by_name)
        yield from ((NodeKey(dataset, path), each) for each in patterns if each.includes(dataset, text))


class Idle(NamedTuple):
    """Why a pattern matches no known path: what it fits, and a hint with the most similar names, or None."""

    detail: str
    hint: str | None
    dataset_known: bool
    """Whether it covers a known dataset."""


def why_idle(store: Edges, pattern: P, covered_by: Covering[P]) -> Idle:
    """Why a pattern matches no known path."""
    covered = list(islice((key for key, named in covered_by.items() if pattern in named), DATASETS_AT_ONCE))
    if not covered:
        known = [f"{key.namespace} {key.name}" for key in covered_by]
        wanted = " ".join(pattern.dataset_text).strip()
        return Idle(f"no known dataset: {wanted!r}", did_you_mean(_plain(wanted), known), False)
    known_paths = {written(path) for paths in store.paths(covered).values() for path in paths}
    names = sorted(known_paths - {pattern.path_text})
    where = f"{covered[0].name!r}" if len(covered) == 1 else f"the {len(covered)} datasets that it covers"
    detail = f"no known path in {where}: {pattern.path_text!r}"
    return Idle(detail, did_you_mean(_plain(pattern.path_text), names), True)


class Places(Generic[P]):
    """The known paths that each of some patterns matches."""

    def __init__(self, store: CataloguedGraph, patterns: Sequence[P]) -> None:
        self.idle: dict[P, Idle] = {}
        """Why each of the others matches none."""
        self._matched: dict[P, set[NodeKey]] = defaultdict(set)
        self._containing: dict[P, set[NodeKey]] = defaultdict(set)
        covered_by = covering(store, patterns)
        for node, pattern in matches(store, covered_by):
            self._matched[pattern].add(node)
            self._containing[pattern].update(_up_to(node))
        for pattern in patterns:
            if pattern not in self._matched:
                self.idle[pattern] = why_idle(store, pattern, covered_by)

    @property
    def matched(self) -> Mapping[P, Set[NodeKey]]:
        """The known paths that each of the others matches."""
        return self._matched

    def include(self, pattern: P, node: NodeKey) -> bool:
        """Whether the node is one of the pattern's places, contains one, or is contained in one."""
        return node in self._containing[pattern] or not self._matched[pattern].isdisjoint(_up_to(node))

    def inside(self, pattern: P, node: NodeKey) -> list[NodeKey]:
        """The pattern's places in the node; the node itself where it is, or is contained in, one."""
        if not self._matched[pattern].isdisjoint(_up_to(node)):
            return [node]
        return [each for each in self._matched[pattern] if node in _up_to(each)]

    def datasets(self) -> list[DatasetKey]:
        """The datasets of all places, sorted."""
        return sorted({node.dataset for nodes in self._matched.values() for node in nodes})


def _up_to(node: NodeKey) -> list[NodeKey]:
    """The node's whole dataset, each path that contains it, and itself."""
    return [NodeKey(node.dataset, node.path[:end]) for end in range(len(node.path) + 1)]


def _plain(pattern: str) -> str:
    """The part of a pattern that can be compared with names."""
    return pattern.replace("**.", "").replace("*", "").replace("?", "")
