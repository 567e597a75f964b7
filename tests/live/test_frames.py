"""What Spark gives to pandas is followed to Spark's datasets: tokens in the files that pandas wrote are the judge."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from kit.events import validate_event
from kit.jobs import headwater, run_job
from kit.spark_lines import SPARK_4

pytestmark = pytest.mark.spark

TOKENS = {
    "TOKMAIL": ("people", ("mail",)),
    "TOKCITY": ("people", ("city",)),
    "TOKSTREET": ("people", ("address", "street")),
    "TOKZIP": ("people", ("address", "zip")),
    "TOKNOTE": ("notes", ("note",)),
    "TOKEXTRA": ("extra.csv", ("extra",)),
}
READABLE = {None, "VALUE", "CONTAINS", "PART"}
EXACT = {
    "plain": {("id", "people", "id"), ("mail", "people", "mail")},
    "changed": {("low", "people", "mail"), ("low", "people", "city"), ("address", "people", "address")},
    "hashed": {("token", "people", "mail"), ("short", "people", "mail"), ("size", "people", "city")},
    "merged": {("street", "people", "address.street"), ("extra", "extra.csv", "extra")},
    "grouped": {("city", "people", "city"), ("note", "notes", "note"), ("n", "people", "mail")},
    "encoded": {
        ("id", "people", "id"),
        ("city_TOKCITY0", "people", "city"),
        ("city_TOKCITY1", "people", "city"),
    },
    "by_function": {("c", "people", "city")},
    "read": {("city", "people", "city"), ("id", "people", "id")},
}
GAPS = ("taken", "handed", "kept")
Facet = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frames")
    to_file = {
        "OPENLINEAGE__TRANSPORT__TYPE": "file",
        "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(folder / "pandas.ndjson"),
        "OPENLINEAGE__TRANSPORT__APPEND": "true",
    }
    conf = {"spark.master": "local[1]", "spark.headwater.access.enabled": "true"}
    job = run_job(SPARK_4, folder, "frames.py", str(folder / "out"), conf=conf, environment=to_file)
    assert job.code == 0, job.output
    return folder


def events(folder: Path, name: str) -> list[Facet]:
    found = [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
    for each in found:
        validate_event(each)
    return found


def facets(folder: Path) -> dict[str, Facet]:
    """The lineage of each output of the program of frames, by the name of its file."""
    last = events(folder, "pandas.ndjson")[-1]
    return {Path(each["name"]).stem: each["facets"]["headwater_pathLineage"] for each in last["outputs"]}


def direct(facet: Facet) -> dict[str, dict[tuple[str, tuple[str, ...]], set[str | None]]]:
    """By output column: the dataset and path of what flows, with what can be read back of it."""
    found: dict[str, dict[tuple[str, tuple[str, ...]], set[str | None]]] = {}
    for field in facet["fields"]:
        for source in field["inputFields"]:
            for way in source["transformations"]:
                if way["type"] == "DIRECT":
                    place = (Path(source["name"]).name, tuple(source["path"]))
                    found.setdefault(field["path"][0], {}).setdefault(place, set()).add(way.get("retains"))
    return found


def gaps(facet: Facet) -> set[str]:
    return {path[0] for each in facet.get("incomplete", ()) for path in each.get("paths", [["*"]])}


@pytest.mark.parametrize("name", [*EXACT, *GAPS])
def test_every_token_in_a_file_is_of_a_path_that_is_listed_as_readable(folder: Path, name: str) -> None:
    facet = facets(folder)[name]
    with (folder / "out" / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for column in rows[0]:
        text = " ".join([column, *(row[column] for row in rows)]).upper()
        for token, (dataset, path) in TOKENS.items():
            if token in text and not {column, "*"} & gaps(facet):
                ways = direct(facet).get(column, {})
                above = [(dataset, path[:length]) for length in range(1, len(path) + 1)]
                assert any(ways.get(each, set()) & READABLE for each in above), (column, token)


@pytest.mark.parametrize("name", EXACT)
def test_together_the_answer_is_exact_path_by_path(folder: Path, name: str) -> None:
    facet = facets(folder)[name]
    assert facet["complete"], facet["incomplete"]
    found = {
        (column, dataset, ".".join(path)) for column, ways in direct(facet).items() for dataset, path in ways
    }
    assert found == EXACT[name]


def test_what_is_hashed_in_spark_stays_a_pseudonym_and_a_length_a_fact(folder: Path) -> None:
    ways = direct(facets(folder)["hashed"])
    assert ways["token"] == {("people", ("mail",)): {"TOKEN"}}
    assert ways["short"] == {("people", ("mail",)): {"TOKEN"}}
    assert ways["size"] == {("people", ("city",)): {"FACT"}}


def test_what_decides_about_rows_is_listed_on_both_sides(folder: Path) -> None:
    facet = facets(folder)["changed"]
    rows = {(each["path"][0], way["access"]) for each in facet["dataset"] for way in each["transformations"]}
    assert rows == {("city", "FILTER"), ("id", "FILTER")}


@pytest.mark.parametrize("name", GAPS)
def test_rows_of_which_nobody_knows_the_origin_stay_gaps(folder: Path, name: str) -> None:
    assert not facets(folder)[name]["complete"]


def test_both_sides_name_the_same_datasets_and_the_same_run(folder: Path) -> None:
    by_agent, by_pandas = events(folder, "events.ndjson"), events(folder, "pandas.ndjson")
    (application,) = {
        each["run"]["runId"] for each in by_agent if each["job"]["name"] == "frames" and not each["outputs"]
    }
    for each in by_pandas:
        assert each["run"]["facets"]["parent"]["run"]["runId"] == application
    of_agent = {(each["namespace"], each["name"]) for event in by_agent for each in event["inputs"]}
    of_pandas = {(each["namespace"], each["name"]) for each in by_pandas[-1]["inputs"]}
    assert {pair for pair in of_pandas if not pair[1].endswith(".csv")} <= of_agent
    collected = [each for each in by_agent if "to_pandas" in each["job"]["name"]]
    assert collected, "the agent reports what the driver was given"


def test_a_store_follows_a_value_through_both(folder: Path) -> None:
    store = ("--store", f"sqlite:///{folder / 'lineage.db'}")
    for file in ("events.ndjson", "pandas.ndjson"):
        done = headwater(SPARK_4, folder, "import", file, *store)
        assert done.returncode == 0, done.stderr
    done = headwater(
        SPARK_4, folder, "lineage", "backward", str(folder / "out" / "merged.csv"), "street", *store
    )
    assert "address.street" in done.stdout
