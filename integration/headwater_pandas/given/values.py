"""Values that the program gave to a call by itself: what nobody knows of, single values, and those of its functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

import numpy as np
import pandas as pd

from headwater_pandas.call import SORTING, Call, boolean
from headwater_pandas.collected import anything_remembered, anything_taken, origins_of
from headwater_pandas.given.literals import is_constant, running
from headwater_pandas.held import held, held_index
from headwater_pandas.memory.changed import PROGRAM
from headwater_pandas.shape import Shape, shape_of
from headwater_records.associations import Every, Same
from headwater_records.columns import WHOLE, AllColumns, MovedColumns, NoColumns, numbers
from headwater_records.graph import Dataset, Input

_PLACES: Final = frozenset({"getitem", "iloc", "loc", "setitem", "take"})
"""What is given positions of records, or labels."""
_PUTTING: Final = frozenset(
    {
        "DataFrame",
        "Series",
        "assign",
        "fillna",
        "insert",
        "mask",
        "numpy.select",
        "numpy.where",
        "setitem",
        "where",
    }
)
"""What puts truth values that it is given into columns; to others they are options."""
_LOOKED_AT: Final = 1000
"""How many values of a table or list are looked at: those of a program's text are few, and others differ at once."""


def unknown(after: Shape, columns: int) -> Input:
    """A source for values of these columns of a result, of which nobody knows where they are from."""
    labels = after.labels
    names = [labels[number] for number in numbers(columns)]
    places = {number: place for place, number in enumerate(numbers(columns))}
    sources = tuple(places.get(number, -1) for number in range(len(labels)))
    return Input(Dataset(PROGRAM, after.rows, names, known=False), Same(), MovedColumns(sources))


def of_single(call: Call, value: Any, columns: int) -> tuple[Input, ...]:
    """A source for a single value in these columns that is no constant, and no figure whose origin is known."""
    known = is_constant(value) or bool(origins_of(value))
    return () if known else (unknown(call.after, columns),)


def undecided(call: Call, decides: int = WHOLE) -> Input:
    """A source for what decided about a result (which records it has), of which nobody knows where it is from."""
    source = Dataset(PROGRAM, 1, ("value",), known=False)
    return Input(source, Every(1, call.after.rows), NoColumns(), accessed=1, decides=decides)


def program(thing: Any) -> Dataset:
    """A source for values that come from nothing that is tracked."""
    shape = shape_of(thing)
    return Dataset(PROGRAM, shape.rows, shape.labels, known=False)


def given(call: Call, values: Any) -> tuple[Input, ...]:
    """A source for what a call puts into any of its columns, where a single value of it is no constant."""
    for each in islice(_singles(values), _LOOKED_AT):
        if found := of_single(call, each, call.after.own_columns):
            return found
    return ()


def _singles(values: Any) -> Iterator[Any]:
    """Single values in lists and sets, and in what tables lead to."""
    if isinstance(values, Mapping):
        values = list(values.values())
    if isinstance(values, list | tuple | set | frozenset):
        for each in values:
            yield from _singles(each)
    elif pd.api.types.is_scalar(values):
        yield values


def of_functions(call: Call) -> Iterator[Input]:
    """What functions of the program may have put into any column: what they found around them, and took of it."""
    functions = call.functions
    if functions is None:
        return
    around = functions.around
    if functions.reading is None:
        found = {known.dataset: False for each in around.tracked if (known := held(each))}
    else:
        found = dict.fromkeys(functions.taken, True)
    if call.name in SORTING:
        yield from (looked_through(call, dataset) for dataset in found)
        return
    count = len(call.after.labels)
    for dataset, exact in found.items():
        every = Every(dataset.rows, call.after.rows)
        yield Input(dataset, every, AllColumns(len(dataset.columns), count), exact=exact)
    if around.unknown:
        yield unknown(call.after, call.after.own_columns)
    else:
        yield from given(call, around.values)


def looked_through(call: Call, dataset: Dataset) -> Input:
    """A dataset of which a step took nothing, and all of which decides about everything."""
    decides = (call.after.all_columns, (1 << len(dataset.columns)) - 1)
    return Input(dataset, Every(dataset.rows, call.after.rows), NoColumns(), fits=(decides,))


def constants(call: Call, decides: int) -> tuple[Input, ...]:
    """Figures among the arguments that were computed of tracked frames before, and are constants now."""
    found, labels = [], call.after.columns
    for value, key in _figures(call):
        for dataset in origins_of(value):
            every = Every(dataset.rows, call.after.rows)
            place = next((number for number, label in enumerate(labels) if equal(label, key)), None)
            fit = (decides if place is None else 1 << place, (1 << len(dataset.columns)) - 1)
            found.append(Input(dataset, every, NoColumns(), fits=(fit,)))
    return tuple(found)


def _figures(call: Call) -> Iterator[tuple[Any, Any]]:
    """Single values among the arguments, and the key that one has in a dictionary."""
    if not anything_remembered():
        return
    around = call.functions.around.values if call.functions is not None else ()
    yield from (pair for pair in _pairs((*call.given(), *around)) if not _is_truth(pair[0]))
    if call.name in _PUTTING:
        named = (value for key, value in call.kwargs.items() if key in {"value", "other", "data"})
        columns = call.kwargs if call.name == "assign" else {}
        yield from (pair for pair in _pairs((*call.args[1:], *named, columns)) if _is_truth(pair[0]))


def _pairs(things: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    for each in things:
        if isinstance(each, dict):
            yield from ((value, key) for key, value in each.items())
        else:
            yield from ((value, None) for value in _parts(each))


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _parts(thing: Any) -> Iterator[Any]:
    """What a list, a pair of keys or a slice is made of."""
    if isinstance(thing, slice):
        yield from (thing.start, thing.stop, thing.step)
    elif isinstance(thing, range):
        yield from (thing.start, thing.stop, thing.step, len(thing))
    elif isinstance(thing, list | tuple):
        for each in thing:
            yield from _parts(each) if isinstance(each, slice | range) else (each,)
    else:
        yield thing


def computed(call: Call, decides: int) -> tuple[Input, ...]:
    """A source for what decided where a number among the arguments is none of the program's text, and no figure.

    Only once the program has a figure or values that it may have computed it of, such as how many records there are.
    Positions are in arrays, too, unless a library has drawn them.
    """
    if not anything_taken():
        return ()
    if call.name in _PLACES and any(map(_is_mask, call.args[1:2])):
        return (undecided(call, decides),)
    for each in islice((part for thing in call.given() for part in _parts(thing)), _LOOKED_AT):
        put = call.name == "setitem" and each is call.args[-1]
        if _is_computed(each) or (call.name in _PLACES and not put and _are_positions(each)):
            return (undecided(call, decides),)
    return ()


def _is_mask(key: Any) -> bool:
    """Whether a key has a list of truth values, which nobody writes down for as many records as there are."""
    keys = key if isinstance(key, tuple) else (key,)
    return any(isinstance(each, list) and boolean(each) for each in keys)


def _is_computed(value: Any) -> bool:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)
    return number and not is_constant(value) and not origins_of(value)


def _are_positions(thing: Any) -> bool:
    """Whether it is an array, of which nothing is known, that the program itself has made."""
    unknown_array = (
        isinstance(thing, np.ndarray | pd.Index) and held(thing) is None and held_index(thing) is None
    )
    caller = next(running(), None) if unknown_array else None
    return caller is not None and not str(caller.f_globals.get("__name__")).startswith("sklearn.")


def equal(label: Any, name: Any) -> bool:
    try:
        return bool(label == name)
    except (TypeError, ValueError):
        return label is name
