"""What programs change in place, without a call that could be observed: changed cells of the sources judge."""

from __future__ import annotations

import array
import io
import random
import re
import uuid
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.impute
import sklearn.pipeline
import sklearn.preprocessing  # noqa: F401 - before a frame is tracked

import headwater_pandas as hp
from headwater_pandas import held
from headwater_pandas.memory import shared
from headwater_pandas.memory.changed import CHANGED, PROGRAM
from kit import frame_arrays, frame_places
from kit.frame_tokens import listed
from kit.frames import misses, strict


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


def judged(program: frame_arrays.Program) -> None:
    if frame_arrays.runs(program):
        assert misses(program, frame_arrays.people(), known=False) == []


@pytest.mark.parametrize("name", frame_places.PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_what_a_program_changes_in_place_is_listed_or_not_known(name: str) -> None:
    judged(frame_places.PROGRAMS[name])


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 20))])
@pytest.mark.filterwarnings("ignore")
def test_each_change_of_each_array_and_each_use_of_it(part: int) -> None:
    every = list(frame_arrays.programs())
    random.Random(8).shuffle(every)
    for name, program in every[part * 60 : part * 60 + 60]:
        with strict():
            try:
                judged(program)
            except AssertionError as error:
                raise AssertionError(name) from error


def steps(frame: Any) -> list[str]:
    return [str(each) for each in hp.transformations(frame)["step"]]


def sources(frame: Any, column: str) -> set[str]:
    return {str(each) for each in hp.why(frame, 0, [column])["dataset"]}


NUMBERS = pd.DataFrame({"x": [3.0, 1.0, 2.0], "y": [7.0, 8.0, 9.0], "text": ["a", "b", "c"]})


def test_an_array_that_was_not_changed_stays_exact() -> None:
    frame = hp.track(NUMBERS.copy(), "numbers")
    array = frame["x"].to_numpy()
    assert array.sum() == 6
    frame["z"] = array
    assert hp.transformations(frame)["exact"].all()
    assert hp.why(frame, 0, ["z"]).to_dict("records") == [
        {"dataset": "numbers", "row": 0, "column": "x", "certain": True}
    ]


def test_only_the_columns_that_changed_are_not_known() -> None:
    frame = hp.track(NUMBERS.copy(), "numbers")
    try:
        frame["x"].to_numpy()[0] = 5
    except ValueError:  # pandas 3 gives what cannot be changed
        pytest.skip("this version of pandas gives arrays that cannot be changed")
    assert sources(frame, "x") == {"numbers", PROGRAM} and CHANGED in steps(frame)
    assert not hp.why(frame, 0, ["x"])["certain"].all()
    assert hp.why(frame, 0, ["y"]).to_dict("records") == [
        {"dataset": "numbers", "row": 0, "column": "y", "certain": True}
    ]


def test_columns_that_groups_do_not_lose_stay_exact() -> None:
    frame = hp.track(NUMBERS.copy(), "numbers")
    groups = frame.groupby("text")
    frame["most"] = groups["x"].transform("max")
    frame["least"] = groups["y"].transform("min")
    assert hp.transformations(frame)["exact"].all()


def test_a_frame_around_an_array_of_the_program() -> None:
    array = np.array([[1.0, 2.0], [3.0, 4.0]])
    frame = hp.track(pd.DataFrame(array, columns=["x", "y"], copy=False), "numbers")
    assert sources(frame, "x") == {"numbers"}
    array[0, 0] = array[1, 1]
    changed = frame["x"].iloc[0] == 4
    assert sources(frame, "x") == ({"numbers", PROGRAM} if changed else {"numbers"})


def test_a_frame_that_shares_its_memory_with_one_that_is_not_tracked() -> None:
    plain = NUMBERS[["x", "y"]].copy()
    frame = hp.track(plain.copy(deep=False), "numbers")
    plain.loc[0, "x"] = 9.0
    changed = frame["x"].iloc[0] == 9
    assert sources(frame, "x") == ({"numbers", PROGRAM} if changed else {"numbers"})


def test_a_frame_made_with_lists_of_the_program() -> None:
    lists = [[1], [2], [3]]
    frame = hp.track(pd.DataFrame({"lists": lists, "x": [1, 2, 3]}), "numbers")
    assert sources(frame, "lists") == {"numbers"}
    lists[0].append(4)
    assert sources(frame, "lists") == {"numbers", PROGRAM} and sources(frame, "x") == {"numbers"}


def test_objects_in_cells_are_compared_by_what_they_have() -> None:
    class Place:
        def __init__(self, town: str) -> None:
            self.town = town

    frame = hp.track(pd.DataFrame({"place": [Place("a"), Place("b")]}), "places")
    frame["place"].iloc[1].town = "c"
    assert sources(frame, "place") == {"places", PROGRAM}


class Town:
    """A class that keeps its attributes in slots."""

    __slots__ = ("__parts", "name")

    def __init__(self) -> None:
        self.__parts: list[int] = []

    def grow(self) -> None:
        self.__parts.append(1)


