"""A store that is opened while the server answers already."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from headwater_backend.domain.errors import StoreUnavailable, StoreUrlError
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_backend.stores.lazy_store import LazyStore
from headwater_cli.composition import create_app
from kit.memory_store import MemoryStore

SECONDS = 20.0


class Closing(MemoryStore):
    closed = False

    def close(self) -> None:
        self.closed = True


def nothing_fails() -> None:
    raise AssertionError


@pytest.fixture
def migrated() -> Iterator[threading.Event]:
    """Set when the migration is through, which is at the end of the test at last."""
    event = threading.Event()
    yield event
    event.set()


def statuses(client: TestClient) -> list[int]:
    return [client.get(f"/health{path}").status_code for path in ("", "/live", "/ready")]


def test_while_a_store_is_migrated_the_server_lives_and_is_not_ready(migrated: threading.Event) -> None:
    def open_store() -> LineageStore:
        migrated.wait(SECONDS)
        return MemoryStore([])

    opening = LazyStore(open_store)
    with TestClient(create_app(opening.store, Settings()), base_url="http://localhost") as client:
        opening.begin(nothing_fails)
        assert opening.wait(0.01) is False
        assert statuses(client) == [503, 200, 503]
        sent = client.post("/graphql", json={"query": "{ datasets { totalCount } }"}).json()
        assert sent["errors"][0]["extensions"]["code"] == "STORE_UNAVAILABLE"
        migrated.set()
        assert opening.wait(SECONDS) is True
        assert statuses(client) == [200, 200, 200]


def test_a_store_that_is_away_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    tries = iter([StoreUnavailable("db:7687 refused the connection"), StoreUnavailable("still"), None])
    opened = threading.Event()

    def open_store() -> LineageStore:
        if error := next(tries):
            raise error
        opened.set()
        return MemoryStore([])

    opening = LazyStore(open_store, retry_seconds=0.01)
    opening.begin(nothing_fails)
    assert opened.wait(SECONDS)
    opening.store.ping()
    assert caplog.messages.count("waiting for the store: db:7687 refused the connection") == 1


def test_a_store_that_cannot_be_opened_fails_for_waiting_threads_and_for_the_server() -> None:
    failed = threading.Event()

    def open_store() -> LineageStore:
        raise StoreUrlError("no store has the scheme 'mysql'")

    opening = LazyStore(open_store)
    opening.begin(failed.set)
    with pytest.raises(StoreUrlError):
        opening.wait(SECONDS)
    assert failed.wait(SECONDS)
    with pytest.raises(StoreUnavailable):
        opening.store.ping()


def test_a_store_is_closed_also_when_it_opens_too_late(migrated: threading.Event) -> None:
    store = Closing([])

    def open_store() -> LineageStore:
        migrated.wait(SECONDS)
        return store

    opening = LazyStore(open_store)
    opening.begin(nothing_fails)
    opening.close()
    assert not store.closed
    migrated.set()
    assert opening.wait(SECONDS)
    assert store.closed
