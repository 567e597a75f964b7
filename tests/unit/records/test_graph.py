"""Datasets keep few bytes, and are unpacked to what they were made with."""

from __future__ import annotations

import gc
import tracemalloc

from headwater_records.associations import Every, Same
from headwater_records.columns import KeptColumns, MadeColumns, NoColumns, SameColumns
from headwater_records.graph import Dataset, Input, question
from headwater_records.labels import Labels


def names(*columns: str) -> Labels:
    return Labels(columns, (None,), numbered=True)


def source() -> Dataset:
    return Dataset("people", 3, names("a", "b", "c"), location=("file", "/people.csv"), origin="spark")


def test_a_dataset_is_what_it_was_made_with() -> None:
    people = source()
    other = Dataset("other", 9, ("x",), known=False)
    one = Input(people, Same(), KeptColumns(0b11), 1, 0b10, ((1, 2),), exact=False)
    two = Input(other, Every(9, 3), NoColumns())
    made = Dataset("step", 3, names("x", "y"), (one, two), alternatives=True, functions=["", "f", "f"])
    for _ in range(2):
        assert (made.inputs[0], made.inputs[1]) == (one, two)
        assert (made.step, made.rows, made.alternatives, made.exact) == ("step", 3, True, False)
        assert (made.functions, made.function(1), made.function(3)) == (("", "f", "f"), "f", "step")
        assert (made.made_of, made.location, made.origin) == ([people, other], None, None)
    assert (people.made_of, people.inputs, people.known, other.known) == ([], [], True, False)
    assert (people.location, people.origin) == (("file", "/people.csv"), "spark")
    assert people.number < other.number < made.number


def test_within_a_question_a_dataset_is_unpacked_once() -> None:
    people = source()
    made = Dataset("step", 3, people.columns, (Input(people, Same(), SameColumns()),))
    assert made.inputs is not made.inputs
    with question():
        assert made.inputs is made.inputs


def test_names_that_follow_from_the_first_input_are_the_same_names() -> None:
    people = source()
    chosen = Dataset("one", 3, names("b"), (Input(people, Same(), KeptColumns(0b1010)),))
    dropped = Dataset("drop", 3, Labels(("b",), ()), (Input(people, Same(), KeptColumns(0b0010)),))
    renamed = Dataset("rename", 3, names("x", "y", "z"), (Input(people, Same(), SameColumns()),))
    for made, expected in ((chosen, ["b", "index"]), (dropped, ["b"]), (renamed, ["x", "y", "z", "index"])):
        assert list(made.columns) == expected
        assert len(made.columns) == len(expected)
    assert isinstance(chosen.columns, Labels)
    assert chosen.columns.numbered
    for _ in range(100):
        chosen = Dataset("more", 3, names("b"), (Input(chosen, Same(), SameColumns()),))
    assert chosen.columns == names("b")


def test_a_step_over_a_column_takes_few_bytes() -> None:
    frame = Dataset("people", 3, names(*map(str, range(100))))

    def column_changed(before: Dataset, column: int) -> Dataset:
        taken = Input(before, Same(), KeptColumns(1 << column | 1 << 100))
        series = Dataset("getitem", 3, names(str(column)), (taken,))
        upper = Dataset("upper", 3, names(str(column)), (Input(series, Same(), SameColumns()),))
        others = Input(before, Same(), MadeColumns(((column, 0),), SameColumns()))
        into = Input(upper, Same(), MadeColumns(((column, 1),), NoColumns()))
        return Dataset("setitem", 3, names(*map(str, range(100))), (others, into))

    tracemalloc.start()
    for column in range(100):
        frame = column_changed(frame, column)
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 300 * 210
    assert frame.columns == names(*map(str, range(100)))
