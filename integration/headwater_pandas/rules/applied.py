"""Rules for functions of the program that are handed groups, windows, records or columns, and what they read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from headwater_pandas.call import Call
from headwater_pandas.functions.recording import Reading
from headwater_pandas.inputs import by_label, made, names_may_be_values, opaque, own, same_index
from headwater_records.associations import Association, Every, Grouped
from headwater_records.columns import AllColumns, MadeColumns, NoColumns, bits, moved
from headwater_records.graph import Dataset, Input
from headwater_records.lists import Lists, Numbers, compact

_OF_A_LIBRARY: Final = Reading(values=True, labels=True)
"""What functions of pandas and NumPy may read of a column."""
OF_THE_PROGRAM: Final = "function of the program"
"""What made a column, where it was no function whose name says what it does."""


def read_by(call: Call, keys: int = 0) -> int:
    """The columns and levels, as bits, that the functions of a call read by name; ``keys`` are those of its groups."""
    reading, levels = call.functions.reading, bits(call.before.level_numbers())
    if reading is None:
        return levels | keys
    found = by_label(call.before.columns, list(reading.columns))
    if found is None or -1 in found or (reading.names and names_may_be_values(call.dataset)):
        columns = call.before.own_columns
    else:
        columns = bits(found)
    return columns | (levels if reading.labels else 0) | (keys if reading.name else 0)


def besides(call: Call, rows: Association, keys: int = 0) -> Iterator[Input]:
    """What functions read besides the column that a result is named after; all, where they may have kept something."""
    if call.functions is None:
        return
    if call.functions.around.kept():
        every = Every(call.before.rows, call.after.rows)
        yield own(call, every, AllColumns(len(call.dataset.columns), len(call.after.labels)), exact=False)
        return
    read = read_by(call, keys)
    if read:
        reading = call.functions.reading
        columns = MadeColumns(tuple((place, read) for place in range(call.after.width)), NoColumns())
        yield own(call, rows, columns, exact=reading is not None and not reading.whole)


def of_records(call: Call) -> Dataset | None:
    """A function of each record, by what it took of it."""
    before, after, functions = call.before, call.after, call.functions
    index = moved((*[-1] * after.width, *before.level_numbers()))
    if functions is not None and functions.around.kept():
        return None
    if functions is not None and functions.read is not None and after.width == 1:
        names = list(before.columns)
        values, decide = (
            before.own_columns if each is None else bits(names.index(name) for name in each)
            for each in functions.read
        )
        record = own(call, columns=MadeColumns(((0, values),), index), accessed=decide, decides=1)
        return made(call, record, constant=0 if values else 1)
    if functions is None or functions.reading is None:
        return made(
            call,
            own(
                call,
                columns=AllColumns(before.width + before.levels, after.width + after.levels),
                exact=False,
            ),
        )
    read = read_by(call)
    columns = MadeColumns(tuple((place, read) for place in range(after.width)), index)
    constant = 0 if read else after.own_columns
    return made(call, own(call, columns=columns, exact=not functions.reading.whole), constant=constant)


def of_groups(call: Call, codes: Numbers, number: int, accessed: int, keys: dict[int, int]) -> Dataset | None:
    """A function of each group: its records are made of all members, and of the columns that were read.

    ``accessed`` are the columns of the groups' keys, ``keys`` those of the result that are keys.
    """
    members = _members(call, codes, number)
    functions = call.functions
    if members is None or (functions is not None and functions.around.kept()):
        return None
    if functions is None or functions.reading is None:
        unknown = opaque(call).inputs[0]
        return made(call, Input(call.dataset, members, unknown.columns, accessed, exact=False))
    read = read_by(call, accessed) | _of_series(call)
    before, after = call.before, call.after
    columns = [read | (1 << keys[place] if place in keys else 0) for place in range(after.width)]
    levels = [read | accessed | bits(before.level_numbers())] * after.levels
    mapped = MadeColumns(tuple(enumerate((*columns, *levels))), NoColumns())
    return made(
        call,
        own(call, members, mapped, accessed, exact=not functions.reading.whole),
        constant=0 if read else after.own_columns,
    )


def _of_series(call: Call) -> int:
    """The column of a grouped series, if its values were read; what is grouped is the whole frame behind it."""
    if not call.functions.reading.values:
        return 0
    labels = list(call.before.columns)
    selected = getattr(call.subject, "_selection", None)
    name = selected if selected is not None else call.subject.obj.name if call.subject.ndim == 1 else None
    return 1 << labels.index(name) if labels.count(name) == 1 else call.before.own_columns


def _members(call: Call, codes: Numbers, number: int) -> Association | None:
    """The members of the group that each record of the result is of."""
    made_of = _groups_of_result(call, codes, number) if len(codes) == call.before.rows else None
    if made_of is None:
        return None
    members = Grouped.by(codes, number)
    sizes = np.diff(members.lists.offsets)[made_of]
    offsets = compact(np.concatenate(([0], np.cumsum(sizes))))
    return Grouped(Lists(offsets, members.lists.of(made_of)), call.before.rows)


def _groups_of_result(call: Call, codes: Numbers, number: int) -> Numbers | None:
    """The number of the group of each record of the result; None where nothing tells."""
    reading = call.functions.reading if call.functions is not None else None
    if reading is not None and len(reading.lengths) == number:
        if reading.stay and call.after.levels == call.before.levels:
            return _own_groups(call, codes)
        if sum(reading.lengths) == call.after.rows:
            return np.repeat(np.arange(number), reading.lengths)
        if call.after.rows == number and not getattr(call.subject, "as_index", True):
            return np.arange(number)
    return _labelled(call.subject._grouper.result_index, call.after.index)


def _own_groups(call: Call, codes: Numbers) -> Numbers | None:
    """The groups of records that have stayed, and stand where they had been."""
    before, after = call.before.index, call.after.index
    if same_index(before, after):
        return codes if bool((codes >= 0).all()) else None
    places = before.get_indexer(after) if before.is_unique else np.array([-1])
    found = codes[places] if bool((places >= 0).all()) else places
    return found if bool((found >= 0).all()) else None


def _labelled(labels: Any, after: Any) -> Numbers | None:
    """The groups by their keys, which are the first levels of the result; a level without a name may be another."""
    names = list(labels.names)
    if None in names or after.nlevels < labels.nlevels or list(after.names[: labels.nlevels]) != names:
        return None
    inner = list(range(labels.nlevels, after.nlevels))
    keys = after.droplevel(inner) if inner else after
    found = labels.get_indexer(keys) if labels.is_unique else None
    return None if found is None or (len(found) and int(found.min()) < 0) else found


def of_columns(call: Call) -> Dataset | None:
    """A function of each column: a figure, or values that are made of all records of that column."""
    functions, before = call.functions, call.before
    if call.argument("axis", 0) in {1, "columns"}:
        return None
    if functions is not None and (functions.reading is None or functions.around.kept()):
        return None
    given = _of_one_record(call)
    laid = replace(call, result=given) if given is not None else call
    if not isinstance(laid.result, pd.DataFrame | pd.Series):
        return None
    after, reading = laid.after, _OF_A_LIBRARY if functions is None else functions.reading
    sources = by_label(before.columns, after.columns)
    if sources is None or -1 in sources:
        return None
    names = before.own_columns if reading.name and names_may_be_values(call.dataset) else 0
    more = names | (bits(before.level_numbers()) if reading.labels else 0)
    read = [more | (1 << source if reading.values or reading.whole else 0) for source in sources]
    stays = given is None and same_index(before.index, after.index)
    inputs = [own(call, columns=moved((*[-1] * after.width, *before.level_numbers())))] if stays else []
    labels = [names if given is not None else before.all_columns] * (0 if stays else after.levels)
    columns = MadeColumns(tuple(enumerate((*read, *labels))), NoColumns())
    inputs.append(own(call, Every(before.rows, after.rows), columns, exact=not reading.whole))
    call.turned = given is not None and not np.isscalar(call.result)
    nothing = bits(place for place, each in enumerate(read) if not each)
    return made(laid, *inputs, functions=[OF_THE_PROGRAM] * len(after.labels), constant=nothing)


def _of_one_record(call: Call) -> Any:
    """The figures, one of each column, as a record; None where the result is something else."""
    before, result = call.before, call.result
    if isinstance(call.subject, pd.Series):
        return (
            pd.DataFrame([[result]], columns=list(before.columns)) if pd.api.types.is_scalar(result) else None
        )
    if isinstance(result, pd.Series) and result.index.equals(before.columns):
        return pd.DataFrame([list(result)], columns=result.index)
    return None
