"""What bodies of `foreachBatch` take out of Spark by themselves is reported: judged by words that are found outside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark

_WORD = re.compile(r"zq(mail|note)\w+")


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def bodies(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    folder = tmp_path_factory.mktemp("bodies")
    (folder / "data").mkdir()
    job = run_job(request.param, folder, "batch_bodies.py", str(folder / "data"))
    assert job.code == 0, job.output
    return job


def test_every_event_is_valid(bodies: Job) -> None:
    for event in bodies.events:
        validate_event(event)


def test_what_a_body_hands_to_code_of_its_own_is_reported(bodies: Job) -> None:
    ways = sorted(each.name for each in Path(bodies.path("data/in")).iterdir())
    found = {way: taken_out(bodies, way) for way in ways}

    assert len(found) == 9
    assert set(found.values()) == {frozenset({"mail"})}
    assert {way: found[way] - reported(bodies, way) for way in ways} == dict.fromkeys(ways, frozenset())


def taken_out(job: Job, way: str) -> frozenset[str]:
    """The columns whose words stand outside."""
    place = Path(job.path(f"data/outside/{way}"))
    files = [place] if place.is_file() else place.glob("part-*")
    return frozenset(kind for file in files for kind in _WORD.findall(file.read_text("utf-8")))


def reported(job: Job, way: str) -> frozenset[str]:
    """The columns that are handed to the program, or written; of an RDD, those that it reads."""
    names: set[str] = set()
    for event in job.events:
        for dataset in event.get("inputs", ()):
            if dataset["name"] == job.path(f"data/in/{way}"):
                paths = dataset["facets"].get("headwater_access", {}).get("paths", ())
                out = (e for e in paths if "DRIVER" in e["access"] or event["outputs"])
                names.update(each["path"][0] for each in out if each["path"])
    return frozenset(names)
