"""Files that are not what they ought to be: a bad line is one refusal, and what is not ours is left as it is."""

from __future__ import annotations

import gzip
import json
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from headwater_backend.audit import questions
from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import StoreFailedError
from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from headwater_backend.stores.sqlite.store import APPLICATION_ID
from headwater_cli.intake.event_lines import LINE_BYTES
from kit import neo4j
from kit.command import headwater, served, surroundings
from kit.openlineage import dataset, event

MIB = 1024 * 1024


def line(number: int, **more: Any) -> bytes:
    return json.dumps(
        event("COMPLETE", number, f"run {number}", [], [dataset(f"out {number}")], **more)
    ).encode()


def with_value(value: bytes) -> bytes:
    """An event with that JSON at a place where anything may stand."""
    return line(7)[:-1] + b', "extra": %s}' % value


BAD: dict[str, tuple[bytes, str]] = {
    "NaN": (with_value(b"NaN"), "BAD_NUMBER"),
    "endless": (with_value(b"1e999"), "BAD_NUMBER"),
    "digits": (with_value(b"9" * 5_000), "NOT_JSON"),
    "deep": (with_value(b"[" * 100_000 + b"]" * 100_000), "TOO_DEEP"),
    "a little too deep": (with_value(b"[" * 950 + b"]" * 950), "TOO_DEEP"),
    "half a surrogate": (line(7, producer="\ud800"), "BAD_TEXT"),
    "no UTF-8": (b'{"producer": "\xff"}', "NOT_JSON"),
    "UTF-16": (line(7).decode().encode("utf-16"), "NOT_JSON"),
    "no object": (b"[1, 2]", "NOT_AN_OBJECT"),
    "two objects": (line(7) + b"," + line(7), "NOT_JSON"),
    "values": (with_value(b"[" + b"0," * 600_000 + b"0]"), "TOO_MANY_VALUES"),
    "9 MB": (line(7, producer="x" * 9 * MIB), "TOO_LARGE"),
    "40 MB": (line(7, producer="x" * 40 * MIB), "TOO_LARGE"),
}
"""Lines that are refused, and their errors."""


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("over", ["store", "server"])
def test_each_bad_line_is_one_refusal_and_all_others_are_stored(
    over: str, tmp_path: Path, *, packed: bool
) -> None:
    lines = [line(0)]
    for number, (bad, _) in enumerate(BAD.values(), start=1):
        lines += [bad, line(number)]
    content = b"\xef\xbb\xbf" + b"\n".join(lines) + b"\n"
    file = tmp_path / "events"
    file.write_bytes(gzip.compress(content, 1) if packed else content)
    store = ("--store", f"sqlite:///{tmp_path}/lineage.db")
    if over == "store":
        result = headwater("import", file, "--json", *store)
    else:
        with served(tmp_path, *store) as (address, _):
            result = headwater("import", file, "--json", "--url", address)
    answer = json.loads(result.stdout)
    assert answer["stored"] == len(BAD) + 1
    assert {each["line"] for each in answer["refused"]} == set(range(2, 2 * len(BAD) + 1, 2))
    codes = {each["line"]: each["code"] for each in answer["refused"]}
    expected = {2 * number: code for number, (_, code) in enumerate(BAD.values(), start=1)}
    assert {number: code for number, code in codes.items() if code != expected[number]} == {}


def test_a_batch_that_the_server_refuses_as_a_whole_is_sent_by_halves(tmp_path: Path) -> None:
    file = tmp_path / "events"
    file.write_bytes(b"\n".join([line(0), line(1, producer="x" * 50_000), *map(line, range(2, 60))]))
    with served(tmp_path, HEADWATER_STORE=f"sqlite:///{tmp_path}/l.db", HEADWATER_MAX_BODY_BYTES="20000") as (
        address,
        _,
    ):
        result = headwater("import", file, "--json", "--url", address)
    answer = json.loads(result.stdout)
    assert (answer["stored"], [each["line"] for each in answer["refused"]]) == (59, [2])


