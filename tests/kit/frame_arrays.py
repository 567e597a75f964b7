"""Ways in which programs change arrays, and frames whose memory these share, in place: taken, changed, and used."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

Program = Callable[[Any], Any]
Change = Callable[[Any, Any], object]


def people() -> Any:
    """Five records with a column of each type that keeps its values differently."""
    return pd.DataFrame(
        {
            "x": [3.5, 1.25, 7.75, 2.5, 9.125],
            "y": [11.5, 17.25, 13.75, 19.5, 12.125],
            "n": [31, 37, 33, 39, 35],
            "text": ["pear", "fig", "kiwi", "date", "plum"],
            "day": pd.to_datetime(["2021-03-04", "2020-01-02", "2023-07-08", "2022-05-06", "2024-09-10"]),
            "masked": pd.array([51, 57, 53, 59, 55], "Int64"),
            "kind": pd.Categorical(["a", "b", "c", "b", "b"], ["a", "b", "c", "Zebra"]),
        }
    )


TAKES: Mapping[str, Callable[[Any], Any]] = {
    "to_numpy": lambda frame: frame["x"].to_numpy(),
    "values": lambda frame: frame["x"].values,
    "asarray": lambda frame: np.asarray(frame["x"]),
    "array of a series": lambda frame: np.asarray(frame["x"].array),
    "copy": lambda frame: np.array(frame["x"].to_numpy()),
    "column of values": lambda frame: frame[["x", "y"]].values[:, 0],
    "column of frame": lambda frame: frame[["x", "y"]].to_numpy()[:, 0],
    "iloc": lambda frame: frame.iloc[:, 0].to_numpy(),
    "loc": lambda frame: frame.loc[:, "x"].values,
    "index": lambda frame: frame.set_index("x").index.to_numpy(),
    "computed": lambda frame: (frame["x"] + 1).to_numpy(),
    "where": lambda frame: np.where(frame["x"] > 2, frame["x"], frame["y"]),
    "ravel": lambda frame: frame["x"].to_numpy().ravel(),
    "reshaped": lambda frame: frame["x"].to_numpy().reshape(5, 1)[:, 0],
    "turned": lambda frame: frame["x"].to_numpy()[None, :].T[:, 0],
    "numbers": lambda frame: frame["n"].to_numpy(),
    "texts": lambda frame: frame["text"].to_numpy(),
    "days": lambda frame: frame["day"].to_numpy(),
    "groups": lambda frame: frame.groupby("kind", observed=True)["x"].transform("max").to_numpy(),
    "extension": lambda frame: frame["masked"].array,
    "category": lambda frame: frame["kind"].array,
    "wrapped": lambda frame: frame["x"].array,
    "wrapped days": lambda frame: frame["day"].array,
}
"""How an array of five values is taken out of a frame."""


def _shuffled(array: Any, _: Any) -> None:
    np.random.default_rng(3).shuffle(array)


def _shuffled_by_python(array: Any, _: Any) -> None:
    random.Random(5).shuffle(array)


def _through_memory(array: Any, _: Any) -> None:
    memory = memoryview(array)
    memory[0] = memory[4]


def _by_iterator(array: Any, _: Any) -> None:
    places: Any = np.nditer(array, op_flags=[["readwrite"]])
    with places:
        for each in places:
            each[...] = array[4]


def _by_loop(array: Any, _: Any) -> None:
    for place in range(1, len(array)):
        array[place] = max(array[place], array[place - 1])


def _set_mask(array: Any, _: Any) -> None:
    array[array == array[2]] = array[3]


CHANGES: Mapping[str, Change] = {
    "element": lambda array, _: array.__setitem__(0, array[4]),
    "slice": lambda array, _: array.__setitem__(slice(0, 2), array[3:5]),
    "all": lambda array, _: array.__setitem__(slice(None), array[::-1].copy()),
    "list": lambda array, _: array.__setitem__([1, 2], array[[4, 3]]),
    "mask": _set_mask,
    "loop": _by_loop,
    "shuffle": _shuffled,
    "shuffle of Python": _shuffled_by_python,
}
"""Changes that every array has."""
NUMPY: Mapping[str, Change] = {
    "sort": lambda array, _: array.sort(),
    "partition": lambda array, _: array.partition(2),
    "fill": lambda array, _: array.fill(array[2]),
    "put": lambda array, _: array.put([0, 1], array[[2, 3]]),
    "flat": lambda array, _: array.flat.__setitem__(1, array[3]),
    "turned": lambda array, _: array.T.__setitem__(0, array[2]),
    "ravel": lambda array, _: array.ravel().__setitem__(0, array[2]),
    "reshape": lambda array, _: array.reshape(5, 1).__setitem__((0, 0), array[2]),
    "view": lambda array, _: array[1:3].__setitem__(slice(None), array[3:5]),
    "numpy.put": lambda array, _: np.put(array, [0], array[3]),
    "numpy.place": lambda array, _: np.place(array, array == array[0], array[[3]]),
    "numpy.putmask": lambda array, _: np.putmask(array, array == array[0], array[3]),
    "numpy.copyto": lambda array, _: np.copyto(array, array[::-1].copy()),
    "numpy.put_along_axis": lambda array, _: np.put_along_axis(array, np.array([1]), array[3], 0),
    "permuted": lambda array, _: np.random.default_rng(4).permuted(array, out=array),
}
"""Changes that arrays of NumPy have."""
NUMBERS: Mapping[str, Change] = {
    "iadd": lambda array, _: array.__iadd__(array[::-1].copy()),
    "imul": lambda array, _: array.__imul__(array[::-1].copy()),
    "out": lambda array, _: np.add(array, array[::-1].copy(), out=array),
    "out of a tuple": lambda array, _: np.multiply(array, array[2], out=(array,)),
    "clip": lambda array, _: np.clip(array, array[1], array[2], out=array),
    "cumsum": lambda array, _: np.cumsum(array, out=array),
    "take": lambda array, _: np.take(array.copy(), [4, 3, 2, 1, 0], out=array),
    "where": lambda array, _: np.negative(array, out=array, where=array > array[1]),
    "at": lambda array, _: np.add.at(array, [0, 0], array[3]),
    "accumulate": lambda array, _: np.add.accumulate(array, out=array),
    "other column": lambda array, frame: np.copyto(array, frame["y"].to_numpy(), casting="unsafe"),
    "memoryview": _through_memory,
    "nan_to_num": lambda array, _: np.nan_to_num(np.divide(array, array[::-1], out=array), copy=False),
    "fill_diagonal": lambda array, _: np.fill_diagonal(array[:4].reshape(2, 2), array[4]),
    "memory of NumPy": lambda array, _: np.frombuffer(array.data, array.dtype).__setitem__(0, array[3]),
    "iterator": _by_iterator,
    "lib": lambda array, _: np.lib.stride_tricks.as_strided(array, (2,)).__setitem__(0, array[3]),
}
"""Changes that arrays of numbers have."""


def _as_column(frame: Any, array: Any) -> Any:
    frame["made"] = array
    return frame[["made"]]


def _inserted(frame: Any, array: Any) -> Any:
    frame.insert(0, "made", array)
    return frame[["made"]]


def _set_by_label(frame: Any, array: Any) -> Any:
    frame.loc[:, "made"] = array
    return frame[["made"]]


USES: Mapping[str, Callable[[Any, Any], Any]] = {
    "column": _as_column,
    "insert": _inserted,
    "assign": lambda frame, array: frame.assign(made=array)[["made"]],
    "loc": _set_by_label,
    "frame": lambda _, array: pd.DataFrame({"made": array}),
    "series": lambda _, array: pd.Series(array, name="made"),
    "where": lambda frame, array: frame.assign(made=np.where(frame["n"] > 1, array, array))[["made"]],
    "frame itself": lambda frame, _: frame[["x", "y", "n", "text", "day", "masked", "kind"]],
    "sum of the frame": lambda frame, _: frame.groupby("kind", observed=True)[["x", "n"]].sum(),
    "sorted": lambda frame, _: frame.sort_index(ascending=False),
    "view": lambda frame, array: pd.DataFrame({"made": array[::-1]}),
}
"""How the array, or the frame that it was taken of, goes on."""


def programs() -> Iterator[tuple[str, Program]]:
    """Each change of each array that has it, and each use of those."""
    for take, taking in TAKES.items():
        for change, changing in _changes_of(taking(people())).items():
            if _changes_nothing(taking, changing):
                continue  # what writes equal values is not seen, as documented
            for use, using in USES.items():
                yield f"{take} · {change} · {use}", _program(taking, changing, using)


def _changes_nothing(taking: Callable[[Any], Any], changing: Change) -> bool:
    frame = people()
    array = taking(frame)
    before = list(array)
    try:
        changing(array, frame)
    except (ValueError, TypeError, AttributeError, IndexError):
        return False
    return list(map(str, before)) == list(map(str, array))


def runs(program: Program) -> bool:
    """Whether a program can be run at all: arrays of some versions of pandas cannot be changed."""
    try:
        program(people())
    except (ValueError, TypeError, AttributeError, IndexError):
        return False
    return True


def _changes_of(array: Any) -> dict[str, Change]:
    found = dict(CHANGES)
    if isinstance(array, np.ndarray):
        found |= NUMPY
        if array.dtype.kind in "fi":
            found |= NUMBERS
    return found


def _program(taking: Callable[[Any], Any], changing: Change, using: Callable[[Any, Any], Any]) -> Program:
    def program(frame: Any) -> Any:
        array = taking(frame)
        if isinstance(array, np.ndarray):
            array.flags.writeable = True  # pandas 3 gives arrays that are to be read only
        changing(array, frame)
        return using(frame, array)

    return program
