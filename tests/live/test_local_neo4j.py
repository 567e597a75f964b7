"""The local Neo4j server: up, used, down, up again."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.ingest.service import ingest
from headwater_backend.stores import local_neo4j, open_store
from kit.openlineage import columns, dataset, digest, event

EVENTS = [event("COMPLETE", 1, "run", [], [dataset("out", columnLineage=columns({"x": [("in", "y")]}))])]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An own home for the server, with no trace left of it."""
    if os.environ.get("HEADWATER_SKIP_NEO4J") == "1":
        pytest.skip("HEADWATER_SKIP_NEO4J=1")
    for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    yield local_neo4j.default_home()
    local_neo4j.down()


@pytest.mark.slow
@pytest.mark.neo4j
def test_the_local_server_keeps_its_data_and_its_password_to_itself(home: Path) -> None:
    running = local_neo4j.up(port=local_neo4j.free_port(), owner=os.getpid())
    assert running.running
    assert running.uri is not None
    assert running.uri.startswith("bolt://127.0.0.1:")
    assert local_neo4j.up() == running == local_neo4j.status()
    assert stat.S_IMODE((home / "password").stat().st_mode) == 0o600

    store = open_store(running.uri)
    assert all(outcome.stored for outcome in ingest(store, EVENTS))
    before = digest(store)
    with pytest.raises(StoreUnavailable):
        open_store(running.uri.replace("bolt://", "bolt://neo4j:neo4j@"))

    assert not local_neo4j.down().running
    with pytest.raises(StoreUnavailable):
        store.ping()
    with pytest.raises(StoreUnavailable):
        ingest(store, EVENTS)

    again = local_neo4j.up(port=int(running.uri.rpartition(":")[2]), owner=os.getpid())
    assert again.uri == running.uri
    assert digest(store) == before
    store.close()


def test_a_server_that_cannot_start_says_why(home: Path) -> None:
    with pytest.raises(local_neo4j.LocalNeo4jError) as caught:
        local_neo4j.up(port=local_neo4j.free_port(), heap="1k")
    assert caught.value.code == "NEO4J_START"
    assert "heap" in str(caught.value)
    assert not local_neo4j.status().running


def test_a_process_id_that_was_used_again_is_not_taken_for_the_server(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "server.json").write_text(f'{{"pid": {os.getpid()}, "port": 7687}}')
    assert not local_neo4j.status().running
    local_neo4j.down()


def test_without_maven_the_command_that_installs_it_is_reported(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    monkeypatch.setenv("PATH", "/bin-without-maven:/bin/no")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(local_neo4j.LocalNeo4jError) as caught:
        local_neo4j.up()
    assert caught.value.code == "MAVEN_MISSING"
    assert "install" in str(caught.value.hint)
