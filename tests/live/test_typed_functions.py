"""Typed functions of Java over rows and single values are read, and those over objects of a class are opaque."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from headwater_facets.path import Path as DataPath
from kit.events import validate_event
from kit.jobs import JOBS, run_job
from kit.spark_lines import LINES, SparkLine, spark_home

pytestmark = [pytest.mark.spark, pytest.mark.slow]

EVERYTHING = {"id", "name", "ssn"}
MADE_OF = {
    "chosen": EVERYTHING,
    "mapped": {"name"},
    "values": {"name"},
    "lengths": {"name"},
    "twice": {"name"},
    "turned": EVERYTHING,
    "beans": EVERYTHING,
}
"""The columns that are moved or computed with, by the output's name."""
OPAQUE = {"turned", "beans"}
"""Whose rows have another order than the columns, and whose objects are of a class."""


@pytest.mark.parametrize("line", LINES, ids=str)
def test_typed_functions_over_rows_and_values_are_read(line: SparkLine, tmp_path: Path) -> None:
    people = [{"id": f"i{n}q", "name": f"n{n}q", "ssn": f"s{n}q"} for n in range(3)]
    (tmp_path / "people.json").write_text("\n".join(map(json.dumps, people)), "utf-8")
    given = (str(tmp_path / "people.json"), str(tmp_path / "out"))
    conf = {"spark.jars": str(compiled(line, tmp_path))}
    job = run_job(line, tmp_path, "typed_functions.py", *given, conf=conf)
    assert job.code == 0, job.output
    for event in job.events:
        validate_event(event)
    outputs = [o for e in job.events if e["eventType"] == "COMPLETE" for o in e["outputs"]]
    found = {o["name"].rpartition("/")[2]: o["facets"]["headwater_pathLineage"] for o in outputs}
    assert {name: made_of(facet) for name, facet in found.items()} == MADE_OF
    assert {name for name, facet in found.items() if facet["opaque"]} == OPAQUE
    assert {path(each) for each in found["chosen"]["dataset"]} == {"ssn"}
    written = {name: (tmp_path / "out" / name).glob("part-*") for name in MADE_OF}
    texts = {name: "".join(part.read_text("utf-8") for part in parts) for name, parts in written.items()}
    assert "n1q" in texts["mapped"] and "s1q" in texts["beans"]


FOLDED = {
    "longest": {"id", "name"},
    "characters": {"ssn"},
    "objects": {"name", "ssn"},
    "typed": {"name"},
    "typed_objects": {"name", "ssn"},
    "typed_rows": {"ssn"},
    "grouped": {"name"},
}
OPAQUE_FOLDS = {"objects", "typed_objects", "grouped"}
"""Whose objects are of a class, and whose groups a function makes of each row."""


@pytest.mark.parametrize("line", LINES, ids=str)
def test_aggregators_over_values_and_rows_are_read(line: SparkLine, tmp_path: Path) -> None:
    people = [{"id": f"i{n}q", "name": f"n{n}q" + "x" * n, "ssn": f"s{n}q"} for n in range(3)]
    (tmp_path / "people.json").write_text("\n".join(map(json.dumps, people)), "utf-8")
    given = (str(tmp_path / "people.json"), str(tmp_path / "out"))
    conf = {"spark.jars": str(compiled(line, tmp_path, "Aggregates.java"))}
    job = run_job(line, tmp_path, "aggregates.py", *given, conf=conf)
    assert job.code == 0, job.output
    for event in job.events:
        validate_event(event)
    outputs = [o for e in job.events if e["eventType"] == "COMPLETE" for o in e["outputs"]]
    found = {o["name"].rpartition("/")[2]: o["facets"]["headwater_pathLineage"] for o in outputs}
    assert {name: made_of(facet) for name, facet in found.items()} == FOLDED
    assert {name for name, facet in found.items() if facet["opaque"]} == OPAQUE_FOLDS
    read = {
        each["name"]: each["known"]
        for e in job.events
        for each in (e["job"]["facets"].get("headwater_functions") or {}).get("functions", ())
    }
    assert {known for name, known in read.items() if "Names" in name or name == "names"} == {"OPAQUE"}
    assert "ANALYSED" in read.values()
    written = {name: (tmp_path / "out" / name).glob("part-*") for name in FOLDED}
    texts = {name: "".join(part.read_text("utf-8") for part in parts) for name, parts in written.items()}
    assert "n2qxx" in texts["longest"] and "n2qxx" in texts["typed"]
    assert json.loads(texts["characters"]) == json.loads(texts["typed_rows"]) == {"count": 9}


def compiled(line: SparkLine, folder: Path, source: str = "Typed.java") -> Path:
    """The program in Java, as an archive."""
    home, classes, archive = Path(os.environ["JAVA_HOME"]) / "bin", folder / "classes", folder / "typed.jar"
    libraries = f"{Path(spark_home(line)) / 'jars'}/*"
    command = [str(home / "javac"), "--release", "17", "-cp", libraries, "-d", str(classes)]
    subprocess.run([*command, str(JOBS / source)], check=True)
    subprocess.run([str(home / "jar"), "cf", str(archive), "-C", str(classes), "."], check=True)
    return archive


def made_of(facet: dict[str, Any]) -> set[str]:
    """The inputs of which values are in any column."""
    return {
        path(source)
        for field in facet["fields"]
        for source in field["inputFields"]
        if any(way["type"] == "DIRECT" for way in source["transformations"])
    }


def path(part: dict[str, Any]) -> str:
    return str(DataPath.from_wire(part["path"]))
