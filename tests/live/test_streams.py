"""Structured Streaming, and rows that Spark keeps: one run a query, with the lineage of what the query does."""

from __future__ import annotations

import pytest

from kit.completed_writes import runs, written
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def streams(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    folder = tmp_path_factory.mktemp("streams")
    conf = {"spark.sql.shuffle.partitions": "1"}
    job = run_job(request.param, folder, "streams.py", str(folder / "data"), conf=conf)
    assert job.code == 0, job.output
    return job


def types(job: Job, target: str) -> list[str]:
    (found,) = (types for name, types in runs(job).items() if name.endswith(target))
    return found


def test_every_event_is_valid(streams: Job) -> None:
    for event in streams.events:
        validate_event(event)


def test_a_query_is_one_run_that_tells_of_its_progress(streams: Job) -> None:
    assert types(streams, "data_flat") == ["START", "RUNNING", "RUNNING", "COMPLETE"]
    assert types(streams, "default_users") == ["START", "RUNNING", "COMPLETE"]


def test_what_a_query_writes_is_a_streaming_job_and_what_a_batch_program_writes_is_none(streams: Job) -> None:
    queries = (
        "data_flat",
        "data_both",
        "data_broken",
        "data_each",
        "data_turns",
        "data_viewed",
        "data_windows",
        "default_users",
    )
    programs = ("data_checkpointed", "data_cached", "data_through_rdd", "data_counted", "data_from_memory")
    kinds = set()
    for event in streams.events:
        _, dot, target = event["job"]["name"].rpartition(".")
        if dot and event["eventType"] != "START" and ".streaming_state." not in event["job"]["name"]:
            kinds.add((target, event["job"]["facets"]["jobType"]["processingType"]))

    assert kinds == {(name, "STREAMING") for name in queries} | {(name, "BATCH") for name in programs}


def test_a_query_that_breaks_fails_once(streams: Job) -> None:
    assert types(streams, "data_broken") == ["START", "FAIL"]
    (failed,) = (event for event in streams.events if event["eventType"] == "FAIL")
    assert "ZeroDivisionError" in failed["run"]["facets"]["errorMessage"]["message"]


def test_what_stays_in_memory_is_no_run(streams: Job) -> None:
    assert all(name.rpartition(".")[2] != "write_to_micro_batch_data_source" for name in runs(streams))


def test_the_table_of_a_memory_sink_is_traced_to_what_its_query_reads(streams: Job) -> None:
    mails, counted = written(streams, "from_memory"), written(streams, "counted")

    assert mails.direct == {"mail <- in:user.mail TRANSFORMATION"}
    assert mails.influences == {"in:id FILTER"}
    assert counted.direct == {"name <- in:user.name IDENTITY"}
    assert {"in:at GROUP_BY", "in:user.name GROUP_BY"} <= counted.influences
    assert mails.complete and counted.complete


def test_a_view_inside_a_batch_is_traced_through_the_batch(streams: Job) -> None:
    viewed = written(streams, "viewed")

    assert viewed.direct == {"who <- in:user.name IDENTITY"}
    assert viewed.complete


def test_a_stream_of_files_is_its_directory(streams: Job) -> None:
    flat = written(streams, "flat")

    assert list(flat.inputs) == ["in"]
    assert flat.direct == {
        "id <- in:id IDENTITY",
        "tag <- in:tags[] IDENTITY",
        "mail <- in:user.mail IDENTITY",
    }
    assert flat.influences == {"in:id FILTER"}
    assert written(streams, "users").direct == {"id <- in:id IDENTITY", "user <- in:user IDENTITY"}


def test_batches_with_rows_of_one_source_each_list_both(streams: Job) -> None:
    both = written(streams, "both")

    assert set(both.inputs) == {"in", "others"}
    assert both.direct == {"id <- in:id IDENTITY", "id <- others:id IDENTITY"}
    assert both.complete


def test_the_rows_of_all_batches_are_counted(streams: Job) -> None:
    counted = [
        output["outputFacets"]["outputStatistics"]["rowCount"]
        for event in streams.events
        if event["job"]["name"].endswith("data_flat") and event["eventType"] != "START"
        for output in event["outputs"]
    ]
    assert counted == [2, 4, 4]


def test_a_write_inside_a_batch_is_traced_through_the_batch(streams: Job) -> None:
    each = written(streams, "each")

    assert types(streams, "data_each") == ["START", "RUNNING", "COMPLETE"]
    assert each.direct == {"id <- in:id IDENTITY", "who <- in:user.name IDENTITY"}
    assert each.complete


def test_batches_that_write_other_columns_in_other_modes_are_listed_together(streams: Job) -> None:
    turns = written(streams, "turns")
    *_, last = (event for event in streams.events if event["job"]["name"].endswith("data_turns"))
    facets = last["outputs"][0]["facets"]

    assert types(streams, "data_turns") == ["START", "RUNNING", "RUNNING", "COMPLETE"]
    assert turns.direct == {
        "id <- in:id IDENTITY",
        "name <- in:user.name IDENTITY",
        "mail <- in:user.mail IDENTITY",
    }
    assert turns.complete
    assert [field["name"] for field in facets["schema"]["fields"]] == ["id", "mail", "name"]
    assert "lifecycleStateChange" not in facets


def test_a_stateful_query_is_grouped_by_its_window(streams: Job) -> None:
    windows = written(streams, "windows")

    assert "name <- in:user.name IDENTITY" in windows.direct
    assert {"window.start <- in:at TRANSFORMATION", "window.end <- in:at TRANSFORMATION"} <= windows.direct
    assert {"in:at GROUP_BY", "in:user.name GROUP_BY"} <= windows.influences


def test_what_a_query_keeps_is_a_dataset_that_it_writes(streams: Job) -> None:
    (state,) = {
        output["name"]
        for event in streams.events
        for output in event["outputs"]
        if output["namespace"] == "spark-streaming"
    }
    kept = written(streams, state)

    assert state.endswith("/state/0")
    assert {"user <- in:user IDENTITY", "window.start <- in:at TRANSFORMATION"} <= kept.direct
    assert not any("tags" in line or "id <-" in line for line in kept.direct)
    assert kept.complete


@pytest.mark.parametrize("name", ["checkpointed", "cached"])
def test_lineage_survives_what_spark_keeps(streams: Job, name: str) -> None:
    kept = written(streams, name)

    assert kept.direct == {"id <- in:id IDENTITY", "mail <- in:user.mail IDENTITY"}
    assert kept.complete


def test_an_rdd_names_the_columns_of_its_files_and_says_that_it_cannot_be_looked_into(streams: Job) -> None:
    through = written(streams, "through_rdd")

    assert through.direct == {
        f"mail <- in:{path} TRANSFORMATION" for path in ("id", "user.mail", "user.name")
    }
    assert not through.complete
