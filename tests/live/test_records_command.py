"""``headwater records`` beside the data: what a program wrote is asked about in a terminal."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from kit.command import headwater
from kit.shared import ROOT
from kit.spark_lines import SPARK_4, quickly_started

pytestmark = pytest.mark.spark
JOBS = Path(__file__).parent / "jobs"
FILE = "FILE"
"""Stands for the file of tweets."""
CALLS: Mapping[str, tuple[str, ...]] = {
    "tree": ("why", "full", 'user="lp", texts[1..]'),
    "json": ("why", "full", "--where", "user = 'lp'", "--path", "texts[2]", "--json"),
    "again": ("why", "demand", "--where", "user = 'lp'", "--json"),
    "forward": ("forward", "full", "--record", f"{FILE}:4"),
    "became": ("forward", "full", "--record", f"{FILE}:4", "--paths"),
    "became, as JSON": ("forward", "full", "--record", f"{FILE}:2", "--paths", "--json"),
    "breach": ("breach", "full", "--where", "user = 'lp'", "--people", "tweets", "--key", "user"),
    "breach of unknown": (
        *("breach", "full", "--people", "tweets", "--key", "CASE WHEN user = 'lp' THEN user END", "--json"),
    ),
    "erase": ("erase", "full", "--record", f"{FILE}:1", "--record", f"{FILE}:3"),
    "erase nothing": ("erase", "full", "--record", f"{FILE}:2", "--json"),
    "erase without places": ("erase", "demand", "--record", f"{FILE}:1"),
    "why not": ("why-not", "full", "--record", f"{FILE}:2"),
    "replay": ("replay", "full", "--without", f"{FILE}:3", "--into", "without"),
    "origins": ("origins", "many", "--path", "n"),
    "origins as JSON": ("origins", "many", "--where", "user = 'lp'", "--json"),
    "descendants": ("descendants", "--record", f"{FILE}:3"),
    "subject": ("subject", "lp", "--people", "tweets", "--key", "user"),
    "nobody": ("subject", "nobody", "--people", "tweets", "--key", "user", "--json"),
    "usage": ("usage",),
    "usage as JSON": ("usage", "--json"),
    "at fault": ("at-fault", "many", "--path", "n", "--bad", "value = 2"),
    "not at fault": ("at-fault", "many", "--path", "n", "--bad", "value > 2", "--json"),
    "bad condition": ("at-fault", "many", "--path", "n", "--bad", "nothing > 2"),
    "not captured": ("why", "tweets"),
    "pattern": ("why", "full", 'user="lp", text/x'),
    "condition": ("why", "full", "--where", "nobody = 1"),
    "record": ("forward", "full", "--record", "nowhere:1"),
}


def ran(folder: Path, job: str, *arguments: str) -> str:
    paths = os.pathsep.join(str(ROOT / each) for each in ("integration", "cli", "tests"))
    surroundings = {**os.environ, **quickly_started(SPARK_4), "PYTHONPATH": paths}
    command = [sys.executable, str(JOBS / job), *arguments]
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the program wrote ``full`` and ``demand``, with the program itself."""
    folder = tmp_path_factory.mktemp("records")
    shutil.copy(JOBS / "records_of_users.py", folder)
    ran(folder, "records_of_users.py", "full", "demand")
    return folder


@pytest.fixture(scope="module")
def answers(folder: Path) -> dict[str, tuple[int, str, str]]:
    """By the name of a call its exit code, and what it wrote."""
    calls = [
        [*(part.replace(FILE, tweets(folder)) for part in call), "--records", "records"]
        for call in CALLS.values()
    ]
    found = ran(folder, "records_commands.py", json.dumps(calls)).partition("FOUND ")[2]
    return dict(zip(CALLS, map(tuple, json.loads(found)), strict=True))


def tweets(folder: Path) -> str:
    (part,) = (folder / "tweets").glob("*.parquet")
    return str(part)


Answers = Mapping[str, tuple[int, str, str]]


def printed(answers: Answers, call: str) -> str:
    code, output, error = answers[call]
    assert code == 0, error
    return output


def test_why_prints_a_tree(answers: Answers) -> None:
    tree = printed(answers, "tree")
    assert tree.splitlines()[0].endswith("/tweets")
    assert "text  contributes" in tree
    assert "likes  influences, accessed by 2" in tree
    assert tree.splitlines()[-1].endswith("2 filter, 3 group")


def test_why_prints_json(answers: Answers, folder: Path) -> None:
    (record,) = json.loads(printed(answers, "json"))["records"]
    assert record["position"] == 4
    assert record["file"].endswith(Path(tweets(folder)).name)
    wanted = {"path": "text", "contributes": True, "accessedBy": [], "manipulatedBy": [3]}
    assert wanted in record["paths"]


def test_a_plan_is_built_again_by_the_program_that_was_named(answers: Answers) -> None:
    assert [each["position"] for each in json.loads(printed(answers, "again"))["records"]] == [1, 4]


def test_forward_shows_rows_and_why_not_the_operators(answers: Answers) -> None:
    assert printed(answers, "forward").splitlines()[0] == '{"user": "lp", "n": 2, "texts": ["a", "d"]}'
    assert printed(answers, "why not").strip() == "2 filter"


