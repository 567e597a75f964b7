"""Names that are data: rows of a program that could ask for them list where they are from, and other rows do not."""

from __future__ import annotations

from typing import Any

import pytest

from kit.jobs import run_job
from kit.spark_lines import EITHER_LINE
from live.test_own_reads import gaps, lineage, listed

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("named")
    job = run_job(request.param, folder, "named_by_data.py", str(folder / "out"))
    assert job.code == 0, job.output
    return lineage(job.events)


def why(reported: dict[str, Any]) -> str:
    return "".join(each["detail"] for each in reported["incomplete"] if each["reason"] == "PROGRAM")


def test_names_that_a_schema_gives_are_no_data(written: dict[str, Any]) -> None:
    for name in ("plain", "of_given"):
        assert (listed(written[name]), written[name]["complete"]) == (set(), True)


@pytest.mark.parametrize(("name", "place"), [("of_header", "headed"), ("of_keys", "keyed")])
def test_names_that_spark_finds_in_files_may_be_in_rows(
    written: dict[str, Any], name: str, place: str
) -> None:
    before = list(written)[: list(written).index(name)]

    assert gaps(written[name]) == {"PROGRAM"}
    assert "Spark found names of columns in " in why(written[name])
    assert f"/{place}" in why(written[name])
    assert not any(f"/{place}" in why(written[each]) for each in before)


def test_names_of_folders_may_be_in_rows_once_they_were_read(written: dict[str, Any]) -> None:
    assert "parted.city" not in listed(written["of_nothing_new"])
    assert listed(written["of_files"]) == {"parted.city"}
    assert gaps(written["of_files"]) == {"DRIVER", "PROGRAM"}


def test_what_functions_counted_may_be_in_rows(written: dict[str, Any]) -> None:
    assert "accumulators" not in why(written["of_files"])
    assert "it has accumulators" in why(written["of_accumulator"])
