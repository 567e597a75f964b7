"""The runs that show what may be left, over records alone."""

from __future__ import annotations

from headwater_backend.in_force.copies import Copies, End
from headwater_backend.in_force.current import Written
from headwater_backend.in_force.pruning import OfJob, ReadBy, newest_of_jobs, newest_readers, showing
from unit.backend.in_force.test_copies import Listed
from unit.backend.in_force.test_earlier import observed

COPYING = [Written("", "", f"copy {time}", time, time) for time in (4, 5, 6)]


def shown(history: Listed) -> set[str]:
    seen = [observed("old", time) for time in (1, 2, 3)]
    return showing(seen, 100, Copies(history, 99), lambda _: COPYING)


def test_the_first_and_the_last_that_wrote_stay_while_data_may_be_left() -> None:
    assert shown(Listed([])) == {"run 1", "run 3"}
    assert shown(Listed([End("a/x/", 10, 10, "clean")])) == set()


def test_the_first_and_the_last_that_copied_stay_and_the_one_that_ended_them() -> None:
    history = Listed([End("a/x/", 10, 10, "clean")], [("a/x/", "a/y/", 4, 6)])
    assert shown(history) == {"run 1", "run 3", "copy 4", "copy 6", "clean"}


def test_of_the_runs_first_seen_last_the_one_with_the_greatest_key_is_the_newest_of_its_job() -> None:
    runs = [OfJob("b", "job", 5), OfJob("a", "job", 5), OfJob("z", "job", 4), OfJob("c", "other", 1)]
    assert newest_of_jobs(runs) == {"b", "c"}
    assert newest_of_jobs([]) == set()


def test_so_is_the_newest_reader_of_a_dataset() -> None:
    reads = [ReadBy("a/x/", "r", 5), ReadBy("a/x/", "s", 5), ReadBy("a/x/", "z", 4), ReadBy("a/y/", "r", 1)]
    assert newest_readers(reads) == {"s", "r"}
