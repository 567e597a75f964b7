"""Rules for groups. A grouped object keeps what it was grouped of, and by what."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from pandas.core.groupby.ops import BinGrouper

from headwater_pandas.call import Call
from headwater_pandas.inputs import aligned, known_of, made, own, picked, same_index
from headwater_pandas.rules.applied import OF_THE_PROGRAM, besides, of_groups
from headwater_pandas.rules.choose import put_into_order
from headwater_pandas.shape import Shape, is_data, shape_of
from headwater_records.associations import Association, Every, Grouped, Peers, Same
from headwater_records.columns import AllColumns, Counted, MadeColumns, NoColumns, SameColumns, bits, moved
from headwater_records.graph import Dataset, Input
from headwater_records.lists import Numbers

NO_KEYS: Final[Mapping[int, int]] = MappingProxyType({})


class Groups(NamedTuple):
    """The number of each record's group (-1: in none), how many there are, and the columns of the keys."""

    codes: Numbers
    number: int
    keys: list[int]
    levels: list[int]

    @property
    def accessed(self) -> int:
        """The columns and levels that the keys are, as bits; all levels for a function of the index."""
        return bits(number for key in self.keys for number in (self.levels if key < 0 else [key]))


def groups_of(call: Call) -> Groups:
    """What pandas found when it grouped; the keys are columns of the dataset behind the grouped object."""
    inside, shape = call.subject._grouper, call.before
    codes, count = _codes(inside)
    first = shape.width + shape.levels
    keys = list(range(first, len(call.dataset.columns))) or _columns_of_keys(inside, shape)
    return Groups(codes, count, keys, shape.level_numbers())


def _codes(inside: Any) -> tuple[Numbers, int]:
    """The number of the group of each record (-1: of none), and how many groups there are."""
    codes, _, count = (
        inside.group_info if hasattr(inside, "group_info") else (inside.ids, None, inside.ngroups)
    )
    return np.asarray(codes), int(count)


def _columns_of_keys(inside: Any, shape: Shape) -> list[int]:
    return [_key(each, shape, binned=isinstance(inside, BinGrouper)) for each in inside.groupings]


def _key(grouping: Any, shape: Shape, *, binned: bool) -> int:
    """The column or the level that a key is; bins of time are named after theirs."""
    columns = list(shape.columns)
    if grouping.in_axis:
        return columns.index(grouping.name) if grouping.name in columns else -1
    if binned and grouping.name in columns and grouping.name not in shape.index.names:
        return columns.index(grouping.name)
    if isinstance(grouping.level, int):
        return shape.width + grouping.level
    names = list(shape.index.names)
    return shape.width + names.index(grouping.name) if grouping.name in names else -1


def counted(call: Call) -> Dataset:
    """How many groups there are: the keys of all records decided."""
    every = Every(call.dataset.rows, 1)
    decided = Input(call.dataset, every, NoColumns(), fits=((1, groups_of(call).accessed),))
    return Dataset("ngroups", 1, ("count",), (Input(call.dataset, every, Counted()), decided))


def grouped(call: Call) -> Dataset:
    """What is behind a grouped object: the frame; with its keys as further columns, if one is no column or level."""
    inside = getattr(call.result, "_grouper", None)
    if call.name != "groupby" or inside is None:
        return call.dataset
    given = _given(call, len(inside.groupings))
    if all(_is_label(key, grouping) for key, grouping in zip(given, inside.groupings, strict=True)):
        return call.dataset
    return _with_keys(call, inside, given)


def _given(call: Call, number: int) -> list[Any]:
    """What the program gave for each key; None for a level."""
    by = call.argument("by")
    keys = by if isinstance(by, list) else [by]
    return keys if len(keys) == number else [by] * number


def _is_label(key: Any, grouping: Any) -> bool:
    """Whether a key is a column or a level of what is grouped."""
    if isinstance(key, pd.Grouper):
        return True
    return bool(grouping.in_axis) or key is None or not (callable(key) or pd.api.types.is_list_like(key))


