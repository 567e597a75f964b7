"""The agent's process as Spark's driver uses it: it reads frames, and always ends normally."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from headwater_spark.capture.frames import BrokenStreamError, frame, frames
from headwater_spark.delivery import backlog
from headwater_spark.runs.summary import read_summaries
from kit.events import validate_event
from kit.executions import APPLICATION_DOCUMENT
from kit.plans import copy_plan, end, files, start
from kit.receiver import Receiver, eventually
from kit.spooled import spooled

COPY = copy_plan(files("/in/a"), files("/out/b"))
APPLICATION_END = {"v": 1, "kind": "application-end", "time": 1_767_225_609_000, "dropped": 0}
BOOM = {"class": "java.lang.Exception", "message": "boom", "stackTrace": "at x"}
WHOLE = (start(1, COPY), end(1, COPY, rows=7), APPLICATION_END)
EXPECTED = ["START my_tweets", "START out_b", "COMPLETE out_b", "COMPLETE my_tweets"]


def application(**conf: str) -> dict[str, Any]:
    more = {key.replace("__", "."): value for key, value in conf.items()}
    return {**APPLICATION_DOCUMENT, "conf": {**APPLICATION_DOCUMENT["conf"], **more}}


def to_file(folder: Path, **conf: str) -> dict[str, Any]:
    return application(
        spark__openlineage__transport__type="file",
        spark__openlineage__transport__location=str(folder / "events.ndjson"),
        spark__headwater__spool__dir=str(folder / "spool"),
        **conf,
    )


def to_url(url: str, folder: Path, **conf: str) -> dict[str, Any]:
    return application(
        spark__openlineage__transport__type="http",
        spark__openlineage__transport__url=url,
        spark__headwater__spool__dir=str(folder / "spool"),
        **conf,
    )


@contextmanager
def brain(**environment: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "headwater_spark.brain"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def stderr_of(*parts: Mapping[str, Any] | bytes, **environment: str) -> str:
    """Standard error of a brain that got these documents, or bytes as they are, and then the end of input."""
    stream = b"".join(part if isinstance(part, bytes) else frame(dict(part)) for part in parts)
    with brain(**environment) as process:
        out, err = process.communicate(stream, timeout=60)
    assert (process.returncode, out) == (0, b"ready\n")
    return err.decode()


def delivered(folder: Path) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in (folder / "events.ndjson").read_text().splitlines()]
    for event in events:
        validate_event(event)
    return events


def story(events: list[dict[str, Any]]) -> list[str]:
    return [f"{e['eventType']} {e['job']['name'].rpartition('.')[2]}" for e in events]


def send(process: subprocess.Popen[bytes], *documents: Mapping[str, Any]) -> None:
    assert process.stdin is not None
    for document in documents:
        process.stdin.write(frame(dict(document)))
    process.stdin.flush()


def test_documents_become_events_and_nothing_is_logged(tmp_path: Path) -> None:
    assert stderr_of(to_file(tmp_path), *WHOLE) == ""
    events = delivered(tmp_path)
    assert story(events) == EXPECTED
    field = events[2]["outputs"][0]["facets"]["headwater_pathLineage"]["fields"][0]
    assert (field["path"], field["inputFields"][0]["path"]) == (["id"], ["id"])


def test_events_reach_a_receiver_over_http(tmp_path: Path) -> None:
    with Receiver() as receiver:
        stderr_of(to_url(receiver.url, tmp_path), *WHOLE)
    assert story(receiver.events) == EXPECTED


def test_with_the_receiver_away_the_job_ends_and_the_next_one_brings_its_events(tmp_path: Path) -> None:
    receiver = Receiver()
    away = to_url(receiver.url, tmp_path)
    began = time.monotonic()
    stderr = stderr_of(away, *WHOLE)
    assert time.monotonic() - began < 10
    assert stderr.count("WARNING") == 1
    assert "4 events wait in" in stderr
    where = {"spark.headwater.spool.dir": str(tmp_path / "spool")}
    assert [p.waiting for p in backlog.pending(where)] == [4]
    with receiver:
        stderr_of(away, APPLICATION_END)
    assert story(receiver.events) == [*EXPECTED, "START my_tweets", "COMPLETE my_tweets"]
    assert [p.waiting for p in backlog.pending(where)] == [0]


def test_a_brain_that_is_killed_leaves_its_events_to_the_next(tmp_path: Path) -> None:
    receiver = Receiver()
    away = to_url(receiver.url, tmp_path)
    with brain() as process:
        send(process, away, start(1, COPY))
        eventually(lambda: spooled(tmp_path / "spool") == 2)
        process.kill()
        process.wait()
    with receiver:
        stderr_of(away, APPLICATION_END)
    assert story(receiver.events)[:2] == ["START my_tweets", "START out_b"]


def test_sigterm_ends_the_runs_and_delivers(tmp_path: Path) -> None:
    with brain() as process:
        send(process, to_file(tmp_path), start(1, COPY))
        eventually(lambda: (tmp_path / "events.ndjson").exists() and len(delivered(tmp_path)) == 2)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert story(delivered(tmp_path))[-2:] == ["ABORT out_b", "ABORT my_tweets"]


def test_an_interrupt_from_the_keyboard_is_the_drivers_business(tmp_path: Path) -> None:
    with brain() as process:
        send(process, to_file(tmp_path), start(1, COPY))
        eventually((tmp_path / "events.ndjson").exists)
        process.send_signal(signal.SIGINT)
        send(process, end(1, COPY), APPLICATION_END)
        process.communicate(timeout=30)
        assert process.returncode == 0
    assert story(delivered(tmp_path)) == EXPECTED


def test_a_driver_that_dies_aborts_what_it_ran(tmp_path: Path) -> None:
    stderr_of(to_file(tmp_path), start(1, COPY))
    assert story(delivered(tmp_path)) == ["START my_tweets", "START out_b", "ABORT out_b", "ABORT my_tweets"]


def test_a_failed_execution_is_one_fail(tmp_path: Path) -> None:
    stderr_of(to_file(tmp_path), start(1, COPY), end(1, COPY, error=BOOM), APPLICATION_END)
    events = delivered(tmp_path)
    assert story(events)[1:3] == ["START out_b", "FAIL out_b"]
    assert (
        events[2]["run"]["facets"]["errorMessage"]["message"] == "java.lang.Exception: the message is hidden"
    )


MALFORMED: Mapping[str, bytes] = {
    "no JSON": struct.pack(">I", 4) + b"oops",
    "an empty frame": struct.pack(">I", 0),
    "no object": struct.pack(">I", 2) + b"[]",
    "no kind": frame({"v": 1}),
    "no execution": frame({"v": 1, "kind": "execution-start"}),
    "an execution that is no number": frame({"v": 1, "kind": "execution-end", "execution": "x"}),
    "metrics that are none": frame({**end(9, None), "metrics": 7}),
}


@pytest.mark.parametrize("broken", MALFORMED.values(), ids=MALFORMED)
def test_an_unreadable_document_affects_no_other(tmp_path: Path, broken: bytes) -> None:
    stderr = stderr_of(to_file(tmp_path), start(1, COPY), broken, end(1, COPY), APPLICATION_END)
    events = delivered(tmp_path)
    assert story(events) == EXPECTED
    assert stderr.count("WARNING") == 1
    facet = events[2]["outputs"][0]["facets"]["headwater_pathLineage"]
    assert [entry["reason"] for entry in facet["incomplete"]] == ["DROPPED"]


def test_a_document_of_an_unknown_kind_is_ignored(tmp_path: Path) -> None:
    stderr = stderr_of(to_file(tmp_path), {"v": 2, "kind": "stage"}, *WHOLE)
    assert "the unknown kind 'stage'" in stderr
    assert story(delivered(tmp_path)) == EXPECTED


@pytest.mark.parametrize("rest", [b"\x00", struct.pack(">I", 100) + b"{}", b"\xff\xff\xff\xff{}"])
def test_a_stream_that_breaks_off_still_delivers_what_came_before(tmp_path: Path, rest: bytes) -> None:
    stderr = stderr_of(to_file(tmp_path), start(1, COPY), end(1, COPY), rest)
    assert "end early" in stderr
    assert story(delivered(tmp_path))[:3] == EXPECTED[:3]


def test_a_malformed_plan_is_an_incomplete_event_and_one_warning(tmp_path: Path) -> None:
    broken = {**COPY, "types": None}
    stderr = stderr_of(to_file(tmp_path), start(1, broken), end(1, broken), APPLICATION_END)
    assert stderr.count("WARNING") == 1
    facet = delivered(tmp_path)[2]["outputs"][0]["facets"]["headwater_pathLineage"]
    assert (facet["complete"], facet["incomplete"][0]["reason"]) == (False, "ERROR")


def test_documents_without_their_application_are_not_an_error(tmp_path: Path) -> None:
    yml = tmp_path / "openlineage.yml"
    target = tmp_path / "events.ndjson"
    yml.write_text(f"transport:\n  type: file\n  log_file_path: {target}\n  append: true\n")
    stderr_of(*WHOLE, OPENLINEAGE_CONFIG=str(yml), XDG_CACHE_HOME=str(tmp_path))
    assert story(delivered(tmp_path)) == ["START spark", "START out_b", "COMPLETE out_b", "COMPLETE spark"]


def test_without_a_transport_nothing_is_sent_and_nothing_breaks(tmp_path: Path) -> None:
    environment = {"OPENLINEAGE_CONFIG": "", "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    stderr = stderr_of(application(), *WHOLE, **environment)
    assert "no transport is configured" in stderr


def test_an_unknown_setting_is_logged_once_with_the_most_similar_one(tmp_path: Path) -> None:
    stderr = stderr_of(to_file(tmp_path, spark__headwater__acess__enabled="true"), *WHOLE)
    assert stderr.count("spark.headwater.acess.enabled is not a setting of Headwater") == 1
    assert "did you mean spark.headwater.access.enabled?" in stderr


def test_switched_off_nothing_is_sent_or_logged(tmp_path: Path) -> None:
    assert stderr_of(to_file(tmp_path, spark__openlineage__disabled="true"), *WHOLE) == ""
    assert not (tmp_path / "events.ndjson").exists()


def test_an_invalid_transport_is_logged_and_its_events_wait(tmp_path: Path) -> None:
    conf = {"spark.openlineage.transport.type": "kinesis", "spark.headwater.spool.dir": str(tmp_path)}
    stderr = stderr_of({**APPLICATION_DOCUMENT, "conf": conf}, *WHOLE)
    assert "kinesis: it accepts no events" in stderr
    assert [p.waiting for p in backlog.pending(conf)] == [4]


def test_documents_are_captured_on_request(tmp_path: Path) -> None:
    capture = tmp_path / "captured.ndjson"
    stderr_of(to_file(tmp_path), *WHOLE, HEADWATER_CAPTURE=str(capture))
    kinds = [json.loads(line)["kind"] for line in capture.read_text().splitlines()]
    assert kinds == ["application", "execution-start", "execution-end", "application-end"]


def test_a_second_application_in_the_same_driver_is_a_run_of_its_own(tmp_path: Path) -> None:
    first = to_file(tmp_path)
    second = {**first, "application": {**first["application"], "id": "local-2"}}
    stderr_of(first, *WHOLE, second, *WHOLE)
    events = delivered(tmp_path)
    assert story(events) == EXPECTED * 2
    assert len({e["run"]["runId"] for e in events}) == 4


def test_frames_are_read_back_as_they_were_written() -> None:
    written: list[dict[str, Any]] = [{"a": 1}, {}, {"ü": "x" * 3_000_000}]
    stream = BytesIO(b"".join(frame(document) for document in written))
    assert [json.loads(content) for content in frames(stream)] == written


def test_a_stream_that_is_out_of_step_is_not_read_on() -> None:
    with pytest.raises(BrokenStreamError):
        list(frames(BytesIO(b"\xff\xff\xff\xff")))


def test_statistics_are_in_the_folder_of_the_marker(tmp_path: Path) -> None:
    marker = tmp_path / "running"
    marker.mkdir()
    stderr_of(to_file(tmp_path, spark__headwater__marker=str(marker)), *WHOLE)
    seen = read_summaries(marker)

    assert seen is not None
    assert seen.line() == "4 events, 2 datasets, no gaps"


def test_statistics_include_gaps_and_undelivered_events(tmp_path: Path) -> None:
    marker = tmp_path / "running"
    marker.mkdir()
    conf = {"spark__headwater__flush__timeout": "1s", "spark__headwater__marker": str(marker)}
    broken = {**end(1, COPY, rows=7), "dropped": 3}
    stderr_of(to_url("http://127.0.0.1:9", tmp_path, **conf), start(1, COPY), broken, APPLICATION_END)
    seen = read_summaries(marker)

    assert seen is not None
    assert seen.line() == "4 events, 2 datasets, 1 gap (DROPPED), 4 not delivered yet (headwater spool flush)"


def test_the_statistics_of_a_killed_process_are_marked_as_incomplete(tmp_path: Path) -> None:
    with brain() as process:
        assert process.stdin is not None
        process.stdin.write(frame(to_file(tmp_path, spark__headwater__marker=str(tmp_path))))
        process.stdin.flush()
        eventually(lambda: read_summaries(tmp_path) is not None)
        process.kill()
    seen = read_summaries(tmp_path)

    assert seen is not None
    assert seen.line().endswith("and what the agent did not count before it was ended")


def slow(_: dict[str, Any]) -> int:
    time.sleep(15)
    return 201


def test_the_time_of_the_end_is_kept_from_when_the_driver_began_to_wait(tmp_path: Path) -> None:
    """However late the document arrives: here, half of the time has passed by then."""
    limit = 8
    with Receiver(slow) as receiver, brain() as process:
        send(
            process,
            to_url(
                receiver.url,
                tmp_path,
                spark__headwater__flush__timeout=f"{limit}s",
                spark__openlineage__transport__timeoutInMillis="60000",
            ),
            start(1, COPY),
        )
        eventually(lambda: spooled(tmp_path / "spool") == 2)
        deadline = time.time() + limit
        time.sleep(limit / 2)
        send(process, end(1, COPY), {**APPLICATION_END, "deadline": int(deadline * 1000)})
        _, stderr = process.communicate(timeout=30)
        assert time.time() < deadline + limit * 0.4, "half of the limit later, without the driver's deadline"
    assert (process.returncode, stderr.count(b"WARNING")) == (0, 1)
    assert b"4 events wait in" in stderr


def test_a_capture_that_cannot_be_written_ends_alone(tmp_path: Path) -> None:
    stderr = stderr_of(to_file(tmp_path), *WHOLE, HEADWATER_CAPTURE="/dev/full")
    assert story(delivered(tmp_path)) == EXPECTED
    assert stderr.count("plan documents are not captured any more") == 1
