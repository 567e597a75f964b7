"""Error messages for common mistakes: the target, a hint, and no traceback."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from headwater_backend.stores import open_store
from kit.command import headwater
from kit.openlineage import columns, dataset, event, facet

MISTAKES = [
    (("datasets", "--url", "http://localhost:1"), 1, "http://localhost:1/graphql does not answer"),
    (("datasets", "--url", "localhost:8055"), 1, "use http://HOST:PORT"),
    (("datasets", "--store", "lineage.db"), 1, "a file is named as sqlite:///lineage.db"),
    (("datasets", "--store", "sqlite:///missing.db"), 3, "headwater import FILE.ndjson"),
    (("datasets", "--store", "sqlite:///folder"), 1, "folder is a directory"),
    (("datasets", "--store", "sqlite:///newer.db"), 1, "newer.db is of a newer Headwater"),
    (("datasets", "--store", "sqlite:///foreign.db"), 1, "foreign.db is a database of something else"),
    (("datasets", "--store", "postgres://host"), 1, "sqlite:///FILE"),
    (("import", "missing.ndjson"), 2, "'missing.ndjson' does not exist"),
    (("import", "folder"), 2, "'folder' is a directory"),
    (("import", "text.txt", "--store", "sqlite:///new.db"), 1, "text.txt:1: "),
    (("import", "empty.ndjson", "--store", "sqlite:///new.db"), 0, "no events in the input"),
    (("lineage", "backward", "outt"), 3, "did you mean 'out'?"),
    (("lineage", "backward", "out#yy"), 3, "did you mean 'y'?"),
    (("job", "jbo"), 3, "did you mean 'job'?"),
    (("search", "team:dta", "--by", "owner"), 0, "did you mean 'team:data'?"),
    (("runs", "job", "--run", "nothing"), 3, "the newest runs are "),
    (("usage", "in#x", "--since", "30d"), 2, "leave out #x"),
    (("usages", "in", "--together-with", "filter:inn#x"), 3, "did you mean 'in'?"),
    (("usages", "in", "--together-with", "in#xx"), 3, "did you mean 'x'?"),
    (("usages", "in", "--as", "key"), 2, "'group-key'"),
    (("unused", "--since", "yesterday"), 2, "is not a time such as"),
    (("datesets",), 2, "did you mean datasets"),
    (("lineage", "bakward", "out"), 2, "did you mean backward?"),
    (("lineage", "out"), 2, " lineage --help` lists the commands"),
    (("datasets", "--stroe", "x"), 2, "--store"),
    (("witness", "in", "x", "out"), 2, "expected FROM and TO"),
]


@pytest.fixture
def surrounded(workdir: Path) -> Path:
    """A directory with a small store, and with files that are not stores."""
    lineage = columns({"y": [("in", "x")]})
    body = event(
        "COMPLETE", 1, inputs=[dataset("in", "x")], outputs=[dataset("out", "y", columnLineage=lineage)]
    )
    body["job"]["facets"] = {"ownership": facet(owners=[{"name": "team:data"}])}
    (workdir / "events.ndjson").write_text(json.dumps(body), "utf-8")
    (workdir / "text.txt").write_text("hello\n", "utf-8")
    (workdir / "empty.ndjson").touch()
    (workdir / "folder").mkdir()
    with closing(open_store("sqlite:///newer.db")):
        pass
    for name, change in (("newer", "PRAGMA user_version = 999"), ("foreign", "CREATE TABLE theirs (x)")):
        with closing(sqlite3.connect(workdir / f"{name}.db")) as database:
            database.execute(change)
            database.commit()
    assert headwater("import", "events.ndjson", "--store", "sqlite:///.headwater/lineage.db").exit_code == 0
    return workdir


@pytest.mark.parametrize(("command", "code", "message"), MISTAKES, ids=lambda value: str(value)[:60])
def test_a_mistake_is_reported_with_its_place_and_a_hint(
    surrounded: Path, command: tuple[str, ...], code: int, message: str
) -> None:
    result = headwater(*command)
    assert message in result.stderr
    assert result.exit_code == code
    assert "Traceback" not in result.output and "INTERNAL" not in result.stderr


def test_a_database_of_another_program_is_not_changed(surrounded: Path) -> None:
    headwater("import", "events.ndjson", "--store", "sqlite:///foreign.db")
    with closing(sqlite3.connect(surrounded / "foreign.db")) as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


@pytest.mark.parametrize(
    "words",
    [("in#x", "out#y"), ("in", "x", "out", "y")],
)
def test_a_path_is_a_separate_argument_or_part_of_the_dataset(
    surrounded: Path, words: tuple[str, ...]
) -> None:
    assert "IDENTITY" in headwater("witness", *words).stdout
    one, two = (headwater("lineage", "forward", *start).stdout for start in (("in", "x"), ("in#x",)))
    assert one == two and "out" in one


def test_times_may_be_given_as_an_age(surrounded: Path) -> None:
    assert "never" in headwater("unused", "--since", "2w").stdout
    assert headwater("sources", "--as-of", "12h").exit_code == 0
    assert headwater("store", "prune", "--before", "9999w").exit_code == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed_for_each_shell(shell: str) -> None:
    assert "_HEADWATER_COMPLETE" in headwater("completion", shell).stdout
