"""Splits are proved by running them: the original over the union of three regions, the parts in each, compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kit.boundary_proof import corpus
from kit.boundary_tpch import CATEGORIES_OF
from kit.eye import JAR
from kit.shared import ROOT
from kit.spark_lines import EITHER_LINE, LINES, SPARK_4, SPARK_35, SparkLine, short_lived, spark_of

pytestmark = pytest.mark.spark
CORPUS = Path(__file__).parent / "corpus"
FIRST = ",".join(str(CORPUS / f"{name}.jobs") for name in ("first", "statistics"))
REFUSED = str(CORPUS / "refused.jobs")
QUICK = ("above_average_sql", "distinct_non_personal", "medians_of_prices")
SHAPES = {
    "tpch": ("q5", "q15"),  # tables that are listed with commas, and a common table that is used twice
    "generated:0:120": ("generated_22", "generated_33", "generated_118"),  # no columns, and personal pairs
}
FROM_4_1 = ("statistics41",)
"""Corpora of functions that Spark 3.5 does not have."""
NOT_READ_BACK = {
    *("Rand", "Randn", "Shuffle", "Uuid"),  # another one each time
    *("SchemaOfJson", "SchemaOfXml", "TryEval", "TryMakeInterval", "TryMakeTimestamp"),
    *("ArrayAppend", "ArrayPrepend"),  # of a NULL that is cast to an array
}
OF_CUSTOMERS = {
    "q3": "which rows these are depends on the rows of all regions together",
    "q10": "which rows these are depends on the rows of all regions together",
    "q13": "its key c_orders.c_count holds o_orderkey",
    "q18": "which rows these are depends on the rows of all regions together",
    "q22": "its key custsale.cntrycode holds c_phone",
}
"""The first rows of single customers and orders, how many orders each customer has, and the beginning of a number."""


Found = list[dict[str, Any]]


def proofs(folder: Path, *asked: str, line: SparkLine = SPARK_4) -> Found:
    """What came of the jobs, each in its turn, in one Spark."""
    return answered("kit.boundary_proof", str(folder), *asked, line=line)


def answered(program: str, *arguments: str, line: SparkLine = SPARK_4) -> Found:
    """What a program of the kit prints as JSON, in a Spark of its own."""
    command = [sys.executable, "-m", program, str(JAR), *arguments]
    with spark_of(line) as path:
        environment = {
            **os.environ,
            **short_lived(line),
            "PYTHONPATH": os.pathsep.join((*path, str(ROOT / "tests"))),
            "PYSPARK_PYTHON": sys.executable,
        }
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    found = [json.loads(each) for each in done.stdout.splitlines() if each.startswith("{")]
    assert found, done.stderr[-3000:]
    return found


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Found]:
    """What came of the jobs that each run proves, by where they are from; one Spark does all of them."""
    some = {FIRST: QUICK, **SHAPES, REFUSED: ()}
    asked = ["=".join(filter(None, (which, ",".join(names)))) for which, names in some.items()]
    found = proofs(tmp_path_factory.mktemp("proved"), *asked)
    return lambda which: [each for each in found if each["which"] == which]


def test_parts_give_what_the_whole_gives_and_no_personal_value_leaves(
    proved: Callable[[str], Found],
) -> None:
    found = proved(FIRST)
    assert [each["name"] for each in found] == [*QUICK]
    assert [each for each in found if each["wrong"] or each["refused"]] == []


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_what_people_write_spark_reads_back_as_the_same_expression(line: SparkLine) -> None:
    assert answered("kit.boundary_texts", str(CORPUS / "expressions.sql"), line=line) == [{}]


@pytest.mark.slow
def test_of_sparks_own_examples_only_few_are_not_read_back() -> None:
    (refused,) = answered("kit.boundary_texts", "examples")
    assert {kind for kind in refused.values() if kind not in NOT_READ_BACK} == set()


@pytest.mark.slow
def test_what_overflows_is_null_where_spark_says_so(tmp_path: Path) -> None:
    found = proofs(tmp_path, str(CORPUS / "legacy.jobs"), line=SPARK_35)
    assert [each for each in found if each["wrong"] or each["refused"]] == []


@pytest.mark.parametrize("which", SHAPES)
def test_shapes_that_the_long_runs_prove_are_split(which: str, proved: Callable[[str], Found]) -> None:
    found = proved(which)
    assert [each["name"] for each in found] == [*SHAPES[which]]
    assert [each for each in found if each["wrong"] or each["refused"]] == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("line", LINES, ids=str)
def test_tpch_is_split_or_refused_for_what_it_says_of_single_customers(
    line: SparkLine, tmp_path: Path
) -> None:
    found = {each["name"]: each for each in proofs(tmp_path, "tpch", line=line)}
    assert [each for each in found.values() if each["wrong"]] == []
    assert len(found) == 22 + len(CATEGORIES_OF)
    refused = {name: each["refused"] for name, each in found.items() if each["refused"]}
    assert refused.keys() == OF_CUSTOMERS.keys()
    assert {name: text for name, text in refused.items() if OF_CUSTOMERS[name] not in text} == {}


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("line", LINES, ids=str)
def test_nearly_all_reports_are_split_and_none_is_wrong(line: SparkLine, tmp_path: Path) -> None:
    found = [
        each
        for which in ("first", "second", "hard", "statistics", *(FROM_4_1 if line is SPARK_4 else ()))
        for each in proofs(tmp_path / which, str(CORPUS / f"{which}.jobs"), line=line)
    ]
    assert [each for each in found if each["wrong"]] == []
    assert len([each for each in found if not each["refused"]]) >= 0.95 * len(found)


@pytest.mark.slow
@pytest.mark.timeout(14400)
def test_no_generated_report_is_wrong(tmp_path: Path) -> None:
    found = proofs(tmp_path, "generated:0:300")
    assert [each for each in found if each["wrong"]] == []
    assert len(found) == 300


def test_what_cannot_be_split_is_refused_with_the_operator_and_the_reason(
    proved: Callable[[str], Found],
) -> None:
    found = {each["name"]: each for each in proved(REFUSED)}
    wrong = {}
    for name, program in corpus(Path(REFUSED)):
        stated = next(line for line in program.splitlines() if line.startswith("# refused: "))
        operator, reason = stated.removeprefix("# refused: ").split(" | ")
        refused = found[name]["refused"]
        if f"{operator}: " not in refused or reason not in refused:
            wrong[name] = found[name]
    assert wrong == {}
