"""What a program notes of its own reads, and what the agent makes of the notes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from headwater_facets.locations import DatasetId
from headwater_spark.capture.program_reads import KEY, UNWATCHED, OwnRead, ProgramReads
from headwater_spark.capture.program_text import ProgramText
from headwater_spark.runs.held_data import HeldData
from headwater_spark.tracing.collected import Collected
from kit.shared import ROOT

START = """
import os, sys
from headwater_spark.activation import own_reads
own_reads.watch("journal")
"""


def notes(folder: Path, body: str) -> list[tuple[str, str]]:
    """What a program with this body notes of its reads: kinds and texts, files by their names."""
    return [each for each in all_notes(folder, body) if each[0] not in ("source", "argument")]


def all_notes(folder: Path, body: str, *arguments: str) -> list[tuple[str, str]]:
    """The same with what was written for the program, which has these arguments."""
    (folder / "program.py").write_text(START + body, "utf-8")
    done = subprocess.run(
        [sys.executable, "program.py", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "integration")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = (folder / "journal").read_text("utf-8").splitlines()
    found = [(kind, text) for _, kind, text in map(json.loads, lines)]
    return [(kind, text.removeprefix(f"{folder}/")) for kind, text in found]


def test_each_file_that_is_opened_is_noted_once(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("Bob", "utf-8")
    body = "for _ in range(3):\n    open('people.csv').read()\nopen(b'./people.csv').read()\n"
    assert notes(tmp_path, body) == [("open", "people.csv")]


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="Linux has files in memory there")
def test_a_file_in_memory_is_noted_and_a_device_is_not(tmp_path: Path) -> None:
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as given:
        body = f"open({given.name!r}).close()\nopen('/dev/null').close()"
        assert notes(tmp_path, body) == [("open", given.name)]


def test_an_archive_is_read_where_other_than_modules_are_asked_for(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "lib.zip", "w") as archive:
        archive.writestr("lib/__init__.py", "")
        archive.writestr("lib/people.csv", "Bob")
    imports = "sys.path.insert(0, 'lib.zip')\nimport lib\n"
    assert notes(tmp_path, imports) == []
    assert notes(tmp_path, f"{imports}import pkgutil\npkgutil.get_data('lib', 'people.csv')\n") == [
        ("open", "lib.zip")
    ]


def test_what_is_written_missing_of_the_system_or_of_the_program_is_not_noted(tmp_path: Path) -> None:
    body = """
open('made.csv', 'w').close()
open('settings.toml', 'w').close()
open('settings.toml').read()
open('/etc/passwd').read()
open(os.__file__).read()
try:
    open('missing.csv')
except OSError:
    pass
import decimal, csv
"""
    assert notes(tmp_path, body) == []


def test_databases_connections_and_other_programs_are_noted(tmp_path: Path) -> None:
    body = """
import socket, sqlite3, subprocess
open('people.db', 'w').close()
sqlite3.connect('people.db').close()
sqlite3.connect(':memory:').close()
with socket.create_server(('127.0.0.1', 0)) as server:
    socket.create_connection(server.getsockname()).close()
subprocess.run(['true'])
"""
    found = notes(tmp_path, body)
    assert found[0] == ("open", "people.db")
    assert found[1][1].startswith("it connected to 127.0.0.1:")
    assert found[2:] == [("outside", "it ran true")]


def test_a_library_that_reads_without_pythons_knowledge_is_noted(tmp_path: Path) -> None:
    (tmp_path / "duckdb.py").touch()
    assert notes(tmp_path, "import duckdb\n") == [("outside", "it loaded duckdb")]


def test_what_pyspark_asks_for_is_not_noted_but_what_its_callbacks_ask_for_is(tmp_path: Path) -> None:
    (tmp_path / "part.bin").touch()
    (tmp_path / "people.csv").touch()
    (tmp_path / "pyspark.py").write_text("def call(f):\n    open('part.bin').close()\n    f()\n", "utf-8")
    body = "import pyspark\npyspark.call(lambda: open('people.csv').close())\n"
    assert notes(tmp_path, body) == [("open", "people.csv")]


def test_a_journal_that_cannot_be_written_does_not_reach_the_program(tmp_path: Path) -> None:
    (tmp_path / "people.csv").touch()
    body = "os.close(own_reads._watch.descriptor)\nopen('people.csv').close()\nopen('people.csv').close()\n"
    assert notes(tmp_path, body) == []


def test_sources_settings_and_arguments_are_what_was_written_for_the_program(tmp_path: Path) -> None:
    (tmp_path / "own_module.py").write_text("NAME = 'Bob'\n", "utf-8")
    (tmp_path / "own.toml").touch()
    body = "import own_module, json, click\nfor _ in range(2):\n    open('own.toml').close()\n"
    found = all_notes(tmp_path, body, "--land=CH")
    assert [text for kind, text in found if kind == "source"] == ["program.py", "own_module.py", "own.toml"]
    digests = [text for kind, text in found if kind == "argument"]
    assert hashlib.sha256(b"CH").hexdigest() in digests
    assert "CH" not in (tmp_path / "journal").read_text("utf-8")


@pytest.mark.parametrize(
    ("constant", "written"),
    [
        *((each, True) for each in ("Bob", "CH", "Bern", "Basel", "42", "-1.5", "2026-11-28")),
        ("SELECT 'Bern' AS s, 42 AS n", True),
        *((each, False) for each in ("Bo", "flu", "as", "4")),
    ],
)
def test_a_constant_is_written_if_it_stands_in_a_source_a_setting_or_an_argument(
    tmp_path: Path, constant: str, *, written: bool
) -> None:
    (tmp_path / "job.py").write_text(
        """NAME, QUERY = "Bob", "SELECT 'Bern' AS s, 42 AS n"\nLOW = -1.5\n# flu\n""", "utf-8"
    )
    (tmp_path / "job.toml").write_text("city = 'Basel'\n", "utf-8")
    (tmp_path / "broken.py").write_text("def (:", "utf-8")
    text = ProgramText()
    for name in ("job.py", "job.toml", "broken.py", "missing.py"):
        text.add(OwnRead(1, "source", str(tmp_path / name)))
    for word in ("CH", "2026-11-28"):
        text.add(OwnRead(1, "argument", hashlib.sha256(word.encode()).hexdigest()))
    assert (constant in text) is written