@pytest.mark.parametrize("how", ["file", "gzip", "stdin"])
def test_a_line_of_any_length_takes_little_memory(how: str, tmp_path: Path) -> None:
    """A line of 1.2 GB, without a file of that size; 700 MB of address space hold the interpreter and some lines."""
    file = tmp_path / "events"
    if how == "gzip":
        with gzip.open(file, "wb", 1) as out:
            _write_long(out.write)
    else:
        with file.open("wb") as out:
            out.write(line(0) + b"\n")
            out.seek(1_200 * MIB, 1)  # a hole in the file, read as zeros
            out.write(b"\n" + line(1) + b"\n")
    command = [sys.executable, "-m", "headwater_cli", "import", "-" if how == "stdin" else str(file)]
    with file.open("rb") as content:
        done = subprocess.run(
            [*command, "--store", f"sqlite:///{tmp_path}/l.db"],
            stdin=content if how == "stdin" else subprocess.DEVNULL,
            env=surroundings(),
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (700 * MIB, 700 * MIB)),
        )
    assert done.stdout == "2 events stored, 1 refused\n", done.stderr
    assert f":2: the line is longer than {LINE_BYTES} bytes [TOO_LARGE]" in done.stderr


def _write_long(write: Callable[[bytes], object]) -> None:
    write(line(0) + b"\n")
    for _ in range(1_200):
        write(bytes(MIB))
    write(b"\n" + line(1) + b"\n")


def of_somebody_else(file: Path, version: int = 7) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("CREATE TABLE dataset (name TEXT)")
        db.execute("INSERT INTO dataset VALUES ('theirs')")
        db.execute(f"PRAGMA user_version = {version}")


def of_a_newer_headwater(file: Path) -> None:
    open_store(f"sqlite:///{file}").close()
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 9999")


