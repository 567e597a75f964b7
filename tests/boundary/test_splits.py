"""Splits are proved by running them: the original over the union of three regions, the parts in each, compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kit.boundary_proof import corpus
from kit.eye import JAR
from kit.shared import ROOT
from kit.spark_lines import SPARK_4, short_lived

pytestmark = pytest.mark.spark
CORPUS = Path(__file__).parent / "corpus"
QUICK = ("above_average_sql", "distinct_non_personal")


def proofs(folder: Path, which: str, *names: str) -> list[dict[str, Any]]:
    """What came of the jobs, each in its turn, in one Spark."""
    command = [sys.executable, "-m", "kit.boundary_proof", str(JAR), str(folder), which, *names]
    environment = {
        **os.environ,
        **short_lived(SPARK_4),
        "PYTHONPATH": str(ROOT / "tests"),
        "PYSPARK_PYTHON": sys.executable,
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert found, done.stderr[-3000:]
    return found


def test_parts_give_what_the_whole_gives_and_no_personal_value_leaves(tmp_path: Path) -> None:
    found = proofs(tmp_path, str(CORPUS / "first.jobs"), *QUICK)
    assert [each["name"] for each in found] == [*QUICK]
    assert [each for each in found if each["wrong"] or each["refused"]] == []


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_nearly_all_reports_are_split_and_none_is_wrong(tmp_path: Path) -> None:
    found = [
        each
        for which in ("first", "second")
        for each in proofs(tmp_path / which, str(CORPUS / f"{which}.jobs"))
    ]
    assert [each for each in found if each["wrong"]] == []
    assert len([each for each in found if not each["refused"]]) >= 0.95 * len(found)


@pytest.mark.slow
@pytest.mark.timeout(14400)
def test_no_generated_report_is_wrong(tmp_path: Path) -> None:
    found = proofs(tmp_path, "generated:0:300")
    assert [each for each in found if each["wrong"]] == []
    assert len(found) == 300


def test_what_cannot_be_split_is_refused_with_the_operator_and_the_reason(tmp_path: Path) -> None:
    found = {each["name"]: each for each in proofs(tmp_path, str(CORPUS / "refused.jobs"))}
    wrong = {}
    for name, program in corpus(CORPUS / "refused.jobs"):
        stated = next(line for line in program.splitlines() if line.startswith("# refused: "))
        operator, reason = stated.removeprefix("# refused: ").split(" | ")
        refused = found[name]["refused"]
        if f"{operator}: " not in refused or reason not in refused:
            wrong[name] = found[name]
    assert wrong == {}
