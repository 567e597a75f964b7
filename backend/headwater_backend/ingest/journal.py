"""A durable journal of events that the store, being away, could not take.

Theory of operation
===================

An event that validates is *accepted* when it is in the store, or in a file of the journal: written under another name,
synced, renamed, and the folder synced. So a sender who was told 201 can forget it, whatever is killed afterwards. A
file holds what one transaction would have stored, and whose it was. When the store is back, the files are taken in,
oldest first, and each is deleted after it is stored. Stopped between those two, a file is taken in again, which changes
nothing in the graph, because events merge; and because any order of events gives the same graph, what comes meanwhile
need not wait for the journal to be empty.

A journal belongs to one process, and its size is bounded: when it is full, senders are told to come again. Questions
are answered from the store alone, which lags behind as long as the journal holds something.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from headwater_backend.access.roles import everything
from headwater_backend.errors import HeadwaterError, StoreUnavailable
from headwater_backend.ingest.dead_letters import letter_of
from headwater_backend.ingest.limits import DEFAULT_LIMITS, Limits
from headwater_backend.ingest.origin import Origin
from headwater_backend.ingest.service import RawEvent, ingest
from headwater_backend.ports import LineageStore

MAX_BYTES: Final = 1024**3
RETRY_SECONDS: Final = 1.0
STOP_SECONDS: Final = 5.0
_NANOSECONDS: Final = 10**9
_ENDING: Final = ".json"
_UNFINISHED: Final = ".unfinished"
_DAMAGED: Final = ".damaged"

_log = logging.getLogger(__name__)


class JournalError(HeadwaterError):
    """A journal's folder that cannot be used."""

    code = "JOURNAL"


class Waiting(NamedTuple):
    """What waits for the store: so many files, of so many bytes together, the oldest of them for so long."""

    files: int
    bytes: int
    seconds: float


class Journal:
    """The journal in a folder. Use ``Journal.open``; it is thread-safe."""

    def __init__(self, folder: Path, lock: int, most_bytes: int) -> None:
        self._folder = folder
        self._lock = lock
        self._most_bytes = most_bytes
        self._writing = threading.Lock()
        self._bytes = sum(file.stat().st_size for file in self._files())
        self._count = 0
        self._holding = threading.Event()

    @classmethod
    def open(cls, folder: Path, most_bytes: int = MAX_BYTES) -> Journal:
        """The journal in that folder, made where needed; raises ``JournalError``, also when another has it."""
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise JournalError(f"the journal {folder} cannot be used: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            hint = "give each process a folder of its own"
            raise JournalError(f"the journal {folder} belongs to another process", hint) from error
        for unfinished in folder.glob(f"*{_UNFINISHED}"):
            unfinished.unlink()
        return cls(folder, lock, most_bytes)

    @property
    def holding(self) -> bool:
        """Whether the store was away when it was last asked: events go here without trying it."""
        return self._holding.is_set()

    def waiting(self) -> Waiting:
        """What waits for the store now."""
        with os.scandir(self._folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(_ENDING)]
        since = int(min(names).partition("-")[0]) if names else 0
        seconds = max(0.0, (time.time_ns() - since) / _NANOSECONDS) if names else 0.0
        return Waiting(len(names), self._bytes, seconds)

    def accept(self, events: Sequence[RawEvent], origin: Origin) -> None:
        """Keep events that are valid; durable when it returns. Raises ``StoreUnavailable`` when that cannot be."""
        document = {
            "caller": origin.caller.name,
            "request": origin.request,
            "events": [_document(event) for event in events],
        }
        body = json.dumps(document, separators=(",", ":")).encode()
        with self._writing:
            if self._bytes + len(body) > self._most_bytes:
                raise StoreUnavailable("the store does not answer, and the journal is full")
            try:
                self._write(body)
            except OSError as error:
                _log.error("the journal %s cannot be written: %s", self._folder, error)
                raise StoreUnavailable(
                    "the store does not answer, and the journal cannot be written"
                ) from error
            self._bytes += len(body)
            if not self._holding.is_set():
                _log.warning("the store is away: events go into the journal %s", self._folder)
            self._holding.set()

    def drain(self, store: LineageStore, limits: Limits = DEFAULT_LIMITS) -> int:
        """Take in what waits; how many files. Raises ``StoreUnavailable``, and what is left stays."""
        files = self._files()
        try:
            if files:
                store.ping()
            self._holding.clear()
            for file in files:
                self._take_in(file, store, limits)
        except StoreUnavailable:
            self._holding.set()
            raise
        if files:
            _log.warning("the store has what waited in the journal %s", self._folder)
        return len(files)

    def close(self) -> None:
        """Give the folder up; what waits stays there."""
        os.close(self._lock)

    def _take_in(self, file: Path, store: LineageStore, limits: Limits) -> None:
        body = file.read_bytes()
        try:
            document = json.loads(body)
        except ValueError:
            _log.error("%s was damaged after it was written: it is kept beside the others", file)
            file.rename(file.with_suffix(_DAMAGED))
            return
        origin = Origin(everything(document["caller"]), document["request"])
        events = document["events"]
        outcomes = ingest(store, events, limits, origin)
        lost = [outcome for outcome in outcomes if outcome.error and not outcome.dead_letter]
        store.keep_dead_letters(
            [
                letter_of(events[outcome.index], outcome.error, origin.caller.name)
                for outcome in lost
                if outcome.error
            ]
        )
        with self._writing:
            file.unlink()
            self._bytes -= len(body)

    def _write(self, body: bytes) -> None:
        """Under the lock: the name orders files by age, also after the clock was set back within a process."""
        self._count += 1
        name = f"{time.time_ns():020d}-{self._count:09d}"
        unfinished = self._folder / f"{name}{_UNFINISHED}"
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            out.write(body)
            out.flush()
            os.fsync(descriptor)
        unfinished.rename(self._folder / f"{name}{_ENDING}")
        _sync_folder(self._folder)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{_ENDING}"))


class Drainer:
    """A thread that empties a journal as soon as the store is there."""

    def __init__(self, journal: Journal, store: LineageStore, limits: Limits = DEFAULT_LIMITS) -> None:
        self._journal = journal
        self._store = store
        self._limits = limits
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)

    def start(self) -> None:
        """Begin to look, every ``RETRY_SECONDS``."""
        self._thread.start()

    def stop(self) -> None:
        """End, soon after what is under way; what is left stays in the journal."""
        self._stopping.set()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while not self._stopping.wait(RETRY_SECONDS if not self._once() else 0):
            pass

    def _once(self) -> bool:
        """Whether there may be more to do at once."""
        try:
            return self._journal.drain(self._store, self._limits) > 0
        except StoreUnavailable:
            return False
        except Exception:  # noqa: BLE001 - a thread that ends would leave all that waits where it is
            _log.exception("the journal could not be taken in; what is left stays there")
            return False


def _document(event: RawEvent) -> Any:
    if isinstance(event, bytes):
        event = event.decode("utf-8-sig")
    return json.loads(event) if isinstance(event, str) else event


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
