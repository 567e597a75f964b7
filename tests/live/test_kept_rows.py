"""Lineage goes on through rows that Spark keeps, and does not mix up queries that give the same expression ids."""

from __future__ import annotations

import pytest

from kit.completed_writes import written
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark

NAME = "name <- people:name IDENTITY"


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    folder = tmp_path_factory.mktemp("kept")
    job = run_job(request.param, folder, "kept_rows.py", str(folder / "data"))
    assert job.code == 0, job.output
    return job


@pytest.mark.parametrize("name", ["read", "lazily"])
def test_a_read_that_is_kept_is_what_was_read(kept: Job, name: str) -> None:
    found = written(kept, name)

    assert (found.direct, found.influences, found.complete) == ({NAME}, set(), True)


def test_of_two_that_are_kept_before_either_is_used_each_may_be_the_one(kept: Job) -> None:
    for name in ("one", "other"):
        found = written(kept, name)

        assert (found.direct, found.complete) == ({NAME}, True)
        assert found.influences == {"people:id FILTER", "people:age FILTER"}


def test_one_that_is_kept_after_the_others_were_used_is_known(kept: Job) -> None:
    found = written(kept, "after_both_were_used")

    assert (found.direct, found.complete) == ({NAME}, True)
    assert "people:city FILTER" in found.influences


def test_both_sides_of_a_self_join_are_known(kept: Job) -> None:
    found = written(kept, "self_join")

    assert found.direct == {NAME, "twin <- people:name IDENTITY"}
    assert (found.influences, found.complete) == ({"people:id JOIN"}, True)


def test_what_is_kept_in_each_turn_of_a_loop_adds_up(kept: Job) -> None:
    found = written(kept, "loop")

    assert found.direct == {NAME, "id <- people:id IDENTITY"}
    assert found.influences == {"people:id JOIN", "people:city FILTER", "people:age FILTER"}
    assert found.complete


@pytest.mark.parametrize("column", ["id", "age"])
def test_a_batch_is_of_its_own_query(kept: Job, column: str) -> None:
    found = written(kept, f"batch_by_{column}")

    assert (found.direct, found.complete) == ({NAME}, True)
    assert found.influences == {f"people:{column} FILTER"}
