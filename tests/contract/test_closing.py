"""A store that is closed while others ask lets them finish, and refuses who comes later."""

from __future__ import annotations

import threading

import pytest

from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.domain.model import JobKey
from headwater_backend.ports import LineageStore
from headwater_backend.stores import open_store


def test_who_asks_while_it_is_closed_gets_an_answer_or_is_refused(store_url: str) -> None:
    store = open_store(store_url)
    asking, errors = threading.Event(), list[Exception]()

    def ask() -> None:
        while True:
            try:
                assert store.get_jobs([JobKey("jobs", "etl")]) == {}
            except StoreUnavailable:
                return
            except Exception as error:  # noqa: BLE001 - compared below
                errors.append(error)
                return
            asking.set()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for each in threads:
        each.start()
    assert asking.wait(10)
    store.close()
    for each in threads:
        each.join(10)
    assert not any(each.is_alive() for each in threads)
    assert errors == []


def test_a_closed_store_says_so(store: LineageStore) -> None:
    store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        store.ping()
