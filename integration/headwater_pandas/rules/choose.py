"""Rules for what leaves records, puts them into another order, or leaves columns."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from headwater_pandas.call import Call, boolean
from headwater_pandas.given.values import given, undecided
from headwater_pandas.inputs import (
    by_label,
    by_position,
    calls_in,
    column_map,
    looked_at,
    looked_over,
    made,
    named_by,
    numbers_of,
    operand,
    own,
    picked,
)
from headwater_pandas.positions import chosen, mask_places, places
from headwater_pandas.shape import is_data
from headwater_records.associations import Association, Every, Grouped, Same
from headwater_records.columns import WHOLE, MadeColumns, NoColumns, SameColumns, bits, moved
from headwater_records.graph import Dataset, Input
from headwater_records.lists import Numbers

_SORTS: Final = frozenset({"sort_values", "sort_index"})
_MOST_STEPS: Final = 16
"""So many steps before, at most, records are looked for as sorted."""


class Drawn(NamedTuple):
    """The positions of records that pandas drew by chance."""

    places: Numbers


def rows(call: Call, accessed: int = 0, fits: int = 0) -> Dataset | None:
    """Records that are left, or in another order; all columns stay."""
    return _left(call, chosen(call), accessed, fits)


def _left(
    call: Call, found: Numbers | None, accessed: int = 0, fits: int = 0, *others: Input
) -> Dataset | None:
    """The records at these positions; each may be any one where those are not known."""
    before, after = call.before, call.after
    if after.width != before.width:
        return None
    everything = ((after.all_columns, fits),) if fits else ()
    places_ = Every(before.rows, after.rows) if found is None else picked(call, found)
    known = found is not None
    return made(call, own(call, places_, _levels(call), accessed, fits=everything, exact=known), *others)


def ends(call: Call) -> Dataset | None:
    """`head` and `tail`: the first or last records, whichever came there when they were put into order."""
    return _left(call, chosen(call), 0, 0, *put_into_order(call, call.after.rows))


def put_into_order(call: Call, left: int) -> tuple[Input, ...]:
    """The keys of all records, where these were sorted before so many are left of them by their places."""
    dataset = call.dataset
    for _ in range(_MOST_STEPS):
        first = next(iter(dataset.inputs), None)
        if first is None or not first.contributes or isinstance(first.rows, Every | Grouped):
            return ()
        if dataset.step in _SORTS and first.accessed:
            every = Every(first.dataset.rows, left)
            return (Input(first.dataset, every, NoColumns(), fits=((WHOLE, first.accessed),)),)
        dataset = first.dataset
    return ()


def taken_at(call: Call) -> Dataset | None:
    """`take`: the records, or columns, at these positions."""
    places_ = np.asarray(call.argument("indices"))
    if call.argument("axis", 0) in {1, "columns"}:
        sources = np.arange(call.before.width)[places_].tolist()
        return made(call, own(call, columns=column_map(call.before, call.after, sources)))
    return made(
        call,
        own(call, picked(call, np.arange(call.before.rows)[places_])),
        *put_into_order(call, call.after.rows),
    )


def _levels(call: Call) -> Any:
    """The map of columns where a new index may have replaced the old one."""
    new = bool(call.kwargs.get("ignore_index"))
    return column_map(call.before, call.after, range(call.before.width), levels=not new)


def dropna(call: Call) -> Dataset | None:
    """Records, or columns, without missing values: each of the columns that were looked at decides."""
    subset = call.argument("subset")
    accessed = call.before.own_columns if subset is None else numbers_of(call.before, subset)
    if call.argument("axis", 0) in {1, "columns"}:
        return columns(call, accessed=call.before.own_columns)
    return rows(call, accessed)


def sort_values(call: Call) -> Dataset | None:
    """A permutation; the keys decide."""
    keys = call.argument("by")
    if call.argument("axis", 0) not in {0, "index"}:
        return columns(call, accessed=call.before.own_columns)
    return rows(call, 1 if keys is None else numbers_of(call.before, keys))


def sample(call: Call) -> Dataset | None:
    """Records by chance; a column of weights decides."""
    if call.argument("axis", 0) in {1, "columns"}:
        return None
    weights = call.argument("weights")
    compared = numbers_of(call.before, weights) if isinstance(weights, str) else 0
    drawn = [each.places for each in call.noted if isinstance(each, Drawn)]
    return _left(call, drawn[0] if len(drawn) == 1 else None, compared, fits=compared)


def truncated(call: Call) -> Dataset | None:
    """`truncate`: the records between two labels."""
    if call.argument("axis") in {1, "columns"}:
        return columns(call)
    return rows(call, call.before.labels_that_say)


def sort_index(call: Call) -> Dataset | None:
    """A permutation by the index, or of the columns."""
    if call.argument("axis", 0) not in {0, "index"}:
        return columns(call)
    accessed = bits(call.before.level_numbers())
    if (call.before.index.is_unique and not call.kwargs.get("ignore_index")) or call.argument("key"):
        return rows(call, accessed)
    same = {name: value for name, value in call.kwargs.items() if name not in {"inplace", "ignore_index"}}
    found = pd.Series(np.arange(call.before.rows), index=call.before.index).sort_index(*call.args[1:], **same)
    return made(call, own(call, picked(call, found.to_numpy()), _levels(call), accessed))


def extremes(call: Call) -> Dataset | None:
    """The largest or smallest: all records were compared."""
    keys = call.argument("columns")
    compared = 1 if keys is None else numbers_of(call.before, keys)
    return rows(call, compared, fits=compared)


def query(call: Call) -> Dataset | None:
    """A filter by a text: the columns that it names decide."""
    text = call.argument("expr")
    accessed = named_by(call.before, text)
    if not call.before.index.is_unique and ("index" in text or accessed >> call.before.width):
        return None
    decides = accessed or call.before.all_columns
    fits = decides if calls_in(text) else 0
    if any(callable(each) for each in call.named):
        return _left(call, chosen(call), decides, fits, undecided(call))
    return rows(call, decides, fits)


def cross_section(call: Call) -> Dataset | None:
    """`xs`: the records that have a label on a level of the index; the other levels stay."""
    before, after = call.before, call.after
    if call.argument("axis", 0) not in {0, "index"}:
        return None
    numbers = pd.Series(np.arange(before.rows), index=before.index)
    found = numbers.xs(
        call.argument("key"), level=call.argument("level"), drop_level=call.argument("drop_level", True)
    )
    names = list(before.index.names)
    if not np.ndim(found) or any(names.count(name) != 1 for name in after.index.names):
        return None
    levels = [before.width + names.index(name) for name in after.index.names]
    kept = moved((*range(before.width), *levels))
    return made(call, own(call, picked(call, found.to_numpy()), kept, before.labels_that_say))


def drop(call: Call) -> Dataset | None:
    """Columns or records by their labels."""
    index = call.argument("index")
    by_rows = call.argument("columns") is None and call.argument("axis", 0) in {0, "index"}
    if by_rows and not call.before.index.is_unique:
        labels = call.argument("labels") if index is None else index
        gone = call.before.index.isin(labels if pd.api.types.is_list_like(labels) else [labels])
        return _masked(call, np.flatnonzero(~gone), accessed=call.before.labels_that_say)
    if index is not None and call.argument("columns") is not None:
        return None
    return rows(call, call.before.labels_that_say) if by_rows or index is not None else columns(call)


def columns(call: Call, accessed: int = 0) -> Dataset | None:
    """Columns that are left, or in another order; all records stay."""
    sources = by_label(call.before.columns, call.after.columns)
    if sources is None or -1 in sources or call.after.rows != call.before.rows:
        return None
    fits = ((call.after.all_columns, accessed),) if accessed else ()
    return made(call, own(call, columns=column_map(call.before, call.after, sources), fits=fits))


def duplicates(call: Call) -> Dataset | None:
    """One of each group of equal records: with all columns compared, each of the equal ones would have been enough."""
    found = chosen(call)
    if found is None:
        return None
    subset = call.argument("subset")
    groups = _equal_groups(call, subset)
    if groups is None or call.argument("keep", "first") is False:
        compared = call.before.own_columns if subset is None else numbers_of(call.before, subset)
        return rows(call, compared, fits=compared)
    codes, count = groups
    outputs = np.full(count, -1)
    outputs[codes[found]] = np.arange(len(found))
    members = Grouped.by(outputs[codes], len(found))
    kept = own(call, picked(call, found), _levels(call))
    if subset is None:
        equal = own(call, members, moved((*range(call.before.width), *[-1] * call.after.levels)))
        return made(call, kept, equal, alternatives=True)
    compared = numbers_of(call.before, subset)
    return made(call, kept, Input(call.dataset, members, NoColumns(), compared))


def repeated(call: Call) -> Dataset | None:
    """`duplicated`: whether there is an equal record before, by the columns that are compared of all."""
    subset = call.argument("subset")
    compared = call.before.own_columns if subset is None else numbers_of(call.before, subset)
    levels = moved((-1, *call.before.level_numbers()))
    own_column = own(call, columns=MadeColumns(((0, compared),), levels), fits=((1, compared),))
    return made(call, own_column, *put_into_order(call, call.after.rows))


def _equal_groups(call: Call, subset: Any) -> tuple[Numbers, int] | None:
    """The number of each record's group of equal records, and how many there are; None if values have no hash."""
    frame = call.frame.to_frame() if isinstance(call.frame, pd.Series) else call.frame
    if subset is not None:
        frame = frame[[subset] if not isinstance(subset, list) else subset]
    if not frame.shape[1] or not len(frame):
        return None
    codes = np.zeros(len(frame), np.int64)
    for place in range(frame.shape[1]):
        try:
            each, uniques = pd.factorize(frame.iloc[:, place], use_na_sentinel=False)
        except TypeError:
            return None
        codes = pd.factorize(codes * (len(uniques) + 1) + each)[0]
    return codes, int(codes.max()) + 1


