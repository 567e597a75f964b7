"""Text search for datasets, jobs and paths by name, path, tag and owner.

The text is searched in namespaces and names, in a path's steps (with dots between them, as in ``user.email``; ``[]`` is
written as in answers, too), in tags (``key`` or ``key=value``) and in the names of owners, ignoring case. Hits are
ordered by kind, datasets first, and within a kind by key; each item occurs once, with all its matches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from headwater_backend.domain import facet_readers, pages
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey
from headwater_backend.domain.node_keys import job_of, named_text, node_of, node_text
from headwater_backend.domain.pages import Page, page, size
from headwater_backend.ports import Catalog, Labels
from headwater_backend.questions import resolving

MAX_TEXT = 1_000
NEAR_AMONG = 100_000
"""The number of jobs among which similar names are looked for."""
K = TypeVar("K")


class Kind(Enum):
    """The kinds of items that a search finds."""

    DATASET = "DATASET"
    JOB = "JOB"
    PATH = "PATH"


class By(Enum):
    """The parts of an item that a text can match."""

    NAME = "NAME"
    PATH = "PATH"
    TAG = "TAG"
    OWNER = "OWNER"


@dataclass(frozen=True, slots=True)
class Match:
    """A match: the part of the item, and its text."""

    by: By
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """An item that was found: ``node`` is a dataset or a path of one, and None for a job. ``label`` is for people."""

    kind: Kind
    label: str
    matches: tuple[Match, ...]
    node: NodeKey | None = None
    job: JobKey | None = None

    @property
    def cursor(self) -> str:
        """The cursor of the search after this hit."""
        text = node_text(self.node) if self.node else named_text(self.job) if self.job else ""
        return pages.cursor(self.kind.value, text)


def search(
    store: Catalog,
    text: str,
    *,
    kinds: Collection[Kind] = tuple(Kind),
    by: Collection[By] = tuple(By),
    first: int | None = None,
    after: str | None = None,
) -> Page[Hit]:
    """A page of hits; an empty text lists names and paths. Raises ``BadQuestion``."""
    wanted = size(first, "hits")
    if len(text) > MAX_TEXT:
        raise BadQuestion(
            f"the text has {len(text)} characters", f"a search has {MAX_TEXT} characters at most"
        )
    wanted_text = _Search(store, text, frozenset(by))
    reached, key = pages.read_cursor(after, (str, str)) if after else (None, "")
    found: list[Hit] = []
    for kind in Kind:
        if kind.value == reached:
            reached = None
            found += wanted_text.hits(kind, wanted + 1, key) if kind in kinds else ()
        elif reached is None and kind in kinds and len(found) <= wanted:
            found += wanted_text.hits(kind, wanted + 1 - len(found), "")
    if reached is not None:
        raise BadQuestion(f"{after!r} is not a cursor", "take the cursor of the page before")
    return page(found, wanted)


class NameKind(Enum):
    """The kinds of names that may be mistyped."""

    DATASET = "DATASET"
    JOB = "JOB"
    NAMESPACE = "NAMESPACE"
    OWNER = "OWNER"
    TAG = "TAG"


def near_names(store: Catalog, text: str, kinds: Collection[NameKind]) -> list[str]:
    """The known names that are most similar to the text; of a name with a path, its end is compared as well."""
    if len(text) > MAX_TEXT:
        return []
    names = {name for kind in kinds for name in _names(store, kind)}
    ends = {re.split("[/.]", name)[-1]: name for name in sorted(names)}
    near = sorted([*resolving.near(text, ends), *resolving.near(text, names)], key=lambda each: -each[1])
    return list(dict.fromkeys(ends.get(name, name) for name, _ in near))[: resolving.HINTS]


def _names(store: Catalog, kind: NameKind) -> Iterable[str]:
    match kind:
        case NameKind.DATASET:
            return (key.name for key in store.dataset_keys())
        case NameKind.JOB:
            return (key.name for key in store.jobs_like("", NEAR_AMONG))
        case NameKind.NAMESPACE:
            jobs = {key.namespace for key in store.jobs_like("", NEAR_AMONG)}
            return jobs | {key.namespace for key in store.dataset_keys()}
        case NameKind.OWNER:
            return (owner.name for facets in _labels(store) for owner in facet_readers.owners(facets))
        case NameKind.TAG:
            tags = (tag for facets in _labels(store) for tag in facet_readers.tags(facets))
            fields = (_written(key, value) for _, key, value in store.tagged_fields())
            return {*(_written(*tag[:2]) for tag in tags), *fields}


def _labels(store: Labels) -> Iterable[Mapping[str, Any]]:
    return (*store.labelled_datasets().values(), *store.labelled_jobs().values())


class _Search:
    """One search for a text."""

    def __init__(self, store: Catalog, text: str, by: frozenset[By]) -> None:
        self._store = store
        self._text = text
        self._folded = text.lower()
        self._by = by

    def hits(self, kind: Kind, count: int, after: str) -> list[Hit]:
        """Up to ``count`` hits after the key, in key order."""
        match kind:
            case Kind.DATASET:
                return self._datasets(count, _parsed(after, node_of).dataset if after else None)
            case Kind.JOB:
                return self._jobs(count, _parsed(after, job_of) if after else None)
            case Kind.PATH:
                return self._paths(count, _parsed(after, node_of) if after else None)

    def _datasets(self, count: int, after: DatasetKey | None) -> list[Hit]:
        labelled = self._labelled(self._store.labelled_datasets) if self._labels() else {}
        named = self._store.datasets_like(self._text, count, after) if By.NAME in self._by else ()
        return [
            Hit(Kind.DATASET, key.name, self._all(By.NAME, key.name, key in named, others), NodeKey(key, ()))
            for key, others in _merged(named, labelled, count, after, lambda key: key)
        ]

    def _jobs(self, count: int, after: JobKey | None) -> list[Hit]:
        labelled = self._labelled(self._store.labelled_jobs) if self._labels() else {}
        named = self._store.jobs_like(self._text, count, after) if By.NAME in self._by else ()
        return [
            Hit(Kind.JOB, key.name, self._all(By.NAME, key.name, key in named, others), job=key)
            for key, others in _merged(named, labelled, count, after, lambda key: key)
        ]

    def _paths(self, count: int, after: NodeKey | None) -> list[Hit]:
        labelled = self._tagged() if self._labels() else {}
        steps = self._text.replace("[]", "._element").replace("{key}", ".key").replace("{}", ".value")
        steps = steps.replace("{packed}", "._packed")
        named = self._store.paths_like(steps.removeprefix("."), count, after) if By.PATH in self._by else ()
        found = _merged(named, labelled, count, after, node_text)
        labels = resolving.labels(self._store, [key for key, _ in found])
        return [
            Hit(Kind.PATH, labels[key], self._all(By.PATH, labels[key], key in named, others), key)
            for key, others in found
        ]

    def _labels(self) -> bool:
        """Whether tags or owners are searched."""
        return bool(self._text) and not self._by.isdisjoint((By.TAG, By.OWNER))

    def _labelled(self, look_up: Callable[[], Mapping[K, Mapping[str, Any]]]) -> dict[K, list[Match]]:
        found = {key: list(self._matching(facets)) for key, facets in look_up().items()}
        return {key: matches for key, matches in found.items() if matches}

    def _matching(self, facets: Mapping[str, Any]) -> Iterable[Match]:
        owners = facet_readers.owners(facets) if By.OWNER in self._by else ()
        yield from (Match(By.OWNER, owner.name) for owner in owners if self._in(owner.name))
        tags = facet_readers.tags(facets) if By.TAG in self._by else ()
        yield from (
            Match(By.TAG, text) for tag in tags if not tag.field if self._in(text := _written(*tag[:2]))
        )

    def _tagged(self) -> dict[NodeKey, list[Match]]:
        found: dict[NodeKey, list[Match]] = {}
        for node, key, value in self._store.tagged_fields() if By.TAG in self._by else ():
            if self._in(text := _written(key, value)):
                found.setdefault(node, []).append(Match(By.TAG, text))
        return found

    def _in(self, text: str) -> bool:
        return self._folded in text.lower()

    def _all(self, by: By, text: str, matched: bool, others: Sequence[Match]) -> tuple[Match, ...]:
        return (*((Match(by, text),) if matched else ()), *others)


def _merged(
    named: Sequence[K],
    labelled: Mapping[K, Sequence[Match]],
    count: int,
    after: K | None,
    order: Callable[[K], Any],
) -> list[tuple[K, Sequence[Match]]]:
    """The items that matched by name or by labels, in order; ``named`` already begins after ``after``."""
    labelled_behind: list[K] = [key for key in labelled if after is None or order(key) > order(after)]
    keys: list[K] = sorted({*named, *labelled_behind}, key=order)[:count]
    return [(key, labelled.get(key, ())) for key in keys]


def _written(key: str, value: str) -> str:
    return f"{key}={value}" if value else key


def _parsed(text: str, parse: Callable[[str], K]) -> K:
    try:
        return parse(text)
    except ValueError:
        raise BadQuestion(f"{text!r} is not a key", "take the cursor of the page before") from None
