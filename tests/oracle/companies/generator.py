"""The company of a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from itertools import count

from oracle.companies import by_itself, outside, patterns, shared
from oracle.companies.changes import CHANGES
from oracle.companies.company import Company, Night, Step
from oracle.companies.features import ALL, Feature
from oracle.companies.kinds import Leaf, leaves
from oracle.companies.people import People, lookup
from oracle.companies.program import Program
from oracle.companies.reading import Dataset, read
from oracle.companies.writing import write


def company(seed: int, features: Set[Feature] = ALL) -> Company:
    """The company of the seed, with these features only; each has sources, and three to eight jobs in its nights."""
    return _Generator(Company(seed), random.Random(seed), features).company_of_nights()


@dataclass
class _Generator:
    company: Company
    chance: random.Random
    features: Set[Feature]
    names: Iterator[int] = field(default_factory=count)
    made: list[Dataset] = field(default_factory=list)
    sources: list[Dataset] = field(default_factory=list)
    lookups: list[tuple[Dataset, Leaf]] = field(default_factory=list)

    def company_of_nights(self) -> Company:
        for n in range(self.chance.randint(1, 2)):
            self._source(f"people_{n}")
        left = self.chance.randint(3, 8)
        night = 0
        while left > 0:
            jobs = min(left, self.chance.randint(1, 4))
            self._night(f"night_{night}", jobs)
            left, night = left - jobs, night + 1
        shared.share(self.company, self.sources, self.features)
        return self.company

    def _source(self, name: str) -> None:
        format_ = self.chance.choice(("json", "parquet"))
        source, columns = People(self.company, self.chance, name).source(format_)
        self.company.sources.append(source)
        self.sources.append(Dataset(name, format_, columns))
        few = [leaf for _, leaf in leaves(columns) if leaf.words]
        if few and Feature.LOOKUP in self.features and self.chance.random() < 0.5:
            leaf = self.chance.choice(few)
            table, of_table = lookup(self.company, self.chance, f"codes_{name}", leaf)
            self.company.sources.append(table)
            self.lookups.append((Dataset(table.name, table.format, of_table), leaf))

    def _night(self, name: str, jobs: int) -> None:
        steps = [self._job(f"{name}_job_{n}") for n in range(jobs)]
        copies = []
        if Feature.COPY in self.features and self.made and self.chance.random() < 0.5:
            chosen = self.chance.choice(self.made)
            step, copy, moved = outside.copied(self.chance, chosen, f"d{next(self.names)}")
            copies.append(step)
            self.made = [each for each in self.made if not (moved and each is chosen)] + [copy]
        self.company.nights.append(Night(name, steps, copies))

    def _job(self, name: str) -> Step:
        p = Program(self.company, self.chance, self.features, self.names)
        written = self._pattern(p) or self._plain(p)
        reads, opens = frozenset(p.reads | p.opens), frozenset(p.opens - p.reads)
        return Step(name, p.lines, reads, frozenset(written), frozenset(p.used), opens)

    def _any(self) -> Dataset:
        """A dataset to read: mostly one that a job has made."""
        if self.made and self.chance.random() < 0.65:
            return self.chance.choice(self.made)
        return self.chance.choice(self.sources)

    def _pattern(self, p: Program) -> set[str]:
        """What a job with a pattern writes; nothing if chance takes none."""
        if self.made and p.may(Feature.SELF_OVERWRITE, 0.15):
            old = self.chance.choice(self.made)
            self._replace(old, patterns.overwrite_itself(p, old, self._any()))
            return {old.name, f"{old.name}_new"}
        if self.made and p.may(Feature.SNAPSHOT, 0.15):
            old, other = self.chance.choice(self.made), self.chance.choice(self.sources)
            name = f"d{next(self.names)}"
            changed, kept = patterns.snapshot(p, old, other, name)
            self._replace(old, changed)
            self.made.append(kept)
            return {old.name, name}
        return set()

    def _replace(self, old: Dataset, new: Dataset) -> None:
        self.made = [new if each is old else each for each in self.made]

    def _plain(self, p: Program) -> set[str]:
        self._read(p)
        for _ in range(self.chance.randint(2, 6)):
            self.chance.choice(CHANGES)(p)
        if self.made and p.may(Feature.IGNORED, 0.08):
            offered = self.chance.choice(self.made)
            patterns.ignored(p, offered)
            return {offered.name}
        if self.made and p.may(Feature.APPEND, 0.12):
            target = self.chance.choice(self.made)
            if patterns.append(p, target):
                mixed = {n: Leaf(k.type) for n, k in target.columns.items() if isinstance(k, Leaf)}
                self._replace(target, Dataset(target.name, target.format, dict(mixed)))
                return {target.name}
        made = write(p, f"d{next(self.names)}")
        self.made.append(made)
        return {made.name}

    def _read(self, p: Program) -> None:
        dataset = self._any()
        if p.may(Feature.DRIVER, 0.08):
            self._read_by_driver(p, dataset)
            return
        p.columns = read(p, dataset)
        for table, leaf in self.lookups:
            found = next((name for name, each in p.leaves() if each.of == leaf.of and each.words), None)
            if found is not None and p.may(Feature.LOOKUP, 0.5):
                p.add(f'codes = spark.read.schema("key string, code string").json(f"{{root}}/{table.name}")')
                p.reads.add(table.name)
                key, code = p.name(), p.name()
                p.add(f'codes = codes.toDF("{key}", "{code}")')
                p.add(
                    f'df = df.join(codes, F.col("{found}") == F.col("{key}"), "left")',
                    {**p.columns, key: leaf, code: Leaf()},
                )

    def _read_by_driver(self, p: Program, dataset: Dataset) -> None:
        """The program makes texts of a dataset that it reads by itself, collects, or is shown."""
        by_itself.texts(p, dataset)
        p.columns = {}
        p.add('df = spark.createDataFrame(texts, "made string")', {"made": Leaf()})