def getitem(call: Call) -> Dataset | None:
    """`frame[key]`: a mask, a slice, columns, or values where a mask of the same outline is true."""
    key = call.args[1]
    if isinstance(key, pd.DataFrame):
        return made(call, own(call), operand(call, key, SameColumns()))
    if boolean(key):
        return _masked(call, mask_places(call.before.index, key), key)
    if isinstance(key, slice) or isinstance(call.subject, pd.Series):
        return _chosen_by(call, key)
    if isinstance(call.result, pd.Series):
        sources = by_label(call.before.columns, [key])
        if sources is None or -1 in sources:
            return None
        return made(call, own(call, columns=column_map(call.before, call.after, sources)))
    return columns(call)


def _chosen_by(call: Call, key: Any) -> Dataset | None:
    numbers = pd.Series(np.arange(call.before.rows), index=call.before.index)[key]
    accessed = 0 if isinstance(key, slice) else call.before.labels_that_say
    if not np.ndim(numbers):
        return None
    sorted_ = put_into_order(call, call.after.rows) if isinstance(key, slice) else ()
    return _masked(call, np.asarray(numbers), None, accessed, *sorted_)


def _masked(call: Call, found: Numbers, key: Any = None, accessed: int = 0, *more: Input) -> Dataset | None:
    if len(found) != call.after.rows:
        return None
    association = picked(call, found)
    inputs = [own(call, association, accessed=accessed)]
    if is_data(key):
        inputs.append(looked_at(key, _of_mask(call, key, association), WHOLE))
    return made(call, *inputs, *more)


