"""A job under no agent, ours and the official one, and what it costs: time of all its processes, and events."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.eye import surroundings
from kit.faults import agent
from kit.spark_lines import SparkLine, spark_home
from parity.compare import official

NONE, OURS, OFFICIAL = "none", "ours", "official"
AGENTS = (NONE, OURS, OFFICIAL)
COMMON = {"spark.master": "local[2]", "spark.ui.enabled": "false", "spark.driver.memory": "2g"}


@dataclass(frozen=True)
class Cost:
    """Seconds that a job took by the clock, and of processor time with all processes that it started."""

    wall: float
    cpu: float
    output: str
    events: tuple[bytes, ...]

    @property
    def bytes(self) -> int:
        """Of all its events."""
        return sum(map(len, self.events))

    def written(self) -> list[dict[str, Any]]:
        """The events of completed writes."""
        events = map(json.loads, self.events)
        return [event for event in events if event["eventType"] == "COMPLETE" and event.get("outputs")]


def settings(agent_name: str, folder: Path, url: str | None = None) -> dict[str, str]:
    """What switches the agent on; its events go to ``events.ndjson`` in the folder, or to the receiver."""
    if agent_name == NONE:
        return {}
    if agent_name == OFFICIAL:
        http = {"transport.type": "http", "transport.url": url} if url else {}
        return official(folder, {**http})
    place: dict[str, Any] = (
        {} if url else {"spark__openlineage__transport__location": str(folder / "events.ndjson")}
    )
    return agent(url, **place)


def submitted(
    line: SparkLine, folder: Path, job: Path, conf: Mapping[str, str], *args: str, timeout: float = 1_800
) -> Cost:
    """The job by ``spark-submit`` in that folder. If the job fails, the program ends with its output."""
    folder.mkdir(parents=True, exist_ok=True)
    properties, log = folder / "spark.conf", folder / "log"
    properties.write_text("\n".join(f"{k} {v}" for k, v in {**COMMON, **conf}.items()) + "\n", "utf-8")
    environment = {
        "SPARK_HOME": spark_home(line),
        "PYSPARK_PYTHON": str(line.python),
        "SPARK_SUBMIT_OPTS": "",
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    command = [f"{spark_home(line)}/bin/spark-submit", "--properties-file", str(properties), str(job), *args]
    began = time.perf_counter()
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=folder, env=surroundings(environment), stdout=out, stderr=subprocess.STDOUT
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - began
    output = log.read_text("utf-8", "replace")
    if process.returncode:
        sys.exit(output)
    return Cost(wall, used.ru_utime + used.ru_stime, output, _events(folder / "events.ndjson"))


def _events(file: Path) -> tuple[bytes, ...]:
    return tuple(file.read_bytes().splitlines()) if file.exists() else ()
