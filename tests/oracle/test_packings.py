"""The oracle of packed texts: each member that changes what is taken of a text is listed, within a job and across two.

Texts are made and taken apart in Spark, over rows that differ in one member. A pair of a member and a value that
changes with it, and that is not listed, is a miss. Two figures are printed: the listed pairs that were seen to change,
and how many there were if all of each text was taken.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from golden.cases import lineage_of_plan
from headwater_backend.stores import open_store
from headwater_facets.kinds import LineageType
from headwater_plan.types import StructType
from headwater_spark.tracing.result import PathSteps, PlanLineage
from kit.claims import Claims
from kit.figures import say
from kit.perturbation import Row, leaves, observed
from kit.spark_lines import SPARK_4, Planner
from oracle.jobs_in_store import END, covers, ends, graph_from, stored
from oracle.packings import COLUMNS, TABLE, Pair, pairs, rows

pytestmark = pytest.mark.spark

IN_CI = 1
IN_FULL = 40
PAIRS = 20
TABLES = {TABLE: COLUMNS}
MEMBERS: tuple[PathSteps, ...] = (
    *((name,) for name in ("id", "zip", "price", "amount", "flag", "born", "seen", "mail", "city", "note")),
    ("name", "first"),
    ("name", "last"),
    ("tags",),
)
Changes = Mapping[tuple[PathSteps, PathSteps], str]
"""(member, taken path) → an example of a change."""


@dataclass
class Tally:
    """Over all pairs: of members and taken paths, which are listed as values, seen to change, and packed."""

    pairs: int = 0
    failed: int = 0
    listed: int = 0
    seen: int = 0
    packed: int = 0


@pytest.fixture(scope="module")
def tally(request: pytest.FixtureRequest, planner: Planner) -> Iterator[Tally]:
    tally = Tally()
    yield tally
    say(
        request,
        f"oracle of packings on {planner.line}: {tally.pairs} pairs ({tally.failed} fail), of"
        f" {tally.packed} packed members {tally.listed} are listed as values, {tally.seen} of these seen to change",
    )


@pytest.mark.parametrize("seed", range(IN_CI))
def test_each_member_that_changes_what_is_taken_is_listed(
    planner: Planner, tally: Tally, tmp_path: Path, seed: int
) -> None:
    check(planner, tally, tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(IN_CI, IN_FULL))
def test_each_member_that_changes_what_is_taken_of_many_is_listed(
    planner: Planner, tally: Tally, tmp_path: Path, seed: int
) -> None:
    check(planner, tally, tmp_path, seed)


def check(planner: Planner, tally: Tally, folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    content = rows(chance)
    given = pairs(chance, PAIRS, xml=planner.line is SPARK_4)
    for number, (made, found) in enumerate(_executed(planner, given, content, tally)):
        lineage, outputs = lineage_of_plan(*planner.plan(TABLES, python=_whole(made)))
        changes = _changes(content, found, outputs)
        _within_a_job(lineage, outputs, changes, made, tally)
        place = f"file:{folder / f'between-{number}'}"
        assert planner.results(TABLES, [{TABLE: content}], python=_writes(made, place))[0] is not None
        _across_jobs(planner, folder / f"{number}.db", place, made, changes)


def _packed(made: Sequence[Pair]) -> str:
    texts = [f"{pair.packing} AS t{at}" for at, pair in enumerate(made)]
    return f"spark.table('{TABLE}').selectExpr('row', *{texts!r})"


def _taking(made: Sequence[Pair], frame: str) -> str:
    """Of two pairs under one key, Spark keeps the last, instead of failing."""
    taken = [f"{pair.taken(f't{at}')} AS c{at}" for at, pair in enumerate(made)]
    last = "spark.conf.set('spark.sql.mapKeyDedupPolicy', 'LAST_WIN')"
    return f"{last}\nresult = {frame}.selectExpr('row', *{taken!r})"


def _whole(made: Sequence[Pair]) -> str:
    return _taking(made, _packed(made))


def _writes(made: Sequence[Pair], place: str) -> str:
    return f"{_packed(made)}.write.mode('overwrite').parquet('{place}')\nresult = spark.range(1)"


def _executed(
    planner: Planner, made: Sequence[Pair], content: Sequence[Row], tally: Tally
) -> Iterator[tuple[Sequence[Pair], Sequence[Row]]]:
    """The pairs with what is taken of each row, all at once if all of them can be computed."""
    (found,) = planner.results(TABLES, [{TABLE: list(content)}], python=_whole(made))
    if found is not None:
        tally.pairs += len(made)
        yield made, found
    elif len(made) == 1:
        tally.failed += 1
    else:
        half = len(made) // 2
        yield from _executed(planner, made[:half], content, tally)
        yield from _executed(planner, made[half:], content, tally)


def _changes(content: Sequence[Row], found: Sequence[Row], outputs: StructType) -> Changes:
    """Where a row's value is another than that of its base, by the member in which they differ."""
    taken = {row["row"]: observed([row], outputs) for row in found}
    bases: dict[int, Row] = {}
    changes: dict[tuple[PathSteps, PathSteps], str] = {}
    for row in content:
        base = bases.setdefault(row["base"], row)
        if base is row:
            continue
        member = next(each for each in MEMBERS if _value(row, each) != _value(base, each))
        before, after = taken[base["row"]], taken[row["row"]]
        for path in (each for each in before if before[each] != after[each] and each != ("row",)):
            example = (
                f"{_value(base, member)!r} → {_value(row, member)!r}: {[*before[path]]} → {[*after[path]]}"
            )
            changes.setdefault((member, path), example)
    return changes


