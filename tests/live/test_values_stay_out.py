"""No constant that becomes a value leaves the driver: every byte that does is searched for each that a job planted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kit.command import headwater
from kit.jobs import run_job
from kit.receiver import Receiver
from kit.spark_lines import LINES, SparkLine
from kit.spooled import spooled_events
from live.jobs.constants import AFTER, COMPARED, VALUES, digits, planted

pytestmark = [pytest.mark.spark, pytest.mark.slow]

PARTS = 4
"""Jobs over which the positions are spread."""
BEFORE_IT_FAILS = 20
"""Events that the receiver takes; the rest stays in the spool."""


@dataclass
class Left:
    """All that has left the driver, by where it was found."""

    places: dict[str, bytes] = field(default_factory=dict)

    def holding(self, constant: str) -> list[str]:
        """The places that hold the constant, as text or as a number."""
        wanted = (constant[2:-2].encode(), str(digits(constant)).encode())
        return [place for place, content in self.places.items() if any(each in content for each in wanted)]


def received(receiver: Receiver) -> int:
    """The status for one more event."""
    return 201 if len(receiver.events) < BEFORE_IT_FAILS else 503


@pytest.fixture(scope="module", params=LINES, ids=str)
def left(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Left:
    found: dict[str, bytes] = {}
    positions = [*VALUES, *COMPARED]
    for part in range(PARTS):
        folder = tmp_path_factory.mktemp("constants")
        for place, content in ran(request.param, folder, positions[part::PARTS]).items():
            found[place] = found.get(place, b"") + content
    return Left(found)


def ran(line: SparkLine, folder: Path, positions: Sequence[str]) -> dict[str, bytes]:
    """What has left a job with constants in these positions."""
    conf = {"spark.headwater.access.enabled": "true", "spark.sql.shuffle.partitions": "1"}
    with Receiver() as receiver:
        receiver.answer = lambda _: received(receiver)
        where = ("--url", receiver.url)
        job = run_job(line, folder, "constants.py", str(folder / "out"), *positions, to=where, conf=conf)
    assert job.code == 0, job.output
    spool = b"".join(file.read_bytes() for file in (folder / "cache").rglob("*") if file.is_file())
    waiting = spooled_events(folder / "cache" / "headwater" / "spool")
    assert receiver.events and waiting
    lines = [each for each in job.output.splitlines() if "headwater" in each.lower()]
    return {
        "HTTP": json.dumps(receiver.events).encode(),
        "spool": spool + json.dumps(waiting, ensure_ascii=False).encode(),
        "log": "\n".join(lines).encode(),
        **stored(folder, [*receiver.events, *waiting]),
    }


def stored(folder: Path, events: list[dict[str, Any]]) -> dict[str, bytes]:
    """What the backend makes of the events: its files, and all that it tells."""
    file, store = folder / "events.ndjson", f"sqlite:///{folder / 'store' / 'lineage.db'}"
    (folder / "store").mkdir()
    file.write_text("\n".join(map(json.dumps, events)), "utf-8")
    taken = headwater("import", file, "--store", store)
    assert taken.exit_code == 0, taken.output
    exported = headwater("store", "export", "--store", store)
    assert exported.exit_code == 0, exported.output
    content = b"".join(each.read_bytes() for each in (folder / "store").iterdir())
    return {"import": taken.output.encode(), "store": content, "export": exported.output.encode()}


@pytest.mark.parametrize("position", VALUES)
def test_a_constant_of_a_value_leaves_nowhere(left: Left, position: str) -> None:
    assert left.holding(planted(position)) == []


@pytest.mark.parametrize("position", COMPARED)
def test_a_constant_leaves_nowhere_once_the_application_has_collected_data(left: Left, position: str) -> None:
    assert left.holding(planted(AFTER + position)) == []
    assert b"token:" in left.places["export"]


@pytest.mark.parametrize("position", COMPARED)
def test_a_constant_that_only_decides_is_reported(left: Left, position: str) -> None:
    assert "export" in left.holding(planted(position))
