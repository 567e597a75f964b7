"""Which paths hold personal data: said by tags on fields, and by rules.

A field tag of the standard ``tags`` facet names a category in one of these ways:

1. its value is a key of fideslang's taxonomy, or several: ``data_category = user.contact.email``;
2. its key is one, and its value does not deny it: ``user.contact.email = true``;
3. its key says that the field is personal without saying how (``pii``, ``personal_data``, …), and its value
   does not deny it: ``pii = true`` is the category ``user``.

A tag whose key promises a category (``data_category``, …) but whose value is none is reported, never dropped
silently, and so is a rule that fits no known path: what it names may be misspelt, or not known yet, and an answer
without it may be wrong. Categories outside ``user`` are not personal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Fan,
    Incomplete,
    NodeKey,
    PathSteps,
    SchemaField,
    only_read_as,
)
from headwater_backend.ports import Catalog, CataloguedGraph, PathGraph
from headwater_backend.privacy import categories
from headwater_backend.questions.find import did_you_mean, written
from headwater_backend.questions.search import DIRECT_ONLY
from headwater_facets.path import Fields

if TYPE_CHECKING:
    from headwater_backend.privacy.rules import Rule

DATASETS_AT_ONCE = 500
"""How many datasets' schemas and paths are held in memory at a time."""
_CATEGORY_KEYS = frozenset({"data_category", "data_categories", "fides", "fideslang", "fides_key"})
_PERSONAL_KEYS = frozenset({"pii", "personal", "personal_data", "gdpr", "sensitive", "privacy"})
_DENIED = frozenset({"false", "no", "none", "0", "off"})


@dataclass(frozen=True, slots=True)
class Attribute:
    """A path that holds personal data, with its categories and who says so, both sorted."""

    node: NodeKey
    categories: tuple[str, ...]
    said_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IdleRule:
    """A rule that fits no known path; ``detail`` says what it does not fit, ``hint`` what is written most alike."""

    rule: Rule
    detail: str
    hint: str | None = None

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"the rule in line {self.rule.line} fits {self.detail}{hint}"


@dataclass(frozen=True, slots=True)
class Personal:
    """All personal attributes, sorted, what could not be understood, and the rules that name nothing."""

    attributes: tuple[Attribute, ...]
    unclear: tuple[Incomplete, ...]
    idle: tuple[IdleRule, ...] = ()


def personal(store: CataloguedGraph, rules: Sequence[Rule] = ()) -> Personal:
    """All personal attributes that tags and rules name."""
    said: dict[NodeKey, set[tuple[str, str]]] = {}
    unclear: list[Incomplete] = []
    used: set[Rule] = set()
    for node, key, value in store.tagged_fields():
        found = tag_categories(key, value)
        if found is None:
            unclear.append(_unclear(node, key, value))
        for category in found or ():
            said.setdefault(node, set()).add((category, f"tag {key} = {value}"))
    speaking = _speaking(store, rules)
    for node, rule in _ruled(store, speaking):
        said.setdefault(node, set()).add((rule.category, f"rule in line {rule.line}"))
        used.add(rule)
    return Personal(
        tuple(_attribute(node, sayings) for node, sayings in sorted(said.items())),
        tuple(unclear),
        _idle(store, [rule for rule in rules if rule not in used], speaking),
    )


