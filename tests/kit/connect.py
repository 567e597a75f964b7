"""A Spark Connect server with the agent, as a process of its own on a free port of the loopback address."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kit.class_archive import in_front
from kit.connectors import jars
from kit.eye import surroundings
from kit.faults import agent
from kit.jobs import SETTINGS
from kit.spark_lines import SPARK_35, SparkLine, short_lived, spark_home

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
START_SECONDS = 90
STACKS_SECONDS = 2
STARTED = re.compile(r"Spark Connect server started at: .*:(\d+)\n")


@contextmanager
def connect_server(line: SparkLine, folder: Path, **conf: str) -> Iterator[str]:
    """A running server's address for clients; its events go to ``events.ndjson`` in the folder.

    When the block ends the server has ended, and with it the agent. Where the block fails, the server's log is printed
    with the stacks of its threads, so that a client that waited in vain can be explained.
    """
    settings = {
        **SETTINGS,
        **agent(),
        "spark.openlineage.transport.location": str(folder / "events.ndjson"),
        "spark.app.name": "Connect server",
        "spark.connect.grpc.binding.port": "0",
        **conf,
    }
    settings = in_front(line.home, settings)
    if line == SPARK_35:
        settings["spark.jars"] = jars(line, "spark-connect")
    properties = folder / "agent.conf"
    properties.write_text("\n".join(f"{key} {value}" for key, value in settings.items()), "utf-8")
    command = [f"{spark_home(line)}/bin/spark-submit", "--properties-file", str(properties)]
    log = folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*command, "--class", SERVER, "spark-internal"],
            cwd=folder,
            env=surroundings(
                {
                    **short_lived(line),
                    "SPARK_HOME": spark_home(line),
                    "XDG_CACHE_HOME": str(folder / "cache"),
                }
            ),
            stdout=output,
            stderr=output,
        )
    try:
        yield f"sc://127.0.0.1:{_port(server, log)}"
    except BaseException:
        server.send_signal(signal.SIGQUIT)
        time.sleep(STACKS_SECONDS)
        print(log.read_text("utf-8", "replace"))
        raise
    finally:
        server.terminate()
        server.wait(60)


def _port(server: subprocess.Popen[bytes], log: Path) -> int:
    """The port that the server took; it writes it to its log once it answers."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert server.poll() is None, "the Connect server ended"
        if started := STARTED.search(log.read_text("utf-8", "replace")):
            return int(started[1])
        time.sleep(0.1)
    raise AssertionError("the Connect server did not start")
