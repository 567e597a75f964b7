"""No function of Spark loses an input: alone, joined with itself, in a scalar subquery, in a correlated EXISTS.

The calls are also executed, over rows of which one path is changed at a time: what changes the result must be listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from golden.cases import lineage_of_plan
from golden.function_values import ROWS, variants
from golden.functions import (
    API,
    PLACES,
    PREVIEWS,
    SQL,
    TYPED,
    Sample,
    alone,
    in_portions,
    over_outer_rows,
    samples,
)
from headwater_spark.tracing import PlanLineage
from headwater_spark.tracing.result import PathSteps
from kit.claims import Claims
from kit.figures import say
from kit.perturbation import Row, leaves, observed
from kit.spark_lines import EITHER_LINE, Planner

pytestmark = pytest.mark.spark

SAMPLES = samples()
KINDS = ("scalar", "aggregate", "window", "program")
OF_THE_ROW = frozenset(("id", "a_long"))
"""What groups and windows are by: an influence on every call of them."""
BY_TYPE = frozenset(("collation", "typeof"))
"""Functions whose results do not depend on the values of their arguments."""
NAMES_IN_API = """
import inspect
found = [
    name for name, each in vars(F).items()
    if not name.startswith("_") and inspect.isfunction(each) and each.__module__.startswith(F.__name__)
]
result = spark.createDataFrame([(name,) for name in found], "function string")
"""
SETTINGS = (
    *((preview, "true") for preview in PREVIEWS),
    # Rows keep their order within a group: above that many groups, Spark sorts them.
    ("spark.sql.objectHashAggregate.sortBased.fallbackThreshold", "1000000"),
)
NAMES = {SQL: 'result = spark.sql("SHOW SYSTEM FUNCTIONS")', API: NAMES_IN_API}

Change = tuple[PathSteps, list[Row]]
"""Rows of which that path is changed."""


@dataclass
class Tally:
    """What was listed and what was seen to change, as (input path, output path), over all calls."""

    listed: int = 0
    seen: int = 0
    calls: int = 0
    failed: list[str] = field(default_factory=list)
    """Calls that cannot be computed over these rows."""
    unseen: list[str] = field(default_factory=list)
    """Calls that no change of an input changes."""


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def planner(request: pytest.FixtureRequest) -> Iterator[Planner]:
    planner = Planner(request.param)
    planner.results({}, [{}], sql="".join(f"SET {key}={value};" for key, value in SETTINGS) + "SELECT 1")
    yield planner
    planner.close()


@pytest.fixture(scope="module")
def tally(request: pytest.FixtureRequest, planner: Planner) -> Iterator[Tally]:
    tally = Tally()
    yield tally
    if not tally.calls:
        return
    say(
        request,
        f"functions on {planner.line}: {tally.calls} calls, {tally.listed} listed pairs,"
        f" {tally.listed - tally.seen} never seen to change;"
        f"\n  {len(tally.failed)} fail: {'; '.join(tally.failed)}"
        f"\n  {len(tally.unseen)} never change: {'; '.join(tally.unseen)}",
    )


@pytest.mark.parametrize("language", [SQL, API])
def test_every_function_of_the_line_has_a_call_or_a_reason(planner: Planner, language: str) -> None:
    (rows,) = planner.results({}, [{}], python=NAMES[language])
    assert rows is not None
    assert {str(row["function"]) for row in rows} - {s.name for s in _of(planner, language)} == set()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", [SQL, API])
def test_functions_name_their_inputs(planner: Planner, language: str, kind: str) -> None:
    assert list(_misses(planner, _of(planner, language, kind), alone)) == []


@pytest.mark.slow
@pytest.mark.parametrize("place", list(PLACES)[1:])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", [SQL, API])
def test_functions_name_their_inputs_in_other_places(
    planner: Planner, language: str, kind: str, place: str
) -> None:
    assert list(_misses(planner, _of(planner, language, kind), PLACES[place])) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["scalar", "aggregate"])
def test_functions_over_outer_rows_name_their_inputs(planner: Planner, kind: str) -> None:
    found = [s for s in _of(planner, SQL, kind) if s.columns]
    assert list(_misses(planner, found, over_outer_rows)) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_input_changes_a_function_unlisted(planner: Planner, tally: Tally, kind: str) -> None:
    _, columns = lineage_of_plan(*planner.plan({"typed": TYPED}, sql="SELECT * FROM typed"))
    changes: list[Change] = [((), ROWS), ((), ROWS), *variants(columns)]
    misses = []
    for portion in in_portions(_of(planner, SQL, kind)):
        for part, tried, results in _results(planner, portion, changes):
            misses += list(_unlisted(planner, tally, part, tried, results))
    assert misses == []


def _of(planner: Planner, language: str, kind: str | None = None) -> list[Sample]:
    return [
        s
        for s in SAMPLES
        if s.language == language and kind in (None, s.kind) and s.line in (None, planner.line.name)
    ]


def _misses(
    planner: Planner, found: Sequence[Sample], program: Callable[[Sequence[Sample]], str]
) -> Iterator[str]:
    """What is incomplete, and the samples of which an input is not listed."""
    for portion in in_portions(found):
        lineage, _ = lineage_of_plan(*planner.plan({"typed": TYPED}, python=program(portion)))
        yield from (f"! {gap.reason} {gap.detail} {gap.paths} {portion[0]}" for gap in lineage.incomplete)
        everywhere = {entry.path[0] for entry in lineage.dataset if entry.path}
        if portion[0].kind != "program":
            everywhere &= OF_THE_ROW
        for i, sample in enumerate(portion):
            missing = sample.columns - _inputs(lineage, f"c{i}") - everywhere
            if missing and sample.name not in BY_TYPE:
                yield f"{sample}: {sorted(missing)}"


def _inputs(lineage: PlanLineage, column: str) -> set[str]:
    return {
        entry.path[0]
        for field in lineage.fields
        if field.path[0] == column
        for entry in field.inputs
        if entry.path
    }


def _results(
    planner: Planner, found: Sequence[Sample], changes: Sequence[Change]
) -> Iterator[tuple[Sequence[Sample], Sequence[Change], Sequence[list[Row] | None]]]:
    """The rows of the calls for each change: all changes at once, distinguished by ``id``, if all calls allow it."""
    if found[0].kind != "program":
        at_once = [{**row, "id": 2 * i + row["id"]} for i, (_, rows) in enumerate(changes) for row in rows]
        (rows,) = planner.results({"typed": TYPED}, [{"typed": at_once}], python=alone(found))
        if rows is not None:
            yield found, changes, [[row for row in rows if row["id"] // 2 == i] for i in range(len(changes))]
            return
    if len(found) > 1:
        half = len(found) // 2
        yield from _results(planner, found[:half], changes)
        yield from _results(planner, found[half:], changes)
        return
    tried = [(path, rows) for path, rows in changes if path[:1] in [(), *((c,) for c in found[0].columns)]]
    contents = [{"typed": rows} for _, rows in tried]
    yield found, tried, planner.results({"typed": TYPED}, contents, python=alone(found))


def _unlisted(
    planner: Planner,
    tally: Tally,
    found: Sequence[Sample],
    changes: Sequence[Change],
    results: Sequence[list[Row] | None],
) -> Iterator[str]:
    """Each pair of paths that a change shows and the lineage does not list. The first two changes change nothing: what
    is different between them is not deterministic.
    """
    lineage, outputs = lineage_of_plan(*planner.plan({"typed": TYPED}, python=alone(found)))
    claims = Claims(lineage, ["typed"] * len(lineage.reads))
    before, again, *after = [None if rows is None else observed(rows, outputs) for rows in results]
    tally.calls += len(found)
    if before is None or again is None:
        tally.failed += map(str, found)
        return
    targets = [t for t in leaves(outputs) if t[0] != "id" and before[t] == again[t]]
    tried = [(path, bags) for (path, _), bags in zip(changes[2:], after, strict=True) if bags is not None]
    seen = {(path, t) for path, bags in tried for t in targets if bags[t] != before[t]}
    listed = {
        (path, t) for path in {path for path, _ in tried} for t in targets if claims.covers("typed", path, t)
    }
    tally.listed += len(listed)
    tally.seen += len(listed & seen)
    changed = {t[0] for _, t in seen}
    tally.unseen += [str(s) for i, s in enumerate(found) if s.columns and f"c{i}" not in changed]
    for path, target in sorted(seen - listed):
        yield f"{found[int(target[0][1:])]}: {path} changes {target}"
