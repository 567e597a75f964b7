"""Maps of columns answer as sets of pairs do, and keep records as a whole apart from all columns."""

from __future__ import annotations

import marshal

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater_records.columns import (
    WHOLE,
    AllColumns,
    ColumnMap,
    Counted,
    KeptColumns,
    MadeColumns,
    MovedColumns,
    NoColumns,
    SameColumns,
    bits,
    moved,
    numbers,
    packed,
    rank,
    select,
    unpacked,
)

sets = st.integers(0, 2**70)


@settings(deadline=None)
@given(sets)
def test_select_is_the_inverse_of_rank(columns: int) -> None:
    for place, number in enumerate(numbers(columns)):
        assert rank(columns, number) == place
        assert select(columns, place) == number
    assert bits(numbers(columns)) == columns


@settings(deadline=None)
@given(st.lists(st.integers(-1, 20), max_size=20), st.integers(0, 2**21 - 1))
def test_moved_columns_answer_as_pairs(sources: list[int], asked: int) -> None:
    here = moved(tuple(sources))
    pairs = [(source, place) for place, source in enumerate(sources) if source >= 0]
    assert here.backward(asked) == bits(source for source, place in pairs if asked >> place & 1)
    assert here.forward(asked) == bits(place for source, place in pairs if asked >> source & 1)


def test_columns_in_their_order_take_a_bit_each() -> None:
    assert isinstance(moved((0, 3, 9)), KeptColumns)
    assert isinstance(moved((3, 0)), MovedColumns)
    assert isinstance(moved((0, -1)), MovedColumns)


def test_a_made_column_is_of_its_inputs_which_also_stay_where_they_are() -> None:
    made = MadeColumns(((2, 0b01),), SameColumns())
    assert made.backward(0b100) == 0b001
    assert made.forward(0b001) == 0b101
    assert made.backward(0b010) == 0b010


def test_records_as_a_whole_go_through_every_map_but_the_one_that_copies_nothing() -> None:
    maps: list[ColumnMap] = [SameColumns(), KeptColumns(0b101), MovedColumns((1, -1)), AllColumns(2, 3)]
    maps.append(MadeColumns(((0, 0),), SameColumns()))
    assert {each.backward(WHOLE) for each in maps} == {each.forward(WHOLE) for each in maps} == {WHOLE}
    assert NoColumns().backward(WHOLE) == NoColumns().forward(WHOLE) == 0
    assert AllColumns(2, 3).backward(0b1) == 0b11
    assert AllColumns(2, 3).forward(0b1) == 0b111


@given(st.lists(st.integers(-1, 200), max_size=9), st.integers(0, 300))
def test_a_packed_map_is_the_same_map_again(sources: list[int], offset: int) -> None:
    maps: list[ColumnMap] = [
        SameColumns(),
        KeptColumns(bits(each for each in sources if each >= 0), offset),
        MovedColumns(tuple(sources)),
        MovedColumns((*sources, 40_000)),
        MadeColumns(tuple((each, 1 << each) for each in sources if each >= 0), MovedColumns((offset,))),
        AllColumns(2, offset),
        NoColumns(),
        Counted(),
    ]
    assert [unpacked(marshal.loads(marshal.dumps(packed(each)))) for each in maps] == maps