def with_another_id(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("PRAGMA application_id = 1")


NOT_OURS: dict[str, tuple[Callable[[Path], object], str]] = {
    "database": (of_somebody_else, "STORE_FAILED"),
    "database without a version": (partial(of_somebody_else, version=0), "STORE_FAILED"),
    "database without tables": (with_another_id, "STORE_FAILED"),
    "text": (lambda file: file.write_text("name,amount\n" * 1_000), "STORE_FAILED"),
    "short text": (lambda file: file.write_text("x"), "STORE_FAILED"),
    "newer": (of_a_newer_headwater, "STORE_VERSION"),
    "folder": (lambda file: file.mkdir(), "STORE_URL"),
}
"""How each comes about, and with what code it is refused."""
COMMANDS = [
    ("datasets",),
    ("store", "verify"),
    ("audit", "verify"),
    ("dead-letters", "list"),
    ("import", "events"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("what", NOT_OURS)
def test_what_is_not_ours_is_refused_and_left_as_it_is(
    what: str, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make, code = NOT_OURS[what]
    Path("events").write_bytes(line(1))
    file = tmp_path / "theirs.db"
    make(file)
    before = contents(tmp_path)
    result = headwater(*command, "--store", f"sqlite:///{file}")
    assert (result.exit_code, f"[{code}]" in result.stderr) == (1, True), result.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize("make", [Path.touch, lambda _: None], ids=["empty", "missing"])
def test_asking_makes_no_store_and_writing_does(
    make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "new.db"
    make(file)
    Path("events").write_bytes(line(1))
    before = contents(tmp_path)
    for command in COMMANDS[:-1]:
        result = headwater(*command, "--store", f"sqlite:///{file}")
        assert "[STORE_MISSING]" in result.stderr
    assert contents(tmp_path) == before
    assert headwater("import", "events", "--store", f"sqlite:///{file}").exit_code == 0
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() if file.is_file() else b"folder" for file in folder.iterdir()}


WRONG = ["7", "'text'", "NULL", "x'00ff'", "CAST(x'ff' AS TEXT)", "1.5", "char(0)"]
"""Values in SQL, of which no column of an entry has any rightly."""
COLUMNS = ["number", "time", "actor", "action", "result", "request", "details", "previous", "hash"]


@pytest.mark.parametrize("of", [2, 3], ids=["inner", "newest"])
@pytest.mark.parametrize("column", COLUMNS)
def test_an_entry_of_the_log_with_a_value_of_any_type_is_found(column: str, of: int, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/lineage.db"
    with closing(open_store(url)) as store:
        for number in range(3):
            ingest(store, [line(number)])
    with closing(sqlite3.connect(tmp_path / "lineage.db", isolation_level=None)) as db:
        # As somebody would who owns the file: without the rules of the table.
        db.execute("CREATE TABLE kept AS SELECT * FROM audit")
        db.execute("DROP TABLE audit")
        db.execute(
            "CREATE TABLE audit (number, time, actor, action, result, request, details, previous, hash)"
        )
    for value in WRONG:
        if (column, of, value) == ("number", 3, "NULL"):
            continue  # the same as cutting the end off, which only a hash that was noted elsewhere reveals
        with closing(sqlite3.connect(tmp_path / "lineage.db", isolation_level=None)) as db:
            db.execute("DELETE FROM audit")
            db.execute("INSERT INTO audit SELECT * FROM kept")
            db.execute(f"UPDATE audit SET {column} = {value} WHERE number = {of}")
        result = headwater("audit", "verify", "--json", "--store", url)
        assert result.exit_code == 1, (value, result.output)
        assert json.loads(result.stdout)["broken"], value
        assert headwater("audit", "verify", "--store", url).exit_code == 1, value


IN_CYPHER = ["7", "'text'", "NULL", "[1, 2]", "datetime()", "point({x: 1, y: 2})", "1.5", "true"]


@pytest.mark.neo4j
def test_an_entry_in_neo4j_with_a_value_of_any_type_is_found(
    neo4j_url: str, neo4j_server: neo4j.Server
) -> None:
    with (
        closing(open_store(neo4j_url)) as store,
        GraphDatabase.driver(neo4j_server.uri, auth=(neo4j_server.username, neo4j_server.password)) as driver,
    ):
        for number in range(3):
            ingest(store, [line(number)])
        for column, value in product(COLUMNS, IN_CYPHER):
            entry = driver.execute_query("MATCH (n:AuditEntry {number: 2}) RETURN n {.*} AS n").records[0][
                "n"
            ]
            driver.execute_query(f"MATCH (n:AuditEntry {{number: 2}}) SET n.{column} = {value}, n.more = 1")
            verdict = questions.verify(store)
            assert verdict.broken, (column, value)
            assert json.dumps(verdict.hash)
            driver.execute_query("MATCH (n:AuditEntry {more: 1}) SET n = $entry", entry=entry)
        assert questions.verify(store).sound


@pytest.mark.parametrize("recursive", ["ON", "OFF"])
def test_no_statement_replaces_an_entry_of_the_log(recursive: str, tmp_path: Path) -> None:
    with closing(open_store(f"sqlite:///{tmp_path}/lineage.db")) as store:
        for number in range(3):
            ingest(store, [line(number)])
        with closing(sqlite3.connect(tmp_path / "lineage.db", isolation_level=None)) as db:
            db.execute(f"PRAGMA recursive_triggers = {recursive}")
            for verb in ("INSERT OR REPLACE", "REPLACE", "INSERT OR IGNORE", "INSERT OR FAIL"):
                for new, digest in (("2", "'new'"), ("99", "hash"), ("NULL", "hash")):
                    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                        db.execute(
                            f"{verb} INTO audit SELECT {new}, time, 'nobody', action, result, request, details,"
                            f" previous, {digest} FROM audit WHERE number = 2"
                        )
            for verb in ("UPDATE OR REPLACE", "UPDATE OR IGNORE"):
                with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                    db.execute(f"{verb} audit SET number = 3 WHERE number = 2")
            upsert = "INSERT INTO audit SELECT * FROM audit WHERE number = 2 ON CONFLICT DO UPDATE SET actor = 'nobody'"
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(upsert)
        assert questions.verify(store).sound
        ingest(store, [line(4)])
        assert questions.verify(store).entries == 4


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a store exports that has events, an audit log and a dead letter."""
    folder = tmp_path_factory.mktemp("exported")
    url = f"sqlite:///{folder}/lineage.db"
    with closing(open_store(url)) as store:
        ingest(store, [line(number) for number in range(3)])
        store.keep_dead_letters([letter_of(line(4), StoreFailedError("refused"), "somebody")])
    assert headwater("store", "export", "--store", url, "-o", folder / "out").exit_code == 0
    return (folder / "out").read_bytes()


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "without its end": lambda content: content[: content.rindex(b'{"kind":"end"')],
    "cut in its end": lambda content: content[:-9],
    "cut in the middle": lambda content: content[: len(content) // 2],
    "cut at the beginning": lambda content: content[content.index(b"\n") + 1 :],
    "empty": lambda _: b"",
    "one line less": lambda content: content.replace(line_with(content, b'"io"'), b"", 1),
    "one line twice": lambda content: content.replace(
        line_with(content, b'"io"'), line_with(content, b'"io"') * 2, 1
    ),
    "one line more": lambda content: content + line_with(content, b'"io"'),
    "its end twice": lambda content: content + line_with(content, b'"end"'),
    "twice": lambda content: content * 2,
    "text behind": lambda content: content + b"and so on",
    "another letter": lambda content: content.replace(b'"detail":"refused"', b'"detail":"Refused"', 1),
    "another entry": lambda content: content.replace(b'"action":"events"', b'"action":"Events"', 1),
    "another name": lambda content: content.replace(b"out 1", b"out 9"),
    "a blank": lambda content: content.replace(b'"io"', b'"io" ', 1),
}


def line_with(content: bytes, text: bytes) -> bytes:
    return next(each for each in content.splitlines(keepends=True) if text in each)


@pytest.mark.parametrize("how", CHANGES)
def test_an_export_that_was_changed_is_refused(how: str, exported: bytes, tmp_path: Path) -> None:
    file = tmp_path / "changed"
    changed = CHANGES[how](exported)
    assert changed != exported
    file.write_bytes(changed)
    result = headwater("store", "import", file, "--store", f"sqlite:///{tmp_path}/new.db")
    assert result.exit_code == 1
    assert "[STREAM_INVALID]" in result.stderr, result.stderr


@pytest.mark.parametrize(
    "cut", [slice(None, -1), slice(None, 100), slice(0, 5)], ids=["end", "middle", "head"]
)
def test_a_packed_export_that_was_cut_is_refused(cut: slice, exported: bytes, tmp_path: Path) -> None:
    file = tmp_path / "cut.gz"
    file.write_bytes(gzip.compress(exported)[cut])
    result = headwater("store", "import", file, "--store", f"sqlite:///{tmp_path}/new.db")
    assert (result.exit_code, "[STREAM_INVALID]" in result.stderr) == (1, True), result.stderr


@pytest.mark.parametrize(
    "behind", [b"x", b"\x1f\x8b", gzip.compress(b"more\n")], ids=["text", "head", "whole"]
)
def test_a_packed_export_that_goes_on_is_refused(behind: bytes, exported: bytes, tmp_path: Path) -> None:
    file = tmp_path / "longer.gz"
    file.write_bytes(gzip.compress(exported) + behind)
    result = headwater("store", "import", file, "--store", f"sqlite:///{tmp_path}/new.db")
    assert (result.exit_code, "[STREAM_INVALID]" in result.stderr) == (1, True), result.stderr


@pytest.mark.parametrize("name", ["whole", "whole.gz"])
def test_a_whole_export_is_taken(name: str, exported: bytes, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(gzip.compress(exported) if name.endswith(".gz") else exported)
    assert headwater("store", "import", file, "--store", f"sqlite:///{tmp_path}/new.db").exit_code == 0
