"""Companies are executed in a folder of their own: sources are written, nights run under the agent, copies are made."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from kit.class_archive import in_front
from kit.connectors import jars
from kit.eye import surroundings
from kit.faults import agent
from kit.spark_lines import SparkLine, short_lived
from oracle.companies.company import Company, Night, Source, Step

WORKER = Path(__file__).with_name("worker.py")
SETTINGS = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.driver.memory": "2g",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.files.minPartitionNum": "1",
    "spark.default.parallelism": "1",
    "spark.headwater.flush.timeout": "120s",  # what is judged is lineage, on a machine that does other work as well
}


@dataclass
class Executed:
    """A company that was executed: its folder, and the steps that failed, with their errors."""

    company: Company
    folder: Path
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        """The folder of its datasets."""
        return self.folder / "data"

    @property
    def events(self) -> list[dict[str, Any]]:
        """All events of its applications."""
        file = self.folder / "events.ndjson"
        # Text may have other ends of lines than JSON lines have: bytes are split at line feeds alone.
        return [json.loads(line) for line in file.read_bytes().split(b"\n") if line] if file.exists() else []


class Executor:
    """One JVM, in which each night of a company is an application of its own."""

    def __init__(self, line: SparkLine, folder: Path) -> None:
        self.folder = folder
        self._home = line.home
        self._jars = jars(line, "h2", "delta", "iceberg")
        environment = {
            **short_lived(line),
            "PYSPARK_PYTHON": str(line.python),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        self._log = (folder / "log").open("wb")
        self._process = subprocess.Popen(
            [str(line.python), str(WORKER)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=surroundings(environment),
            text=True,
        )

    def execute(self, company: Company) -> Executed:
        """Execute the company's nights in order."""
        executed = Executed(company, self.folder / f"company_{company.seed}")
        executed.data.mkdir(parents=True)
        for source in company.sources:
            write_source(source, executed.data / source.name)
        for night in company.nights:
            self._night(night, executed)
        return executed

    def _night(self, night: Night, executed: Executed) -> None:
        location = str(executed.folder / "events.ndjson")
        request = {
            "app": night.name,
            "conf": {
                **SETTINGS,
                **in_front(self._home, agent(spark__openlineage__transport__location=location)),
                "spark.jars": self._jars,
                "spark.sql.catalog.lake.warehouse": str(executed.data),
                **night.conf,
            },
            "root": str(executed.data),
            "jobs": [(job.name, job.lines) for job in night.jobs],
        }
        executed.failed |= self._ask(request)["failed"]
        for step in night.outside:
            executed.failed |= _outside(step, executed.data)

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the session ended with {self._process.wait()}: {self.folder / 'log'}"
        answer: dict[str, Any] = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer

    def close(self) -> None:
        """End the JVM and wait for it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()
        self._log.close()


def _outside(step: Step, root: Path) -> dict[str, str]:
    """Make a copy; gives the error if it fails, as it does of what a job that failed did not write."""
    try:
        exec("\n".join(step.lines), {"root": str(root)})
    except (OSError, subprocess.SubprocessError, pyarrow.ArrowException) as e:
        return {step.name: str(e)}
    return {}


def write_source(source: Source, place: Path) -> None:
    """Write a source's records as files."""
    place.mkdir()
    if source.format == "json":
        lines = [json.dumps(each) for each in source.records]
        (place / "part.json").write_text("\n".join(lines) + "\n", "utf-8")
    else:
        parquet.write_table(pyarrow.Table.from_pylist(list(source.records)), place / "part.parquet")
