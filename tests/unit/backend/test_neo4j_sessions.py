"""The driver of Neo4j is closed when nobody asks it any more."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.stores.neo4j import sessions
from headwater_backend.stores.neo4j.address import address_of
from headwater_backend.stores.neo4j.sessions import Sessions

PATIENCE = 20


class Driver:
    """A driver that counts its sessions."""

    def __init__(self) -> None:
        self.open = 0
        self.open_at_close: int | None = None

    @contextmanager
    def session(self, **_: Any) -> Iterator[None]:
        self.open += 1
        yield
        self.open -= 1

    def close(self) -> None:
        self.open_at_close = self.open


def test_closing_waits_for_who_asks_and_refuses_who_comes_later() -> None:
    driver = Driver()
    opened = Sessions(driver, address_of("bolt://nowhere"))  # type: ignore[arg-type]
    closing = threading.Thread(target=opened.close)
    with opened.session():
        closing.start()
        with pytest.raises(StoreUnavailable, match="closed"):
            for _ in range(1_000_000):
                with opened.session():
                    pass
        assert driver.open_at_close is None
    closing.join(PATIENCE)
    assert driver.open_at_close == 0


def test_closing_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "PATIENCE", 0.01)
    driver = Driver()
    opened = Sessions(driver, address_of("bolt://nowhere"))  # type: ignore[arg-type]
    with opened.session():
        opened.close()
        assert driver.open_at_close == 1
