"""Files that are damaged, moved or removed: nothing that was accepted is dropped without a word."""

from __future__ import annotations

import logging
import os
import random
import shutil
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
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.journal import Journal, JournalError
from headwater_backend.ingest.sender import Sender
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
        assert again.lost == 0, "it is reported once"


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
    local_neo4j._prepare(tmp_path, port, {})
    assert local_neo4j._port_again(tmp_path) == port


def closed_journal(folder: Path) -> Path:
    """The journal of a server that ended in its own way, so that all is in its file."""
    with closing(Journal.open(folder)) as journal:
        accept(journal, range(COUNT))
    assert not (folder / "journal.db-wal").exists()
    return folder


def accept(journal: Journal, numbers: range) -> None:
    for number in numbers:
        content = event("COMPLETE", number, f"run {number}", [], [])
        journal.accept([content], Sender(everything("key"), "request"))


def some_flipped(content: bytes, dice: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(30):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def a_page_of_zeros(content: bytes, dice: random.Random) -> bytes:
    begin = 4096 * dice.randrange(len(content) // 4096)
    return content[:begin] + bytes(4096) + content[begin + 4096 :]


def cut(content: bytes, dice: random.Random) -> bytes:
    return content[: dice.randrange(len(content))]


def emptied(content: bytes, _: random.Random) -> bytes:
    return content[:0]


def of_another(content: bytes, dice: random.Random) -> bytes:
    return dice.randbytes(len(content))


@pytest.mark.parametrize("how", [some_flipped, a_page_of_zeros, cut, emptied, of_another])
def test_a_journal_whose_file_is_damaged_is_refused_or_its_loss_is_counted(
    how: Callable[[bytes, random.Random], bytes], tmp_path: Path
) -> None:
    whole = closed_journal(tmp_path / "whole")
    refused = 0
    for seed in range(8):
        folder = tmp_path / str(seed)
        shutil.copytree(whole, folder)
        file = folder / "journal.db"
        file.write_bytes(how(file.read_bytes(), random.Random(seed)))
        before = file.read_bytes()
        try:
            journal = Journal.open(folder)
        except JournalError as error:
            refused += 1
            assert "keep them" in str(error.hint)
            assert len(file.read_bytes()) == len(before)
            continue
        with closing(journal), closing(open_store(f"sqlite:///{folder}/s.db")) as store:
            while journal.drain(store):
                pass
            assert len(store.runs(JOB, COUNT)) + journal.damaged + journal.lost >= COUNT, seed
    assert refused < 8 or how in (cut, of_another)


@pytest.mark.parametrize("what", [removed, replaced])
def test_a_journal_whose_file_is_gone_accepts_nothing_more(
    what: Callable[[Path], None], tmp_path: Path
) -> None:
    with closing(Journal.open(tmp_path)) as journal:
        accept(journal, range(1))
        what(tmp_path / "journal.db")
        with pytest.raises(StoreUnavailable, match="journal cannot be written"):
            accept(journal, range(1))


def test_a_journal_whose_log_is_removed_keeps_what_was_in_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = Journal.open(tmp_path / "one")
    accept(journal, range(10))
    (tmp_path / "one" / "journal.db-wal").unlink()
    accept(journal, range(10, 20))
    assert "journal.db was removed or replaced" in caplog.text
    shutil.copytree(tmp_path / "one", tmp_path / "as killed now")
    with closing(Journal.open(tmp_path / "as killed now")) as again:
        assert (again.waiting().events, again.lost) == (20, 0)
    journal.close()


def test_what_was_lost_with_a_removed_log_is_reported_at_the_next_start(killed: Path) -> None:
    (killed / "journal.db-wal").unlink()
    with closing(Journal.open(killed)) as journal:
        assert journal.lost + journal.waiting().events == COUNT
        assert journal.lost > 0


@pytest.mark.parametrize("end", ["-wal", "-shm"])
def test_a_store_whose_log_is_removed_takes_no_events_and_keeps_those_that_it_has(
    end: str, store: SqliteStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = (event("COMPLETE", number, f"run {number}", [], []) for number in (1, 2))
    with TestClient(create_app(store, Settings()), base_url="http://localhost") as client:
        assert client.post("/api/v1/lineage", json=first).status_code == 201
        (tmp_path / f"lineage.db{end}").unlink()
        assert client.post("/api/v1/lineage", json=second).status_code == 503
        assert client.get("/health/ready").status_code == 503
    if end == "-wal":
        assert "what it held was copied into the file" in caplog.text
        shutil.copy(tmp_path / "lineage.db", tmp_path / "as killed now.db")
        with closing(SqliteStore.open(tmp_path / "as killed now.db")) as again:
            assert len(again.runs(JOB)) == 1
    store.close()
    with closing(SqliteStore.open(tmp_path / "lineage.db")) as again:
        assert len(again.runs(JOB)) == 1
