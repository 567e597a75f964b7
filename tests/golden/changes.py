"""Which output paths changed with which input paths when the cases were executed, recorded beside their plans.

`captures/changes.ndjson` holds one JSON object a line: the version of Spark and a digest of what changes and executes,
then each case with its changes, as paths of input and output::

    {"version": "4.3.0", "made_by": "5c…"}
    {"case": "filter", "digest": "3f…", "changes": {"people": {"age": ["name", "age"]}}}

To execute a case takes seconds, and what is seen depends on nothing but Spark, the program and the rows. So each test
run holds the lineage of today against what was recorded, and the long run sees whether it still is what is seen.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from golden.captures import FOLDER
from golden.case_file import Case
from golden.cases import CASES, lineage_of_plan
from headwater_facets.path import Path
from headwater_plan.types import StructType, parse_type
from headwater_spark.tracing.result import PathSteps
from kit import perturbation
from kit.spark_lines import SPARK_4, Planner, spark_version, what_answers

FILE = FOLDER / "changes.ndjson"
VARYING = {
    "apply_in_arrow",
    "apply_in_arrow_cogrouped",
    "apply_in_pandas",
    "apply_in_pandas_by_expression",
    "apply_in_pandas_cogrouped",
    "apply_in_pandas_declared",
    "arrow_udf",
    "arrow_udtf",
    "checkpoint_local",
    "drop_duplicates",
    "file_name_of_folders",
    "folder",
    "folders",
    "join_as_of",
    "join_as_of_key",
    "literals",
    "map_in_arrow",
    "map_in_pandas",
    "map_in_pandas_counted",
    "map_in_pandas_declared",
    "metadata_column",
    "pandas_udf",
    "pandas_udf_aggregate",
    "pandas_udf_declared",
    "pandas_udf_iterator",
    "pandas_udf_window",
    "python_udf",
    "rdd_round_trip",
    "sample",
    "script_transform",
    "subquery_of_outer_members",
    "typed_filter",
    "typed_flat_map",
    "typed_group",
    "typed_map",
    "udf_declared",
    "udf_declared_masking",
    "udf_in_aggregate",
    "udf_in_filter",
    "udf_java",
    "udf_registered",
    "udf_then_member",
    "udtf_python",
}
"""Cases whose results vary from run to run, whose sample rows cannot meet, that look at files, or that start a Python
worker or a program for each row set."""
EXECUTED = [c for c in CASES if c.path.stem not in VARYING and c.only in (None, SPARK_4.name)]

Changes = Mapping[tuple[str, PathSteps], frozenset[PathSteps]]
"""Table and input path to the output paths that changed with it."""


@dataclass(frozen=True)
class Observed:
    """The changes of a case, and the digest of what was executed."""

    digest: str
    changes: Changes


@dataclass
class Recorded:
    """The cases' changes, the version of Spark, and the digest of what saw them."""

    version: str = ""
    made_by: str = ""
    cases: dict[str, Observed] = field(default_factory=dict)

    @property
    def is_current(self) -> bool:
        """Whether Spark and what sees changes are those of the record."""
        return (self.version, self.made_by) == (spark_version(SPARK_4), made_by())


def program_of(case: Case) -> tuple[str, str]:
    """The program of a case that is executed: its language and its text."""
    return next(iter(case.programs.items()))


def digest(case: Case) -> str:
    """A short hash of the program, its tables and their rows."""
    text = json.dumps([case.tables, program_of(case), {name: [*rows] for name, rows in case.rows.items()}])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@cache
def made_by() -> str:
    """A short hash of what changes rows and executes programs at present."""
    contents = inspect.getsource(perturbation) + what_answers()
    return hashlib.sha256(contents.encode()).hexdigest()[:12]


@cache
def recorded() -> Recorded:
    """What is recorded; nothing where there is no file."""
    found = Recorded()
    lines = FILE.read_text("utf-8").splitlines() if FILE.exists() else []
    for row in map(json.loads, lines):
        if "version" in row:
            found.version, found.made_by = row["version"], row["made_by"]
        else:
            found.cases[row["case"]] = Observed(row["digest"], _changes(row["changes"]))
    return found


def recorded_of(case: Case) -> Changes | None:
    """The case's changes, None unless they are those of the present program, Spark and way of executing it."""
    found = recorded().cases.get(str(case))
    return found.changes if found and recorded().is_current and found.digest == digest(case) else None


def record(found: Recorded) -> None:
    """Write what was seen: the same text for the same changes, whatever their order."""
    rows: list[dict[str, Any]] = [{"version": found.version, "made_by": found.made_by}]
    for case, seen in sorted(found.cases.items()):
        rows.append({"case": case, "digest": seen.digest, "changes": _written(seen.changes)})
    FILE.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def observe(planner: Planner, case: Case) -> Changes:
    """Execute the case with each input path changed in all rows, in one, and to null.

    What changes without a change of the input, as ``uuid()`` does, cannot show anything.
    """
    kind, program = program_of(case)
    _, outputs = lineage_of_plan(*planner.plan(case.tables, **{kind: program}))
    tables = {name: _columns(planner, case, name) for name in case.tables}
    changes = list(perturbation.perturbations(tables, True, case.rows))
    base = perturbation.contents(tables, case.rows)
    contents = [base, base, *(content for _, _, content in changes)]
    before, again, *after = planner.results(case.tables, contents, **{kind: program})
    assert before and again, f"{case}: the sample rows give no output, so the case shows nothing"
    expected, repeated = perturbation.observed(before, outputs), perturbation.observed(again, outputs)
    steady = [target for target in perturbation.leaves(outputs) if repeated[target] == expected[target]]
    seen: dict[tuple[str, PathSteps], set[PathSteps]] = {}
    for (table, source, _), rows in zip(changes, after, strict=True):
        found = expected if rows is None else perturbation.observed(rows, outputs)
        different = {target for target in steady if found[target] != expected[target]}
        seen.setdefault((table, source), set()).update(different)
    return {pair: frozenset(targets) for pair, targets in seen.items() if targets}


def _columns(planner: Planner, case: Case, table: str) -> StructType:
    document, _ = planner.plan(case.tables, sql=f"SELECT * FROM {table}")
    attributes = [n for n in document["nodes"] if "id" in n and n.get("n")]
    columns = {n["n"]: document["types"][n["t"]] for n in attributes}
    parsed = parse_type({"type": "struct", "fields": [{"name": k, "type": v} for k, v in columns.items()]})
    assert isinstance(parsed, StructType)
    return parsed


def _written(changes: Changes) -> dict[str, dict[str, list[str]]]:
    tables: dict[str, dict[str, list[str]]] = {}
    for (table, source), targets in sorted(changes.items()):
        tables.setdefault(table, {})[_text(source)] = sorted(map(_text, targets))
    return tables


def _changes(tables: Mapping[str, Mapping[str, list[str]]]) -> Changes:
    def of_table(table: str, sources: Mapping[str, list[str]]) -> Iterator[tuple[Any, frozenset[PathSteps]]]:
        for source, targets in sources.items():
            yield (table, _steps(source)), frozenset(map(_steps, targets))

    return dict(pair for table, sources in tables.items() for pair in of_table(table, sources))


def _text(steps: PathSteps) -> str:
    return str(Path.from_wire(steps))


def _steps(text: str) -> PathSteps:
    return tuple(Path.parse(text).to_wire())
