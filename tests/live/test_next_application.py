"""A program keeps what it has collected when it starts another application: what that writes lists it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kit.jobs import run_job
from kit.spark_lines import EITHER_LINE
from live.test_own_reads import gaps, lineage

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("job")
    people = {"id": [1, 2], "mail": ["lpaul@example.org", "jmiller@example.org"]}
    pq.write_table(pa.table(people), folder / "people.parquet")
    job = run_job(
        request.param, folder, "next_application.py", str(folder / "people.parquet"), str(folder / "out")
    )
    assert job.code == 0, job.output
    return lineage(job.events)


@pytest.mark.parametrize("name", ["rows", "constant", "column", "folder_lpaul@example.org"])
def test_what_an_earlier_application_collected_may_be_in_what_is_written(
    written: dict[str, Any], name: str
) -> None:
    reported = written[name]
    listed = [*reported["dataset"], *(each for field in reported["fields"] for each in field["inputFields"])]
    assert ["mail"] in [each["path"] for each in listed]
    assert "DRIVER" in gaps(reported)


def test_what_was_written_before_lists_nothing(written: dict[str, Any]) -> None:
    assert gaps(written["before"]) == set()
