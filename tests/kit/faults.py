"""A job that writes, faults to run it under, and what must be the same whatever goes wrong with the agent."""

from __future__ import annotations

import re
import socket
import struct
import sys
import threading
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from headwater_spark.activation.agent_settings import CLASS_PATH_KEY, SOURCE, SOURCE_KEY
from kit.eye import JAR, python, script
from kit.spark_lines import SparkLine

WRITES = 4
BODY = """
import time
began = time.perf_counter()
spark.range(200).selectExpr("id", "id % 7 AS k", "named_struct('a', id) AS s").write.mode("overwrite").parquet("in")
for i in range(3):
    kept = spark.read.parquet("in").where("k > 2").groupBy("k").agg(F.collect_list("s.a").alias("v"))
    kept.write.mode("overwrite").parquet(f"out{i}")
print("took", time.perf_counter() - began)
print("result", sorted((row.k, sorted(row.v)) for row in spark.read.parquet("out2").collect()))
began = time.perf_counter()
spark.stop()
print("stopped in", time.perf_counter() - began)
sys.exit(3)
"""
"""The job; it ends with an exit code of its own."""


@dataclass(frozen=True)
class Ran:
    """A job that has ended; ``took`` and ``stopped`` are seconds."""

    code: int
    output: str
    result: str
    took: float
    stopped: float

    @property
    def warnings(self) -> list[str]:
        """Headwater's messages at level WARN in Spark's log."""
        return re.findall(r" WARN \S+ (Headwater.*)", self.output)


def run(
    line: SparkLine, folder: Path, conf: Mapping[str, str], body: str = BODY, timeout: float = 180
) -> Ran:
    """The job with these settings, in that folder, with a spool of its own."""
    done = python(
        line,
        script(folder, body, conf, stop=False),
        environment={"XDG_CACHE_HOME": str(folder / "cache")},
        timeout=timeout,
    )
    result = re.search(r"^result (.*)$", done.output, re.MULTILINE)
    assert result, done.output
    return Ran(
        done.code, done.output, result[1], _seconds("took", done.output), _seconds("stopped in", done.output)
    )


def _seconds(what: str, output: str) -> float:
    found = re.search(rf"^{what} ([\d.]+)$", output, re.MULTILINE)
    assert found, output
    return float(found[1])


def agent(url: str | None = None, jar: Path = JAR, **settings: str) -> dict[str, str]:
    """The settings of a job under the agent; ``__`` stands for a dot."""
    more = {key.replace("__", "."): value for key, value in settings.items()}
    transport = {"type": "http", "url": url} if url else {"type": "file", "location": "events.ndjson"}
    return {
        CLASS_PATH_KEY: str(jar),
        SOURCE_KEY: SOURCE,
        "spark.headwater.python": sys.executable,
        **{f"spark.openlineage.transport.{key}": value for key, value in transport.items()},
        **more,
    }


def faulty_brain(folder: Path, fault: str) -> str:
    """An interpreter that is the real brain with a fault: Python code that runs before it, with ``brain`` at hand."""
    program = folder / "faulty-brain"
    imports = "import os, signal, sys\nfrom headwater_spark import brain"
    text = f"#!{sys.executable}\n{imports}\n{fault}\nsys.exit(brain.main(sys.argv[3:]))\n"
    program.write_text(text, "utf-8")
    program.chmod(0o755)
    return str(program)


def raising(place: str) -> str:
    """The fault that ``module:name`` or ``module:Class.name`` raises whenever it is called."""
    return f"""
import importlib
from unittest import mock
def raises(*_, **__): raise RuntimeError("injected")
module, _, name = {place!r}.partition(":")
holder = importlib.import_module(module)
*classes, name = name.split(".")
for each in classes: holder = getattr(holder, each)
setattr(holder, name, raises)
"""


def killed_at(document: int) -> str:
    """The fault that the brain is killed by SIGKILL when it takes its n-th document."""
    return f"""
from headwater_spark import conversion
take, taken = conversion.Conversion.take, []
def kills(self, frame):
    taken.append(frame)
    if len(taken) == {document}: os.kill(os.getpid(), signal.SIGKILL)
    take(self, frame)
conversion.Conversion.take = kills
"""


def without_class(folder: Path, name: str) -> Path:
    """The agent's jar without one of its classes: using it raises, wherever that is."""
    broken = folder / "broken.jar"
    with zipfile.ZipFile(JAR) as whole, zipfile.ZipFile(broken, "w") as part:
        for entry in whole.infolist():
            if entry.filename.rpartition("/")[2] != f"{name}.class":
                part.writestr(entry, whole.read(entry))
    return broken


class Rude:
    """A receiver that takes connections and does something else than HTTP with them."""

    def __init__(self, manner: Callable[[socket.socket], object]) -> None:
        self._manner = manner
        self._server = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def __enter__(self) -> Rude:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                with suppress(OSError), connection:
                    self._manner(connection)


def resets(connection: socket.socket) -> None:
    """Receive a few bytes, and reset the connection."""
    connection.recv(100)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def talks_garbage(connection: socket.socket) -> None:
    """Answer with bytes that are no HTTP."""
    connection.recv(100)
    connection.sendall(b"\x00\xff\x13garbage\r\n\r\n" * 100)
