"""What is read from above comes from the datasets below, forward and backward."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from headwater_backend.domain.model import DatasetKey, Direction, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.questions.lineage import Scope, lineage
from headwater_backend.stores import open_store
from kit.completed_writes import Event
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark

LINES = {"lines/first", "lines/second"}
READ = {
    "recursive": {"up/days", "up/deep/rows"},
    "one_day": {"up/days"},
    "binary": LINES,
    "files": LINES,
    "rdd": LINES,
    "saved": LINES,
    "whole": LINES,
    "beside_metadata": {"export/data"},
    "of_model": {"words"},
}


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def job(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    folder = tmp_path_factory.mktemp("above")
    done = run_job(request.param, folder, "read_from_above.py", str(folder / "data"))
    assert done.code == 0, done.output
    return done


@pytest.mark.parametrize("output", READ)
def test_what_is_read_from_above_is_that_below(job: Job, output: str) -> None:
    written = [e for e in job.events if any(o["name"] == job.path(f"data/{output}") for o in e["outputs"])]
    read = {str(Path(i["name"]).relative_to(job.path("data"))) for e in written for i in e["inputs"]}
    assert read == READ[output]


def test_all_of_it_is_reached(job: Job) -> None:
    for event in job.events:
        validate_event(event)
    with closing(open_store(f"sqlite:///{job.folder}/lineage.db")) as store:
        assert all(each.stored for each in ingest(store, job.events))
        start = NodeKey(DatasetKey("file", job.path("data/in")), ("one",))
        found = lineage(store, start, Direction.FORWARD, Scope())
    reached = {each.key.dataset.name.removeprefix(f"{job.path('data')}/") for each in found.nodes}
    assert reached >= READ.keys() - {"of_model"}  # a model holds values of the driver
    assert "words" in {name for event in job.events for name in outputs(event, job)}


def outputs(event: Event, job: Job) -> list[str]:
    """The names of what the event's run writes, from the folder on."""
    return [each["name"].removeprefix(f"{job.path('data')}/") for each in event["outputs"]]
