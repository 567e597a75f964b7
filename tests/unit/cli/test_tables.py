"""Tables fit the width of a terminal, and do not break ids and times."""

from __future__ import annotations

import re

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater_cli.terminal.tables import cell_len, table_lines, wrap_text

HEADINGS = ("started", "state", "job", "run", "read")
RUN = "01a1ff90-3b10-71cc-ad67-5830bf8f425b"
JOB = "directory.execute_insert_into_hadoop_fs_relation_command.out_directory"
ROWS = [("2026-11-21T19:23:22.409000+00:00", "COMPLETE", JOB, RUN, "/data/in/tweets (600 rows), /data/out")]


@pytest.mark.parametrize("width", [60, 80, 100, 130, 160, 300])
def test_a_table_fits_and_breaks_no_id_and_no_time(width: int) -> None:
    lines = [click.unstyle(line) for line in table_lines(HEADINGS, ROWS * 2, width)]
    assert max(map(cell_len, lines)) <= width
    assert sum(line.count(RUN) for line in lines) == 2
    assert sum(line.count("2026-11-21 19:23:22Z") for line in lines) == 2


@pytest.mark.parametrize("width", [100, 130, 160])
def test_names_are_broken_after_a_separator(width: int) -> None:
    names = [
        (
            "file",
            "/warehouse/of/the/company/in/a/very/deep/folder/profiles_of_customers",
            "2026-11-21T00:00:00Z",
        )
    ]
    lines = table_lines(("namespace", "name", "last seen"), names, 60)
    assert [line.strip()[-1] in "/_" for line in lines[2:-1]] == [True] * len(lines[2:-1])
    assert "".join(line[11:38].strip() for line in map(click.unstyle, lines[1:])) == names[0][1]


def test_a_table_that_does_not_fit_is_a_block_of_lines_for_each_row() -> None:
    lines = [click.unstyle(line) for line in table_lines(HEADINGS, ROWS, 60)]
    assert lines[0] == "started  2026-11-21 19:23:22Z"
    assert f"run      {RUN}" in lines


@given(st.text(alphabet="ab/._- 1é漢", max_size=80), st.integers(4, 40))
def test_wrapping_loses_nothing_but_spaces(text: str, width: int) -> None:
    lines = wrap_text(text, width)
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)
