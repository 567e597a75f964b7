"""Changes of API keys, recorded in the audit log.

The command line that creates and revokes keys changes a file, and so may an editor; neither has a store. So the servers
record changes: each compares the keys of its file with the last entry of the log for each of them, and notes the
differences. The store does that in one transaction, so that of several servers with one file and one store one notes a
change. Changes while no server was running are noted by the next that starts.

An entry has the key as it is from then on, without its hash: ``fingerprint`` is a hash of that, which shows when the
secret of an id was replaced. The entries of a file are those whose actor is that file, by its path: servers over one
store that use the same path for files of different keys would each note that the other's are removed.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from headwater_backend.access.api_keys import ApiKey, KeyFile
from headwater_backend.domain.audit_log import AuditEntry, AuditNote
from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.ports import AuditLog

KEY: Final = "key"
"""The action of an entry of the audit log about a key."""

POLL_SECONDS: Final = 1.0
STOP_SECONDS: Final = 2.0
_REMOVED: Final = "removed"
_log = logging.getLogger(__name__)

KeyRecord = Mapping[str, Any]
"""A key as an entry has it."""


class Change(NamedTuple):
    """A change of a key; ``was`` has the former values of the changed fields."""

    result: str
    key: KeyRecord
    was: KeyRecord


def records_of(keys: Iterable[ApiKey]) -> dict[str, KeyRecord]:
    """Each key as entries have it, by its id."""
    return {key.id: _record(key) for key in keys}


def _record(key: ApiKey) -> KeyRecord:
    fingerprint = hashlib.sha256(key.sha256.encode()).hexdigest()[:16]
    return {**key.model_dump(mode="json", exclude={"sha256"}), "fingerprint": fingerprint}


def changes(before: Mapping[str, KeyRecord], after: Mapping[str, KeyRecord]) -> Iterator[Change]:
    """The changes between the two: keys were added, revoked, changed otherwise, or removed."""
    for key_id, key in after.items():
        former = before.get(key_id)
        if former is None:
            yield Change("added", key, {})
        elif former != key:
            was = {name: value for name, value in former.items() if key[name] != value}
            yield Change("revoked" if key["revoked"] and not former["revoked"] else "changed", key, was)
    for key_id in before.keys() - after.keys():
        yield Change(_REMOVED, before[key_id], {})


def missing_notes(file: str, keys: Mapping[str, KeyRecord], entries: Sequence[AuditEntry]) -> list[AuditNote]:
    """The notes of the changes of the file's keys since the last entry about each."""
    last: dict[str, KeyRecord] = {}
    for entry in entries:
        if entry.actor == file:
            key = json.loads(entry.details)["key"]
            last[key["id"]] = key
            if entry.result == _REMOVED:
                del last[key["id"]]
    found = changes(last, keys)
    return [
        AuditNote(file, KEY, result, details={"key": key, **({"was": was} if was else {})})
        for result, key, was in found
    ]


class KeyWatch:
    """A thread that checks a file of keys every ``POLL_SECONDS``, and records its changes in the audit log.

    While the audit log cannot be written, changes are warnings in the server's log, and noted later as far as they
    still apply.
    """

    def __init__(self, keys: KeyFile, store: AuditLog) -> None:
        self._keys = keys
        self._store = store
        self._name = f"file {keys.file.absolute()}"
        self._seen = keys.current()
        self._noted: Mapping[str, ApiKey] | None = None
        self._failing = False
        self._stopping = threading.Event()
        # No daemon: if the store still blocks it, that shows when the server is stopped.
        self._thread = threading.Thread(target=self._run, name="API keys")

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after the current check."""
        self._stopping.set()
        self._thread.join(STOP_SECONDS)

    def check(self) -> None:
        """Note the changes since the last entries of the log."""
        keys = self._keys.current()
        if keys is self._noted:
            return
        try:
            self._store.append_missing_audit(
                KEY, partial(missing_notes, self._name, records_of(keys.values()))
            )
            self._noted, self._failing = keys, False
        except Exception as error:  # noqa: BLE001 - without the thread, nothing would be noted any more
            self._warn(keys, error)
        self._seen = keys

    def _warn(self, keys: Mapping[str, ApiKey], error: Exception) -> None:
        if not self._failing:
            trace = None if isinstance(error, HeadwaterError) else error
            _log.warning("changes of API keys are noted later: %s", error, exc_info=trace)
        self._failing = True
        for result, key, _ in changes(records_of(self._seen.values()), records_of(keys.values())):
            _log.warning("not noted yet: the API key %s (%s) was %s", key["id"], key["name"], result)

    def _run(self) -> None:
        self.check()
        while not self._stopping.wait(POLL_SECONDS):
            self.check()