def test_cells_of_a_notebook_are_text_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "IPython" / "core").mkdir(parents=True)
    compiler = "def compiled(cell):\n    return compile(cell, '<cell>', 'exec')\n"
    (tmp_path / "IPython" / "core" / "compilerop.py").write_text(compiler, "utf-8")
    body = """
from IPython.core.compilerop import compiled
compiled("total = 'Of All'")
compile("other = 'Of Another'", '<text>', 'exec')
"""
    text = ProgramText()
    for kind, noted in all_notes(tmp_path, body):
        if kind in ("cell", "argument"):
            text.add(OwnRead(0, kind, noted))

    assert text.has_code
    assert "Of All" in text
    assert "Of Another" not in text
    assert not text.names.has("Total Of Another")
    assert text.names.has("Total Of All")


def test_cells_from_before_the_program_was_watched_are_its_text_too(tmp_path: Path) -> None:
    (tmp_path / "cells.py").write_text("_ih = ['', '%time first', \"x = 'Before All'\"]\n" + START, "utf-8")
    subprocess.run(
        [sys.executable, "cells.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "integration")},
        check=True,
    )
    text = ProgramText()
    for line in (tmp_path / "journal").read_text("utf-8").splitlines():
        text.add(OwnRead(*json.loads(line)))

    assert text.has_code
    assert "Before All" in text
    assert text.names.has("first x")


def journal(folder: Path, *lines: Any) -> ProgramReads:
    file = folder / "journal"
    file.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return ProgramReads({KEY: str(file)})


def test_each_note_counts_from_its_time_on_and_lines_that_are_none_are_skipped(tmp_path: Path) -> None:
    lines = ([5, "open", "/a.csv"], "half a li", [9, "outside", "it ran x"])
    with closing(journal(tmp_path, *lines)) as reads:
        assert list(reads.until(6)) == [OwnRead(5, "open", "/a.csv")]
        assert list(reads.until(8)) == []
        with (tmp_path / "journal").open("a") as file:
            file.write('[8, "open", "/b.csv"]\n')
        assert list(reads.until(9)) == [OwnRead(9, "outside", "it ran x"), OwnRead(8, "open", "/b.csv")]


@pytest.mark.parametrize("conf", [{}, {KEY: "/missing/journal"}])
def test_without_a_journal_nobody_saw_what_the_program_read(conf: dict[str, str]) -> None:
    assert [each.text for each in ProgramReads(conf).until(1)] == [UNWATCHED]


def test_parts_that_spark_wrote_are_as_good_as_collected_and_other_files_are_seen(tmp_path: Path) -> None:
    part = "/lake/people/day=1/part-00000-0b5f0d2e-1c63-4c5a-9a55-0f6c5a0f9a11-c000.snappy.parquet"
    collected = Collected()
    with closing(
        HeldData(collected, journal(tmp_path, [1, "open", part], [2, "open", "/a.csv"]))
    ) as held_data:
        held_data.add_own_reads(3, {})
    held = collected.now
    assert [dataset.name for dataset, _ in held.collected.places] == ["/lake/people"]
    assert [dataset.name for dataset, _ in held.shown.places] == ["/a.csv"]
    assert not held.outside


def test_what_an_application_gave_is_left_to_the_next_one_of_the_program(tmp_path: Path) -> None:
    people, table = DatasetId("file", "/people"), DatasetId("postgres://db", "public.codes")
    first = Collected()
    first.add(people, ("user", "name"), 3)
    first.add_shown(table, (), 4)
    HeldData(first, journal(tmp_path)).close()

    second = Collected()
    with closing(HeldData(second, ProgramReads({KEY: str(tmp_path / "journal")}))) as held_data:
        held_data.add_own_reads(9, {})
    assert second.now.collected.places == ((people, ("user", "name")),)
    assert second.now.collected.since == {people: 3}
    assert second.now.shown.places == ((table, ()),)
    assert not second.now.outside


def test_what_has_no_name_is_left_too_and_a_journal_that_is_gone_has_no_next_application(
    tmp_path: Path,
) -> None:
    first = Collected()
    first.add_unnamed()
    first.add_shown_unnamed()
    HeldData(first, journal(tmp_path)).close()

    second = Collected()
    held_data = HeldData(second, ProgramReads({KEY: str(tmp_path / "journal")}))
    held_data.add_own_reads(9, {})
    assert (second.now.collected.unnamed, second.now.shown.unnamed) == (True, True)
    (tmp_path / "journal").unlink()
    held_data.close()
    assert not (tmp_path / "journal").exists()