def _with_keys(call: Call, inside: Any, given: list[Any]) -> Dataset:
    before = call.before
    labels, count = list(call.dataset.columns), len(call.dataset.columns) + len(given)
    sources, made_of, inputs = list(range(len(labels))), [], []
    columns = _columns_of_keys(inside, before)
    for place, (key, grouping) in enumerate(zip(given, inside.groupings, strict=True), len(labels)):
        label = _is_label(key, grouping)
        sources.append(columns[place - len(labels)] if label else -1)
        if not label and (callable(key) or isinstance(key, dict)):
            made_of.append((place, bits(before.level_numbers())))
        elif not label:
            inputs.append(_of_key(key, before, place, count))
    kept = own(call, columns=MadeColumns(tuple(made_of), moved(tuple(sources))))
    named = [*[""] * len(labels), *(call.name if callable(key) else "" for key in given)]
    names = [*labels, *(each.name for each in inside.groupings)]
    return Dataset(call.name, before.rows, names, (kept, *inputs), functions=tuple(named))


def _of_key(key: Any, before: Shape, place: int, count: int) -> Input:
    """A key that is a series or values beside the frame: by its labels, or by position."""
    values = key if is_data(key) else np.asarray(key, dtype=object)
    known, shape = known_of(values), shape_of(values)
    target = moved(tuple(0 if number == place else -1 for number in range(count)))
    rows = aligned(shape.index, before.index) if isinstance(values, pd.Series) else Same()
    if rows is None or known.turned:
        every = Every(known.dataset.rows, before.rows)
        return Input(known.dataset, every, AllColumns(len(known.dataset.columns), count), exact=False)
    return Input(known.dataset, rows, target)


def in_order(call: Call, dataset: Dataset) -> Dataset:
    """The dataset as a grouped object has it: by time, pandas sorts what it groups."""
    before, inside = call.before, getattr(call.result, "obj", None)
    if not isinstance(inside, pd.DataFrame | pd.Series) or same_index(before.index, inside.index):
        return dataset
    found = getattr(call.result, "_indexer", None)
    if found is None and before.index.is_unique and len(inside) == before.rows:
        found = before.index.get_indexer(inside.index)
    if found is None or len(found) != before.rows or int(found.min()) < 0:
        width = len(dataset.columns)
        rows, columns = Every(before.rows, before.rows), AllColumns(width, width)
        return Dataset(call.name, before.rows, dataset.columns, (Input(dataset, rows, columns, exact=False),))
    return Dataset(
        call.name, before.rows, dataset.columns, (Input(dataset, picked(call, found), SameColumns()),)
    )


def aggregated(call: Call) -> Dataset | None:
    """One record for each group, of all its members."""
    groups = groups_of(call)
    if call.after.rows != groups.number or len(groups.codes) != call.before.rows:
        return None
    as_index = getattr(call.subject, "as_index", True)
    keys = {} if as_index else _keys_in_columns(call, groups)
    columns = arguments(call, keys)
    if columns is None:
        return None
    kept = as_index and len(groups.keys) == call.after.levels
    levels = groups.keys if kept else [-1] * call.after.levels
    rows = Grouped.by(groups.codes, groups.number)
    named = ["" if place in keys else each for place, each in enumerate(functions(call))]
    mapped = own(call, rows, moved((*columns, *levels)), groups.accessed)
    labels = _labels_of_records(call, rows)
    counts = bits(place for place, number in enumerate(columns) if number < 0) if call.name == "size" else 0
    more = (*labels, *_results_named_alike(call, keys, rows), *besides(call, rows, groups.accessed))
    return made(call, mapped, *more, functions=named, constant=counts)


