"""Functions of RDDs between two frames: what they make of rows is read, and never less than what is written.

Each column of the input has values of its own, by which they are found in what was written.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from headwater_facets.path import Path as DataPath
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE, SparkLine

pytestmark = pytest.mark.spark

COLUMNS = {"i": "id", "n": "name", "s": "ssn", "c": "home.city", "z": "home.zip"}
"""Each column by the letter that its values begin with."""
MOVED = {("who", "name"), ("place", "home.city")}
READ = {
    **dict.fromkeys(("mapped", "stated", "by_name", "parts", "other_frame"), MOVED),
    "single": {("value", "name")},
    **{name: {("who", "name")} for name in ("chosen", "twice")},
    "coalesced": {("who", "name"), ("home", "home")},
    "same": {("id", "id"), ("name", "name"), ("ssn", "ssn"), ("home", "home")},
    "joined": {("id", "id"), ("who", "name")},
}
"""What each output that is known wholly is made of: its path, and the path of the input."""
DECIDING = {"chosen": {"ssn"}, "parts": {"home.zip"}, "joined": {"id"}}
"""What decides which rows it has."""
OPAQUE = {"distinct", "kept", "named_anew", "evaluated", "of_texts"}


SETTINGS = {"spark.sql.shuffle.partitions": "1", "spark.default.parallelism": "1"}


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_what_functions_of_rdds_make_of_rows_is_known_or_stated_to_be_unknown(
    line: SparkLine, tmp_path: Path
) -> None:
    people = [
        {"id": f"i{n}q", "name": f"n{n}q", "ssn": f"s{n}q", "home": {"city": f"c{n}q", "zip": f"z{n}q"}}
        for n in range(3)
    ]
    (tmp_path / "people.json").write_text("\n".join(map(json.dumps, people)), "utf-8")
    given = (str(tmp_path / "people.json"), str(tmp_path / "out"))
    job = run_job(line, tmp_path, "rdd_functions.py", *given, conf=SETTINGS)
    assert job.code == 0, job.output
    for event in job.events:
        validate_event(event)
    found = facets(job)

    written = {name: columns_in(tmp_path / "out" / name) for name in found}
    assert all(written.values())
    missed = {n: written[n] - {source.split(".")[0] for _, source in moved(found[n])} for n in found}
    assert {name: left for name, left in missed.items() if left} == {"held": {"ssn"}}
    assert {name: moved(found[name]) for name in READ} == READ
    assert {name: deciding(found[name]) for name in READ if deciding(found[name])} == DECIDING
    assert {name for name in found if not found[name]["complete"]} == OPAQUE | {"held"}
    assert all("RDD" in {each["reason"] for each in found[name]["incomplete"]} for name in OPAQUE)
    # A value that the program holds is of any input of which it has collected rows.
    assert {each["reason"] for each in found["held"]["incomplete"]} == {"DRIVER"}
    assert "ssn" in deciding(found["held"])


def facets(job: Job) -> dict[str, Any]:
    """What is stated of the paths of each output, by its name."""
    outputs = [o for e in job.events if e["eventType"] == "COMPLETE" for o in e["outputs"]]
    return {o["name"].rpartition("/")[2]: o["facets"]["headwater_pathLineage"] for o in outputs}


def columns_in(folder: Path) -> set[str]:
    """The columns of which values stand in what was written."""
    text = "".join(part.read_text("utf-8") for part in folder.glob("part-*"))
    return {COLUMNS[letter].split(".")[0] for letter in re.findall(r"([inscz])[0-9]q", text)}


def moved(facet: dict[str, Any]) -> set[tuple[str, str]]:
    """The paths of the output with the paths of the input whose values are in them."""
    return {
        (path(field), path(source))
        for field in facet["fields"]
        for source in field["inputFields"]
        if any(way["type"] == "DIRECT" for way in source["transformations"])
    }


def deciding(facet: dict[str, Any]) -> set[str]:
    return {path(each) for each in facet["dataset"]}


def path(part: dict[str, Any]) -> str:
    return str(DataPath.from_wire(part["path"]))
