"""Changed events by the thousand, straight into a store: each is stored or refused, and none is our mistake.

``HEADWATER_FUZZ_EVENTS`` is their number (a million takes about half an hour), ``HEADWATER_FUZZ_SEED`` the seed.
"""

from __future__ import annotations

import copy
import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from headwater_backend.audit.questions import verify
from headwater_backend.ingest.service import INTERNAL, ingest
from headwater_backend.stores import open_store
from headwater_backend.stores.copying.digest import graph_digest
from kit import sqlite
from kit.fuzzing import places, whole_event
from kit.openlineage import at, run_id

EVENTS = int(os.environ.get("HEADWATER_FUZZ_EVENTS", "3000"))
SEED = int(os.environ.get("HEADWATER_FUZZ_SEED", "1"))
EVENTS_OF_A_STORE = 2_500
TOGETHER = 250
IN_MEMORY = Path("/dev/shm")

PLACES = list(places(whole_event()))
NAMES = ["in", "out", "before", "db.out", "a", "A", "ä", "a/b", "a%2Fb", "", " ", "a" * 600]
ODD: list[Any] = [
    *(None, True, False, 0, -1, 2**63, 10**400, 1.5, float("nan"), float("inf"), -0.0),
    *(
        "",
        "\0",
        "\ud800",
        "\U0001f600",
        "/",
        "%2F",
        "a" * 8_000,
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:60Z",
    ),
    *([], {}, [None], [[]], {"": {}}, [{}] * 300, {"_deleted": True}),
]
WORDS = [
    "START",
    "FAIL",
    "ABORT",
    "DROP",
    "CREATE",
    "RENAME",
    "TRUNCATE",
    "OVERWRITE",
    "IDENTITY",
    "INDIRECT",
    "FILTER",
]
TOKENS = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b'"',
    b"\\u0000",
    b"\\ud800",
    b"null",
    b"1e999",
    b"NaN",
    b"\xff",
    b"\0",
]


def plausible(chance: random.Random) -> dict[str, Any]:
    """An event of few names, runs and moments, so that many of them describe the same things."""
    made = whole_event()
    made["run"]["runId"] = run_id(f"run {chance.randrange(40)}")
    made["job"]["name"] = f"job {chance.randrange(8)}"
    made["eventTime"] = at(chance.randrange(500)).isoformat()
    made["eventType"] = chance.choice(["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER"])
    return made


def with_names(made: dict[str, Any], chance: random.Random) -> None:
    """Other names and words at some of the places that have text."""
    for place in chance.sample(PLACES, 8):
        _put(made, place, lambda found: chance.choice(NAMES + WORDS) if isinstance(found, str) else found)


def with_odd_values(made: dict[str, Any], chance: random.Random) -> None:
    """Anything at some places."""
    for place in chance.sample(PLACES, chance.randint(1, 3)):
        _put(made, place, lambda _: copy.deepcopy(chance.choice(ODD)))


def with_parts_elsewhere(made: dict[str, Any], chance: random.Random) -> None:
    """A part of the event at the place of another, or twice."""
    part: Any = whole_event()
    for key in chance.choice(PLACES):
        part = part[key]
    _put(made, chance.choice(PLACES), lambda found: found * 2 if isinstance(found, list) else part)


def _put(made: Any, place: Sequence[Any], change: Callable[[Any], Any]) -> None:
    """Change the value at that place; nothing where an earlier change removed the place."""
    try:
        for key in place[:-1]:
            made = made[key]
        made[place[-1]] = change(made[place[-1]])
    except (KeyError, IndexError, TypeError):
        return


def with_other_bytes(text: bytes, chance: random.Random) -> bytes:
    """The text with pieces cut out, put in, or cut off."""
    for _ in range(chance.randint(1, 4)):
        begin = chance.randrange(len(text) + 1)
        end = min(len(text), begin + chance.choice([0, 0, 1, 5, len(text)]))
        text = text[:begin] + chance.choice([b"", *TOKENS]) + text[end:]
    return text


def changed(chance: random.Random) -> bytes:
    """An event, changed in one or several ways, or not at all."""
    made = plausible(chance)
    for change in (with_names, with_odd_values, with_parts_elsewhere):
        if chance.random() < 0.4:
            change(made, chance)
    text = json.dumps(made).encode()
    return with_other_bytes(text, chance) if chance.random() < 0.1 else text


def groups() -> Iterator[list[bytes]]:
    """As many events as are asked for, some together; each group is made from its own seed."""
    for number in range(0, EVENTS, TOGETHER):
        chance = random.Random(f"{SEED} {number}")
        yield [changed(chance) for _ in range(min(TOGETHER, EVENTS - number))]


def test_each_event_is_stored_or_refused_and_none_is_our_mistake() -> None:
    given, stored = groups(), 0
    for begin in range(0, EVENTS, EVENTS_OF_A_STORE):
        ended = min(EVENTS, begin + EVENTS_OF_A_STORE)
        stored += store_and_check([next(given) for _ in range(begin, ended, TOGETHER)])
    assert EVENTS / 4 < stored < EVENTS, "otherwise changes are too mild, or too hard, to find anything"


def store_and_check(some: list[list[bytes]]) -> int:
    """Take them in, into a store of their own; how many were stored."""
    stored = 0
    folder = IN_MEMORY if IN_MEMORY.is_dir() else None
    with (
        tempfile.TemporaryDirectory(dir=folder) as own,
        closing(open_store(sqlite.empty(f"{own}/lineage.db"))) as store,
    ):
        for events in some:
            outcomes = ingest(store, events)
            assert [outcome.index for outcome in outcomes] == list(range(len(events)))
            for outcome in outcomes:
                mistaken = outcome.dead_letter or (outcome.error and outcome.error.code == INTERNAL)
                assert not mistaken, (outcome, events[outcome.index])
            stored += sum(outcome.stored for outcome in outcomes)
        before = graph_digest(store).digest
        ingest(store, some[-1][::-1])
        assert graph_digest(store).digest == before, "what is known already changes nothing"
        assert verify(store).sound
    return stored
