"""A column that has whole records is read as Spark's column for them, whatever the program calls it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kit.jobs import run_job
from kit.spark_lines import EITHER_LINE, SPARK_4, SparkLine
from live.test_own_reads import lineage

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    line: SparkLine = request.param
    folder: Path = tmp_path_factory.mktemp("job")
    (folder / "people.csv").write_text("name,mail\nLea,lpaul@example.org\n", "utf-8")
    job = run_job(line, folder, "whole_records.py", str(folder / "people.csv"), str(folder / "out"))
    assert job.code == 0, job.output
    reported = lineage(job.events)
    assert ("variant" in reported) == (line is SPARK_4)
    return reported


def sources(reported: dict[str, Any]) -> dict[str, list[str]]:
    return {
        field["path"][0]: [".".join(each["path"]) for each in field["inputFields"]]
        for field in reported["fields"]
    }


@pytest.mark.parametrize("name", ["unparsed", "of_table"])
def test_what_could_not_be_parsed_may_be_any_column(written: dict[str, Any], name: str) -> None:
    assert sources(written[name]) == {"who": ["who"], "number": ["number"], "bad": ["_corrupt_record"]}


def test_a_name_in_other_capitals_is_no_column_of_whole_records(written: dict[str, Any]) -> None:
    assert sources(written["other_capitals"]) == {"BAD": ["BAD"], "number": ["number"]}


def test_a_record_as_a_variant_has_all_columns(written: dict[str, Any]) -> None:
    if "variant" in written:
        assert sources(written["variant"]) == {"mail": ["_corrupt_record"]}
