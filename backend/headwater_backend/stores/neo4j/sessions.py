"""Sessions of one driver, which is closed after the last of them: it breaks what another thread still asks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from neo4j import Driver, GraphDatabase, Session

from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.stores.neo4j.address import Neo4jAddress

PATIENCE: Final = 10.0  # seconds
"""How long ``close`` waits for open sessions."""


class Sessions:
    """Opens sessions in the database at an address."""

    def __init__(self, driver: Driver, address: Neo4jAddress) -> None:
        self._driver = driver
        self._database = address.database
        # A cluster's followers lag behind: reads have to wait until they have what this process wrote.
        self._bookmarks = GraphDatabase.bookmark_manager() if address.routed else None
        self._changed = threading.Condition()
        self._open = 0
        self._closed = False

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session for as long as the block runs; raises ``StoreUnavailable`` after ``close``."""
        with self._changed:
            if self._closed:
                raise StoreUnavailable("the store is closed")
            self._open += 1
        try:
            with self._driver.session(database=self._database, bookmark_manager=self._bookmarks) as session:
                yield session
        finally:
            with self._changed:
                self._open -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Close the driver when no session is open any more, or after ``PATIENCE``."""
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._open, PATIENCE)
        self._driver.close()
