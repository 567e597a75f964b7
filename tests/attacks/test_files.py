"""Files that are not what they ought to be: a bad line is one refusal, and what is not ours is left as it is."""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headwater_cli.event_lines import LINE_BYTES
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
"""Lines that nobody takes, and what is said of them."""


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
        told = headwater("import", file, "--json", *store)
    else:
        with served(tmp_path, *store) as (address, _):
            told = headwater("import", file, "--json", "--url", address)
    answer = json.loads(told.stdout)
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
        told = headwater("import", file, "--json", "--url", address)
    answer = json.loads(told.stdout)
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
