"""Active lineage against what values really do: every way that one was seen to take is kept."""

from __future__ import annotations

import random

import pytest

from headwater_backend.active.ways import active_ways
from headwater_backend.domain.model import Direction, Edge
from kit.conditions import (
    TYPES,
    Branch,
    Job,
    Row,
    Tree,
    all_rows,
    column,
    edges,
    node,
    op,
    run,
    seen,
    step,
    text,
    whole,
)

TEXTS = (None, "EU", "US", "eu ", "1", "02", "zz")
DOMAINS = {"region": TEXTS, "num": (None, -1, 0, 1, 2, 7), "code": TEXTS, "x": ("t",)}
"""All constants of the programs, and a value that is none of them."""
COLUMNS = tuple(DOMAINS)
PIPELINES = 600
STEPS = 50


class Chance(random.Random):
    """Makes pipelines."""

    def literal(self, name: str) -> Tree:
        of = TYPES.get(name, "string")
        values = DOMAINS["num"][:-1] if of == "integer" else TEXTS[:-1]
        value = self.choice(values[1:] if self.random() < 0.93 else values[:1])
        return {"literal": value, "type": of}

    def typed(self, of: str, row: int, depth: int = 0) -> Tree:
        """An expression of a type."""
        plain = [name for name in ("region", "num", "code") if TYPES[name] == of]
        roll = self.random()
        if roll < 0.6 or depth > 1:
            return column(self.choice(plain), row)
        if roll < 0.7:
            return self.literal(plain[0])
        if roll < 0.8:
            inner = self.typed(of, row, depth + 1)
            return op("coalesce", inner, self.literal(plain[0]))
        if roll < 0.9:
            cases = [self.condition(row, depth + 1), self.typed(of, row, depth + 1)]
            return op("case", *cases, *([self.typed(of, row, depth + 1)] if self.random() < 0.8 else []))
        if of == "integer":
            if self.random() < 0.5:
                return op("cast", column("code", row), type="integer")
            return op("+", column("num", row), whole(self.randint(-1, 2)), type="integer")
        if self.random() < 0.3:
            return op("cast", column("num", row), type="string")
        return op(self.choice(("upper", "trim")), column(self.choice(plain), row))

    def condition(self, row: int, depth: int = 0) -> Tree:
        roll = self.random()
        if depth < 2 and roll < 0.2:
            return op(
                self.choice(("and", "or")), self.condition(row, depth + 1), self.condition(row, depth + 1)
            )
        if depth < 2 and roll < 0.27:
            return op("not", self.condition(row, depth + 1))
        name = self.choice(("region", "region", "num", "code"))
        value = column(name, row) if self.random() < 0.85 else self.typed(TYPES[name], row, 1)
        roll = self.random()
        if roll < 0.45:
            return op("=", value, self.literal(name))
        if roll < 0.6:
            return op("in", value, *(self.literal(name) for _ in range(self.randint(1, 3))))
        if roll < 0.7:
            return op(self.choice(("<", "<=", ">", ">=", "<=>")), value, self.literal(name))
        if roll < 0.78:
            return op("between", value, self.literal(name), self.literal(name))
        if roll < 0.86:
            return op(self.choice(("isnull", "isnotnull")), value)
        if roll < 0.93 and name != "num":
            return op("like", value, text(self.choice(("U%", "e%", "1%", "EU"))))
        return op("=", value, self.typed(TYPES[name], row, 1))

    def branch(self, reads: tuple[str, ...]) -> Branch:
        passed = [self.condition(n) for n in range(len(reads)) for _ in range(self.randint(0, 2))]
        if len(reads) == 2:
            passed.append(op("=", column("region", 0), column("region", 1)))
        made = {
            name: column(name, self.randrange(len(reads)))
            if self.random() < 0.7
            else self.typed(TYPES[name], self.randrange(len(reads)))
            for name in ("region", "num", "code")
        }
        return Branch(reads, tuple(passed), {**made, "x": column("x", self.randrange(len(reads)))})

    def pipeline(self) -> list[Job]:
        jobs, level = [], ["S0", "S1"][: self.randint(1, 2)]
        for depth in range(self.randint(2, 4)):
            made = []
            for number in range(self.randint(1, 2)):
                reads = [
                    tuple(self.sample(level, 2))
                    if len(level) > 1 and self.random() < 0.15
                    else (self.choice(level),)
                    for _ in range(self.choice((1, 1, 2)))
                ]
                jobs.append(Job(f"D{depth}_{number}", tuple(map(self.branch, reads))))
                made.append(f"D{depth}_{number}")
            level = made
        return jobs


def judged(seed: int) -> tuple[set[Edge], set[Edge], set[Edge]]:
    """Of a pipeline, the edges by which values came, those that are kept, and all, of each last column."""
    jobs = Chance(seed).pipeline()
    tables: dict[str, list[Row]] = {source: all_rows(DOMAINS, COLUMNS) for source in ("S0", "S1")}
    run(jobs, tables)
    passive, steps, last = edges(jobs), [step(job) for job in jobs], jobs[-1].output
    found: tuple[set[Edge], set[Edge], set[Edge]] = (set(), set(), set())
    for name in COLUMNS:
        backward = active_ways(passive, steps, node(last, name), Direction.BACKWARD)
        whole_answer = active_ways(passive, [], node(last, name), Direction.BACKWARD)
        for part, more in zip(
            found, (seen(tables, last, name), backward.through, whole_answer.through), strict=True
        ):
            part.update((name, edge) for edge in more)  # type: ignore[misc]
    return found


@pytest.mark.parametrize("first", range(0, PIPELINES, STEPS))
def test_no_way_that_a_value_takes_is_excluded_and_most_others_are(first: int) -> None:
    absent = excluded = 0
    for seed in range(first, first + STEPS):
        came, kept, possible = judged(seed)
        assert came <= possible, seed
        assert came <= kept, (seed, came - kept)
        absent += len(possible - came)
        excluded += len(possible - kept)
    assert excluded >= 0.8 * absent, (excluded, absent)
