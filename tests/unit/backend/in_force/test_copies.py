"""Where data went, followed over a history that is a list."""

from __future__ import annotations

from collections.abc import Sequence

from headwater_backend.in_force.aliases import Link
from headwater_backend.in_force.copies import Copied, Copies, End, Left, Reads

FOREVER = 1_000


class Listed:
    """A history of datasets with one name each: ``copied`` is (from, to, began, ended), received at ``known``."""

    def __init__(
        self, ends: Sequence[End], copied: Sequence[tuple[str, str, int, int]] = (), known: int = 0
    ) -> None:
        self._ends, self._copied, self._known = ends, copied, known

    def names_of(self, dataset: str) -> list[str]:
        return [dataset]

    def links_around(self, names: set[str]) -> list[Link]:
        return []

    def ends(self, names: Sequence[str]) -> list[End]:
        return [end for end in self._ends if end.dataset in names]

    def copied(self, names: Sequence[str], reads: Reads) -> list[Copied]:
        until = reads.late if self._known < reads.known else reads.until
        return [
            Copied(output, began, ended, began > reads.until)
            for source, output, began, ended in self._copied
            if source in names and began <= until and ended >= reads.since
        ]


def left(history: Listed, since: int = 1, until: int = 1, at: int = FOREVER) -> bool:
    return Copies(history, at).may_be_left("a/x/", since, until)


def test_data_stay_where_nothing_ended_them() -> None:
    assert left(Listed([]))
    assert left(Listed([End("a/other/", 2, 2, "r")]))


def test_an_end_that_began_after_they_were_written_takes_them_away() -> None:
    assert not left(Listed([End("a/x/", 2, 3, "r")]))
    assert left(Listed([End("a/x/", 1, 3, "r")]), until=2), "they may be written after it"
    assert left(Listed([End("a/x/", 2, 3, "r")]), at=2), "it has not ended by the moment"


def test_what_was_copied_before_the_end_is_looked_for_in_the_copy() -> None:
    ended = End("a/x/", 4, 5, "r")
    assert left(Listed([ended], [("a/x/", "a/y/", 2, 3)]))
    assert not left(Listed([ended], [("a/x/", "a/y/", 6, 7)]))
    assert not left(Listed([ended, End("a/y/", 8, 9, "s")], [("a/x/", "a/y/", 2, 3)]))


def test_routes_lead_to_where_data_are_left_and_name_the_runs_that_ended_them() -> None:
    ends = [End("a/x/", 4, 5, "first"), End("a/y/", 8, 9, "second")]
    history = Listed(ends, [("a/x/", "a/y/", 2, 3), ("a/y/", "a/z/", 6, 7)])
    routes = Copies(history, FOREVER).routes("a/x/", 1, 1)
    assert routes is not None
    assert {(route.output, route.ended_by) for route in routes} == {("a/y/", "first"), ("a/z/", "second")}


def test_data_that_go_in_a_circle_are_found_to_be_gone() -> None:
    ends = [End("a/x/", 4, 4, "r"), End("a/y/", 5, 5, "r"), End("a/x/", 9, 9, "r"), End("a/y/", 9, 9, "r")]
    history = Listed(ends, [("a/x/", "a/y/", 2, 2), ("a/y/", "a/x/", 3, 3)])
    assert not left(history)


def test_an_end_that_is_reported_after_others_had_read_what_it_ends_does_not_undo_their_reading() -> None:
    backdated = End("a/x/", 4, 4, "r", known=9, who="owner")
    read = [("a/x/", "a/y/", 6, 7)]
    assert Copies(Listed([backdated], read, known=7), FOREVER).left("a/x/", 1, 1) == Left(backdated)
    assert not left(Listed([backdated], read, known=9)), "they were received together, as by an import"
    assert not left(Listed([backdated], [("a/x/", "a/y/", 10, 11)])), (
        "it was read after it was known to be gone"
    )
    assert not left(Listed([backdated._replace(known=0)], read)), "a steward has accepted it"


def test_an_end_that_was_received_in_time_bounds_one_that_was_not() -> None:
    ends = [End("a/x/", 4, 4, "r", known=20), End("a/x/", 6, 6, "s", known=6)]
    assert not left(Listed(ends, [("a/x/", "a/y/", 8, 9)], known=9))
    assert left(Listed(ends, [("a/x/", "a/y/", 5, 5)], known=5))