def _labels_of_records(call: Call, rows: Association) -> list[Input]:
    """The index, where what is picked of a group is the label of a record."""
    picked_ = [place for place, each in enumerate(functions(call)) if each in {"idxmin", "idxmax"}]
    if not picked_:
        return []
    levels = bits(call.before.level_numbers())
    return [own(call, rows, MadeColumns(tuple((place, levels) for place in picked_), NoColumns()))]


def _keys_in_columns(call: Call, groups: Groups) -> dict[int, int]:
    """The columns of the result that are keys, and the column that each of the keys is: pandas puts them in front."""
    found: dict[int, int] = {}
    for place, key in enumerate(groups.keys):
        name = call.subject._grouper.groupings[place].name
        names = {"index", f"level_{place}"} if name is None else {name}
        if len(found) < call.after.width and _top(call.after.columns[len(found)]) in names and key >= 0:
            found[len(found)] = key
    return found


def _top(label: Any) -> Any:
    """The name of a key among columns whose labels are tuples, of which it has the first part."""
    return label[0] if isinstance(label, tuple) and label and not any(label[1:]) else label


def _results_named_alike(call: Call, keys: dict[int, int], rows: Association) -> Iterator[Input]:
    """A result that is named like a key stands in the place of the key: its column may be made of either."""
    found = arguments(call) or []
    places = [place for place in keys if found and found[place] not in {-1, keys[place]}]
    if places:
        pairs = tuple((place, 1 << found[place]) for place in places)
        yield own(call, rows, MadeColumns(pairs, NoColumns()))


def functions(call: Call) -> list[str]:
    """The function that made each column: what `agg` and `transform` are given, or the method's own name."""
    given = call.argument("func") if call.name in {"agg", "aggregate", "transform"} else call.name
    named = {new: pair[1] for new, pair in call.kwargs.items() if isinstance(pair, tuple) and len(pair) == 2}
    return [_function(given, named, label) for label in call.after.columns]


def _function(given: Any, named: dict[str, Any], label: Any) -> str:
    """The name of one of several functions; one of the program may bear the name of one of pandas."""
    found = named.get(label, given)
    if isinstance(found, dict):
        name = label[0] if isinstance(label, tuple) and label not in found else label
        found = found.get(name)
    if isinstance(found, list):
        found = _of_list(found, label)
    if isinstance(found, str):
        return found
    return found.__name__ if getattr(found, "__module__", None) == "numpy" else OF_THE_PROGRAM


def _of_list(functions: list[Any], label: Any) -> Any:
    """The one that a column is of, which pandas names behind the column; None where that does not tell."""
    if isinstance(label, tuple) and label[-1] in functions:
        return label[-1]
    return functions[0] if len(functions) == 1 else None


def arguments(call: Call, keys: Mapping[int, int] = NO_KEYS) -> list[int] | None:
    """The column that each column of the result was computed of; that of a key is known."""
    labels, after = list(call.before.columns), call.after
    named = {new: given[0] for new, given in call.kwargs.items() if isinstance(given, tuple)}
    selected = getattr(call.subject, "_selection", None)
    found = []
    for place, label in enumerate(after.columns):
        if place in keys:
            found.append(keys[place])
            continue
        name = named.get(label, label[0] if isinstance(label, tuple) and label not in labels else label)
        if isinstance(call.subject, pd.core.groupby.SeriesGroupBy):
            own_name = call.subject.obj.name
            name = selected if selected is not None else own_name if own_name in labels else labels[0]
        if call.name == "cumcount" or (call.name == "size" and name not in labels):
            found.append(-1)
        elif (source := _of_that_name(labels, name, after.columns, place)) is not None:
            found.append(source)
        else:
            return None
    return found


def _of_that_name(labels: list[Any], name: Any, results: Any, place: int) -> int | None:
    """The column with this name; of several the one with as many before it as the result at this place has."""
    if labels.count(name) < 2:
        return labels.index(name) if name in labels else None
    sources = [number for number, label in enumerate(labels) if _is(label, name)]
    alike = [number for number, label in enumerate(results) if _is(label, results[place])]
    return sources[alike.index(place)] if len(alike) == len(sources) else None