def _value(row: Row, member: PathSteps) -> Any:
    return row[member[0]][member[1]] if len(member) > 1 else row[member[0]]


def _places(member: PathSteps) -> tuple[PathSteps, ...]:
    """The member, and of a list its elements: the list changes as a whole."""
    return (member, (*member, "_element")) if member == ("tags",) else (member,)


def _within_a_job(
    lineage: PlanLineage, outputs: StructType, changes: Changes, made: Sequence[Pair], tally: Tally
) -> None:
    claims = Claims(lineage, [TABLE] * len(lineage.reads))
    missed = defaultdict(list)
    for target in (path for path in leaves(outputs) if path != ("row",)):
        pair = made[int(target[0][1:])]
        for member in MEMBERS:
            seen = (member, target) in changes
            if seen and not any(claims.covers(TABLE, place, target) for place in _places(member)):
                missed[pair].append(f"{'.'.join(member)} in {'.'.join(target)}, {changes[member, target]}")
            value = _is_value(lineage, member, target)
            tally.listed += value
            tally.seen += value and seen
            tally.packed += member[-1] in pair.packing
    assert not missed, json.dumps(
        {f"{p.packing} | {p.taking}": found for p, found in missed.items()}, indent=1
    )


def _is_value(lineage: PlanLineage, member: PathSteps, target: PathSteps) -> bool:
    """Whether the member is listed as one of which the taken value is made."""
    return any(
        way.type is LineageType.DIRECT
        for field in lineage.fields
        if field.path == target[: len(field.path)]
        for entry in field.inputs
        if any(place[: len(entry.path)] == entry.path for place in _places(member))
        for way in entry.transformations
    )


def _across_jobs(planner: Planner, file: Path, place: str, made: Sequence[Pair], changes: Changes) -> None:
    """The texts are stored by one job, and taken apart by the next one."""
    packs = f"result = {_packed(made)}"
    takes = _taking(made, f"spark.read.parquet('{place}')")
    with closing(open_store(f"sqlite:///{file}")) as store:
        jobs = ((packs, place, "parquet"), (takes, f"file:{END}", "parquet"))
        _, starts = stored(store, planner, jobs, TABLES)
        reached = {
            member: set().union(*(ends(graph_from(store, starts[TABLE], each)) for each in _places(member)))
            for member in MEMBERS
        }
    missed = [
        f"{'.'.join(member)} in {'.'.join(target)}, {example}: {made[int(target[0][1:])]}"
        for (member, target), example in changes.items()
        if not covers(reached[member], target)
    ]
    assert not missed, "\n".join(missed)
