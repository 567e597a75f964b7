"""Rows of a program list what it was shown and what it read by itself, or say that nobody saw what it read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kit.eye import python, script
from kit.faults import agent
from kit.jobs import run_job
from kit.spark_lines import EITHER_LINE, SparkLine

pytestmark = pytest.mark.spark

CONNECTED = "it connected to 127.0.0.1"


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def watched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("watched")
    job = run_job(request.param, folder, "own_reads.py", str(folder / "out"))
    assert job.code == 0, job.output
    assert "sitecustomize" not in job.output
    return lineage(job.events)


def lineage(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The path lineage of each output, by its name."""
    ended = [event for event in events if event["eventType"] == "COMPLETE"]
    return {
        output["name"].rpartition("/")[2]: output["facets"]["headwater_pathLineage"]
        for event in ended
        for output in event["outputs"]
    }


def listed(reported: dict[str, Any]) -> set[str]:
    """The short names of the datasets that are listed, with the path."""
    found = (each for field in reported["fields"] for each in field["inputFields"])
    return {".".join([each["name"].rpartition("/")[2], *each["path"]]) for each in found}


def gaps(reported: dict[str, Any]) -> set[str]:
    return {each["reason"] for each in reported["incomplete"]}


def test_rows_of_the_programs_own_text_are_complete(watched: dict[str, Any]) -> None:
    for name in ("typed", "printed"):
        assert (listed(watched[name]), watched[name]["complete"]) == (set(), True)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("of_printed", "printed.name"),
        ("of_names", "wide.name"),
        ("of_error", "wrong"),
        ("of_file", "people.csv"),
        ("of_part", "stored"),
        ("of_database", "people.db"),
    ],
)
def test_rows_list_what_the_program_got_to_see_before(
    watched: dict[str, Any], name: str, source: str
) -> None:
    before = list(watched)[: list(watched).index(name)]

    assert source in listed(watched[name])
    assert gaps(watched[name]) == {"DRIVER"}
    assert all(source not in listed(watched[each]) for each in before if each.startswith("of_"))


def test_a_constant_is_not_in_doubt_because_something_was_printed(watched: dict[str, Any]) -> None:
    assert (listed(watched["constant"]), watched["constant"]["complete"]) == ({"printed.city"}, True)


def test_a_constant_that_nobody_wrote_may_be_of_a_file_that_the_program_opened(
    watched: dict[str, Any],
) -> None:
    fields = {field["path"][0]: field for field in watched["computed"]["fields"]}
    of_file = {
        path: any(each["name"].endswith("named.csv") for each in field["inputFields"])
        for path, field in fields.items()
    }
    assert of_file == {"city": False, "who": True, "text": True, "length": True}
    (gap,) = watched["computed"]["incomplete"]
    assert (gap["reason"], gap["paths"]) == ("DRIVER", [["who"], ["text"], ["length"]])


def test_a_function_that_carries_what_the_program_opened_may_give_it(watched: dict[str, Any]) -> None:
    fields = {field["path"][0]: field for field in watched["functions"]["fields"]}
    of_file = {
        path: any(each["name"].endswith("named.csv") for each in field["inputFields"])
        for path, field in fields.items()
    }
    assert of_file == {"city": False, "who": True, "sort": False}
    of_program = [each for each in watched["functions"]["incomplete"] if each["reason"] == "DRIVER"]
    assert [each["paths"] for each in of_program] == [[["who"]]]


def test_a_constant_that_somebody_wrote_is_of_no_file(watched: dict[str, Any]) -> None:
    assert (listed(watched["written"]), watched["written"]["complete"]) == ({"printed.city"}, True)


def test_a_program_may_read_its_settings(watched: dict[str, Any]) -> None:
    assert "settings.toml" not in listed(watched["of_network"])


def test_what_came_over_the_network_has_no_name(watched: dict[str, Any]) -> None:
    assert gaps(watched["of_network"]) == {"DRIVER", "PROGRAM"}
    (detail,) = (
        each["detail"] for each in watched["of_network"]["incomplete"] if each["reason"] == "PROGRAM"
    )
    assert CONNECTED in detail


BODY = """
spark.createDataFrame([("Bob",)], "s string").write.parquet("out/rows")
spark.sql("SELECT * FROM VALUES ('Bob') AS t(s)").write.parquet("out/values")
spark.range(3).selectExpr("id", "'x' AS s").write.parquet("out/numbers")
spark.stop()
"""


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_of_a_program_that_nobody_watches_its_rows_are_of_unknown_origin(
    line: SparkLine, tmp_path: Path
) -> None:
    done = python(line, script(tmp_path, BODY, agent(), stop=False))
    assert done.code == 0, done.output
    events = [json.loads(each) for each in (tmp_path / "events.ndjson").read_text("utf-8").splitlines()]
    found = lineage(events)

    assert found["rows"]["incomplete"] == [
        {
            "reason": "PROGRAM",
            "paths": [["s"]],
            "detail": "rows or constants of the program: nobody saw what else it read",
        }
    ]
    assert (found["values"]["complete"], found["numbers"]["complete"]) == (True, True)
