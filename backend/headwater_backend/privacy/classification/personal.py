"""The paths that hold personal data, according to stewards, rules, and tags on fields.

A steward's decision on a path (``decided``) replaces what rules and tags say of it, in either direction. Rules and tags
add up.

A field tag of the standard ``tags`` facet names a category in one of these ways:

1. its value is a key of fideslang's taxonomy, or several: ``data_category = user.contact.email``;
2. its key is one, and its value does not deny it: ``user.contact.email = true``;
3. its key marks the field as personal without a category (``pii``, ``personal_data``, …), and its value
   does not deny it: ``pii = true`` is the category ``user``.

A tag whose key announces a category (``data_category``, …) but whose value is none is reported, never dropped
silently, and so is a rule that matches no known path: its names may be misspelt, or not known yet, and an answer
without it may be wrong. Categories outside ``user`` are not personal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Fan,
    Incomplete,
    NodeKey,
    PathSteps,
    only_read_as,
)
from headwater_backend.ports import CataloguedGraph, Edges
from headwater_backend.privacy.classification import categories
from headwater_backend.privacy.classification.decided import NOTHING_DECIDED, Decided, decided_by
from headwater_backend.privacy.classification.known_data import matching_no_data
from headwater_backend.privacy.classification.place_patterns import covering, matches, why_idle
from headwater_backend.questions.resolving import written
from headwater_backend.questions.traversal import DIRECT_ONLY

if TYPE_CHECKING:
    from headwater_backend.privacy.classification.rules import Rule

UNKNOWN_CATEGORY = "UNKNOWN_CATEGORY"

_CATEGORY_KEYS = frozenset({"data_category", "data_categories", "fides", "fideslang", "fides_key"})
_PERSONAL_KEYS = frozenset({"pii", "personal", "personal_data", "gdpr", "sensitive", "privacy"})
_DENIED = frozenset({"false", "no", "none", "0", "off"})


@dataclass(frozen=True, slots=True)
class Attribute:
    """A path that holds personal data, with its categories, sorted, and what classifies it as personal, the steward's
    decision first.
    """

    node: NodeKey
    categories: tuple[str, ...]
    named_by: tuple[str, ...]

    def is_of(self, category: str) -> bool:
        """Whether it is of the category or a kind of it."""
        return any(categories.includes(category, key) for key in self.categories)

    @property
    def identifies(self) -> bool:
        """Whether it tells one person from others."""
        return categories.is_identifying(self.categories)

    @property
    def identifies_alone(self) -> bool:
        """Whether it does so without others: an address does, its city does not."""
        return categories.is_identifying_alone(self.categories)

    @property
    def identifies_together(self) -> bool:
        """Whether it only does so together with others, as a quasi-identifier."""
        return not self.identifies_alone and categories.is_quasi_identifying(self.categories)


@dataclass(frozen=True, slots=True)
class IdleRule:
    """A rule that matches no known path; ``detail`` describes what is unknown, ``hint`` has the most similar names.

    ``dataset_known`` is whether it is for a known dataset; else, its names may be misspelt, and it may be for any.
    """

    rule: Rule
    detail: str
    hint: str | None = None
    dataset_known: bool = False

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"the rule in line {self.rule.line} fits {self.detail}{hint}"


class Source(Enum):
    """What classifies a path, by authority."""

    STEWARD = "STEWARD"
    RULE = "RULE"
    TAG = "TAG"


class Naming(NamedTuple):
    """One category of a path, and what names it."""

    category: str
    text: str
    source: Source


@dataclass(frozen=True, slots=True)
class Declared:
    """What tags and rules say of paths, the tags that cannot be interpreted, and the rules that match nothing.

    ``decided`` are the datasets of which a rule or a tag decides at least one path, also that it is not personal.
    """

    namings: Mapping[NodeKey, Set[Naming]]
    unclear: tuple[Incomplete, ...]
    idle: tuple[IdleRule, ...]
    decided: frozenset[DatasetKey] = frozenset()


@dataclass(frozen=True, slots=True)
class Personal:
    """All personal attributes, sorted, the tags that cannot be interpreted, and the rules that match nothing.

    ``denied`` are the paths that are not personal data according to stewards; ``decided`` are the datasets of which
    a rule, a tag or a steward decides at least one path.
    """

    attributes: tuple[Attribute, ...]
    unclear: tuple[Incomplete, ...]
    idle: tuple[IdleRule, ...] = ()
    denied: frozenset[NodeKey] = frozenset()
    decided: frozenset[DatasetKey] = frozenset()


def personal(
    store: CataloguedGraph, rules: Sequence[Rule] = (), decided: Decided = NOTHING_DECIDED
) -> Personal:
    """All personal attributes that stewards, rules and tags name."""
    declared = declarations(store, rules)
    found = {node: _attribute(node, named) for node, named in declared.namings.items()}
    for node in found.keys() & decided.denied:
        del found[node]
    for node, (thing, made) in decided.personal.items():
        overruled = (f"overrules {each.text}" for each in declared.namings.get(node, ()))
        named_by = (f"steward {decided_by(thing, made)}", *sorted(set(overruled)))
        found[node] = Attribute(node, thing.categories, named_by)
    return Personal(
        tuple(each for _, each in sorted(found.items())),
        tuple(gap for gap in declared.unclear if NodeKey(gap.dataset, gap.path) not in decided.classes),
        declared.idle,
        decided.denied,
        declared.decided | decided.datasets,
    )


def declarations(store: CataloguedGraph, rules: Sequence[Rule]) -> Declared:
    """What tags and rules say of paths."""
    namings: dict[NodeKey, set[Naming]] = defaultdict(set)
    tagged: set[DatasetKey] = set()
    unclear: list[Incomplete] = []
    matched: dict[Rule, list[NodeKey]] = defaultdict(list)
    for node, key, value in store.tagged_fields():
        found = tag_categories(key, value)
        if found is None:
            unclear.append(_unclear(node, key, value))
        elif found or _denies(key, value):
            tagged.add(node.dataset)
        for category in found or ():
            namings[node].add(Naming(category, f"tag {key} = {value}", Source.TAG))
    covered_by = covering(store, rules)
    for node, rule in matches(store, covered_by):
        namings[node].add(Naming(rule.category, f"rule in line {rule.line}", Source.RULE))
        matched[rule].append(node)
    used = matched.keys() - matching_no_data(store, matched)
    idle = (IdleRule(rule, *why_idle(store, rule, covered_by)) for rule in rules if rule not in used)
    ruled = (node.dataset for rule in used for node in matched[rule])
    return Declared(namings, tuple(unclear), tuple(idle), frozenset(tagged).union(ruled))


def with_stored_names(
    store: Edges, attributes: Sequence[Attribute], denied: Set[NodeKey] = frozenset()
) -> tuple[Attribute, ...]:
    """The attributes, and for those under a name by which some job reads them also the stored paths: other jobs may
    read these by other names. Those ``denied`` are left out.
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
                if node not in denied:
                    found.setdefault(
                        node, replace(each, node=node, named_by=(f"read as {written(fan.near.path)}",))
                    )
    return tuple(found[node] for node in sorted(found))


