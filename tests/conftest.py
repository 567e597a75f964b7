"""Fixtures that more than one folder of tests uses."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.ports import LineageStore
from headwater_backend.stores import open_store
from kit import durations, kafka, neo4j, workers


def pytest_configure() -> None:
    """Who runs the tests may have them ignore signals, as a shell does in the background; programs that tests start
    would inherit that. They would also inherit that Python keeps no compiled modules, as in images of containers, and
    hundreds of them would compile ours.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Prepare a worker, before it starts."""
    workers.prepare(node.config, node.workerinput)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> workers.FilesAndServers:
    """What hands out the tests of a run with workers."""
    return workers.FilesAndServers(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Arrange the tests of a run with workers; any other run keeps its order."""
    if worker_input := getattr(config, "workerinput", None):
        workers.arrange(items, worker_input)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where the time went."""
    durations.print_longest_files(terminalreporter)


@pytest.fixture(scope="session")
def neo4j_server(pytestconfig: pytest.Config) -> Iterator[neo4j.Server]:
    """One Neo4j for the whole session."""
    workers.claim(pytestconfig, "neo4j")
    with neo4j.server() as server:
        yield server


@pytest.fixture(scope="session")
def kafka_broker(pytestconfig: pytest.Config) -> Iterator[kafka.Broker]:
    """One Kafka broker for the whole session; each test takes a topic of its own."""
    workers.claim(pytestconfig, "kafka")
    with kafka.broker() as running:
        yield running


@pytest.fixture
def neo4j_url(neo4j_server: neo4j.Server) -> str:
    """The URL of an empty Neo4j store."""
    neo4j_server.wipe()
    return neo4j_server.url


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store of each kind."""
    return neo4j.empty_store(request, tmp_path)


@pytest.fixture
def store(store_url: str) -> Iterator[LineageStore]:
    """An empty store of each kind."""
    opened = open_store(store_url)
    yield opened
    opened.close()
