"""An exception in any stage of the brain: it ends well and in time, tells what it can, and never says nothing."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from headwater_spark.capture.frames import frame
from kit.executions import APPLICATION_DOCUMENT
from kit.faults import faulty_brain, raising
from kit.plans import copy_plan, end, files, start

COPY = copy_plan(files("/in/a"), files("/out/b"))
FLUSH = 2.0  # seconds
STAGES = [
    "headwater_spark.brain:Application.from_document",
    "headwater_spark.brain:Outbox.of",
    "headwater_spark.brain:Runs.started",
    "headwater_spark.brain:Runs.ended",
    "headwater_spark.brain:Runs.end",
    "headwater_spark.tracing:decode",
    "headwater_spark.tracing:trace",
    "headwater_spark.capture.application:identities",
    "headwater_spark.emit.events:Scene.of",
    "headwater_spark.emit.events:fit",
    "headwater_spark.emit.events:_input",
    "headwater_spark.emit.events:_output",
    "headwater_spark.delivery.spool:wire.text",
    "headwater_spark.delivery.spool:Journal.create",
    "headwater_spark.delivery.spool:Journal.append",
    "headwater_spark.delivery.spool:Outbox.flush",
    "headwater_spark.delivery.spool:Outbox.close",
    "headwater_spark.delivery.deliverer:revive",
    "headwater_spark.delivery.transport:Destination.open",
    "headwater_spark.delivery.deliverer:Delivery._serve",
    "headwater_spark.delivery.deliverer:Parked.holds",
    "headwater_spark.delivery.deliverer:Journal.acknowledge",
]


EVENTS = 6


def documents(folder: Path, **more: str) -> bytes:
    """An application of two writes."""
    conf = {
        **APPLICATION_DOCUMENT["conf"],
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(folder / "events.ndjson"),
        "spark.headwater.spool.dir": str(folder / "spool"),
        "spark.headwater.flush.timeout": f"{FLUSH}s",
        **more,
    }
    writes = [document for i in (1, 2) for document in (start(i, COPY), end(i, COPY, rows=7))]
    ending = {"v": 1, "kind": "application-end", "time": 1_767_225_609_000, "dropped": 0}
    return b"".join(map(frame, [{**APPLICATION_DOCUMENT, "conf": conf}, *writes, ending]))


FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))"


def test_what_is_lost_and_what_waits_is_said_exactly(tmp_path: Path) -> None:
    """Of a disk that takes some events and no more, with a receiver that is away."""
    program = faulty_brain(tmp_path, FULL)
    away = {
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": "http://127.0.0.1:9",
    }
    done = subprocess.run(
        [program], input=documents(tmp_path, **away), capture_output=True, timeout=60, check=False
    )
    said = done.stderr.decode()
    (journal,) = (tmp_path / "spool").glob("*/[0-9]*.ndjson")
    waiting = journal.read_bytes().count(b"\n")
    assert 0 < waiting < EVENTS
    assert f"; {waiting} events wait in {journal.parent}; {EVENTS - waiting} events are lost" in said


@pytest.mark.parametrize("place", STAGES)
def test_an_exception_in_any_stage_is_survived_and_said(place: str, tmp_path: Path) -> None:
    program = faulty_brain(tmp_path, raising(place))
    began = time.monotonic()
    done = subprocess.run([program], input=documents(tmp_path), capture_output=True, timeout=60, check=False)

    said = done.stderr.decode()
    assert time.monotonic() - began < FLUSH + 15
    assert "Traceback" not in said
    assert "injected" in said or "RuntimeError" in said, "what went wrong is said"
    warnings = [line for line in said.splitlines() if line.startswith(("WARNING", "ERROR"))]
    assert len(warnings) == 1, warnings