def with_stored_names(store: PathGraph, attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """The attributes, and of those that are named as some job reads them what is stored there, by its own name: other
    jobs may read it by others.
    """
    found = {each.node: each for each in attributes}
    fans = store.neighbours(list(found), Direction.BACKWARD, DIRECT_ONLY).fans if found else ()
    reads = [fan for fan in fans if only_read_as(fan.transformations)]
    named: dict[DatasetKey, list[Attribute]] = defaultdict(list)
    for each in attributes:
        named[each.node.dataset].append(each)
    for fan in reads:
        for each in named[fan.near.dataset]:
            for node in _stored(fan, each.node.path):
                found.setdefault(
                    node, replace(each, node=node, said_by=(f"read as {written(fan.near.path)}",))
                )
    return tuple(found[node] for node in sorted(found))


def _stored(fan: Fan, path: PathSteps) -> Iterator[NodeKey]:
    """What is stored at the path that a job reads: in what holds it, or all that it holds."""
    read = fan.near.path
    length = min(len(read), len(path))
    if read[:length] != path[:length]:
        return
    below = path[len(read) :] if all(each.carries_structure for each in fan.transformations) else ()
    yield from (NodeKey(far.dataset, far.path + below) for far in fan.fars)


def tag_categories(key: str, value: str) -> tuple[str, ...] | None:
    """The personal categories that a tag names; None when it means to name one and does not."""
    keys, denied = categories.listed(value), value.strip().lower() in _DENIED
    named = [text for text in keys if text in categories.known()]
    if named:
        return tuple(category for category in named if categories.is_personal(category))
    if key in categories.known():
        return (key,) if categories.is_personal(key) and not denied else ()
    if key.lower() in _PERSONAL_KEYS:
        return () if denied else (categories.PERSONAL,)
    return None if key.lower() in _CATEGORY_KEYS and keys and not denied else ()


Speaking = Mapping[DatasetKey, "Sequence[Rule]"]
"""Each known dataset with the rules that speak of it."""


def _speaking(store: Catalog, rules: Sequence[Rule]) -> Speaking:
    if not rules:
        return {}
    return {key: [rule for rule in rules if rule.covers(key)] for key in store.dataset_keys()}


def _ruled(store: CataloguedGraph, speaking: Speaking) -> Iterable[tuple[NodeKey, Rule]]:
    covered = [key for key, named in speaking.items() if named]
    for start in range(0, len(covered), DATASETS_AT_ONCE):
        keys = covered[start : start + DATASETS_AT_ONCE]
        described, paths = store.get_datasets(keys), store.paths(keys)
        for key in keys:
            fields = described[key].fields if key in described else ()
            yield from _matched(key, paths[key], fields, speaking[key])


def _matched(
    dataset: DatasetKey, paths: Iterable[PathSteps], fields: Sequence[SchemaField], rules: Sequence[Rule]
) -> Iterable[tuple[NodeKey, Rule]]:
    by_name = Fields(fields)
    for path in paths:
        text = written(path, by_name)
        yield from ((NodeKey(dataset, path), rule) for rule in rules if rule.path.fullmatch(text))


def _idle(store: PathGraph, rules: Sequence[Rule], speaking: Speaking) -> tuple[IdleRule, ...]:
    return tuple(_why_idle(store, rule, speaking) for rule in rules)


def _why_idle(store: PathGraph, rule: Rule, speaking: Speaking) -> IdleRule:
    covered = list(islice((key for key, named in speaking.items() if rule in named), DATASETS_AT_ONCE))
    if not covered:
        known = [f"{key.namespace} {key.name}" for key in speaking]
        wanted = " ".join(rule.dataset_text).strip()
        return IdleRule(rule, f"no known dataset: {wanted!r}", did_you_mean(_plain(wanted), known))
    names = sorted({written(path) for paths in store.paths(covered).values() for path in paths})
    where = f"{covered[0].name!r}" if len(covered) == 1 else f"the {len(covered)} datasets that it speaks of"
    detail = f"no known path in {where}: {rule.path_text!r}"
    return IdleRule(rule, detail, did_you_mean(_plain(rule.path_text), names))


def _plain(pattern: str) -> str:
    """What of a pattern can be compared with names."""
    return pattern.replace("**.", "").replace("*", "").replace("?", "")


def _attribute(node: NodeKey, sayings: Iterable[tuple[str, str]]) -> Attribute:
    named, said_by = (tuple(sorted(set(column))) for column in zip(*sayings, strict=True))
    return Attribute(node, named, said_by)


def _unclear(node: NodeKey, key: str, value: str) -> Incomplete:
    hint = categories.near(value)
    detail = f"the tag {key} = {value} names no data category of fideslang" + (f"; {hint}" if hint else "")
    return Incomplete("UNKNOWN_CATEGORY", node.dataset, node.path, detail=detail)
