"""A real Neo4j for tests: the one named by ``NEO4J_URI``, a container, or the local server.

No Neo4j at all is a failure, never a silent skip, unless ``HEADWATER_SKIP_NEO4J=1``. A database that is named by
``NEO4J_URI`` has to be empty, because tests wipe it.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

import pytest
from neo4j import Driver, GraphDatabase

from headwater_backend.stores import local_neo4j
from kit import sqlite
from kit.connectors import maven_to_itself

IMAGE = "neo4j:5.26-community"
COUNT = "MATCH (n) WHERE NOT n:Migration RETURN count(n) AS nodes"
# Each test begins with an empty store. Neo4j would plan each statement anew whenever what it counts has changed, and
# compile what lives for a few minutes only: both need more of the processor than the tests' statements.
SETTINGS = {
    "dbms.cypher.min_replan_interval": "1h",
    "dbms.cypher.statistics_divergence_threshold": "1.0",
}
JAVA_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
FEW = 500
WIPE_FEW = "MATCH (n) WHERE NOT n:Migration DETACH DELETE n"
# Edges first: with those of dense nodes, a few thousand nodes are more than a transaction may hold in memory.
WIPE_MANY = (
    "MATCH ()-[e]->() CALL (e) { DELETE e } IN TRANSACTIONS OF 10000 ROWS",
    "MATCH (n) WHERE NOT n:Migration CALL (n) { DELETE n } IN TRANSACTIONS OF 10000 ROWS",
)


@dataclass(frozen=True)
class Server:
    """A running Neo4j and how to get in."""

    uri: str
    username: str
    password: str

    @property
    def url(self) -> str:
        """The store's URL, with credentials."""
        scheme, _, rest = self.uri.partition("://")
        return f"{scheme}://{quote(self.username, safe='')}:{quote(self.password, safe='')}@{rest}"

    def count(self) -> int:
        """The number of nodes, without the migrations."""
        return int(self._driver.execute_query(COUNT).records[0]["nodes"])

    def wipe(self) -> None:
        """Delete all nodes, but keep the schema."""
        if self.count() <= FEW:
            self._driver.execute_query(WIPE_FEW)
            return
        with self._driver.session() as session:
            for statement in WIPE_MANY:
                session.run(statement).consume()

    def close(self) -> None:
        """Close the connections of this object; stores have their own."""
        self._driver.close()

    @cached_property
    def _driver(self) -> Driver:
        """One for all tests: a new one takes longer than what it is asked to do."""
        return GraphDatabase.driver(self.uri, auth=(self.username, self.password))


def empty_store(request: pytest.FixtureRequest, folder: Path) -> str:
    """The URL of an empty store of the kind that the fixture's parameter names, in a folder if it is a file."""
    if request.param != "neo4j":
        return sqlite.empty(folder / "lineage.db")
    running: Server = request.getfixturevalue("neo4j_server")
    running.wipe()
    return running.url


@contextmanager
def server() -> Iterator[Server]:
    """The Neo4j of this test session."""
    if os.environ.get("HEADWATER_SKIP_NEO4J") == "1":
        pytest.skip("HEADWATER_SKIP_NEO4J=1")
    if uri := os.environ.get("NEO4J_URI"):
        with _given(uri) as given:
            yield given
    elif _has_container_engine():
        with _container() as contained:
            yield contained
    else:
        with _local() as local:
            yield local


@contextmanager
def _given(uri: str) -> Iterator[Server]:
    given = Server(uri, os.environ.get("NEO4J_USERNAME", "neo4j"), os.environ.get("NEO4J_PASSWORD", ""))
    if nodes := given.count():
        pytest.fail(
            f"the database at NEO4J_URI holds {nodes} nodes, and tests would wipe it: give an empty one"
        )
    try:
        yield given
    finally:
        given.wipe()
        given.close()


def _has_container_engine() -> bool:
    host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if host.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(host.removeprefix("unix://")) != 0:
                return False
    import docker

    with contextlib.suppress(docker.errors.DockerException), contextlib.closing(docker.from_env()) as engine:
        return bool(engine.ping())
    return False


@contextmanager
def _container() -> Iterator[Server]:
    from testcontainers.neo4j import Neo4jContainer

    with (
        Neo4jContainer(IMAGE) as container,
        closing(Server(container.get_connection_url(), container.username, container.password)) as given,
    ):
        yield given


@contextmanager
def _local() -> Iterator[Server]:
    """A local server with a home of its own; it ends with this process, however that ends."""
    with tempfile.TemporaryDirectory(prefix="headwater-neo4j-") as folder:
        home = Path(folder)
        try:
            with maven_to_itself():
                running = local_neo4j.up(
                    home,
                    local_neo4j.free_port(),
                    java_options=JAVA_OPTIONS,
                    settings=SETTINGS,
                    owner=os.getpid(),
                )
        except local_neo4j.LocalNeo4jError as error:
            pytest.fail(f"no Neo4j: set NEO4J_URI, start a container engine, or mend this: {error}")
        try:
            assert running.uri is not None
            password = (home / "password").read_text("ascii")
            with closing(Server(running.uri, running.username, password)) as given:
                yield given
        finally:
            local_neo4j.down(home)
