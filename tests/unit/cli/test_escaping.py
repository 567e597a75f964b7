"""Text from events is printed so that neither a terminal nor a parser of lines interprets it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import EventError
from headwater_backend.stores import open_store
from kit import commands, sqlite
from kit.command import headwater, terminal
from kit.openlineage import NAMESPACE, columns, dataset, event, facet

EVIL = "a\x1b]0;title\x07\x1b[2J\tforged\nrow\x9b31m\u202eb"
SHOWN = "a\\x1b]0;title\\x07\\x1b[2J\\tforged\\nrow\\x9b31m\\u202eb"
OURS = ("--namespace", NAMESPACE)
COMMANDS = commands.examples(commands.Known("in", f"`{EVIL}`", EVIL, f"`{EVIL}`", EVIL, "forged", OURS))
NOT_ONE_TABLE = {"breach", "residency", "retention"}
"""Commands that print sentences besides, or several tables."""


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store in which all names and texts are hostile."""
    lineage = columns({EVIL: [("in", EVIL)]})
    tags = facet(tags=[{"key": "user.name", "value": "yes", "field": EVIL}, {"key": EVIL, "value": EVIL}])
    owned = facet(owners=[{"name": EVIL}])
    events = [
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
    events[2]["run"]["facets"] = {"errorMessage": facet(message=EVIL, programmingLanguage="C")}
    file = tmp_path_factory.mktemp("evil") / "evil.db"
    url = f"sqlite:///{file}"
    text = "\n".join(map(json.dumps, events))
    assert headwater("import", "-", "--store", url, stdin=text).exit_code == 0
    with closing(open_store(url)) as opened:
        bad = {**events[0], "job": {"namespace": EVIL}}
        opened.keep_dead_letters([letter_of(bad, EventError("REFUSED", f"/{EVIL}", EVIL), EVIL)])
    return file


@pytest.fixture
def store(evil: Path, workdir: Path) -> str:
    """The URL of a copy of that store."""
    return sqlite.copy(evil, workdir)


@pytest.fixture(scope="module")
def called(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Calls the command in a terminal."""
    with terminal(tmp_path_factory.mktemp("terminal")) as call:
        yield call


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2])[:16])
def test_lines_contain_only_the_values_that_were_sent(store: str, command: tuple[str, ...]) -> None:
    output = headwater(*command, "--store", store)
    assert output.stdout or command[0] == "dead-letters"
    assert all(line.isprintable() for line in output.output.replace("\t", "").splitlines())
    assert not re.search(r"\tforged|^row", output.output, re.MULTILINE)
    cells = {line.count("\t") for line in output.stdout.splitlines()}
    assert len(cells) == 1 or command[0] in NOT_ONE_TABLE


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2])[:16])
def test_a_terminal_interprets_nothing_that_was_sent(
    called: Callable[..., str], store: str, command: tuple[str, ...]
) -> None:
    output = called(*command, "--store", store)
    assert output
    for acted_on in ("\x1b]0;", "\x07", "\x1b[2J", "\x9b", "\u202e", "\tforged"):
        assert acted_on not in output


def test_json_is_unchanged_and_a_terminal_interprets_nothing(store: str) -> None:
    output = headwater("datasets", "--json", "--store", store).stdout
    assert EVIL in [each["name"] for each in json.loads(output)]
    assert output.replace("\n", "").isprintable()


def test_an_error_prints_the_argument_escaped(store: str) -> None:
    output = headwater("job", "none\x1b[2J", *OURS, "--store", store)
    assert (output.exit_code, "\x1b" in output.stderr) == (3, False)
    rows = headwater("datasets", "--store", store).stdout.splitlines()
    assert SHOWN in [row.split("\t")[1] for row in rows]
