"""Spark jobs as processes of their own, and stand-ins for the brain at the only seam that the eye has for it: the
interpreter named by ``spark.headwater.python``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.class_archive import CLASS_PATH
from kit.shared import ROOT
from kit.spark_lines import SHORT_LIVED, SparkLine, installed, quickly_started

JAR = ROOT / "integration" / "headwater_spark" / "jars" / "headwater-spark.jar"
LISTENER = "io.headwater.spark.HeadwaterListener"

# Records the frames it is sent, a line each, until its input ends.
RECORDS = """
import json, pathlib, struct, sys
assert sys.argv[1:4] == ["-m", "headwater_spark.brain", "--leave-after"], sys.argv
with open(pathlib.Path(__file__).with_name("frames.ndjson"), "ab") as frames:
    while head := sys.stdin.buffer.read(4):
        body = sys.stdin.buffer.read(struct.unpack(">I", head)[0])
        json.loads(body)
        frames.write(body + b"\\n")
        frames.flush()
    frames.write(b'{"kind": "end-of-input"}\\n')
"""
DIES = "import sys; sys.exit('no such module, as it were')"
DIES_LATER = """
import struct, sys
body = sys.stdin.buffer.read(struct.unpack(">I", sys.stdin.buffer.read(4))[0])
sys.exit("enough after one document")
"""
HANGS = """
import os, pathlib, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(__file__).with_name("pid").write_text(str(os.getpid()))
time.sleep(600)
"""
TALKS = "import sys\nfor i in range(100_000): print('chatter', i, file=sys.stderr)\n" + RECORDS


def brain(folder: Path, program: str) -> Path:
    """An executable that the eye can take for an interpreter."""
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "brain"
    script.write_text(f"#!{sys.executable}\n{program}", "utf-8")
    script.chmod(0o755)
    return script


def frames(folder: Path) -> list[dict[str, Any]]:
    """What a recording brain in that folder has been sent so far."""
    file = folder / "frames.ndjson"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def kinds(folder: Path) -> list[str]:
    return [frame["kind"] for frame in frames(folder)]


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)


@dataclass(frozen=True)
class Outcome:
    code: int
    output: str
    seconds: float


def python(
    line: SparkLine,
    script: Path,
    *args: str,
    environment: Mapping[str, str] | None = None,
    timeout: float = 180,
) -> Outcome:
    """Run a script under the line's interpreter; its output holds standard error too."""
    started = time.monotonic()
    done = subprocess.run(
        [str(installed(line).python), str(script), *args],
        env={**surroundings(), **quickly_started(line), **(environment or {})},
        cwd=script.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, time.monotonic() - started)


def surroundings(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment without anything that would configure Spark from outside."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    return {**kept, **SHORT_LIVED, **(extra or {})}


def script(folder: Path, body: str, conf: Mapping[str, str] | None = None, stop: bool = True) -> Path:
    """A plain PySpark script with ``spark`` at hand; the settings are its own, set in its builder.

    Spark's own jars come first in its class path, as `class_archive` needs it.
    """
    settings = {
        "spark.master": "local[1]",
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        **(conf or {}),
    }
    own = [settings.pop(CLASS_PATH)] if CLASS_PATH in settings else []
    lines: Sequence[str] = [
        "import pyspark, sys",
        "from pyspark.sql import SparkSession, functions as F",
        "builder = SparkSession.builder.appName('a job')",
        f"class_path = [f'{{pyspark.__path__[0]}}/jars/*', *{own!r}]",
        f"builder = builder.config({CLASS_PATH!r}, {os.pathsep!r}.join(class_path))",
        *[f"builder = builder.config({key!r}, {value!r})" for key, value in settings.items()],
        "spark = builder.getOrCreate()",
        body,
        *(["spark.stop()"] if stop else []),
    ]
    file = folder / "job.py"
    file.write_text("\n".join(lines), "utf-8")
    return file


def watched(brain_program: Path, **settings: str) -> dict[str, str]:
    """The settings that switch the eye on with the given brain."""
    return {
        "spark.jars": str(JAR),
        "spark.extraListeners": LISTENER,
        "spark.headwater.python": str(brain_program),
        **settings,
    }


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def kill(pid: int) -> None:
    """End a process that a test started."""
    if is_running(pid):
        os.kill(pid, signal.SIGKILL)
