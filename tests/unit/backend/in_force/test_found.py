"""Datasets that were read before anybody is known to have written them."""

from __future__ import annotations

import pytest

from headwater_backend.domain.facet_readers import Statistics
from headwater_backend.in_force.copies import Copies, End
from headwater_backend.in_force.datasets.outcomes import Outcome
from headwater_backend.in_force.found import (
    FirstUse,
    Found,
    Stated,
    Writing,
    found_by_writers,
    found_there,
)
from unit.backend.in_force.test_copies import FOREVER, Listed


def found(
    read: int | None, written: int | None, history: Listed | None = None, *, itself: bool = False
) -> bool:
    use = FirstUse("a/x/", read, written, itself)
    return found_there([use], [], Copies(history or Listed([]), FOREVER)) == ["a/x/"]


@pytest.mark.parametrize(
    ("read", "written", "is_found"),
    [(3, None, True), (3, 5, True), (3, 3, False), (None, 3, False), (None, None, False)],
)
def test_what_is_read_before_it_is_written_was_there(
    read: int | None, written: int | None, *, is_found: bool
) -> None:
    assert found(read, written) is is_found


def test_a_run_reads_before_it_writes() -> None:
    assert found(3, 3, itself=True)
    assert found(None, 3, itself=True), "what it read may be named in a later event than what it writes"


def test_what_was_there_ends_when_all_of_it_is_replaced_and_nothing_was_made_of_it() -> None:
    replaced = End("a/x/", 5, 5, "r")
    assert not found(3, 5, Listed([replaced]))
    assert found(3, 5, Listed([replaced], [("a/x/", "a/y/", 3, 3)]))


UNCOUNTED = Statistics()


def stated(change: str, time: int, text: str, run: str = "", replaced: str = "") -> Stated:
    return Stated("a/x/", change, time, run or f"r{time}", text, replaced)


def wrote(time: int, counted: Statistics = UNCOUNTED, first: int | None = None, **outcome: int) -> Writing:
    then = Outcome(**outcome) if outcome else Outcome(completed=time)
    return Writing("a/x/", f"r{time}", time if first is None else first, time, counted, then)


APPENDED = [
    stated("STATE", 1, "files 2 20"),
    stated("BASE", 5, "files 4 40"),
    stated("STATE", 5, "files 5 50"),
]


@pytest.mark.parametrize(
    ("between", "is_found"),
    [
        ([], True),
        ([wrote(3, Statistics(1, 20, 2))], False),
        ([wrote(3, Statistics(1, 19, 2))], True),
        ([wrote(3, Statistics(1, 20, 1))], True),
        ([wrote(3, Statistics(1, 20, None))], False),
        ([wrote(3, failed=3)], False),
        ([wrote(7, Statistics(1, 20, 2), first=4)], False),
        ([wrote(7, Statistics(1, 20, 2), first=6)], True),
    ],
)
def test_files_are_known_of_all_that_wrote_since(between: list[Writing], *, is_found: bool) -> None:
    found = found_by_writers(APPENDED, [wrote(1), *between, wrote(5)])
    assert found == [Found("a/x/", 5)] * is_found


@pytest.mark.parametrize(
    ("base", "is_found"),
    [
        ("files 2 21", True),
        ("files 2 19", True),
        ("files 1 21", True),
        ("files 1 10", False),
        ("files 0 0", False),
    ],
)
def test_files_that_were_deleted_are_not_those_that_were_exchanged(base: str, *, is_found: bool) -> None:
    statements = [APPENDED[0], stated("BASE", 5, base)]
    assert found_by_writers(statements, [wrote(1), wrote(5)]) == [Found("a/x/", 5)] * is_found


def test_a_base_is_known_by_the_state_of_any_run() -> None:
    later = stated("STATE", 9, "files 4 40")
    assert found_by_writers([*APPENDED, later], [wrote(1), wrote(5), wrote(9)]) == []


def test_what_a_stream_wrote_after_its_last_state_is_known() -> None:
    stream = wrote(4, Statistics(1, 40, 4), first=1)._replace(run="r1")
    assert found_by_writers(APPENDED, [stream, wrote(5)]) == []


def test_a_run_that_says_no_version_stands_for_one_that_is_not_known() -> None:
    versions = [
        stated("STATE", 1, "version 1"),
        stated("BASE", 5, "version 3"),
        stated("STATE", 5, "version 4"),
    ]
    assert found_by_writers(versions, [wrote(1), wrote(5)]) == [Found("a/x/", 5)]
    assert found_by_writers(versions, [wrote(1), wrote(3), wrote(5)]) == []
    assert found_by_writers(versions, [wrote(1), wrote(3, failed=3), wrote(5)]) == [Found("a/x/", 5)]


def test_what_runs_found_counts_as_long_as_it_may_be_left() -> None:
    copies = Copies(Listed([End("a/x/", 5, 5, "r")]), FOREVER)
    assert found_there([], [Found("a/x/", 4)], copies) == []
    assert found_there([], [Found("a/x/", 6)], copies) == ["a/x/"]