def test_forward_says_which_values_a_record_became(answers: Answers) -> None:
    row, place, *paths = printed(answers, "became").splitlines()
    assert row == '{"user": "lp", "n": 2, "texts": ["a", "d"]}'
    assert re.fullmatch(r" +file:\S*/full/part-\S+\.parquet: \d+", place)
    assert [each.split() for each in paths] == [
        ["n", "influenced"],
        ["texts[2]", "contributes"],
        ["user", "contributes"],
    ]
    assert json.loads(printed(answers, "became, as JSON")) == {"rows": []}


def test_erase_tells_records_to_delete_from_aggregates(answers: Answers) -> None:
    lines = {line.partition("  ")[2] for line in printed(answers, "erase").splitlines()}
    assert lines == {"delete", "make again, it is also of 1 more"}
    assert json.loads(printed(answers, "erase nothing")) == []


def test_a_breach_tells_what_leaked_from_what_can_be_inferred(answers: Answers, folder: Path) -> None:
    person, *attributes = printed(answers, "breach").splitlines()
    assert person == "lp  rows: 1, fewest persons of one: 1"
    lines = {line.rpartition("#")[2] for line in attributes}
    assert lines == {"text  leaked", "user  leaked", "likes  inferred"}


def test_whose_records_are_not_known_is_reported(answers: Answers) -> None:
    found = json.loads(printed(answers, "breach of unknown"))
    assert [each["person"] for each in found["persons"]] == ["lp"]
    assert (found["rows"], list(found["unknown"].values())) == (2, [1])


def test_a_replay_goes_to_a_place_of_its_own(answers: Answers, folder: Path) -> None:
    assert printed(answers, "replay").strip() == "1 rows in without: 1 are gone, 0 are new"
    assert list((folder / "without").glob("*.parquet"))


def test_origins_go_through_both_jobs_and_number_their_operators(answers: Answers) -> None:
    tree = printed(answers, "origins").splitlines()
    assert [line.rpartition("parquet: ")[2] for line in tree if line.startswith("├── ")] == ["1", "4"]
    assert tree[-2].endswith("/full, 2 filter")
    assert "/full: 3 read " in tree[-1] and tree[-1].endswith("4 filter, 5 group")
    found = json.loads(printed(answers, "origins as JSON"))
    assert [each["output"].rpartition("/")[2] for each in found["stages"]] == ["many", "full"]
    assert (found["rows"], found["unknown"]) == (1, {})


def test_descendants_and_a_person_are_listed_in_all_outputs(answers: Answers) -> None:
    # The mode demand builds the plan again, for which it has the program.
    listed = printed(answers, "descendants").splitlines()
    assert [line.rpartition("  ")[2] for line in listed] == ["delete", "delete"]
    listed = printed(answers, "subject").splitlines()
    assert [line.rpartition("  ")[2] for line in listed] == ["delete"] * 3
    assert [Path(line.partition(": ")[0]).parent.name for line in listed] == ["demand", "full", "many"]
    assert json.loads(printed(answers, "nobody")) == {"records": [], "found": [], "unknown": {}}


def test_usage_is_a_matrix_with_heat_and_proposals(answers: Answers) -> None:
    text = printed(answers, "usage")
    assert "  jobs: 2\n" in text and "contributes to 2, accessed by group 2" in text
    assert "│   used together   1   2   3\n│               1   ·   2   2\n" in text
    assert "├── partition by likes: 2\n" in text and "├── leave out texts: 1\n" in text
    tweets = next(each for each in json.loads(printed(answers, "usage as JSON")) if each["runs"] == 2)
    assert tweets["never"] == [] and len(tweets["withoutRecords"]) == 1
    assert list(tweets["heat"].values()) == [[1.0, 0.0, 1.0, 1.0]]


def test_the_operator_at_fault_is_named_with_the_records_of_a_source(answers: Answers) -> None:
    first, second, record = printed(answers, "at fault").splitlines()
    assert first.endswith("values: 1, 1 bad  at fault") and "1 read " in first
    assert second == "2 filter  values: 1, 1 bad"
    assert record.startswith("├── ") and record.endswith(": 1")
    (fault,) = json.loads(printed(answers, "not at fault"))
    assert (fault["at_fault"], fault["records"]) == ([], {})


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("bad condition", "[SPARK]"),
        ("not captured", "was written by no run that was captured [not_captured]"),
        ("pattern", "no field text there, at position 12 [bad_pattern]"),
        ("condition", "[SPARK]"),
        ("erase without places", "capture in the mode ends [not_captured]"),
        ("record", "no source has the file nowhere; there are "),
    ],
)
def test_what_cannot_be_asked_is_an_error_with_its_place(answers: Answers, call: str, wanted: str) -> None:
    code, _, error = answers[call]
    assert code == 1
    assert wanted in error


@pytest.mark.parametrize("given", ["part", "part:0", "part:x", ":3"])
def test_a_record_is_a_file_with_a_position(given: str) -> None:
    done = headwater("records", "forward", "out", "--records", "r", "--record", given)
    assert done.exit_code == 2
    assert "is no file with a position from 1" in done.stderr


def test_a_replay_needs_records_one_way_or_the_other() -> None:
    done = headwater("records", "replay", "out", "--records", "r", "--into", "x")
    assert done.exit_code == 2
    assert "either --only or --without" in done.stderr
