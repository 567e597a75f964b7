"""A store that fails at some events, each time, while it takes all others."""

from __future__ import annotations

from typing import Any

from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.domain.records import Batch
from headwater_backend.ports import LineageStore


class FailingStore:
    """Passes every verb on to a store, but fails with ``error`` at batches with a dataset of the name ``poison``.

    ``tries`` counts the batches of events that came; ``down`` is whether it answers nothing at all.
    """

    def __init__(
        self, store: LineageStore, poison: str, error: Exception | None = None, *, takes_down: bool = False
    ) -> None:
        self._store = store
        self._poison = poison
        self._error = error or StoreUnavailable("no memory for this one")
        self._takes_down = takes_down
        self.tries = 0
        self.down = False

    @property
    def port(self) -> LineageStore:
        """It, as a store."""
        return self

    def apply(self, batch: Batch) -> None:
        self._answer()
        self.tries += bool(batch.datasets)
        if any(seen.key.name == self._poison for seen in batch.datasets):
            self.down = self._takes_down
            raise self._error
        self._store.apply(batch)

    def __getattr__(self, name: str) -> Any:
        self._answer()
        return getattr(self._store, name)

    def _answer(self) -> None:
        if self.down:
            raise StoreUnavailable("it is down")
