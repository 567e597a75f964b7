"""No output changes that the lineage does not explain: every case is executed, perturbed and executed again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from golden.case_file import Case
from golden.cases import CASES, lineage_of_plan
from headwater_plan.types import StructType, parse_type
from kit.perturbation import Claims, contents, leaves, observed, perturbations
from kit.spark_lines import SPARK_4, Planner

pytestmark = pytest.mark.spark

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


@pytest.fixture(scope="module")
def planner() -> Iterator[Planner]:
    planner = Planner(SPARK_4)
    yield planner
    planner.close()


EXECUTED = [c for c in CASES if c.path.stem not in VARYING and c.only in (None, SPARK_4.name)]
ALWAYS = 4
"""Every fourth case is executed in each test run, all of them under `make test-all`."""


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, marks=[pytest.mark.slow] * (i % ALWAYS)) for i, c in enumerate(EXECUTED)],
    ids=str,
)
def test_what_changes_is_listed(planner: Planner, case: Case) -> None:
    misses = list(_misses(planner, case, every=False))
    assert not misses, case.title


@pytest.mark.slow
@pytest.mark.parametrize("case", EXECUTED, ids=str)
def test_what_changes_by_one_row_or_by_null_is_listed(planner: Planner, case: Case) -> None:
    misses = list(_misses(planner, case, every=True))
    assert not misses, case.title


def _misses(planner: Planner, case: Case, *, every: bool) -> Iterator[str]:
    """Output paths that changed with an input path that their lineage does not name.

    Those that change without a change of the input, as ``uuid()`` does, cannot show anything.
    """
    kind, program = next(iter(case.programs.items()))
    lineage, outputs = lineage_of_plan(*planner.plan(case.tables, **{kind: program}))
    claims = Claims(lineage, [str(r.source["roots"][0]).rpartition("/")[2] for r in lineage.reads])
    tables = {name: _columns(planner, case, name) for name in case.tables}
    changes = list(perturbations(tables, every, case.rows))
    base = contents(tables, case.rows)
    every_table = [base, base, *(c for _, _, c in changes)]
    before, again, *after = planner.results(case.tables, every_table, **{kind: program})
    assert before and again, f"{case}: the sample rows give no output, so the case shows nothing"
    expected = observed(before, outputs)
    varying = {target for target, found in observed(again, outputs).items() if found != expected[target]}
    for (table, source, _), rows in zip(changes, after, strict=True):
        if rows is None:
            continue
        found = observed(rows, outputs)
        for target in (each for each in leaves(outputs) if each not in varying):
            if found[target] != expected[target] and not claims.covers(table, source, target):
                yield f"{table}.{'.'.join(source)} changes {'.'.join(target)}"


def _columns(planner: Planner, case: Case, table: str) -> StructType:
    document, _ = planner.plan(case.tables, sql=f"SELECT * FROM {table}")
    attributes = [n for n in document["nodes"] if "id" in n and n.get("n")]
    columns = {n["n"]: document["types"][n["t"]] for n in attributes}
    parsed = parse_type({"type": "struct", "fields": [{"name": k, "type": v} for k, v in columns.items()]})
    assert isinstance(parsed, StructType)
    return parsed
