"""A store that is opened while the server already answers requests.

A migration may take minutes, and a database may start after its clients. Until the store is open, each of its methods
raises ``StoreUnavailable``, so ``/health/live`` succeeds, ``/health/ready`` fails, and events are answered with 503.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, cast

from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.ports import LineageStore

RETRY_SECONDS = 2.0
_log = logging.getLogger(__name__)


class LazyStore:
    """A store that a thread opens in the background, with retries while it is unreachable."""

    def __init__(self, open_store: Callable[[], LineageStore], retry_seconds: float = RETRY_SECONDS) -> None:
        self._open_store = open_store
        self._retry_seconds = retry_seconds
        self._opened: LineageStore | None = None
        self._failure: Exception | None = None
        self._unavailable = StoreUnavailable("the store is being opened; it may have to be migrated first")
        self._attempted = threading.Event()
        self._closed = threading.Event()
        self._lock = threading.Lock()

    def begin(self, failed: Callable[[], None]) -> None:
        """Start to open the store; ``failed`` is called when retries cannot help."""
        threading.Thread(target=self._open, args=(failed,), name="open-store", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Whether the store is open, after the first attempt or that time; raises the error that retries cannot
        help.
        """
        self._attempted.wait(seconds)
        self.raise_failure()
        return self._opened is not None

    def raise_failure(self) -> None:
        """Raise the error for which the store cannot be opened, if there is one."""
        if self._failure:
            raise self._failure

    @property
    def store(self) -> LineageStore:
        """The store, whose methods raise ``StoreUnavailable`` until it is open."""
        return cast(LineageStore, _Methods(self._present))

    def close(self) -> None:
        """Close the store, or have it closed as soon as it is open."""
        self._closed.set()
        with self._lock:
            if self._opened:
                self._opened.close()

    def _open(self, failed: Callable[[], None]) -> None:
        try:
            while not self._closed.is_set() and not self._try():
                self._closed.wait(self._retry_seconds)
        except Exception as error:  # noqa: BLE001 - raised again in the waiting thread
            self._failure = error
            failed()
        finally:
            self._attempted.set()

    def _try(self) -> bool:
        """Try to open the store; whether that succeeded."""
        try:
            opened = self._open_store()
        except StoreUnavailable as error:
            if not self._attempted.is_set():
                _log.warning("waiting for the store: %s", error)
            self._unavailable = error
            self._attempted.set()
            return False
        self._keep(opened)
        return True

    def _keep(self, opened: LineageStore) -> None:
        with self._lock:
            self._opened = opened
            if self._closed.is_set():
                opened.close()
        if self._attempted.is_set():
            _log.warning("the store is open")

    def _present(self) -> LineageStore:
        if self._opened is None:
            raise self._unavailable
        return self._opened


class _Methods:
    """Passes each call of a port's method to the opened store."""

    def __init__(self, present: Callable[[], LineageStore]) -> None:
        self._present = present

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            return getattr(self._present(), name)(*args, **kwargs)

        return call
