"""What was acknowledged is there, whatever is killed: the backend, or Neo4j under it, while clients post."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from headwater_backend.domain.audit_log import AuditEntry, breaks
from headwater_backend.domain.model import JobKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.stores import local_neo4j, open_store
from kit.command import served
from kit.load import Load, events_of, wait_until_ready
from kit.openlineage import digest

CLIENTS = 4


def all_of(events: Sequence[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [event for some in events for event in some]


def runs_in(store: LineageStore, events: Sequence[dict[str, Any]]) -> list[str]:
    """The ids of all runs of the events' jobs, each as often as the store tells of it."""
    jobs = {JobKey(event["job"]["namespace"], event["job"]["name"]) for event in events}
    return [run.run_id for job in jobs for run in store.runs(job, 100_000)]


def ids(events: Sequence[dict[str, Any]]) -> set[str]:
    return {event["run"]["runId"] for event in events}


def digest_of(file: Path, events: Sequence[dict[str, Any]]) -> str:
    """Of a store that was given these events at once."""
    with closing(open_store(f"sqlite:///{file}")) as store:
        assert all(outcome.stored for outcome in ingest(store, events))
        return digest(store)


def check_whole(store: LineageStore, load: Load, folder: Path) -> None:
    """Every acknowledged event is there, none twice, and what is there is what those events alone would make."""
    known = runs_in(store, all_of(load.events))
    assert len(known) == len(set(known))
    assert ids(load.acknowledged) <= set(known)
    there = [event for event in all_of(load.events) if event["run"]["runId"] in set(known)]
    assert digest(store) == digest_of(folder / "alone.db", there)
    number = 0
    entries: list[AuditEntry] = []
    while page := store.audit(number, 1_000):
        entries += page
        number = page[-1].number
    assert not list(breaks(entries))


@pytest.fixture
def small() -> Iterator[Load]:
    load = Load([events_of(client, 40) for client in range(CLIENTS)])
    yield load
    load.close()


def test_a_backend_that_is_killed_under_load_loses_nothing_that_it_acknowledged(
    store_url: str, tmp_path: Path, small: Load
) -> None:
    with served(tmp_path, HEADWATER_STORE=store_url) as (address, process):
        wait_until_ready(address)
        small.start(address)
        small.wait_for(lambda load: len(load.acknowledged) >= 40)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        small.join()
    assert len(small.acknowledged) >= 40
    with served(tmp_path, HEADWATER_STORE=store_url) as (address, _):
        wait_until_ready(address)
        with closing(open_store(store_url)) as store:
            check_whole(store, small, tmp_path)
        small.start(address)
        small.join()
    with closing(open_store(store_url)) as store:
        everything = all_of(small.events)
        assert sorted(runs_in(store, everything)) == sorted(ids(everything))
        assert digest(store) == digest_of(tmp_path / "all.db", everything)


class OwnNeo4j:
    """A Neo4j that the test may kill."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._port = local_neo4j.free_port()
        self.up()

    def up(self) -> None:
        self._running = local_neo4j.up(self._home, self._port, heap="1g", owner=os.getpid())

    @property
    def url(self) -> str:
        password = (self._home / "password").read_text("ascii")
        return f"bolt://{self._running.username}:{quote(password, safe='')}@127.0.0.1:{self._port}"

    def kill(self) -> None:
        assert self._running.pid
        os.kill(self._running.pid, signal.SIGKILL)
        local_neo4j.down(self._home)


@pytest.fixture
def own_neo4j(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnNeo4j]:
    if os.environ.get("HEADWATER_SKIP_NEO4J") == "1":
        pytest.skip("HEADWATER_SKIP_NEO4J=1")
    for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "neo4j"
    server = OwnNeo4j(home)
    yield server
    local_neo4j.down(home)


@pytest.mark.slow
@pytest.mark.neo4j
def test_a_neo4j_that_is_killed_under_load_loses_nothing_that_was_acknowledged(
    own_neo4j: OwnNeo4j, tmp_path: Path
) -> None:
    """While it is away, senders are asked to come again; what they sent then is taken in afterwards."""
    load = Load([events_of(client, 200) for client in range(CLIENTS)])
    with closing(load), served(tmp_path, HEADWATER_STORE=own_neo4j.url) as (address, _):
        wait_until_ready(address)
        load.start(address)
        load.wait_for(lambda load: len(load.acknowledged) >= 100)
        own_neo4j.kill()
        load.wait_for(lambda load: load.statuses[HTTPStatus.SERVICE_UNAVAILABLE] >= CLIENTS)
        assert load.statuses[HTTPStatus.SERVICE_UNAVAILABLE] >= CLIENTS
        own_neo4j.up()
        load.join()
        assert set(load.statuses) == {HTTPStatus.CREATED, HTTPStatus.SERVICE_UNAVAILABLE}
        assert None not in load.retry_after
        with closing(open_store(own_neo4j.url)) as store:
            check_whole(store, load, tmp_path)
        load.start(address)
        load.join()
    with closing(open_store(own_neo4j.url)) as store:
        assert digest(store) == digest_of(tmp_path / "all.db", all_of(load.events))


@pytest.mark.slow
@pytest.mark.neo4j
def test_with_a_journal_nothing_is_refused_while_neo4j_is_away(own_neo4j: OwnNeo4j, tmp_path: Path) -> None:
    """Both are killed, Neo4j and the backend with a full journal, and all that was acknowledged is there."""
    load = Load([events_of(client, 200) for client in range(CLIENTS)])
    settings = {"HEADWATER_STORE": own_neo4j.url, "HEADWATER_JOURNAL": str(tmp_path / "journal")}
    with closing(load):
        with served(tmp_path, **settings) as (address, process):
            wait_until_ready(address)
            load.start(address)
            load.wait_for(lambda load: len(load.acknowledged) >= 100)
            own_neo4j.kill()
            load.join()
            assert set(load.statuses) == {HTTPStatus.CREATED}
            assert in_journal(address) > 0
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        own_neo4j.up()
        with served(tmp_path, **settings) as (address, _):
            wait_until_ready(address)
            wait_until_empty(address)
    with closing(open_store(own_neo4j.url)) as store:
        assert ids(load.acknowledged) == ids(all_of(load.events))
        check_whole(store, load, tmp_path)


def in_journal(address: str) -> float:
    """How many events wait in the server's journal."""
    (line,) = re.findall(
        r"^headwater_journal_events (.*)$", httpx.get(f"{address}/metrics").text, re.MULTILINE
    )
    return float(line)


def wait_until_empty(address: str) -> None:
    pause = threading.Event()
    while in_journal(address):
        pause.wait(0.05)
