"""What makes one dataset probably a copy of another, without a store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headwater_backend.copies.matching import Counted, Looks, ProbableCopy, probable_copies
from headwater_backend.domain.model import DatasetKey

WRITTEN = Looks(
    DatasetKey("file", "/out/people"),
    frozenset({"/name", "/address/city"}),
    (Counted(rows=40, size=9_000), Counted(rows=55, size=12_000)),
    first=10,
)
READ = replace(WRITTEN, dataset=DatasetKey("file", "/archive/2026"), counted=(), first=30)


def why(read: Looks, written: Looks = WRITTEN) -> list[tuple[str, ...]]:
    return [each.why for each in probable_copies([read], [written])]


def test_the_same_size_is_that_of_copied_files_whatever_the_columns_are_called() -> None:
    copy = replace(READ, columns=frozenset({"/_c0"}), counted=(Counted(rows=7, size=12_000),))
    assert probable_copies([copy], [WRITTEN]) == [
        ProbableCopy(copy.dataset, WRITTEN.dataset, ("the same size (12,000 bytes)",))
    ]


def test_a_few_bytes_may_be_the_same_by_chance() -> None:
    tiny = (Counted(size=40),)
    assert (
        why(replace(READ, columns=frozenset({"/other"}), counted=tiny), replace(WRITTEN, counted=tiny)) == []
    )


def test_the_same_columns_and_rows_are_a_copy_in_another_format() -> None:
    found = why(replace(READ, counted=(Counted(rows=40, size=5),)))
    assert found == [("the same number of rows (40)", "the same columns")]


@pytest.mark.parametrize("rows", [0, None, 41])
def test_the_same_columns_alone_are_no_copy(rows: int | None) -> None:
    none = (Counted(rows=0),)
    assert why(replace(READ, counted=(Counted(rows=rows),)), replace(WRITTEN, counted=none)) == []


def test_the_same_columns_and_last_name_are_a_copy_of_another_state() -> None:
    moved = replace(READ, dataset=DatasetKey("s3://backup", "2026/People"))
    assert why(moved) == [("the same columns", "the same last name")]


def test_what_was_read_before_the_other_was_written_is_no_copy_of_it() -> None:
    assert why(replace(READ, counted=WRITTEN.counted, first=9)) == []


def test_what_a_run_copies_for_the_first_time_is_no_copy_of_its_output() -> None:
    assert why(replace(READ, counted=WRITTEN.counted, first=WRITTEN.first)) == []


def test_a_table_in_another_spelling_may_be_the_same_in_a_database() -> None:
    table = Looks(DatasetKey("h2:mem:shop", "People"), first=10)
    assert why(Looks(DatasetKey("h2:mem:shop", "PUBLIC.PEOPLE"), first=20), table) == [
        ("a name that differs in case and schema alone",)
    ]
    assert why(Looks(DatasetKey("h2:mem:other", "PUBLIC.PEOPLE"), first=20), table) == []
    assert why(Looks(DatasetKey("file", "/people"), first=20), Looks(DatasetKey("file", "/PEOPLE"))) == []
