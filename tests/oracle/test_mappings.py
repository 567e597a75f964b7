"""Business mappings, executed over all rows that matter: no way that a value took is left out of an answer.

Mappings are made by chance, and what they do to rows is computed here, after their guide: a value carries each way that
it took. Where a mapping aggregates, rows are grouped by some attribute, which it does not name.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import groupby, pairwise, product
from pathlib import Path

import pytest

from headwater_backend.domain.model import DatasetKey, Direction, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.active.active_lineage import active_lineage
from headwater_backend.questions.closure import LineageGraph
from headwater_backend.questions.lineage import Scope, lineage
from headwater_backend.reports.mapped.question import mapped
from headwater_backend.stores import open_store
from headwater_mappings import Document, events_of, parse, render
from headwater_mappings import tree as t

Place = tuple[str, str]
Way = tuple[Place, ...]
Value = tuple[str | None, frozenset[Way]]
Row = Mapping[str, Value]

SOURCES = ("SOURCE A", "SOURCE B")
STEPS = ("FIRST", "SECOND", "THIRD")
NAMES = ("KIND", "CODE", "XX")
TEXTS = ("a", "b")
NOTHING: Value = (None, frozenset())
SEEDS = 120


class Chance(random.Random):
    """Makes mappings."""

    def attribute(self, entities: Sequence[str], names: Sequence[str] = NAMES) -> t.Attribute:
        return t.Attribute(self.choice(entities), self.choice(names))

    def condition(self, entities: Sequence[str], depth: int = 0) -> t.Condition:
        if depth < 2 and self.random() < 0.3:
            parts = tuple(self.condition(entities, depth + 1) for _ in range(2))
            return t.AllOf(parts) if self.random() < 0.5 else t.AnyOf(parts)
        left = self.attribute(entities, NAMES[:2])
        if self.random() < 0.2:
            return t.Comparison(left, "LIKE", t.Text(self.choice(TEXTS)))
        right = self.attribute(entities, NAMES[:2]) if self.random() < 0.2 else t.Text(self.choice(TEXTS))
        return t.Comparison(left, self.choice(("=", "=", "!=")), right)

    def expression(self, entities: Sequence[str], name: str) -> t.Expression:
        roll = self.random()
        if name == "XX" and roll < 0.15:
            return t.Aggregation("MAX", self.attribute(entities, ("XX",)))
        if roll < 0.2:
            return t.Text(self.choice(TEXTS))
        if roll < 0.3:
            return t.Concatenation((self.attribute(entities), t.Text("")))
        return self.attribute(entities, (name,) if self.random() < 0.8 else NAMES)

    def populate(self, target: str, name: str, entities: Sequence[str]) -> t.Populate:
        guarded = [
            t.With(self.expression(entities, name), self.condition(entities))
            for _ in range(self.choice((0, 0, 1, 2)))
        ]
        last = t.With(
            self.expression(entities, name), self.condition(entities) if self.random() < 0.2 else None
        )
        return t.Populate(t.Attribute(target, name), (*guarded, last))

    def mapping(self, target: str, before: Sequence[str]) -> t.Mapping:
        driving = self.choice(before)
        way = None
        other = self.choice(before)
        if other != driving and self.random() < 0.5:
            pair = (self.attribute((driving,), NAMES[:2]), self.attribute((other,), NAMES[:2]))
            way = t.Navigation(driving, other, (pair,))
        entities = (driving, other) if way else (driving,)
        return t.Mapping(
            target,
            driving,
            tuple(self.populate(target, name, entities) for name in NAMES),
            self.condition(entities) if self.random() < 0.7 else None,
            way,
        )

    def mappings(self) -> Iterator[t.Mapping]:
        for at, target in enumerate(STEPS):
            before = [*SOURCES, *STEPS[:at]][-2:] if at else SOURCES
            for _ in range(self.choice((1, 2))):
                yield self.mapping(target, before)


def rows_of(source: str) -> list[Row]:
    """All combinations of what conditions speak of."""
    texts = (None, *TEXTS)
    return [
        {
            name: (text, frozenset({((source, name),)}))
            for name, text in zip(NAMES, (*some, f"token {some}"), strict=True)
        }
        for some in product(texts, texts)
    ]


Joined = Mapping[str, Row]
"""A row of each entity."""


def value(of: t.Attribute | t.Text | t.Value, row: Joined) -> str | None:
    if isinstance(of, t.Attribute):
        return row[of.entity][of.name][0] if of.entity in row else None
    return of.value if isinstance(of, t.Text) else of.text


def holds(node: t.Condition | None, row: Joined) -> bool:
    match node:
        case None:
            return True
        case t.AllOf(parts):
            return all(holds(each, row) for each in parts)
        case t.AnyOf(parts):
            return any(holds(each, row) for each in parts)
        case t.Comparison(left, operator, right):
            one, other = value(left, row), value(right, row)
            return None not in (one, other) and ((one != other) if operator == "!=" else (one == other))


def made(node: t.Expression, row: Joined, group: Sequence[Joined]) -> Value:
    match node:
        case t.Attribute(entity, name):
            return row[entity][name] if entity in row else NOTHING
        case t.Text(text):
            return text, frozenset()
        case t.Concatenation(parts):
            found = [made(each, row, group) for each in parts]
            texts = [text for text, _ in found if text is not None]
            return "".join(texts) if len(texts) == len(found) else None, frozenset().union(
                *(w for _, w in found)
            )
        case t.Aggregation(_, of):
            return max((made(of, each, group) for each in group), key=lambda found: found[0] or "")
        case _:
            raise AssertionError(node)


def populated(each: t.Populate, row: Joined, group: Sequence[Joined]) -> Value:
    chosen = next((choice.expression for choice in each.choices if holds(choice.condition, row)), None)
    text, ways = NOTHING if chosen is None else made(chosen, row, group)
    here = (each.attribute.entity, each.attribute.name)
    return (text, frozenset((*way, here) for way in ways)) if text is not None else NOTHING


def joined(mapping: t.Mapping, tables: Mapping[str, list[Row]]) -> Iterator[Joined]:
    for row in tables[mapping.driving]:
        alone = {mapping.driving: row}
        way = mapping.navigation
        others = tables[way.target] if way else []
        both = [alone | {way.target: other} for other in others] if way else []
        partners = [
            each for each in both if way and all(holds(t.Comparison(a, "=", b), each) for a, b in way.pairs)
        ]
        yield from (each for each in partners or [alone] if holds(mapping.filter, each))


def grouped(mapping: t.Mapping, rows: list[Joined], by: t.Attribute) -> list[list[Joined]]:
    """The rows of which each row of the target is made: one, or a group where the mapping aggregates."""
    choices = [choice for each in mapping.populates for choice in each.choices]
    if not any(isinstance(each.expression, t.Aggregation) for each in choices):
        return [[each] for each in rows]
    ordered = sorted(rows, key=lambda each: value(by, each) or "")
    return [list(some) for _, some in groupby(ordered, lambda each: value(by, each) or "")]


def execute(mappings: Sequence[t.Mapping], chance: random.Random) -> dict[str, list[Row]]:
    """The rows of each entity."""
    tables = {source: rows_of(source) for source in SOURCES}
    for mapping in mappings:
        by = t.Attribute(mapping.driving, chance.choice(NAMES[:2]))
        groups = grouped(mapping, list(joined(mapping, tables)), by)
        tables.setdefault(mapping.target, []).extend(
            {each.attribute.name: populated(each, chance.choice(group), group) for each in mapping.populates}
            for group in groups
        )
    return tables


def hops(found: LineageGraph) -> set[tuple[Place, Place]]:
    return {
        ((e.source.dataset.name, e.source.path[0]), (e.target.dataset.name, e.target.path[0]))
        for e in found.edges
    }


@pytest.mark.parametrize("first", range(0, SEEDS, 30))
def test_no_way_that_a_value_took_is_left_out(first: int, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for seed in range(first, first + 30):
        chance = Chance(seed)
        mappings = list(chance.mappings())
        text = render(mappings)
        assert parse(text) == tuple(mappings)
        last = execute(mappings, chance)[STEPS[-1]]
        with closing(stored(text, tmp_path / f"{seed}.db")) as store:
            for name in NAMES:
                node = NodeKey(DatasetKey("mappings", STEPS[-1]), (name,))
                passive = hops(lineage(store, node, Direction.BACKWARD, Scope()))
                kept = hops(active_lineage(store, node, Direction.BACKWARD, Scope()))
                seen = {hop for row in last for way in row[name][1] for hop in pairwise(way)}
                assert seen <= passive, (seed, name, seen - passive, text)
                assert seen <= kept, (seed, name, seen - kept, text)
                assert_mapped(store, node, mappings)
                counts += Counter(seen=len(seen), listed=len(passive), left_out=len(passive - kept))
    assert 0 < counts["seen"] < counts["listed"]
    assert counts["left_out"] > 0


def assert_mapped(store: LineageStore, node: NodeKey, mappings: Sequence[t.Mapping]) -> None:
    """The answer in the language has the mappings that made it, with the attributes on its ways, and no others."""
    found = mapped(store, node, Scope())
    read_again = parse(found.text) if found.graph.edges else ()
    by_target: dict[str, set[t.Populate]] = {}
    for each in read_again:
        by_target.setdefault(each.target, set()).update(each.populates)
        assert [w for w in mappings if _is_part(each, w)]
    ends = {(edge.target.dataset.name, edge.target.path[0]) for edge in found.graph.edges}
    assert {
        (each.attribute.entity, each.attribute.name) for some in by_target.values() for each in some
    } == ends


def _is_part(part: t.Mapping, whole: t.Mapping) -> bool:
    known = replace(whole, populates=part.populates) == part
    return known and set(part.populates) <= set(whole.populates)


def stored(text: str, file: Path) -> LineageStore:
    store = open_store(f"sqlite:///{file}")
    events = list(events_of([Document("m.txt", "2026-01-01T00:00:00+00:00", parse(text))]))
    assert all(each.stored for each in ingest(store, events))
    return store
