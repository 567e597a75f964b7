"""Streaming queries that are started again from their checkpoints: what their state brings is listed, or a gap.

Judged by planted words that are found in the files which each program wrote.
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from headwater_backend.ingest.service import ingest
from headwater_backend.privacy.answers.breach import breach
from headwater_backend.privacy.classification.undecided import UNDECIDED_ORIGIN
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies, parse_rules
from headwater_backend.privacy.forms import READABLE
from headwater_backend.stores import open_store
from headwater_facets.path import Path as DataPath
from kit import sqlite
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark

STEPS = {
    "first": ("arriving/old", "name", ""),
    "again": ("arriving/old", "name", ""),
    "elsewhere": ("arriving", "name", ""),
    "otherwise": ("arriving", "mail", "id > 0"),
}
"""The source, the column and the condition of each program."""
QUERIES = ("grouped", "chosen", "joined", "with_state")
BRINGING = ("grouped", "joined", "with_state")
"""Queries that give again what they were given before."""
WORDS = [(source, column) for source in ("old", "arriving") for column in ("name", "mail")]
"""Sources, and columns with words of their own. Spark takes a folder in place of another one if it is above that."""


class Steps(NamedTuple):
    """The folder of the data, and the events of each program."""

    folder: Path
    events: dict[str, list[dict[str, Any]]]

    def output(self, step: str, query: str) -> Path:
        """The folder that a query of one of the programs wrote."""
        return self.folder / "out" / step / query

    def lasting(self, query: str) -> str:
        """The query's id, which is in its checkpoint."""
        metadata = (self.folder / "checkpoints" / query / "metadata").read_text("utf-8")
        return str(json.loads(metadata)["id"])


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def steps(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Steps:
    folder = tmp_path_factory.mktemp("restarted")
    events = {}
    for number, (step, arguments) in enumerate(STEPS.items()):
        own = folder / f"run-{step}"
        own.mkdir()
        arrive(folder / arguments[0], number)
        conf = {"spark.sql.shuffle.partitions": "1", "spark.sql.session.timeZone": "UTC"}
        job: Job = run_job(request.param, own, "restarted.py", str(folder), step, *arguments, conf=conf)
        assert job.code == 0, job.output
        events[step] = job.events
    return Steps(folder, events)


def arrive(source: Path, number: int) -> None:
    """One more file in the source, with words of its own."""
    source.mkdir(exist_ok=True, parents=True)
    rows = [
        {
            "id": key,
            "at": "2024-01-01T00:00:00",
            "name": f"{source.name}-name-{number}-{key}",
            "mail": f"{source.name}-mail-{number}-{key}",
        }
        for key in (1, 2, 10 + number)
    ]
    (source / f"{number}.json").write_text("\n".join(map(json.dumps, rows)), "utf-8")


def found_in(folder: Path) -> set[tuple[str, str]]:
    """The sources and columns whose words stand in the files of a folder."""
    text = "".join(file.read_text("utf-8") for file in folder.glob("*.json"))
    return {(source, column) for source, column in WORDS if f"{source}-{column}-" in text}


def exposed(steps: Steps, query: str, *known: str) -> tuple[set[tuple[str, str]], bool]:
    """The sources and columns that are readable in what the last of some programs wrote, by the events of these; and
    whether somebody has to decide about the query's state.
    """
    output = steps.output(known[-1], query)
    rules = "".join(
        f"- {{dataset: '* */{source}', path: {column}, category: user}}\n" for source, column in WORDS
    )
    policy = f"- {{policy: leak, category: user, dataset: '* {output}'}}"
    with (
        TemporaryDirectory() as folder,
        closing(open_store(sqlite.empty(Path(folder, "lineage.db")))) as store,
    ):
        for step in known:
            assert all(each.stored for each in ingest(store, steps.events[step]))
        answer = breach(store, parse_policies(policy), Ruling(parse_rules(rules), lenient=True))
    nodes = [each.attribute.node for each in answer.values if set(READABLE).intersection(each.forms)]
    listed = {
        (source, column)
        for source, column in WORDS
        for node in nodes
        if Path(node.dataset.name).name == source and [*node.path] == DataPath.parse(column).to_wire()
    }
    state = steps.lasting(query)
    undecided = [each for each in answer.incomplete if each.reason == UNDECIDED_ORIGIN]
    return listed, any(each.dataset.name.startswith(state) for each in undecided)


def test_every_event_is_valid(steps: Steps) -> None:
    for events in steps.events.values():
        for event in events:
            validate_event(event)


@pytest.mark.parametrize("known", [["first"], ["first", "again"]], ids=len)
@pytest.mark.parametrize("query", QUERIES)
def test_a_query_that_goes_on_as_it_was_has_no_gap(steps: Steps, query: str, known: list[str]) -> None:
    assert exposed(steps, query, *known) == ({("old", "name")}, False)


@pytest.mark.parametrize("query", BRINGING)
def test_what_the_state_brings_from_another_source_is_listed(steps: Steps, query: str) -> None:
    both = {("old", "name"), ("arriving", "name")}

    assert found_in(steps.output("elsewhere", query)) == both
    assert exposed(steps, query, "first", "again", "elsewhere") == (both, False)


def test_a_state_that_only_drops_what_was_there_is_no_origin_of_what_is_new(steps: Steps) -> None:
    new = {("arriving", "name")}

    assert found_in(steps.output("elsewhere", "chosen")) == new
    assert exposed(steps, "chosen", "first", "again", "elsewhere") == (new, False)


@pytest.mark.parametrize("query", BRINGING)
def test_a_state_that_another_program_wrote_is_in_doubt(steps: Steps, query: str) -> None:
    listed, in_doubt = exposed(steps, query, *STEPS)

    assert {("old", "name"), ("arriving", "mail")} <= found_in(steps.output("otherwise", query)) <= listed
    assert in_doubt


@pytest.mark.parametrize("step", ["again", "elsewhere", "otherwise"])
@pytest.mark.parametrize("query", BRINGING)
def test_a_state_of_programs_that_nobody_reported_is_in_doubt(steps: Steps, query: str, step: str) -> None:
    assert ("old", "name") in found_in(steps.output(step, query))
    assert exposed(steps, query, step)[1]


@pytest.mark.parametrize("query", BRINGING)
def test_a_state_of_one_program_between_that_nobody_reported_is_in_doubt(steps: Steps, query: str) -> None:
    assert exposed(steps, query, "first", "elsewhere")[1]
