"""What a step took of the objects that it was given: associations of records and maps of columns from outlines."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from headwater_pandas.call import Call
from headwater_pandas.given.values import (
    computed,
    constants,
    equal,
    given,
    looked_through,
    of_functions,
    program,
    unknown,
)
from headwater_pandas.held import Held, held, held_index, held_numbering, things
from headwater_pandas.shape import Shape, shape_of
from headwater_records.associations import Association, Every, Same, taken
from headwater_records.columns import (
    WHOLE,
    AllColumns,
    ColumnMap,
    Counted,
    MadeColumns,
    MovedColumns,
    NoColumns,
    SameColumns,
    bits,
    moved,
)
from headwater_records.graph import Dataset, Input
from headwater_records.lists import Numbers

_NAMING = frozenset({"apply", "get_dummies", "pivot", "pivot_table", "unstack", "T", "transpose"})
_NAMED: dict[int, bool] = {}
"""Whether names of columns may be values, by the numbers of datasets that this was asked of, or of those before."""
_MOST_NAMED = 4096
_STRINGS = r"`[^`]*`|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
"""Texts in quotes, and names in backticks, which may have quotes in them."""
SUM = "sum"
_SAME = Same()
_SAME_COLUMNS = SameColumns()


def made(
    call: Call,
    *inputs: Input,
    alternatives: bool = False,
    decides: int | None = None,
    functions: Sequence[str] = (),
    constant: int = 0,
) -> Dataset:
    """The dataset that the call made of these, and of figures that had been taken out of frames before.

    ``decides`` are the columns of the result that constants among the arguments may be in; all, unless it is given.
    ``functions`` are what made each column, if that is not the call's own name (see ``Dataset``).
    ``constant`` are the columns in which there is nothing of any record (a constant, a count, a number): nobody knows
    where the values of all others are from that no input is in.
    """
    after = call.after
    concerned = after.all_columns if decides is None else decides
    figures = (*constants(call, concerned), *computed(call, WHOLE if decides is None else decides))
    inputs = (*inputs, *of_functions(call))
    every = (*inputs, *figures, *_left_over(call, inputs), *_of_unknown(inputs, after, constant))
    named = tuple(map(sys.intern, functions or [call.name] * (after.width if call.name == SUM else 0)))
    if SUM in named:
        named = tuple(map(added_up, named, types_of(call.result)))
    return Dataset(call.name, after.rows, after.labels, every, alternatives=alternatives, functions=named)


def types_of(thing: Any) -> list[Any]:
    """The type of each column of a frame, a series or an array."""
    return list(thing.dtypes) if isinstance(thing, pd.DataFrame) else [thing.dtype] * shape_of(thing).width


def added_up(function: str, kind: Any) -> str:
    """The name of a function whose result is of this type; a sum of texts has them whole, as `str.cat` gives it."""
    is_number = pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_timedelta64_dtype(kind)
    return function if function != SUM or is_number else "cat"


def with_figures(call: Call, dataset: Dataset) -> Dataset:
    """The dataset behind a grouped object or a window, with the figures that decide how large its parts are."""
    seen = replace(call, result=call.frame)
    decides = (1 << len(dataset.columns)) - 1
    figures = (*constants(seen, decides), *computed(seen, WHOLE))
    if not figures:
        return dataset
    return Dataset(call.name, dataset.rows, dataset.columns, (Input(dataset, _SAME, _SAME_COLUMNS), *figures))


def _left_over(call: Call, inputs: tuple[Input, ...]) -> Iterator[Input]:
    """Tracked arguments that the rule has no use for: it may have overlooked one, so all of it decides."""
    taken_care_of = {each.dataset for each in inputs}
    for each in call.others():
        known = held(each) or of_index(each)
        if known is not None and known.dataset not in taken_care_of:
            yield looked_over(call, each)


def _of_unknown(inputs: tuple[Input, ...], after: Shape, constant: int) -> Iterator[Input]:
    """A source for the columns and levels that no input is in, and that are no constants."""
    left = after.all_columns & ~constant
    if after.numbered:
        left &= after.own_columns
    for each in inputs:
        left &= ~each.columns.forward((1 << len(each.dataset.columns)) - 1)
    if left:
        yield unknown(after, left)


def own(
    call: Call,
    rows: Association | None = None,
    columns: ColumnMap | None = None,
    accessed: int = 0,
    **more: Any,
) -> Input:
    """What the call took of its subject: all as it is, unless more is known."""
    return Input(call.dataset, rows or _SAME, columns or _SAME_COLUMNS, accessed, **more)


def opaque(call: Call) -> Dataset:
    """What is left to say of a call that was not understood: everything that it was given may have contributed."""
    after, inputs = call.after, list(given(call, list(call.given())))
    for known in (call.known, *(known_of(each) for each in call.others() if _shaped(each))):
        rows = Every(known.dataset.rows, after.rows)
        columns = AllColumns(len(known.dataset.columns), after.width + after.levels)
        inputs.append(Input(known.dataset, rows, columns, exact=False))
    return made(call, *inputs)


def single(call: Call) -> Call:
    """A call that gave a single value, as one that gave a record with it."""
    return replace(call, result=pd.Series([0], name="value"))


def decided(call: Call, columns: int) -> tuple[Input, ...]:
    """What decides about the one record with so many columns that a call gave: numbers that it was given beside."""
    if not any(True for _ in call.given()):
        return ()
    seen = single(call)
    return (*constants(seen, (1 << columns) - 1), *computed(seen, WHOLE))


def _shaped(thing: Any) -> bool:
    return hasattr(thing, "ndim") and hasattr(thing, "dtype" if thing.ndim == 1 else "shape")


def known_of(thing: Any) -> Held:
    """What is known of an object; an index is that of a tracked object, or values of the program."""
    return held(thing) or of_index(thing) or Held(program(thing))


def of_index(thing: Any) -> Held | None:
    """An index of one level that a tracked frame or series has."""
    if not isinstance(thing, pd.Index) or thing.nlevels > 1:
        return None
    known = held_index(thing) or next(_with_index(thing), None)
    return Held(labels_of(thing, known)) if known is not None else None


def labels_of(index: Any, known: Held) -> Dataset:
    """The labels of an index that the object which this is known of has."""
    columns = known.dataset.columns
    levels = range(len(columns) - index.nlevels, len(columns))
    taken_of = Input(known.dataset, Same(), moved((*levels, -1)))
    names = (*(columns[number] for number in levels), "index")
    return Dataset("index", len(index), names, (taken_of,), functions=("",) * len(levels))


def counts_of(thing: Any) -> list[Dataset]:
    """How many records there are of an object, or of the one whose index or columns it is, as figures."""
    known = held(thing)
    if known is not None:
        return [_count(known)]
    if not isinstance(thing, pd.Index):
        return []
    behind = held_index(thing) or held_numbering(thing)
    if behind is not None:
        return [_count(behind)]
    return [_count(known) for owner, known in things() if getattr(owner, "columns", None) is thing]


def _count(known: Held) -> Dataset:
    """How many records, or columns, a dataset has; values that became names of columns decide, too."""
    dataset = known.dataset
    every = Every(dataset.rows, 1)
    inputs = [Input(dataset, every, Counted())]
    if names_may_be_values(dataset):
        inputs.append(Input(dataset, every, NoColumns(), fits=((1, known_columns(known)),)))
    return Dataset("len", 1, ("count",), inputs)


def _with_index(index: Any) -> Iterator[Held]:
    """Tracked frames and series that have this index, unless it was set after they were tracked."""
    for owner, known in things():
        has_it = isinstance(owner, pd.DataFrame | pd.Series) and not known.turned and owner.index.is_(index)
        if has_it and (isinstance(index, pd.RangeIndex) or held_index(owner.index) is not None):
            yield known


def same_index(first: Any, second: Any) -> bool:
    """Whether two indexes have the same labels in the same order."""
    return first is second or (len(first) == len(second) and bool(first.equals(second)))


def aligned(index: Any, result: Any) -> Association | None:
    """Which record each record of the result was taken from by its label; None where labels do not tell."""
    if same_index(index, result):
        return Same()
    return taken(index.get_indexer(result), len(index)) if index.is_unique else None


def by_label(columns: Any, result: Any) -> list[int] | None:
    """Which column each of these names has (-1: none); None where names do not tell.

    pandas' own look-up is not used: it keeps a table with the names, for as long as they are there.
    """
    if columns is result:
        return list(range(len(columns)))
    places = {name: number for number, name in enumerate(columns)}
    return [places.get(name, -1) for name in result] if len(places) == len(columns) else None


def column_map(before: Shape, after: Shape, sources: Iterable[int], *, levels: bool = True) -> ColumnMap:
    """A map of columns by their sources; the levels of the index stay where ``levels`` is true."""
    here = [int(each) for each in sources]
    kept = before.level_numbers() if levels and before.levels == after.levels else [-1] * after.levels
    if here == list(range(before.width)) and kept == before.level_numbers():
        return SameColumns()
    return moved((*here, *kept))


def numbers_of(shape: Shape, names: Any) -> int:
    """The columns and levels with these names, as bits; all of them if a name is not found."""
    wanted = names if isinstance(names, list | tuple | set) else [names]
    found, labels = 0, list(shape.labels)
    for name in wanted:
        places = [number for number, label in enumerate(labels) if equal(label, name)]
        if not places:
            return shape.all_columns
        found |= bits(places)
    return found


def named_by(shape: Shape, text: str) -> int:
    """The columns and levels that a text of `query` or `eval` names, as bits."""
    read = _without_strings(text)
    words = set(re.findall(r"[^\W\d]\w*", read)) | set(re.findall(r"`([^`]*)`", read))
    return bits(number for number, label in enumerate(shape.labels) if str(label) in words)


def calls_in(text: str) -> bool:
    """Whether a text of `query` or `eval` calls functions, which may look at all records (`x > x.mean()`)."""
    read = _without_strings(text)
    called = set(re.findall(r"(\w+|`)\s*\(", read)) - {"in", "and", "or", "not"}
    return bool(called) or re.search(r"\.\s*[^\W\d]", read) is not None


def _without_strings(text: str) -> str:
    return re.sub(_STRINGS, lambda found: found[0] if found[0].startswith("`") else " ", text)


def looked_at(key: Any, rows: Association, decides: int) -> Input:
    """What a step only looked at, such as a mask: it decides by the records that ``rows`` leads to."""
    known = known_of(key)
    return Input(known.dataset, rows, NoColumns(), shape_of(key).own_columns, decides)


def looked_over(call: Call, thing: Any) -> Input:
    """What a step looked at as a whole, such as a list of columns to choose: all of it decides about everything."""
    return looked_through(call, known_of(thing).dataset)


def anywhere(call: Call, thing: Any) -> Input:
    """Values and labels that a step may have put anywhere into the columns of its result."""
    known, after = known_of(thing), call.after
    every = Every(known.dataset.rows, after.rows)
    columns = MadeColumns(tuple((place, known_columns(known)) for place in range(after.width)), NoColumns())
    return Input(known.dataset, every, columns)


def known_columns(known: Held) -> int:
    """All columns of a dataset, as bits."""
    return (1 << len(known.dataset.columns)) - 1


def operand(call: Call, thing: Any, place: ColumnMap | None = None) -> Input:
    """What a step that goes value by value took of another object: by labels, or by positions if one is an array."""
    known, after, before = known_of(thing), call.after, shape_of(thing)
    if known.turned:
        return _along_columns(known.dataset, before, after)
    array = not all(isinstance(each, pd.DataFrame | pd.Series) for each in (thing, call.result))
    if place is None and isinstance(thing, pd.Series) and isinstance(call.result, pd.DataFrame):
        place = AllColumns(2, after.width + after.levels)
        if call.argument("axis") not in {0, "index"}:
            return Input(known.dataset, Every(before.rows, after.rows), place, exact=False)
    rows = (
        Same()
        if array and len(thing) == after.rows
        else None
        if array
        else aligned(before.index, after.index)
    )
    columns = place or operand_columns(before, after)
    if rows is None:
        every = Every(before.rows, after.rows)
        return Input(
            known.dataset, every, place or AllColumns(len(before.labels), len(after.labels)), exact=False
        )
    meets = 0 if array or before.index is after.index else before.labels_that_say
    return Input(known.dataset, rows, columns, meets)


def by_position(call: Call, thing: Any, place: int) -> Input:
    """A column or level of the result that is a series or an array, as it stands, whatever its labels are."""
    known, after = known_of(thing), call.after
    if known.turned:
        columns = AllColumns(len(known.dataset.columns), len(after.labels))
        return Input(known.dataset, Every(known.dataset.rows, after.rows), columns, exact=False)
    return Input(known.dataset, Same(), MadeColumns(((place, 1),), NoColumns()))


def operand_columns(before: Shape, after: Shape) -> ColumnMap:
    """The map of columns of another operand; its index is not the result's."""
    if before.width == 1 and after.width == 1:
        return moved((0, *[-1] * after.levels))
    if hasattr(before.columns, "get_indexer") and hasattr(after.columns, "get_indexer"):
        sources = by_label(before.columns, after.columns)
        if sources is not None:
            return MovedColumns((*sources, *[-1] * after.levels))
    return AllColumns(before.width + before.levels, after.width + after.levels)


def _along_columns(dataset: Dataset, before: Shape, after: Shape) -> Input:
    """A figure for each column, computed of all records: a fit of the columns of that name."""
    places: dict[Any, list[int]] = {}
    for number, label in enumerate(after.columns):
        places.setdefault(label, []).append(number)
    names = enumerate(before.index)
    pairs = [(1 << number, 1 << place) for place, name in names for number in places.get(name, ())]
    return Input(dataset, Every(1, after.rows), NoColumns(), fits=tuple(pairs))


def names_may_be_values(dataset: Dataset) -> bool:
    """Whether a step on the way may have made names of columns of values."""
    if len(_NAMED) > _MOST_NAMED:
        _NAMED.clear()
    waiting, plain = [dataset], dict[int, bool]()
    while waiting:
        each = waiting.pop()
        number = each.number
        if number in plain or _NAMED.get(number) is False:
            continue
        if _NAMED.get(number) or each.step in _NAMING or (each.made_of and not each.exact):
            _NAMED[dataset.number] = True
            return True
        plain[number] = False
        waiting += each.made_of
    _NAMED.update(plain)
    return False


def picked(call: Call, places: Numbers) -> Association:
    """The association of records that were taken from these positions (-1: from none)."""
    return taken(places, call.before.rows)
