"""Text from events is printed so that neither a terminal nor a parser of lines interprets it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import EventError
from headwater_backend.stores import open_store
from kit.command import headwater, in_a_terminal
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
    ("usages", "in"),
    ("exposure",),
    ("audit", "list"),
    ("dead-letters", "list"),
    ("dead-letters", "replay", "--all"),
]


@pytest.fixture
def store(workdir: Path) -> str:
    """The URL of a store in which all names and texts are hostile."""
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
    (workdir / "events").write_text("\n".join(map(json.dumps, events)))
    url = f"sqlite:///{workdir}/evil.db"
    assert headwater("import", "events", "--store", url).exit_code == 0
    with closing(open_store(url)) as opened:
        bad = {**events[0], "job": {"namespace": EVIL}}
        opened.keep_dead_letters([letter_of(bad, EventError("REFUSED", f"/{EVIL}", EVIL), EVIL)])
    return url


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2])[:16])
def test_lines_contain_only_the_values_that_were_sent(store: str, command: tuple[str, ...]) -> None:
    output = headwater(*command, "--store", store)
    assert output.stdout or command[0] == "dead-letters"
    assert all(line.isprintable() for line in output.output.replace("\t", "").splitlines())
    cells = {line.count("\t") for line in output.stdout.splitlines()}
    assert len(cells) == 1


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2])[:16])
def test_a_terminal_interprets_nothing_that_was_sent(
    workdir: Path, store: str, command: tuple[str, ...]
) -> None:
    output = in_a_terminal(*command, "--store", store, folder=workdir)
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
