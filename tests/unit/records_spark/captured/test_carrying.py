"""What is stated of a write that cannot carry ids, and which files of ids are taken."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_records_spark.captured.carried.carrying import Carried, _first_difference
from headwater_records_spark.captured.store import Output, Run

PART = "part-00000-1.snappy.parquet"


class Files:
    """A store that has these files of ids."""

    def __init__(self, *there: str) -> None:
        self.there = set(there)
        self.taken: dict[str, tuple[str, ...]] = {}

    def take(self, file: str, *place: str) -> bool:
        self.taken[file] = place
        return file in self.there

    def remove(self, *place: str) -> None:
        assert place == ("r",)
        self.taken.clear()


def run(*files: str) -> Run:
    output = Output("file:/out", "", "parquet", {}, {}, dict.fromkeys(files, (1, 1)))
    return Run("r", "ends", "", output, [])


def collected(store: Any, *files: str) -> Carried:
    something: Any = object()
    carried = Carried(something)
    carried.collect(store, run(*files))
    return carried


def test_the_ids_of_a_file_lie_beside_it_and_go_to_the_same_place_in_the_store() -> None:
    store = Files(f"file:/out/k=a b/_headwater-{PART}", f"file:/out/_headwater-{PART}")
    assert collected(store, f"file:///out/k=a b/{PART}", f"file:/out/{PART}").rebuilt is None
    store.there.add(f"file:///out/k=a b/_headwater-{PART}")
    assert collected(store, f"file:///out/k=a b/{PART}", f"file:/out/{PART}").rebuilt
    assert set(store.taken.values()) == {("r", "carried", f"k=a b/{PART}"), ("r", "carried", PART)}


def test_a_file_without_ids_costs_those_of_the_whole_write() -> None:
    carried = collected(Files(), f"file:/out/{PART}")
    assert (carried.rebuilt, carried.reason) == (None, f"{PART} was written without ids")


def test_a_write_of_no_file_has_no_ids() -> None:
    assert collected(Files()).reason == "no file was written"


@pytest.mark.parametrize(
    ("before", "now", "named"),
    [
        (["Scan"], ["ObjectHashAggregate", "Scan"], "ObjectHashAggregate in the place of Scan"),
        (["Filter", "Scan"], ["Filter"], "nothing in the place of Scan"),
        (["Sort"], ["Sort", "Scan"], "Scan in the place of nothing"),
    ],
)
def test_the_first_operator_that_is_another_is_named(before: list[str], now: list[str], named: str) -> None:
    assert _first_difference(before, now) == named