def _of_mask(call: Call, key: Any, association: Association) -> Association:
    """Which record of the mask decided: the one at the same place, or with the same label."""
    if isinstance(key, np.ndarray) or key.index is call.before.index or key.index.equals(call.before.index):
        return association
    return Grouped.pairs(
        key.index.get_indexer(call.after.index), np.arange(call.after.rows), len(key), call.after.rows
    )


def located(call: Call) -> Dataset | None:
    """`frame.loc[rows, columns]` and `iloc`."""
    row_key, column_key = split_key(call, call.args[1])
    by_position = call.name in {"iloc", "iat"}
    found = places(call.before.index, row_key, by_position=by_position)
    here = places(_index_of(call.before.columns), column_key, by_position=by_position)
    sources = list(range(call.before.width)) if here is None else np.atleast_1d(here).tolist()
    by_label = not (by_position or found is None or boolean(row_key))
    accessed = call.before.labels_that_say if by_label else 0
    if isinstance(found, int):
        return _one_record(call, found, sources, accessed)
    association = Same() if found is None else picked(call, found)
    if (call.before.rows if found is None else len(found)) != call.after.rows:
        return None
    mapped = column_map(call.before, call.after, sources)
    inputs = [own(call, association, mapped, accessed)]
    if is_data(row_key) and boolean(row_key):
        inputs.append(looked_at(row_key, _of_mask(call, row_key, association), WHOLE))
    if is_data(column_key):
        inputs.append(looked_over(call, column_key))
    by_place = by_position and found is not None and not boolean(row_key)
    return made(call, *inputs, *(put_into_order(call, call.after.rows) if by_place else ()))