def _stored(fan: Fan, path: PathSteps) -> Iterator[NodeKey]:
    """The stored nodes that a job reads as the path: within an ancestor of it, or all its descendants."""
    read = fan.near.path
    length = min(len(read), len(path))
    if read[:length] != path[:length]:
        return
    below = path[len(read) :] if all(each.carries_structure for each in fan.transformations) else ()
    yield from (NodeKey(far.dataset, far.path + below) for far in fan.fars)


def tag_categories(key: str, value: str) -> tuple[str, ...] | None:
    """The personal categories that a tag names; None when it announces one and its value is none."""
    keys, denied = categories.listed(value), value.strip().lower() in _DENIED
    named = [text for text in keys if text in categories.known()]
    if named:
        return tuple(category for category in named if categories.is_personal(category))
    if key in categories.known():
        return (key,) if categories.is_personal(key) and not denied else ()
    if key.lower() in _PERSONAL_KEYS:
        return () if denied else (categories.PERSONAL,)
    return None if key.lower() in _CATEGORY_KEYS and keys and not denied else ()


def _denies(key: str, value: str) -> bool:
    """Whether a tag that names no personal category says that the field is not personal, and not something else."""
    keys = {*categories.listed(value), key}
    return key.lower() in _PERSONAL_KEYS or not keys.isdisjoint(categories.known())


def _attribute(node: NodeKey, named: Iterable[Naming]) -> Attribute:
    keys, texts, _ = (set(column) for column in zip(*named, strict=True))
    return Attribute(node, tuple(sorted(keys)), tuple(sorted(texts)))


def _unclear(node: NodeKey, key: str, value: str) -> Incomplete:
    hint = categories.near(value)
    detail = f"the tag {key} = {value} names no data category of fideslang" + (f"; {hint}" if hint else "")
    return Incomplete(UNKNOWN_CATEGORY, node.dataset, node.path, detail=detail)
