"""Rules for what changes values and leaves records and columns where they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from headwater_pandas.call import Call
from headwater_pandas.given.values import given, undecided
from headwater_pandas.held import held
from headwater_pandas.inputs import (
    added_up,
    aligned,
    anywhere,
    by_label,
    by_position,
    calls_in,
    column_map,
    decided,
    looked_at,
    looked_over,
    made,
    named_by,
    names_may_be_values,
    operand,
    own,
    same_index,
    types_of,
)
from headwater_pandas.rules.applied import of_columns, of_records
from headwater_pandas.rules.windows import filled_along
from headwater_pandas.shape import is_data
from headwater_records.associations import Every, Same, taken
from headwater_records.columns import AllColumns, MadeColumns, NoColumns, bits, moved
from headwater_records.graph import Dataset, Input


def same(call: Call) -> Dataset | None:
    """Each value is made of the one at its place (a cast, a rename, a replacement, a copy)."""
    return made(call, own(call)) if _stays(call) else None


def _stays(call: Call) -> bool:
    before, after = call.before, call.after
    return before.rows == after.rows and before.width == after.width and before.levels == after.levels


def replaced(call: Call) -> Dataset | None:
    """`replace`: each value is the one at its place or a given one."""
    if not _stays(call):
        return None
    table = call.argument("to_replace")
    value = call.argument("value")
    inserted = [anywhere(call, each) for each in (table, value) if is_data(each)]
    return made(call, own(call), *inserted, *given(call, table if isinstance(table, Mapping) else value))


def elementwise(call: Call) -> Dataset | None:
    """Each value is made of the one at its place, and of those of other operands with its labels."""
    other = call.argument("other")
    return of_operands(call, *(given(call, other) if isinstance(other, str) else ()))


def of_operands(call: Call, *more: Input) -> Dataset | None:
    """Each value is made of the one at its place, of those of other operands with its labels, and of what is given."""
    if call.known.turned:
        return None
    inputs = [_first(call)]
    inputs += [operand(call, each) for each in call.others()]
    return made(call, *inputs, *more)


def filled(call: Call) -> Dataset | None:
    """`fillna`: each value is the one at its place or the given one; `method` takes those of other records."""
    if call.argument("method") is None:
        return of_operands(call, *given(call, call.argument("value")))
    call.name = call.argument("method")
    return filled_along(call)


def _first(call: Call) -> Input:
    """What was taken of the subject: at its place, or by labels where operands were aligned."""
    before, after = call.before, call.after
    rows_stay = isinstance(call.subject, np.ndarray) or same_index(before.index, after.index)
    columns_stay = before.width == after.width and _same_names(before.columns, after.columns)
    return own(call) if rows_stay and columns_stay else operand(call, call.subject)


def _same_names(before: Any, after: Any) -> bool:
    """Whether columns have kept their places; the only one has, whatever it is called."""
    return len(before) == 1 or before is after or list(before) == list(after)


def parts(call: Call) -> Dataset | None:
    """Several columns of one: each value is made of that at its place."""
    if not same_index(call.before.index, call.after.index):
        return None
    levels = moved((*[-1] * call.after.width, *call.before.level_numbers()))
    return made(
        call, own(call, columns=MadeColumns(tuple((place, 1) for place in range(call.after.width)), levels))
    )


def evaluated(call: Call) -> Dataset | None:
    """`eval`: a column of those that a text names, or a frame with such columns; what calls functions is not read."""
    text, before, after = call.argument("expr"), call.before, call.after
    known = same_index(before.index, after.index)
    if not known or calls_in(text) or any(map(callable, call.named)) or any(call.others()):
        return None
    named = named_by(before, text)
    if isinstance(call.result, pd.Series):
        columns = MadeColumns(((0, named),), moved((-1, *before.level_numbers())))
        return made(call, own(call, columns=columns), *given(call, list(call.named)))
    assigned = {str(each) for each in re.findall(r"^\s*(\w+)\s*=[^=]", text, re.MULTILINE)}
    places = [place for place, label in enumerate(after.columns) if str(label) in assigned]
    sources = by_label(before.columns, after.columns)
    if sources is None or len(places) != len(assigned):
        return None
    kept = column_map(
        before, after, [-1 if place in places else source for place, source in enumerate(sources)]
    )
    columns = MadeColumns(tuple((place, named) for place in places), kept)
    functions = [call.name if place in places else "" for place in range(len(after.labels))]
    return made(call, own(call, columns=columns), *given(call, list(call.named)), functions=functions)


def fitted(call: Call) -> Dataset | None:
    """Each value is made of the one at its place, and all of its column decided (a rank, quantiles, bins)."""
    if not _stays(call) or _across(call):
        return None
    pairs = tuple((1 << number, 1 << number) for number in range(call.before.width))
    return made(call, own(call, fits=pairs))


def choice(call: Call) -> Dataset | None:
    """`where` and `mask`: the condition decides, and the value is one of two."""
    if not _stays(call):
        return None
    condition, other = call.argument("cond"), call.argument("other")
    inputs = [own(call)]
    if is_data(condition):
        rows = Same() if isinstance(condition, np.ndarray) else aligned(condition.index, call.after.index)
        if rows is None:
            return None
        inputs.append(looked_at(condition, rows, call.after.all_columns))
    if is_data(other):
        inputs.append(operand(call, other))
    return made(call, *inputs, *given(call, other))


def looked_up(call: Call) -> Dataset | None:
    """`map`: by a function or a table of the program; or in a series, whose values the result has then."""
    table = call.argument("arg", call.argument("func"))
    if isinstance(table, Mapping):
        return made(call, own(call), *given(call, table)) if _stays(call) else None
    if not isinstance(table, pd.Series):
        return same(call)
    if not table.index.is_unique:
        return None
    found = table.index.get_indexer(call.frame)
    known = held(table)
    if known is None or known.turned:
        return same(call)
    columns = moved((0, *[-1] * call.after.levels))
    key = own(call, columns=moved((-1, *call.before.level_numbers())), accessed=1)
    return made(call, key, Input(known.dataset, taken(found, len(table)), columns))


def applied(call: Call) -> Dataset | None:
    """`apply`: by value for a series; by column; by record for `axis=1`."""
    before, after = call.before, call.after
    if isinstance(call.subject, pd.DataFrame) and not _across(call):
        return of_columns(call)
    if not isinstance(call.result, pd.DataFrame | pd.Series) or before.rows != after.rows:
        return None
    if isinstance(call.subject, pd.Series):
        return made(call, own(call, columns=None if after.width == 1 else _all(call)))
    if call.argument("axis", 0) in {1, "columns"} and same_index(before.index, after.index):
        return of_records(call)
    return None


def _all(call: Call) -> AllColumns:
    return AllColumns(call.before.width + call.before.levels, call.after.width + call.after.levels)


def shifted(call: Call) -> Dataset | None:
    """Each record has the value of one before or behind it."""
    steps = call.argument("periods", 1)
    if call.argument("freq") is not None or call.argument("axis", 0) not in {0, "index"}:
        return None
    if not isinstance(steps, int) or not _stays(call):
        return None
    return made(call, _labels(call), _behind(call, steps))


def _labels(call: Call) -> Input:
    """Only the index stays at its place."""
    return own(call, columns=moved((*[-1] * call.before.width, *call.before.level_numbers())))


def _behind(call: Call, steps: int) -> Input:
    count = call.before.rows
    places = np.arange(count) - steps
    places[(places < 0) | (places >= count)] = -1
    columns = moved((*range(call.before.width), *[-1] * call.before.levels))
    return own(call, taken(places, count), columns)


def difference(call: Call) -> Dataset | None:
    """Each value is made of the one at its place and one before or behind it."""
    steps = call.argument("periods", 1)
    if not isinstance(steps, int) or call.argument("axis", 0) not in {0, "index"} or not _stays(call):
        return None
    return made(call, own(call), _behind(call, steps))


def _across(call: Call) -> bool:
    """Whether a function goes along the columns of each record."""
    return call.argument("axis", 0) in {1, "columns"}


def by_column(call: Call) -> Dataset | None:
    """Each column is made of the column of that place, of records that nobody knows (`interpolate`)."""
    if not _stays(call) or _across(call):
        return None
    columns = moved((*range(call.before.width), *[-1] * call.before.levels))
    every = Every(call.before.rows, call.after.rows)
    return made(call, _labels(call), own(call, every, columns, exact=False))


def reduced(call: Call) -> Dataset | None:
    """One figure for each column, of all its records; the result is laid out along the columns."""
    if call.functions is not None and not _across(call):
        return of_columns(call)
    if isinstance(call.subject, pd.Series) and np.ndim(call.result) == 0:
        return _figure(call)
    if _across(call) and same_index(call.before.index, call.after.index):
        levels = moved((-1, *call.before.level_numbers()))
        return made(call, own(call, columns=MadeColumns(((0, call.before.own_columns),), levels)))
    if call.argument("axis", 0) not in {0, "index", None} or not isinstance(call.result, pd.Series):
        return None
    names = call.result.index
    sources = by_label(call.before.columns, names)
    if sources is None or -1 in sources:
        return None
    of_names = call.before.own_columns if names_may_be_values(call.dataset) else 0
    labels = bits(call.before.level_numbers()) if call.name.startswith("idx") else 0
    pairs = ((place, 1 << source | labels) for place, source in enumerate(sources))
    mapped = MadeColumns((*pairs, (len(sources), of_names)), NoColumns())
    call.turned = True
    made_of = own(call, Every(call.before.rows, 1), mapped)
    types = types_of(call.frame)
    functions = (*[added_up(call.name, types[source]) for source in sources], "")
    return Dataset(
        call.name, 1, (*names, "index"), (made_of, *decided(call, len(names) + 1)), functions=functions
    )


def _figure(call: Call) -> Dataset:
    """One value of a whole series, and of its index where it is a label."""
    if call.known.turned:
        return _of_record(call)
    numbers = [0, *(call.before.level_numbers() if call.name.startswith("idx") else [])]
    labels = [call.before.labels[number] for number in numbers]
    made_of = own(call, Every(call.before.rows, 1), moved(tuple(numbers)))
    functions = tuple(added_up(call.name, kind) for kind in types_of(call.subject))
    return Dataset(call.name, 1, labels, (made_of, *decided(call, len(labels))), functions=functions)


def _of_record(call: Call) -> Dataset:
    """One value of all columns of the record that a series is."""
    every = (1 << len(call.dataset.columns)) - 1
    columns = MadeColumns(((0, every),), NoColumns())
    made_of = Input(call.dataset, Every(call.dataset.rows, 1), columns)
    return Dataset(call.name, 1, ("value",), (made_of, *decided(call, 1)))


def contained(call: Call) -> Dataset | None:
    """`isin`: what is looked for decides as a whole."""
    if not _stays(call):
        return None
    of_program = [undecided(call)] if given(call, call.argument("values")) else []
    return made(call, own(call), *(looked_over(call, each) for each in call.others()), *of_program)


def reset_index(call: Call) -> Dataset | None:
    """The levels of the index become columns in front, or go; the records stay."""
    before, after = call.before, call.after
    level = call.argument("level")
    wanted = level if isinstance(level, list | tuple) else [level]
    places = (
        range(before.levels) if level is None else [before.index._get_level_number(each) for each in wanted]
    )
    gone = sorted({before.width + place for place in places})
    left = [number for number in before.level_numbers() if number not in gone]
    sources = [*([] if call.argument("drop", False) else gone), *range(before.width)]
    if len(sources) != after.width or before.rows != after.rows:
        return None
    levels = left if len(left) == after.levels else [-1] * after.levels
    return made(call, own(call, columns=moved((*sources, *levels))))


def set_index(call: Call) -> Dataset | None:
    """Columns become the index, or series and arrays by position, alone or behind the levels that there are."""
    before, after = call.before, call.after
    keys = call.argument("keys")
    keys = keys if isinstance(keys, list) else [keys]
    levels, others = before.level_numbers() if call.argument("append", False) else [], []
    sources = by_label(before.columns, after.columns)
    for key in keys:
        if is_data(key):
            others.append((key, after.width + len(levels)))
            levels.append(-1)
        else:
            levels += by_label(before.columns, [key]) or [-1]
    if sources is None or -1 in sources or len(levels) != after.levels:
        return None
    return made(
        call,
        own(call, columns=moved((*sources, *levels))),
        *(by_position(call, key, place) for key, place in others),
    )


def to_frame(call: Call) -> Dataset | None:
    """A series as a frame of one column, or an array of a frame."""
    return made(call, own(call)) if call.before.rows == call.after.rows else None


def to_array(call: Call) -> Dataset | None:
    """The values without their labels: the index goes."""
    before, after = call.before, call.after
    if before.rows != after.rows or before.width != after.width:
        return None
    return made(call, own(call, columns=column_map(before, after, range(before.width), levels=False)))
