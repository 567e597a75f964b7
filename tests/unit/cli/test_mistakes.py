"""What somebody who begins does wrong: one sentence that names the place, one that says what to do, no traceback."""

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
    (("datasets", "--url", "localhost:8055"), 1, "write http://HOST:PORT"),
    (("datasets", "--store", "lineage.db"), 1, "a file is named as sqlite:///lineage.db"),
    (("datasets", "--store", "sqlite:///missing.db"), 3, "headwater import FILE.ndjson"),
    (("datasets", "--store", "sqlite:///folder"), 1, "folder is a folder"),
    (("datasets", "--store", "sqlite:///newer.db"), 1, "newer.db is of a newer Headwater"),
    (("datasets", "--store", "sqlite:///foreign.db"), 1, "foreign.db is a database of something else"),
    (("datasets", "--store", "postgres://host"), 1, "sqlite:///FILE"),
    (("import", "missing.ndjson"), 2, "'missing.ndjson' does not exist"),
    (("import", "folder"), 2, "'folder' is a directory"),
    (("import", "text.txt", "--store", "sqlite:///new.db"), 1, "text.txt:1: "),
    (("import", "empty.ndjson", "--store", "sqlite:///new.db"), 0, "there are no events"),
    (("lineage", "backward", "outt"), 3, "did you mean 'out'?"),
    (("lineage", "backward", "out#yy"), 3, "did you mean 'y'?"),
    (("job", "jbo"), 3, "did you mean 'job'?"),
    (("search", "team:dta", "--by", "owner"), 0, "did you mean 'team:data'?"),
    (("runs", "job", "--run", "nothing"), 3, "its newest are "),
    (("usage", "in#x", "--since", "30d"), 2, "leave out #x"),
    (("unused", "--since", "yesterday"), 2, "is not a time such as"),
    (("datesets",), 2, "did you mean datasets"),
    (("datasets", "--stroe", "x"), 2, "--store"),
    (("witness", "in", "x", "out"), 2, "name two ends"),
]


@pytest.fixture
def surrounded(here: Path) -> Path:
    """A folder with a small store, and with files that are none."""
    lineage = columns({"y": [("in", "x")]})
    told = event(
        "COMPLETE", 1, inputs=[dataset("in", "x")], outputs=[dataset("out", "y", columnLineage=lineage)]
    )
    told["job"]["facets"] = {"ownership": facet(owners=[{"name": "team:data"}])}
    (here / "events.ndjson").write_text(json.dumps(told), "utf-8")
    (here / "text.txt").write_text("hello\n", "utf-8")
    (here / "empty.ndjson").touch()
    (here / "folder").mkdir()
    with closing(open_store("sqlite:///newer.db")):
        pass
    for name, change in (("newer", "PRAGMA user_version = 999"), ("foreign", "CREATE TABLE theirs (x)")):
        with closing(sqlite3.connect(here / f"{name}.db")) as database:
            database.execute(change)
            database.commit()
    assert headwater("import", "events.ndjson", "--store", "sqlite:///.headwater/lineage.db").exit_code == 0
    return here


@pytest.mark.parametrize(("command", "code", "said"), MISTAKES, ids=lambda value: str(value)[:60])
def test_a_mistake_is_told_with_its_place_and_what_to_do(
    surrounded: Path, command: tuple[str, ...], code: int, said: str
) -> None:
    told = headwater(*command)
    assert said in told.stderr
    assert told.exit_code == code
    assert "Traceback" not in told.output and "INTERNAL" not in told.stderr


def test_a_database_of_something_else_is_left_as_it_is(surrounded: Path) -> None:
    headwater("import", "events.ndjson", "--store", "sqlite:///foreign.db")
    with closing(sqlite3.connect(surrounded / "foreign.db")) as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


@pytest.mark.parametrize(
    "words",
    [("in#x", "out#y"), ("in", "x", "out", "y")],
)
def test_a_path_is_written_in_a_word_of_its_own_or_with_its_dataset(
    surrounded: Path, words: tuple[str, ...]
) -> None:
    assert "IDENTITY" in headwater("witness", *words).stdout
    one, two = (headwater("lineage", "forward", *start).stdout for start in (("in", "x"), ("in#x",)))
    assert one == two and "out" in one


def test_moments_may_be_so_long_ago(surrounded: Path) -> None:
    assert "never" in headwater("unused", "--since", "2w").stdout
    assert headwater("sources", "--as-of", "12h").exit_code == 0
    assert headwater("store", "prune", "--before", "9999w").exit_code == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell: str) -> None:
    assert "_HEADWATER_COMPLETE" in headwater("completion", shell).stdout
