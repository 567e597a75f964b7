"""API keys: shown once, kept as hashes, and worth nothing once they are revoked or expired."""

from __future__ import annotations

import json
import stat
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from headwater_backend.access.api_keys import KeyFile, KeysError, new_key, read_keys, revoke
from headwater_backend.domain.errors import NotAuthenticated
from headwater_backend.domain.roles import PERMISSIONS, Permission, Role


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


def test_a_key_opens_what_it_is_for(file: Path) -> None:
    key, text = new_key(file, "nightly", [Role.PRODUCER], ["prod-*"])
    caller = KeyFile(file).caller(text)
    assert caller.name == f"key {key.id} (nightly)"
    assert caller.roles == {Role.PRODUCER}
    assert caller.may_write("prod-eu") and not caller.may_write("dev") and not caller.may_write("xprod-eu")


def test_the_file_holds_no_secret_and_is_its_owners_alone(file: Path) -> None:
    _, text = new_key(file, "nightly", [Role.READER])
    assert text.split("_", 2)[2] not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_every_key_is_another(file: Path) -> None:
    made = {new_key(file, "same name", [Role.READER])[1] for _ in range(20)}
    assert len(made) == 20
    assert len({text.split("_")[1] for text in made}) == 20


@pytest.mark.parametrize(
    "wrong", ["hw_", "hw_x_y", "hw_{id}_", "hw_{id}_wrong", "hw_{id}", "hw_{id}_{secret}x", "\0"]
)
def test_what_is_no_key_opens_nothing(file: Path, wrong: str) -> None:
    key, text = new_key(file, "nightly", [Role.ADMIN])
    tried = wrong.format(id=key.id, secret=text.split("_", 2)[2])
    with pytest.raises(NotAuthenticated):
        KeyFile(file).caller(tried)


def test_a_revoked_key_opens_nothing_in_a_server_that_runs(file: Path) -> None:
    key, text = new_key(file, "nightly", [Role.READER])
    served = KeyFile(file)
    served.caller(text)
    revoke(file, key.id)
    with pytest.raises(NotAuthenticated):
        served.caller(text)


def test_a_new_key_opens_a_server_that_runs(file: Path) -> None:
    new_key(file, "first", [Role.READER])
    served = KeyFile(file)
    assert served.caller(new_key(file, "second", [Role.READER])[1]).name.endswith("(second)")


def test_an_expired_key_opens_nothing(file: Path) -> None:
    _, text = new_key(file, "nightly", [Role.READER], lasts=timedelta(seconds=-1))
    with pytest.raises(NotAuthenticated):
        KeyFile(file).caller(text)


def test_a_file_that_broke_leaves_the_keys_as_they_were(file: Path) -> None:
    _, text = new_key(file, "nightly", [Role.READER])
    served = KeyFile(file)
    file.write_text("not json")
    assert served.caller(text).roles == {Role.READER}
    with pytest.raises(KeysError):
        KeyFile(file)


@pytest.mark.parametrize("content", ["", "{}", "[1]", '[{"id": "zz"}]', "[" * 100_000])
def test_a_file_that_is_none_is_refused_by_name(file: Path, content: str) -> None:
    file.write_text(content)
    with pytest.raises(KeysError, match=r"keys\.json"):
        read_keys(file)


def test_keys_that_are_created_at_once_all_exist(file: Path) -> None:
    makers = [threading.Thread(target=new_key, args=(file, f"{n}", [Role.READER])) for n in range(8)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert len(read_keys(file)) == 8


def test_unknown_members_are_refused(file: Path) -> None:
    new_key(file, "nightly", [Role.READER])
    (entry,) = json.loads(file.read_text())
    file.write_text(json.dumps([{**entry, "role": "admin"}]))
    with pytest.raises(KeysError):
        read_keys(file)


def test_only_who_should_may() -> None:
    def who_may(permission: Permission) -> set[Role]:
        return {role for role in Role if permission in PERMISSIONS[role]}

    assert who_may(Permission.WRITE_EVENTS) == {Role.PRODUCER, Role.ADMIN}
    assert who_may(Permission.ASK) == {Role.READER, Role.STEWARD, Role.AUDITOR, Role.ADMIN}
    assert who_may(Permission.MEND) == {Role.STEWARD, Role.ADMIN}
    assert who_may(Permission.AUDIT) == {Role.AUDITOR, Role.ADMIN}
    assert who_may(Permission.ADMINISTER) == {Role.ADMIN}
