"""CSV as the programs read it back that people open it with."""

from __future__ import annotations

import csv
import io

import pandas as pd
import pytest

from headwater_backend.reports.formats.delimited import seen, write_rows

ODD = (
    "a\r=1+1",
    "a\n=1+1",
    "a\r\n@x",
    "\n=1",
    "\r=1",
    '"=1+1"',
    ",=1",
    "=1+1",
    "＝1+1",
    "a\u202eb",
    "a\0b",
    "a\x1b[2Jb",
    "\ud800",
    "\ufeff=1",
)


@pytest.mark.parametrize("name", ODD)
def test_a_name_begins_no_row_and_no_formula(name: str) -> None:
    out = io.StringIO(newline="")
    write_rows(out, [("one", "two"), (name, "end"), ("next", name)])
    text = out.getvalue()
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert [len(row) for row in read] == [2, 2, 2]
    assert (read[1][1], read[2][0]) == ("end", "next")
    assert not read[1][0].startswith(("=", "+", "-", "@", "＝"))
    assert pd.read_csv(io.StringIO(text)).shape == (2, 2)
    assert len(text.splitlines()) == 3, "also for programs that split lines first"
    assert not {"\0", "\x1b", "\u202e"} & set(text)
    text.encode()


def test_what_is_not_seen_is_shown_by_its_escape() -> None:
    assert seen("a\u202e\0\x1bb\nc") == "a\\u202e\\x00\\x1bb\nc"
