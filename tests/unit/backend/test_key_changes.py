"""What becomes of API keys is in the audit log: once, whoever sees it, and later where it cannot be noted at once."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.access.api_keys import KeyFile, new_key, revoke
from headwater_backend.access.key_changes import KEY, KeyWatch
from headwater_backend.domain.audit_log import AuditEntry, MissingNotes
from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.domain.roles import Role
from headwater_backend.ports import LineageStore
from headwater_backend.stores import open_store
from kit import sqlite


@pytest.fixture
def file(tmp_path: Path) -> Path:
    new_key(tmp_path / "keys.json", "first", [Role.READER])
    return tmp_path / "keys.json"


@pytest.fixture
def store(tmp_path: Path) -> Any:
    opened = open_store(sqlite.empty(tmp_path / "lineage.db"))
    yield opened
    opened.close()


def entries(store: LineageStore) -> list[tuple[str, str]]:
    return [(entry.result, key(entry)["name"]) for entry in store.audit() if entry.action == KEY]


def key(entry: AuditEntry) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(entry.details)["key"]
    return recorded


def test_what_becomes_of_keys_is_noted_once(file: Path, store: LineageStore) -> None:
    watch = KeyWatch(KeyFile(file), store)
    watch.check()
    made, text = new_key(file, "second", [Role.PRODUCER], ["prod*"], timedelta(days=1))
    watch.check()
    revoke(file, made.id)
    for _ in range(2):
        watch.check()
    assert entries(store) == [("added", "first"), ("added", "second"), ("revoked", "second")]
    added, revoked = store.audit(1)
    assert added.actor == f"file {file}"
    assert key(added) == {
        "id": made.id,
        "name": "second",
        "roles": ["producer"],
        "namespaces": ["prod*"],
        "created": made.model_dump(mode="json")["created"],
        "expires": made.model_dump(mode="json")["expires"],
        "revoked": None,
        "fingerprint": key(added)["fingerprint"],
    }
    assert json.loads(revoked.details)["was"] == {"revoked": None}
    for secret in (made.sha256, text.split("_", 2)[2]):
        assert not [entry for entry in store.audit() if secret in entry.details]


def test_what_is_changed_or_removed_by_hand_is_noted_with_what_was(file: Path, store: LineageStore) -> None:
    watch = KeyWatch(KeyFile(file), store)
    watch.check()
    (first,) = json.loads(file.read_text())
    for replaced in ({"roles": ["admin"]}, {"sha256": "0" * 64}, {"name": "other"}):
        file.write_text(json.dumps([{**first, **replaced}]))
        watch.check()
    file.write_text("[]")
    watch.check()
    recorded = [(entry.result, json.loads(entry.details).get("was", {})) for entry in store.audit(1)]
    fingerprint = key(store.audit()[0])["fingerprint"]
    assert recorded == [
        ("changed", {"roles": ["reader"]}),
        ("changed", {"roles": ["admin"], "fingerprint": fingerprint}),
        ("changed", {"name": "first", "fingerprint": recorded[2][1]["fingerprint"]}),
        ("removed", {}),
    ]
    assert recorded[2][1]["fingerprint"] != fingerprint


def test_a_server_that_starts_notes_what_changed_while_it_was_off(file: Path, store: LineageStore) -> None:
    KeyWatch(KeyFile(file), store).check()
    KeyWatch(KeyFile(file), store).check()
    new_key(file, "meanwhile", [Role.READER])
    KeyWatch(KeyFile(file), store).check()
    assert entries(store) == [("added", "first"), ("added", "meanwhile")]


def test_keys_of_another_file_are_others(file: Path, store: LineageStore, tmp_path: Path) -> None:
    new_key(tmp_path / "others.json", "other", [Role.READER])
    for each in (file, tmp_path / "others.json", file):
        KeyWatch(KeyFile(each), store).check()
    assert entries(store) == [("added", "first"), ("added", "other")]


class SometimesAway:
    """A store that cannot be written while it is ``away``."""

    def __init__(self, store: LineageStore) -> None:
        self._store = store
        self.away: Exception | None = None

    def append_missing_audit(self, action: str, missing: MissingNotes) -> None:
        if self.away:
            raise self.away
        self._store.append_missing_audit(action, missing)


@pytest.mark.parametrize("error", [StoreUnavailable("gone"), RuntimeError("broken")])
def test_what_cannot_be_noted_is_warned_of_and_noted_later(
    file: Path, store: LineageStore, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    sometimes = SometimesAway(store)
    watch = KeyWatch(KeyFile(file), sometimes)  # type: ignore[arg-type]  # the one verb that it needs
    sometimes.away = error
    with caplog.at_level(logging.WARNING):
        watch.check()
        made, _ = new_key(file, "second", [Role.READER])
        watch.check()
        watch.check()
        revoke(file, made.id)
        watch.check()
    assert [record.getMessage() for record in caplog.records] == [
        f"changes of API keys are noted later: {error}",
        f"not noted yet: the API key {made.id} (second) was added",
        f"not noted yet: the API key {made.id} (second) was revoked",
    ]
    sometimes.away = None
    watch.check()
    assert entries(store) == [("added", "first"), ("added", "second")]
    assert key(store.audit()[1])["revoked"]


def test_a_file_that_broke_changes_no_key(file: Path, store: LineageStore) -> None:
    watch = KeyWatch(KeyFile(file), store)
    watch.check()
    file.write_text("not json")
    watch.check()
    assert entries(store) == [("added", "first")]
