"""Lineage over each store: at every level, in both directions, within bounds, page by page, at another time."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import Direction
from headwater_backend.domain.patterns import DatasetPattern
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.levels import Level
from headwater_backend.questions.lineage import Scope, both, jobs, lineage
from headwater_backend.questions.traversal import ALL_TYPES, Bounds
from kit.openlineage import NAMESPACE, at, dataset, event, node, paths, written


def copied(source: str, target: str, minute: int, job: str, *fields: str) -> dict[str, Any]:
    """A job that copies fields of a struct from one dataset to another."""
    path_lineage = paths(*((["s", name], source, ["s", name], "IDENTITY") for name in fields))
    output = dataset(target, ("s", list(fields)), headwater_pathLineage=path_lineage)
    inputs = [dataset(source, ("s", list(fields)))]
    return event("COMPLETE", minute, f"{job} {minute}", inputs, [output], job)


@pytest.fixture
def chain(store: LineageStore) -> LineageStore:
    """``raw`` is copied to ``clean``, that to ``out``, and to ``other``; until minute 5 ``out`` was made of ``old``."""
    events = [
        copied("old", "out", 1, "publish", "a"),
        copied("raw", "clean", 2, "clean", "a", "b"),
        copied("clean", "out", 5, "publish", "a", "b"),
        copied("clean", "other", 6, "copy", "b"),
    ]
    assert [outcome.error for outcome in ingest(store, events)] == [None] * 4
    return store


def names(answer: Any) -> list[str]:
    return [written(n.key) for n in answer.nodes]


def test_columns_and_datasets_are_roll_ups_of_paths(chain: LineageStore) -> None:
    start = node("out")
    assert names(lineage(chain, start, Direction.BACKWARD, Scope(), Level.COLUMN)) == [
        "out:", "out:s", "clean:s", "raw:s",
    ]  # fmt: skip
    answer = lineage(chain, start, Direction.BACKWARD, Scope(), Level.DATASET)
    assert names(answer) == ["out:", "clean:", "raw:"]
    assert [(written(e.source), written(e.target), e.job.name) for e in answer.edges] == [
        ("clean:", "out:", "publish"),
        ("raw:", "clean:", "clean"),
    ]


def test_both_directions_are_the_two_answers(chain: LineageStore) -> None:
    found = both(chain, node("clean", "s", "b"), Scope(ALL_TYPES))
    assert names(found.backward) == ["clean:s/b", "raw:s/b"]
    assert names(found.forward) == ["clean:s/b", "other:s/b", "out:s/b"]


def test_jobs_hand_over_what_they_wrote(chain: LineageStore) -> None:
    found = jobs(chain, node("raw"), Direction.FORWARD, Scope())
    assert [(job.key.name, job.distance) for job in found.jobs] == [("clean", 1), ("copy", 2), ("publish", 2)]
    assert {(e.source.name, e.target.name, e.through[0].name) for e in found.edges} == {
        ("clean", "copy", "clean"),
        ("clean", "publish", "clean"),
    }


def test_lineage_of_another_time_is_what_was_reported_until_then(chain: LineageStore) -> None:
    then = Scope(bounds=Bounds(as_of=at(3)))
    assert names(lineage(chain, node("out"), Direction.BACKWARD, then, Level.DATASET)) == ["out:", "old:"]
    assert [job.key.name for job in jobs(chain, node("old"), Direction.FORWARD, then).jobs] == ["publish"]
    assert jobs(chain, node("old"), Direction.FORWARD, Scope()).jobs == ()


def test_what_stops_and_filters_leave_out_is_reported(chain: LineageStore) -> None:
    stopped = Scope(bounds=Bounds(stops=(DatasetPattern(NAMESPACE, "cl*"),)))
    answer = lineage(chain, node("out", "s", "a"), Direction.BACKWARD, stopped)
    assert names(answer) == ["out:s/a", "clean:s/a"]
    assert [(gap.reason, gap.dataset.name) for gap in answer.incomplete] == [("STOP", "clean")]
    kept = Scope(bounds=Bounds(within=(DatasetPattern(name="out"), DatasetPattern("elsewhere"))))
    answer = lineage(chain, node("raw", "s", "a"), Direction.FORWARD, kept)
    assert names(answer) == ["raw:s/a"]
    assert [(gap.reason, gap.dataset.name) for gap in answer.incomplete] == [("FILTER", "raw")]


def test_pages_go_on_where_the_limit_cut(chain: LineageStore) -> None:
    whole = lineage(chain, node("raw"), Direction.FORWARD, Scope())
    seen: dict[str, Any] = {}
    after = None
    while True:
        page = lineage(chain, node("raw"), Direction.FORWARD, Scope(bounds=Bounds(nodes=3), after=after))
        seen.update((written(n.key), n) for n in page.nodes)
        after = page.cursor
        if after is None:
            break
        assert [gap.reason for gap in page.incomplete][-1] == "NODE_LIMIT"
    assert sorted(seen.values(), key=lambda n: n.key) == sorted(whole.nodes, key=lambda n: n.key)


def test_a_cursor_serves_its_own_question_only(chain: LineageStore) -> None:
    cut = lineage(chain, node("raw"), Direction.FORWARD, Scope(bounds=Bounds(nodes=3)))
    assert cut.cursor is not None
    for scope, level in (
        (Scope(ALL_TYPES, after=cut.cursor), Level.PATH),
        (Scope(after=cut.cursor), Level.COLUMN),
    ):
        with pytest.raises(BadQuestion, match="another question"):
            lineage(chain, node("raw"), Direction.FORWARD, scope, level)
    for made_up in ("made up", "WzFd", ""):
        with pytest.raises(BadQuestion, match="not a cursor"):
            lineage(chain, node("raw"), Direction.FORWARD, Scope(after=made_up))
