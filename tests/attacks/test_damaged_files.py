"""Files that are damaged, moved or removed: nothing that was accepted is dropped without a word."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.ingest.journal import Journal
from headwater_backend.settings import Settings
from headwater_backend.stores import local_neo4j, open_store
from headwater_backend.stores.sqlite.store import SqliteStore
from headwater_cli.composition import create_app
from kit.openlineage import JOB, event
from kit.shared import ROOT

COUNT = 50
ACCEPTED = """
import os, signal, sys
from pathlib import Path

from headwater_backend.domain.roles import everything
from headwater_backend.ingest.journal import Journal
from headwater_backend.ingest.sender import Sender
from kit.openlineage import event

journal = Journal.open(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    journal.accept([event("COMPLETE", number, f"run {number}", [], [])], Sender(everything("key"), "request"))
os.kill(os.getpid(), signal.SIGKILL)
"""
Damage = Callable[[bytes], bytes]


def no_head(log: bytes) -> bytes:
    return bytes(32) + log[32:]


def no_first_pages(log: bytes) -> bytes:
    return bytes(4096) + log[4096:]


def flipped(log: bytes) -> bytes:
    middle = len(log) // 2
    return log[:middle] + bytes([log[middle] ^ 255]) + log[middle + 1 :]


def half(log: bytes) -> bytes:
    return log[: len(log) // 2]


def no_end(log: bytes) -> bytes:
    return log[:-9000] + bytes(9000)


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """The journal of a process that accepted events and was killed."""
    folder = tmp_path / "journal"
    command = [sys.executable, "-c", ACCEPTED, str(folder), str(COUNT)]
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    assert subprocess.run(command, env=surroundings, check=False).returncode == -signal.SIGKILL
    return folder


def damage(folder: Path, how: Damage) -> None:
    log = folder / "journal.db-wal"
    log.write_bytes(how(log.read_bytes()))


@pytest.mark.parametrize("how", [bytes, no_head, no_first_pages, flipped, half, no_end])
def test_of_a_damaged_journal_what_can_be_read_is_read_and_the_rest_is_counted(
    killed: Path, how: Damage, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    damage(killed, how)
    with closing(Journal.open(killed)) as journal, closing(open_store(f"sqlite:///{tmp_path}/s.db")) as store:
        while journal.drain(store):
            pass
        stored = len(store.runs(JOB))
        assert stored + journal.damaged + journal.lost == COUNT
        if how is bytes:
            assert (stored, [r for r in caplog.records if r.levelno >= logging.ERROR]) == (COUNT, [])
        else:
            assert "damaged" in caplog.text or f"{journal.lost} events are missing" in caplog.text
        if how in (no_head, no_first_pages, flipped):
            assert stored >= COUNT - 8, "most pages are whole"
    with closing(Journal.open(killed)) as again:
        assert again.lost == 0, "it is said once"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore.open(tmp_path / "lineage.db")) as opened:
        yield opened


def removed(file: Path) -> None:
    file.unlink()


def moved(file: Path) -> None:
    file.rename(file.with_name("elsewhere.db"))


def replaced(file: Path) -> None:
    SqliteStore.open(file.with_name("other.db")).close()
    file.with_name("other.db").replace(file)


@pytest.mark.parametrize("what", [removed, moved, replaced])
def test_a_store_whose_file_is_gone_takes_no_events_and_the_journal_keeps_them(
    store: SqliteStore, tmp_path: Path, what: Callable[[Path], None]
) -> None:
    first, second = (event("COMPLETE", number, f"run {number}", [], []) for number in (1, 2))
    with TestClient(create_app(store, Settings()), base_url="http://localhost") as client:
        assert client.post("/api/v1/lineage", json=first).status_code == 201
        what(tmp_path / "lineage.db")
        answer = client.post("/api/v1/lineage", json=second)
        assert answer.status_code == 503
        assert client.get("/health/ready").status_code == 503
        with pytest.raises(StoreUnavailable, match="removed, moved or replaced"):
            store.ping()
    with closing(Journal.open(tmp_path / "journal")) as journal:
        app = create_app(store, Settings(), journal)
        with TestClient(app, base_url="http://localhost") as client:
            assert client.post("/api/v1/lineage", json=second).status_code == 201
        with pytest.raises(StoreUnavailable):
            journal.drain(store)
        assert journal.waiting().events == 1


def test_a_store_whose_file_is_moved_back_goes_on(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "lineage.db").rename(tmp_path / "elsewhere.db")
    with pytest.raises(StoreUnavailable):
        store.ping()
    (tmp_path / "elsewhere.db").rename(tmp_path / "lineage.db")
    store.ping()


def test_a_server_that_was_killed_gets_its_port_again(tmp_path: Path) -> None:
    port = local_neo4j.free_port()
    (tmp_path / "server.json").write_text(f'{{"pid": 1, "port": {port}}}', "utf-8")
    assert local_neo4j._port_again(tmp_path) == port


def test_a_port_that_something_else_took_is_an_error_and_not_another_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_neo4j, "RELEASE_SECONDS", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        (tmp_path / "server.json").write_text(f'{{"pid": 1, "port": {port}}}', "utf-8")
        with pytest.raises(local_neo4j.LocalNeo4jError, match=f"{port} .*is taken by something else"):
            local_neo4j._port_again(tmp_path)


def test_a_server_that_was_stopped_has_the_same_port_the_next_time(tmp_path: Path) -> None:
    port = local_neo4j.free_port()
    local_neo4j._prepare(tmp_path, port)
    assert local_neo4j._port_again(tmp_path) == port