CELLS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "slots": (Town, lambda cell: setattr(cell, "name", "b")),
    "private slots": (Town, Town.grow),
    "slots of a class above": (type("Village", (Town,), {}), Town.grow),
    "deque": (lambda: deque([1, 2]), lambda cell: cell.append(3)),
    "deque turned": (lambda: deque([1, 2]), lambda cell: cell.rotate(1)),
    "lists in a deque": (lambda: deque([[1]]), lambda cell: cell[0].append(3)),
    "attribute of a list": (type("Tags", (list,), {}), lambda cell: setattr(cell, "name", "b")),
    "array": (lambda: array.array("d", [1, 2]), lambda cell: cell.__setitem__(0, 3)),
    "text in memory": (lambda: io.StringIO("a"), lambda cell: cell.write("b")),
    "default table": (lambda: defaultdict(list), lambda cell: cell["a"]),
    "ordered table": (lambda: OrderedDict(a=1, b=2), lambda cell: cell.move_to_end("a")),
    "random numbers": (lambda: random.Random(1), lambda cell: cell.random()),
    "series": (lambda: pd.Series([1.0, 2.0]), lambda cell: cell.__setitem__(0, 3.0)),
    "categories": (lambda: pd.Categorical(["a", "b"]), lambda cell: cell.__setitem__(0, "b")),
    "iterator": (lambda: iter([1, 2]), next),
}


@pytest.mark.parametrize("name", CELLS)
def test_what_is_in_cells_is_compared_wherever_they_keep_it(name: str) -> None:
    made, change = CELLS[name]
    cells = np.empty(2, object)
    cells[:] = [made(), made()]
    frame = hp.track(pd.DataFrame({"cells": cells, "x": [1, 2]}), "numbers")
    cell = frame.at[0, "cells"]
    assert sources(frame, "cells") == {"numbers"}
    change(cell)
    assert sources(frame, "cells") == {"numbers", PROGRAM} and sources(frame, "x") == {"numbers"}


@pytest.mark.parametrize("cell", [memoryview(bytearray(b"ab")), (each for each in "ab")], ids=type)
def test_cells_that_keep_what_cannot_be_seen_count_as_changed(cell: Any) -> None:
    frame = hp.track(pd.DataFrame({"cells": [cell, None], "x": [1, 2]}), "numbers")
    assert frame.at[0, "cells"] is cell
    assert sources(frame, "cells") == {"numbers", PROGRAM}
    assert not hp.why(frame, 0, ["cells"])["certain"].all()


FIXED = (re.compile("a"), uuid.UUID(int=1), Path("a"), Fraction(1, 2), range(3), len, np.int8(1), Town)


@pytest.mark.parametrize("cell", FIXED, ids=repr)
def test_cells_that_stay_as_they_are_are_known(cell: Any) -> None:
    frame = hp.track(pd.DataFrame({"cells": [cell, [1]]}), "numbers")
    frame["cells"].tolist()
    assert sources(frame, "cells") == {"numbers"} and sources(frame, "cells") == {"numbers"}


def test_memory_that_the_program_has_no_more_is_read_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "WORTH_A_COUNT", 0)
    frame = hp.track(NUMBERS[["x", "y"]].copy(), "numbers")
    array = frame["x"].to_numpy()
    view = array[:2]
    del array
    assert hp.why(frame, 0, ["x"])["certain"].all() and shared.changeable(frame)
    del view
    assert hp.why(frame, 0, ["x"])["certain"].all() and not shared.changeable(frame)
    assert hp.transformations(frame)["exact"].all()


def test_what_is_changed_before_the_program_gives_it_up_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "WORTH_A_COUNT", 0)
    frame = hp.track(NUMBERS[["x", "y"]].copy(), "numbers")
    array = frame["x"].to_numpy()
    if array.flags.writeable:
        array[:] = array[::-1].copy()
        del array
        assert sources(frame, "x") == {"numbers", PROGRAM} and not shared.changeable(frame)


def test_what_is_read_too_often_counts_as_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "MOST_READ", 200)
    frame = hp.track(NUMBERS[["x", "y"]].copy(), "numbers")
    array = frame["x"].to_numpy()
    for _ in range(9):
        frame["x"]
    assert sources(frame, "x") == {"numbers", PROGRAM}
    frame.loc[:, "x"] = frame["y"]
    assert PROGRAM in sources(frame, "x") or not np.shares_memory(array, frame["x"].to_numpy())


def test_an_array_that_could_not_be_changed_when_it_was_taken() -> None:
    array = np.array([1.0, 2.0])
    array.flags.writeable = False
    frame = hp.track(pd.DataFrame({"x": pd.Series(array, copy=False)}, copy=False), "numbers")
    array.flags.writeable = True
    array[0] = array[1]
    changed = frame["x"].iloc[0] == 2
    assert sources(frame, "x") == ({"numbers", PROGRAM} if changed else {"numbers"})


def test_an_output_of_what_was_changed_has_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    NUMBERS.to_csv(tmp_path / "numbers.csv", index=False)
    with hp.run("job") as run:
        frame = pd.read_csv(tmp_path / "numbers.csv")
        array = frame["x"].to_numpy(copy=True)
        array[0] = len(array)
        frame["z"] = array
        frame.to_csv(tmp_path / "out.csv", index=False)
    every, _, _, gaps = listed(run.events)
    assert gaps == {"*"} and "x" in every["z"] and every["y"] == {"y"}
