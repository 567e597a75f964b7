"""Checks of a split, on what was emitted: its programs are planned again, and judged like any other program.

- Each statement is in one part: no row set is computed inside and outside, unless it is the same everywhere.
- No intermediate holds personal data in a form that may not leave; what is not known of one is a violation.
- What an intermediate is written with is what its schema says, and what is read outside.
- Outside, nothing is read but intermediates and shared sources.
"""

from __future__ import annotations

import importlib.util
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from headwater_backend.privacy.classification.rules import Rules
from headwater_backend.privacy.forms import Form
from headwater_boundary.judging import dataset_names, events_of, judge
from headwater_boundary.planning.program import PlannedWrite, Program
from headwater_boundary.planning.watch import planning
from headwater_boundary.policy import Policy, Sketch
from headwater_boundary.split.emission import Emission, Intermediate
from headwater_boundary.split.placing import Place
from headwater_boundary.split.programs import INSIDE, OUTSIDE, Files
from headwater_records_spark.jvm import Jvm, kind, listed

BOUNDARY = "/headwater-boundary-check"
REGION = "region-of-the-check"
_ABOUT_SOURCES = ("UNDECIDED_ORIGIN", "OPEN_PROPOSAL", "UNCLASSIFIED", "UNMATCHED_RULE")
"""Gaps about what is personal, which the policy's statements answer."""


def violations(jvm: Jvm, emission: Emission, files: Files, rules: Rules, policy: Policy) -> list[str]:
    """What is wrong with the split, in sentences; none if it is right."""
    with tempfile.TemporaryDirectory(prefix="headwater-split-") as folder:
        for name, content in files.contents.items():
            file = Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, "utf-8")
        places = {place.format(region=REGION): path for place, path in emission.placing.moved.items()}
        inside = _planned(jvm, Path(folder) / INSIDE, files.stages, places, inside=True)
        outside = _planned(jvm, Path(folder) / OUTSIDE, files.stages, {}, inside=False)
    crossing = {each.name: each for each in emission.intermediates.values()}
    leaving = [(write, _name(write)) for write in inside if write.to.place.startswith(BOUNDARY + "/")]
    returning = [(write, _name(write)) for write in outside if write.to.place.startswith(BOUNDARY + "/")]
    return [
        *_twice(emission),
        *_schemas([*leaving, *returning], crossing, files),
        *_forms(jvm, leaving, crossing, rules, policy),
        *_reads(jvm, outside, emission),
    ]


def _planned(
    jvm: Jvm, file: Path, stages: int, places: dict[str, str], *, inside: bool
) -> list[PlannedWrite]:
    program: Program
    with planning(file, places) as program:
        module = _loaded(file)
        for stage in range(1, stages + 1):
            given = (REGION, BOUNDARY) if inside else (BOUNDARY,)
            module.STAGES[stage](jvm.spark, *given)
    return program.writes


def _loaded(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"split_{file.stem}", file)
    assert spec is not None and spec.loader is not None  # noqa: S101 - it is a file of Python
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module)["check"] = lambda frame, name: None  # data are checked when there are data
    return module


def _name(write: PlannedWrite) -> str:
    return write.to.place.removeprefix(BOUNDARY + "/").split("/")[0]


def _twice(emission: Emission) -> Iterator[str]:
    where: dict[int, set[str]] = {}
    for (side, _), block in emission.blocks.items():
        for each in block.statements:
            for number in each.row_sets:
                where.setdefault(number, set()).add(side)
    for number, sides in sorted(where.items()):
        placed = emission.placing.of[number]
        if len(sides) > 1 and placed.place is not Place.SHARED and not placed.target:
            yield f"row set {number} is computed on both sides"
        if not placed.target and placed.place is Place.INSIDE and "outside" in sides:
            yield f"row set {number} of a region is computed outside"


def _schemas(
    writes: list[tuple[PlannedWrite, str]], crossing: dict[str, Intermediate], files: Files
) -> Iterator[str]:
    written = {name for _, name in writes}
    for name in sorted(crossing.keys() ^ written):
        yield f"{name} is not both stated and written"
    for write, name in writes:
        stated = json.loads(files.contents.get(f"schemas/{name}.json", '{"properties": {}}'))["properties"]
        found = [(str(f.name()), str(f.dataType().simpleString())) for f in write.query.schema().fields()]
        if found != [(column, each["x-spark-type"]) for column, each in stated.items()]:
            yield f"{name} is written as {found}, and its schema says {stated}"


def _forms(
    jvm: Jvm,
    leaving: list[tuple[PlannedWrite, str]],
    crossing: dict[str, Intermediate],
    rules: Rules,
    policy: Policy,
) -> Iterator[str]:
    judged = judge(events_of(jvm, [write.command for write, _ in leaving]), rules)
    for write, name in leaving:
        sketches = {
            each.name: each.sketch for each in crossing[name].columns if each.sketch
        } if name in crossing else {}  # fmt: skip
        for held in judged.held.get(write.to.place, ()):
            if _is_allowed_sketch(sketches.get(held.path[0]) if held.path else None, held.form, policy):
                continue
            if not policy.may_leave(held.form, held.categories):
                of = f"{'.'.join(held.source_path)} of {held.source}"
                yield f"{name}.{'.'.join(held.path)} holds {of} as {held.form.name.lower()}"
        for gap in judged.gaps.get(write.to.place, ()):
            if not gap.startswith(_ABOUT_SOURCES):
                yield f"of {name}, not all is known: {gap}"


def _is_allowed_sketch(sketch: Sketch | None, form: Form, policy: Policy) -> bool:
    """Whether the policy lets this sketch leave; one of quantiles has values as they are, in a notation of its own."""
    if sketch not in policy.sketches:
        return False
    return sketch is Sketch.QUANTILES or form is Form.PSEUDONYMISED


def _reads(jvm: Jvm, outside: list[PlannedWrite], emission: Emission) -> Iterator[str]:
    shared = {
        name for number, name in emission.placing.sources.items()
        if emission.placing.of[number].place is Place.SHARED
    }  # fmt: skip
    seen: set[str] = set()
    for write in outside:
        pending = [write.query]
        while pending:
            node = pending.pop()
            pending.extend([*listed(node.children()), *listed(node.subqueries())])
            if kind(node) == "LogicalRelation":
                seen.update(dataset_names(jvm, node))
    for name in sorted(seen - shared):
        if not name.startswith(BOUNDARY + "/"):
            yield f"{name} is read outside"
