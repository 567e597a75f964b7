"""A store that is opened while the server answers already.

A migration may take minutes, and a database may start after its clients. Until the store is open, each of its verbs
raises ``StoreUnavailable``, so ``/health/live`` says yes, ``/health/ready`` says no, and events are answered 503.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, cast

from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.ports import LineageStore

AGAIN_SECONDS = 2.0
_log = logging.getLogger(__name__)


class Opening:
    """Opens a store in a thread of its own, again and again while it is away."""

    def __init__(self, open_store: Callable[[], LineageStore], again_seconds: float = AGAIN_SECONDS) -> None:
        self._open_store = open_store
        self._again_seconds = again_seconds
        self._opened: LineageStore | None = None
        self._failure: Exception | None = None
        self._told = StoreUnavailable("the store is being opened; it may have to be migrated first")
        self._tried = threading.Event()
        self._closed = threading.Event()
        self._lock = threading.Lock()

    def begin(self, failed: Callable[[], None]) -> None:
        """Start to open it; ``failed`` is called when that cannot succeed, however often it is tried."""
        threading.Thread(target=self._open, args=(failed,), name="opens the store", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Whether it is open, after the first try has ended or that time is over; raises why it never will be."""
        self._tried.wait(seconds)
        self.raise_failure()
        return self._opened is not None

    def raise_failure(self) -> None:
        """Raise why the store cannot be opened, if it cannot."""
        if self._failure:
            raise self._failure

    @property
    def store(self) -> LineageStore:
        """The store, whose verbs raise ``StoreUnavailable`` until it is open."""
        return cast(LineageStore, _Verbs(self._present))

    def close(self) -> None:
        """Close the store, also when it is only opened later."""
        self._closed.set()
        with self._lock:
            if self._opened:
                self._opened.close()

    def _open(self, failed: Callable[[], None]) -> None:
        try:
            while not self._closed.is_set() and not self._try():
                self._closed.wait(self._again_seconds)
        except Exception as error:  # noqa: BLE001 - raised to whoever waits
            self._failure = error
            failed()
        finally:
            self._tried.set()

    def _try(self) -> bool:
        """Whether the store is open now."""
        try:
            opened = self._open_store()
        except StoreUnavailable as error:
            if not self._tried.is_set():
                _log.warning("waiting for the store: %s", error)
            self._told = error
            self._tried.set()
            return False
        self._keep(opened)
        return True

    def _keep(self, opened: LineageStore) -> None:
        with self._lock:
            self._opened = opened
            if self._closed.is_set():
                opened.close()
        if self._tried.is_set():
            _log.warning("the store is open")

    def _present(self) -> LineageStore:
        if self._opened is None:
            raise self._told
        return self._opened


class _Verbs:
    """Passes each of the port's verbs on to the store that is there when it is called."""

    def __init__(self, present: Callable[[], LineageStore]) -> None:
        self._present = present

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            return getattr(self._present(), name)(*args, **kwargs)

        return call
