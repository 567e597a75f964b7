"""``headwater dead-letters``: of a store, and of a server by its administrator."""

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
    """One that can be stored by now, one that cannot, and one of which nothing was kept."""
    refused = StoreFailedError("refused by hand")
    kept = [letter_of(each, refused, "somebody") for each in (GOOD, BAD, b"no JSON")]
    with closing(open_store(store)) as opened:
        opened.keep_dead_letters(kept)
    return kept


def asked(*arguments: str) -> Any:
    return json.loads(headwater("dead-letters", *arguments).stdout)


def test_they_are_listed_and_shown(letters: list[DeadLetter], place: Sequence[str]) -> None:
    found = asked("list", "--json", *place)
    assert {(each["key"], each["code"], each["origin"]) for each in found} == {
        (letter.key, "STORE_FAILED", "somebody") for letter in letters
    }
    lines = headwater("dead-letters", "list", *place).stdout.splitlines()
    assert lines[0].split("\t") == ["key", "received", "origin", "code", "pointer", "about"]
    assert {line.split("\t")[0] for line in lines[1:]} == {letter.key for letter in letters}
    one = headwater("dead-letters", "list", "--limit", "1", *place)
    assert len(one.stdout.splitlines()) == 2 and "more than these 1" in one.stderr
    for letter in letters:
        shown = asked("show", letter.key, *place)
        assert shown["event"] == (letter.event() or None)
        assert (shown["detail"], shown["about"]) == ("refused by hand", letter.listed().about)


def test_they_are_tried_again(letters: list[DeadLetter], place: Sequence[str]) -> None:
    told = headwater("dead-letters", "replay", "--all", "--json", *place)
    assert told.exit_code == 1
    tried = {each["key"]: (each["stored"], each["code"]) for each in json.loads(told.stdout)}
    good, bad, empty = (letter.key for letter in letters)
    assert tried == {good: (True, None), bad: (False, "MISSING"), empty: (False, "NOTHING_KEPT")}
    assert [each["code"] for each in asked("list", "--json", *place)].count("MISSING") == 1
    assert "mended" in headwater("datasets", *place).stdout

    again = headwater("dead-letters", "replay", bad, empty, *place)
    assert again.exit_code == 1
    assert again.stdout == "0 events stored, 1 still refused, 1 have nothing to try\n"
    assert again.stderr.startswith(f"{bad}: /job/name")
    assert headwater("dead-letters", "replay", empty, *place).exit_code == 0


def test_more_than_one_request_takes_are_tried(store: str) -> None:
    events = [event("COMPLETE", number, f"run {number}") for number in range(205)]
    with closing(open_store(store)) as opened:
        opened.keep_dead_letters([letter_of(each, StoreFailedError("no"), "somebody") for each in events])
    assert headwater("dead-letters", "replay", "--all", "--store", store).stdout == "205 events stored\n"
    assert headwater("dead-letters", "list", "--store", store).stdout == "there are no dead letters\n"
    assert asked("replay", "--all", "--json", "--store", store) == []


@pytest.mark.parametrize("command", ["show", "replay"])
def test_an_unknown_one_is_not_found(command: str, place: Sequence[str]) -> None:
    told = headwater("dead-letters", command, "unknown", *place)
    assert (told.exit_code, "[UNKNOWN_DEAD_LETTER]" in told.stderr) == (3, True)


def test_one_says_which_are_to_be_tried(store: str) -> None:
    assert headwater("dead-letters", "replay", "--store", store).exit_code == 2
    assert headwater("dead-letters", "replay", "key", "--all", "--store", store).exit_code == 2


def test_a_server_takes_an_administrators_key_for_it(
    here: Path, store: str, letters: list[DeadLetter]
) -> None:
    file = here / "keys.json"
    keys = {
        role: headwater("keys", "new", role, "--role", role, "--file", file).stdout.strip()
        for role in ("auditor", "admin")
    }
    with served(here, "--store", store, HEADWATER_KEYS_FILE=str(file)) as (address, _):
        for command in ("list", "show", "replay"):
            key = letters[0].key if command != "list" else "--json"
            told = headwater(
                "dead-letters", command, key, "--url", address, HEADWATER_API_KEY=keys["auditor"]
            )
            assert (told.exit_code, "[FORBIDDEN]" in told.stderr) == (1, True)
        told = headwater("dead-letters", "replay", "--all", "--url", address, HEADWATER_API_KEY=keys["admin"])
        assert told.stdout.startswith("1 events stored")
    entries = json.loads(headwater("audit", "list", "--json", "--store", store).stdout)
    replays = [entry for entry in entries if entry["action"] == "replay"]
    assert [(entry["actor"].split()[2], entry["result"]) for entry in replays] == [
        ("(admin)", "answered"),
        ("(auditor)", "denied"),
    ]
    assert set(replays[0]["details"]["keys"]) == {letter.key for letter in letters}
    stored = next(entry for entry in entries if entry["action"] == "events")
    assert (stored["actor"], stored["request"]) == (replays[0]["actor"], replays[0]["request"])
