"""What becomes of API keys, told to the audit log.

The command line that makes and revokes keys changes a file, and so may an editor; neither has a store. So the servers
tell: each compares the keys of its file with what the log last said of each of them, and notes what differs. The
store does that in one transaction, so that of several servers with one file and one store one notes a change. What
changed while no server was there is noted by the next that starts.

An entry has the key as it is from then on, without its hash: ``fingerprint`` is a hash of that, by which it shows when
another secret was put behind an id. The entries of a file are those whose actor is that file, by its path: servers over
one store that call files of different keys the same would each note that the other's are removed.
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
"""What an entry of the audit log is called that tells of a key."""

LOOK_SECONDS: Final = 1.0
STOP_SECONDS: Final = 2.0
_REMOVED: Final = "removed"
_log = logging.getLogger(__name__)

Told = Mapping[str, Any]
"""What an entry says of a key."""


class Change(NamedTuple):
    """What became of a key; ``was`` has the former values of what is another now."""

    result: str
    key: Told
    was: Told


def told(keys: Iterable[ApiKey]) -> dict[str, Told]:
    """What the log says of each key, by its id."""
    return {key.id: _told(key) for key in keys}


def _told(key: ApiKey) -> Told:
    fingerprint = hashlib.sha256(key.sha256.encode()).hexdigest()[:16]
    return {**key.model_dump(mode="json", exclude={"sha256"}), "fingerprint": fingerprint}


def changes(before: Mapping[str, Told], after: Mapping[str, Told]) -> Iterator[Change]:
    """What happened between the two: keys were added, revoked, changed otherwise, or removed."""
    for key_id, key in after.items():
        former = before.get(key_id)
        if former is None:
            yield Change("added", key, {})
        elif former != key:
            was = {name: value for name, value in former.items() if key[name] != value}
            yield Change("revoked" if key["revoked"] and not former["revoked"] else "changed", key, was)
    for key_id in before.keys() - after.keys():
        yield Change(_REMOVED, before[key_id], {})


def unsaid(file: str, keys: Mapping[str, Told], said: Sequence[AuditEntry]) -> list[AuditNote]:
    """The notes of what became of the file's keys since the log last told of each."""
    last: dict[str, Told] = {}
    for entry in said:
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
    """A thread that looks after a file of keys every ``LOOK_SECONDS``, and has the audit log tell what it sees.

    While the log cannot be written, changes are warned of in the server's log, and noted later as far as they still
    hold.
    """

    def __init__(self, keys: KeyFile, store: AuditLog) -> None:
        self._keys = keys
        self._store = store
        self._name = f"file {keys.file.absolute()}"
        self._seen = keys.current()
        self._noted: Mapping[str, ApiKey] | None = None
        self._failing = False
        self._stopping = threading.Event()
        # No daemon: who stops the server sees by it that the store still lets somebody wait.
        self._thread = threading.Thread(target=self._run, name="API keys")

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """End, soon after what is under way."""
        self._stopping.set()
        self._thread.join(STOP_SECONDS)

    def look(self) -> None:
        """Note what changed since the log last told of it."""
        keys = self._keys.current()
        if keys is self._noted:
            return
        try:
            self._store.append_missing_audit(KEY, partial(unsaid, self._name, told(keys.values())))
            self._noted, self._failing = keys, False
        except Exception as error:  # noqa: BLE001 - a thread that ends would tell nothing any more
            self._warn(keys, error)
        self._seen = keys

    def _warn(self, keys: Mapping[str, ApiKey], error: Exception) -> None:
        if not self._failing:
            trace = None if isinstance(error, HeadwaterError) else error
            _log.warning("what becomes of API keys is noted later: %s", error, exc_info=trace)
        self._failing = True
        for result, key, _ in changes(told(self._seen.values()), told(keys.values())):
            _log.warning("not noted yet: the API key %s (%s) was %s", key["id"], key["name"], result)

    def _run(self) -> None:
        self.look()
        while not self._stopping.wait(LOOK_SECONDS):
            self.look()