def _index_of(columns: Any) -> Any:
    return columns if isinstance(columns, pd.Index) else pd.Index(columns)


def _one_record(call: Call, place: int, sources: list[int], accessed: int) -> Dataset | None:
    """A record that is laid out along the columns, or a single value."""
    call.turned = bool(np.ndim(call.result))
    named = call.turned and call.before.levels == 1 and call.before.labels_that_say
    mapped = moved((*sources, call.before.width if named else -1))
    labels = [call.before.columns[number] for number in sources]
    rows_of = picked(call, np.array([place]))
    sorted_ = put_into_order(call, 1) if call.name in {"iloc", "iat"} else ()
    return Dataset(call.name, 1, (*labels, "index"), (own(call, rows_of, mapped, accessed), *sorted_))


def split_key(call: Call, key: Any) -> tuple[Any, Any]:
    """The key for records and the key for columns."""
    key = key(call.subject) if callable(key) else key
    if isinstance(call.subject, pd.Series):
        return (key[0] if isinstance(key, tuple) and call.name == "iloc" else key), slice(None)
    if type(key) is tuple and len(key) == 2 and not _a_label(call, key):
        return key
    return key, slice(None)


def _a_label(call: Call, key: tuple[Any, Any]) -> bool:
    """Whether a pair of keys is one label of an index of two levels."""
    if call.name in {"iloc", "iat"} or call.before.levels != 2:
        return False
    columns = _index_of(call.before.columns)
    return all(map(pd.api.types.is_scalar, key)) and key[1] not in columns


def reindex(call: Call) -> Dataset | None:
    """Records and columns by labels; those that were not there have none, or what the nearest ones have."""
    before, after = call.before, call.after
    method = call.argument("method")
    if not before.index.is_unique or (method and call.argument("columns") is not None):
        return None
    near = {name: call.argument(name) for name in ("method", "limit", "tolerance")} if method else {}
    found = before.index.get_indexer(after.index, **near)
    sources = [0] if isinstance(call.subject, pd.Series) else by_label(before.columns, after.columns)
    if sources is None:
        return None
    labels = call.argument("index", call.argument("labels"))
    new = [by_position(call, labels, after.width)] if isinstance(labels, pd.Index | pd.Series) else []
    chosen_by = [looked_at(labels, Same(), WHOLE)] if is_data(labels) else []
    kept = own(call, picked(call, found), column_map(before, after, sources), before.labels_that_say)
    return made(call, kept, *new, *chosen_by, *given(call, call.argument("fill_value")))


def at_each_time(call: Call) -> Dataset | None:
    """`asfreq`: the records by times that follow each other; those that were not there have none."""
    return None if call.argument("normalize") else reindex(call)


def explode(call: Call) -> Dataset | None:
    """One record for each element; the collection is in the column that it was in."""
    found = chosen(call)
    if found is None:
        return None
    names = call.argument("column")
    decides = call.before.own_columns if names is None else numbers_of(call.before, names)
    return made(call, own(call, picked(call, found), _levels(call), decides))
