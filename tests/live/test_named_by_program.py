"""Names and options that a program makes of collected values hold these; those that somebody has written do not."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kit.jobs import run_job
from kit.spark_lines import EITHER_LINE
from live.test_own_reads import gaps, lineage

pytestmark = pytest.mark.spark

OF_VALUES = ("column", "renamed", "member", "text", "counted", "unpivoted", "exploded", "schema", "typed")
WRITTEN = (
    "before",
    "plain",
    "grouped",
    "of_columns",
    "unpivoted_columns",
    "counters",
    "somewhere",
    "of_bremen",
)

WITH_OPTIONS = ("null", "line", "date", "table", "folder", "to_csv", "to_json", "to_xml", "from_csv", "read")


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("job")
    people = {
        "id": [1, 2],
        "mail": ["lpaul@example.org", "jmiller@example.org"],
        "city": ["Ulm", "Bonn"],
        "home": [{"street": "Am Tor"}, {"street": "Ring"}],
    }
    pq.write_table(pa.table(people), folder / "people.parquet")
    (folder / "people.parquet.parts").mkdir()
    pq.write_table(pa.table(people), folder / "people.parquet.parts" / "bremen.parquet")
    places = (str(folder / "people.parquet"), str(folder / "out"))
    job = run_job(request.param, folder, "named_by_program.py", *places, environment={"PLACE": "somewhere"})
    assert job.code == 0, job.output
    return lineage(job.events)


@pytest.mark.parametrize("name", [*OF_VALUES, "folder_lpaul@example.org", "of_lpaul"])
def test_names_of_collected_values_list_what_was_collected(written: dict[str, Any], name: str) -> None:
    reported = written[name]
    listed = [*reported["dataset"], *(each for field in reported["fields"] for each in field["inputFields"])]
    assert ["mail"] in [each["path"] for each in listed]
    assert gaps(reported) == {"DRIVER"}


@pytest.mark.parametrize("name", WRITTEN)
def test_names_of_written_words_hold_no_data(written: dict[str, Any], name: str) -> None:
    assert gaps(written[name]) == set()


def skip_without_xml(written: dict[str, Any], name: str) -> None:
    """Spark 3.5 has no ``to_xml``."""
    if name == "to_xml" and not any(each.startswith(name) for each in written):
        pytest.skip("this Spark has no to_xml")


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_options_of_collected_values_list_what_was_collected(written: dict[str, Any], name: str) -> None:
    skip_without_xml(written, name)
    reported = written[f"{name}_of_value"]
    listed = [each for field in reported["fields"] for each in field["inputFields"]]
    assert ["mail"] in [each["path"] for each in listed]
    assert gaps(reported) == {"DRIVER"}


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_options_of_written_words_hold_no_data(written: dict[str, Any], name: str) -> None:
    skip_without_xml(written, name)
    assert gaps(written[f"{name}_of_words"]) == set()


def test_days_in_names_are_no_data(written: dict[str, Any]) -> None:
    (day,) = (each for each in written if each.startswith("day_"))
    assert gaps(written[day]) == set()
