"""What senders wrote into events is shown, and nothing of it is acted on: by a terminal, or by who reads lines."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import EventError
from headwater_backend.stores import open_store
from kit.command import headwater, surroundings
from kit.openlineage import NAMESPACE, columns, dataset, event, facet

EVIL = "a\x1b]0;title\x07\x1b[2J\tforged\nrow\x9b31m\u202eb"
SHOWN = "a\\x1b]0;title\\x07\\x1b[2J\\tforged\\nrow\\x9b31m\\u202eb"
OURS = ("--namespace", NAMESPACE)
COMMANDS = [
    ("datasets",),
    ("dataset", EVIL, *OURS),
    ("search", "forged"),
    ("lineage", "backward", EVIL, *OURS),
    ("lineage", "both", EVIL, *OURS, "--level", "job"),
    ("witness", "in", "out"),
    ("impact", "in"),
    ("sources", EVIL, *OURS),
    ("runs", EVIL, *OURS),
    ("job", EVIL, *OURS),
    ("usage", "in", "--since", "2025-01-01"),
    ("exposure",),
    ("audit", "list"),
    ("dead-letters", "list"),
    ("dead-letters", "replay", "--all"),
]


@pytest.fixture
def store(here: Path) -> str:
    """The URL of a store in which every name and text is hostile."""
    lineage = columns({EVIL: [("in", EVIL)]})
    tags = facet(tags=[{"key": "user.name", "value": "yes", "field": EVIL}, {"key": EVIL, "value": EVIL}])
    owned = facet(owners=[{"name": EVIL}])
    told = [
        event(
            "FAIL" if job == "ends" else "COMPLETE",
            1,
            f"{job} {name}",
            [dataset("in", EVIL, tags=tags)],
            [dataset(name, EVIL, columnLineage=lineage, ownership=owned)],
            EVIL,
        )
        for job, name in (("makes", EVIL), ("makes", "out"), ("ends", EVIL))
    ]
    told[2]["run"]["facets"] = {"errorMessage": facet(message=EVIL, programmingLanguage="C")}
    (here / "events").write_text("\n".join(map(json.dumps, told)))
    url = f"sqlite:///{here}/evil.db"
    assert headwater("import", "events", "--store", url).exit_code == 0
    with closing(open_store(url)) as opened:
        bad = {**told[0], "job": {"namespace": EVIL}}
        opened.keep_dead_letters([letter_of(bad, EventError("REFUSED", f"/{EVIL}", EVIL), EVIL)])
    return url


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2])[:16])
def test_lines_hold_what_was_sent_and_no_more(store: str, command: tuple[str, ...]) -> None:
    told = headwater(*command, "--store", store)
    assert told.stdout or command[0] == "dead-letters"
    assert all(line.isprintable() for line in told.output.replace("\t", "").splitlines())
    cells = {line.count("\t") for line in told.stdout.splitlines()}
    assert len(cells) == 1


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2])[:16])
def test_a_terminal_acts_on_nothing_that_was_sent(here: Path, store: str, command: tuple[str, ...]) -> None:
    told = in_a_terminal(*command, "--store", store, folder=here)
    for acted_on in ("\x1b]0;", "\x07", "\x1b[2J", "\x9b", "\u202e", "\tforged"):
        assert acted_on not in told


def in_a_terminal(*arguments: str, folder: Path) -> str:
    """What the command writes to a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "headwater_cli", *arguments]
    told = b""
    with subprocess.Popen(
        command, cwd=folder, env={**surroundings(), "TERM": "xterm"}, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        with suppress(OSError):  # the other end is closed
            while some := os.read(ours, 65_536):
                told += some
        os.close(ours)
        process.wait(timeout=60)
    return told.decode()


def test_json_tells_all_as_it_is_and_a_terminal_acts_on_nothing(store: str) -> None:
    told = headwater("datasets", "--json", "--store", store).stdout
    assert EVIL in [each["name"] for each in json.loads(told)]
    assert told.replace("\n", "").isprintable()


def test_an_error_shows_what_was_asked_for(store: str) -> None:
    told = headwater("job", "none\x1b[2J", *OURS, "--store", store)
    assert (told.exit_code, "\x1b" in told.stderr) == (3, False)
    rows = headwater("datasets", "--store", store).stdout.splitlines()
    assert SHOWN in [row.split("\t")[1] for row in rows]
