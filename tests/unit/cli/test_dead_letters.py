"""``headwater dead-letters`` on a store, and on a server as its administrator."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.dead_letters import DeadLetter, letter_of
from headwater_backend.domain.errors import StoreFailedError
from headwater_backend.stores import open_store
from kit.command import headwater, served
from kit.openlineage import dataset, event

GOOD = event("COMPLETE", 1, "good", [], [dataset("mended")])
BAD = {**event("COMPLETE", 2, "bad"), "job": {"namespace": "test"}}


@pytest.fixture
def letters(store: str) -> list[DeadLetter]:
    """A dead letter that can be stored, one that cannot, and one without an event."""
    refused = StoreFailedError("refused by hand")
    kept = [letter_of(each, refused, "somebody") for each in (GOOD, BAD, b"no JSON")]
    with closing(open_store(store)) as opened:
        opened.keep_dead_letters(kept)
    return kept


def query_json(*arguments: str) -> Any:
    return json.loads(headwater("dead-letters", *arguments).stdout)


def test_dead_letters_are_listed_and_printed(letters: list[DeadLetter], target: Sequence[str]) -> None:
    found = query_json("list", "--json", *target)
    assert {(each["key"], each["code"], each["origin"]) for each in found} == {
        (letter.key, "STORE_FAILED", "somebody") for letter in letters
    }
    lines = headwater("dead-letters", "list", *target).stdout.splitlines()
    assert lines[0].split("\t") == ["key", "received", "origin", "code", "pointer", "about"]
    assert {line.split("\t")[0] for line in lines[1:]} == {letter.key for letter in letters}
    one = headwater("dead-letters", "list", "--limit", "1", *target)
    assert len(one.stdout.splitlines()) == 2 and "only the first 1 are" in one.stderr
    for letter in letters:
        shown = query_json("show", letter.key, *target)
        assert shown["event"] == (letter.event() or None)
        assert (shown["detail"], shown["about"]) == ("refused by hand", letter.listed().about)


def test_dead_letters_are_replayed(letters: list[DeadLetter], target: Sequence[str]) -> None:
    result = headwater("dead-letters", "replay", "--all", "--json", *target)
    assert result.exit_code == 1
    tried = {each["key"]: (each["stored"], each["code"]) for each in json.loads(result.stdout)}
    good, bad, empty = (letter.key for letter in letters)
    assert tried == {good: (True, None), bad: (False, "MISSING"), empty: (False, "NOTHING_KEPT")}
    assert [each["code"] for each in query_json("list", "--json", *target)].count("MISSING") == 1
    assert "mended" in headwater("datasets", *target).stdout

    again = headwater("dead-letters", "replay", bad, empty, *target)
    assert again.exit_code == 1
    assert again.stdout == "0 events stored, 1 still refused, 1 without an event to replay\n"
    assert again.stderr.startswith(f"{bad}: /job/name")
    assert headwater("dead-letters", "replay", empty, *target).exit_code == 0


def test_dead_letters_are_replayed_in_several_requests(store: str) -> None:
    events = [event("COMPLETE", number, f"run {number}") for number in range(205)]
    with closing(open_store(store)) as opened:
        opened.keep_dead_letters([letter_of(each, StoreFailedError("no"), "somebody") for each in events])
    assert headwater("dead-letters", "replay", "--all", "--store", store).stdout == "205 events stored\n"
    assert headwater("dead-letters", "list", "--store", store).stdout == "no dead letters\n"
    assert query_json("replay", "--all", "--json", "--store", store) == []


@pytest.mark.parametrize("command", ["show", "replay"])
def test_an_unknown_dead_letter_is_not_found(command: str, target: Sequence[str]) -> None:
    result = headwater("dead-letters", command, "unknown", *target)
    assert (result.exit_code, "[UNKNOWN_DEAD_LETTER]" in result.stderr) == (3, True)


def test_replay_needs_keys_or_all(store: str) -> None:
    assert headwater("dead-letters", "replay", "--store", store).exit_code == 2
    assert headwater("dead-letters", "replay", "key", "--all", "--store", store).exit_code == 2


def test_a_server_requires_an_administrators_key_for_dead_letters(
    workdir: Path, store: str, letters: list[DeadLetter]
) -> None:
    file = workdir / "keys.json"
    keys = {
        role: headwater("keys", "new", role, "--role", role, "--file", file).stdout.strip()
        for role in ("auditor", "admin")
    }
    with served(workdir, "--store", store, HEADWATER_KEYS_FILE=str(file)) as (address, _):
        for command in ("list", "show", "replay"):
            key = letters[0].key if command != "list" else "--json"
            result = headwater(
                "dead-letters", command, key, "--url", address, HEADWATER_API_KEY=keys["auditor"]
            )
            assert (result.exit_code, "[FORBIDDEN]" in result.stderr) == (1, True)
        result = headwater(
            "dead-letters", "replay", "--all", "--url", address, HEADWATER_API_KEY=keys["admin"]
        )
        assert result.stdout.startswith("1 events stored")
    entries = json.loads(headwater("audit", "list", "--json", "--store", store).stdout)
    replays = [entry for entry in entries if entry["action"] == "replay"]
    assert [(entry["actor"].split()[2], entry["result"]) for entry in replays] == [
        ("(admin)", "answered"),
        ("(auditor)", "denied"),
    ]
    assert set(replays[0]["details"]["keys"]) == {letter.key for letter in letters}
    stored = next(entry for entry in entries if entry["action"] == "events")
    assert (stored["actor"], stored["request"]) == (replays[0]["actor"], replays[0]["request"])
