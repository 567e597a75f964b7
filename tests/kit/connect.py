"""A Spark Connect server with the agent, as a process of its own on a free port of the loopback address."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kit.connectors import jars
from kit.eye import surroundings
from kit.faults import agent
from kit.jobs import SETTINGS
from kit.spark_lines import SPARK_35, SparkLine, spark_home

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
START_SECONDS = 90


@contextmanager
def connect_server(line: SparkLine, folder: Path, **conf: str) -> Iterator[str]:
    """A running server's address for clients; its events go to ``events.ndjson`` in the folder.

    When the block ends the server has ended, and with it the agent.
    """
    port = _free_port()
    settings = {
        **SETTINGS,
        **agent(),
        "spark.openlineage.transport.location": str(folder / "events.ndjson"),
        "spark.app.name": "Connect server",
        "spark.connect.grpc.binding.port": str(port),
        **conf,
    }
    if line == SPARK_35:
        settings["spark.jars"] = jars(line, "spark-connect")
    properties = folder / "agent.conf"
    properties.write_text("\n".join(f"{key} {value}" for key, value in settings.items()), "utf-8")
    command = [f"{spark_home(line)}/bin/spark-submit", "--properties-file", str(properties)]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--class", SERVER, "spark-internal"],
            cwd=folder,
            env=surroundings({"SPARK_HOME": spark_home(line), "XDG_CACHE_HOME": str(folder / "cache")}),
            stdout=log,
            stderr=log,
        )
    try:
        _await(server, port, folder / "server.log")
        yield f"sc://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(60)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert server.poll() is None, log.read_text("utf-8")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the Connect server did not start:\n" + log.read_text("utf-8"))
