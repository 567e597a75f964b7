"""An exception in any stage of the agent's process: it ends normally and in time, and logs one warning."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from headwater_spark.capture.frames import frame
from headwater_spark.delivery import backlog
from kit.executions import APPLICATION_DOCUMENT
from kit.faults import faulty_brain, raising
from kit.plans import copy_plan, end, files, start

COPY = copy_plan(files("/in/a"), files("/out/b"))
FLUSH = 2.0  # seconds
STAGES = [
    "headwater_spark.conversion:Application.from_document",
    "headwater_spark.conversion:Outbox.from_conf",
    "headwater_spark.conversion:Runs.start_execution",
    "headwater_spark.conversion:Runs.end_execution",
    "headwater_spark.conversion:Runs.end_application",
    "headwater_spark.tracing:decode",
    "headwater_spark.tracing:trace",
    "headwater_spark.executions.execution:resolve_datasets",
    "headwater_spark.emit.events:FacetContext.of",
    "headwater_spark.emit.events:fit",
    "headwater_spark.emit.events:_input",
    "headwater_spark.emit.events:_output",
    "headwater_spark.delivery.outbox:wire.text",
    "headwater_spark.delivery.outbox:Spool.create",
    "headwater_spark.delivery.outbox:Spool.append",
    "headwater_spark.delivery.outbox:Outbox.flush",
    "headwater_spark.delivery.outbox:Outbox.close",
    "headwater_spark.delivery.deliverer:parse_event",
    "headwater_spark.delivery.destination:Destination.open",
    "headwater_spark.delivery.deliverer:Deliverer._serve",
    "headwater_spark.delivery.deliverer:Spool.next",
    "headwater_spark.delivery.deliverer:Spool.remove",
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


FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))"


def test_the_numbers_of_lost_and_waiting_events_are_exact(tmp_path: Path) -> None:
    """Of a disk that takes some events and no more, with a receiver that is away."""
    program = faulty_brain(tmp_path, FULL)
    away = {
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": "http://127.0.0.1:9",
    }
    done = subprocess.run(
        [program], input=documents(tmp_path, **away), capture_output=True, timeout=60, check=False
    )
    stderr = done.stderr.decode()
    (spooled,) = backlog.pending({"spark.headwater.spool.dir": str(tmp_path / "spool")})
    waiting = spooled.waiting
    assert 0 < waiting < EVENTS
    assert f"; {waiting} events wait in {spooled.folder}; {EVENTS - waiting} events are lost" in stderr


HANGS = """
from headwater_spark import conversion
def hangs(self, frame):
    while True: pass
conversion.Conversion.take = hangs
"""


def test_what_hangs_leaves_after_its_time(tmp_path: Path) -> None:
    program = faulty_brain(tmp_path, HANGS)
    done = subprocess.run(
        [program, "-m", "headwater_spark.brain", "--leave-after", "1"],
        input=documents(tmp_path),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, b"ready\n")


@pytest.mark.parametrize("place", STAGES)
def test_an_exception_in_any_stage_is_survived_and_logged(place: str, tmp_path: Path) -> None:
    program = faulty_brain(tmp_path, raising(place))
    began = time.monotonic()
    done = subprocess.run([program], input=documents(tmp_path), capture_output=True, timeout=60, check=False)

    stderr = done.stderr.decode()
    assert time.monotonic() - began < FLUSH + 15
    assert "Traceback" not in stderr
    assert "injected" in stderr or "RuntimeError" in stderr, "the error is logged"
    warnings = [line for line in stderr.splitlines() if line.startswith(("WARNING", "ERROR"))]
    assert len(warnings) == 1, warnings