def _is(label: Any, name: Any) -> bool:
    return label is name or bool(label == name)  # a missing name equals nothing


def transformed(call: Call) -> Dataset | None:
    """Each value is made of those of its column in all records of its group."""
    groups = groups_of(call)
    if not same_index(call.before.index, call.after.index):
        return None
    columns = arguments(call)
    if columns is None:
        return None
    levels = call.before.level_numbers() if call.before.levels == call.after.levels else []
    peers = Peers(groups.codes, groups.number)
    whole = own(call, peers, moved((*columns, *[-1] * call.after.levels)), groups.accessed)
    kept = own(call, columns=moved((*[-1] * call.after.width, *levels)))
    counted = call.name == "cumcount"
    more = [
        *besides(call, peers, groups.accessed),
        *(put_into_order(call, call.after.rows) if counted else ()),
    ]
    constant = call.after.own_columns if counted else 0
    return made(call, kept, whole, *more, functions=functions(call), constant=constant)


def chosen(call: Call) -> Dataset | None:
    """Some records of each group, as they were (`head`, `filter`); the groups decide."""
    if not call.before.index.is_unique:
        return None
    return _taken_from(call, call.before.index.get_indexer(call.after.index))


def places_of_groups(grouped_: Any) -> list[Numbers]:
    """Where the records of each group are, in the order of the groups."""
    codes, count = _codes(grouped_._grouper)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(count + 1))
    return [order[start:end] for start, end in itertools.pairwise(starts)]


def members(call: Call) -> Callable[[Numbers, Any], Dataset] | None:
    """What gives the dataset of each group that a program goes through, by its places; the result is the first."""
    if isinstance(call.subject._grouper, BinGrouper):  # puts the records in order first
        return None
    how = _how_taken(call)
    if how is None:
        return None

    def member(places: Numbers, group: Any) -> Dataset:
        taken_of = own(call, picked(call, places), **how)
        return Dataset(call.name, len(places), shape_of(group).labels, (taken_of,))

    return member


def named(call: Call) -> Dataset | None:
    """The group with a key (`get_group`)."""
    places = call.subject.indices.get(call.argument("name"))
    if places is None or len(places) != len(call.result):
        return None
    return _taken_from(call, np.asarray(places))


def _taken_from(call: Call, places: Numbers) -> Dataset | None:
    how = _how_taken(call)
    if how is None or (len(places) and int(places.min()) < 0):
        return None
    return made(call, own(call, picked(call, places), **how))


def _how_taken(call: Call) -> dict[str, Any] | None:
    """The columns of records that were taken as they were, and what decided about them."""
    groups, columns = groups_of(call), arguments(call)
    if columns is None:
        return None
    levels = (
        call.before.level_numbers() if call.before.levels == call.after.levels else [-1] * call.after.levels
    )
    every = ((call.after.all_columns, call.before.all_columns),)
    return {"columns": moved((*columns, *levels)), "accessed": groups.accessed, "fits": every}


def counted_values(call: Call) -> Dataset | None:
    """`value_counts`: how often there is each value, those that are there most in front, for which all are compared."""
    labels = call.after.index
    if not isinstance(call.subject, pd.Series) or call.argument("bins") is not None or not labels.is_unique:
        return None
    rows = Grouped.by(labels.get_indexer(call.frame), call.after.rows)
    return made(call, own(call, rows, moved((-1, 0)), 1, fits=((call.after.all_columns, 1),)), constant=1)


def applied(call: Call) -> Dataset | None:
    """A function of each group: its records are made of all members of it."""
    groups = groups_of(call)
    keys = {} if getattr(call.subject, "as_index", True) else _keys_in_columns(call, groups)
    return of_groups(call, groups.codes, groups.number, groups.accessed, keys)
