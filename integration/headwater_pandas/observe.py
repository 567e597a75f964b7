"""Observing one call: it runs as it would have, and then what it gave is tracked by what its rule says.

Whatever fails here costs the step its exactness, and never the program its result.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd
from pandas.core.groupby.groupby import BaseGroupBy
from pandas.core.window.rolling import BaseWindow

from headwater_pandas import collected
from headwater_pandas.call import Call, data_in
from headwater_pandas.functions.watched import functions_of
from headwater_pandas.given.values import program
from headwater_pandas.held import Held, changing, held, held_index, hold, share, share_cells
from headwater_pandas.inputs import counts_of, labels_of, opaque, single, with_figures
from headwater_pandas.memory import shared
from headwater_pandas.rules.choose import Drawn
from headwater_pandas.rules.combine import Joined
from headwater_pandas.rules.groups import grouped, in_order, members, places_of_groups
from headwater_pandas.rules.table import CONSTRUCTED, IN_PLACE, Rule
from headwater_pandas.shape import Shape, is_data, shape_of
from headwater_records.associations import Same
from headwater_records.columns import MovedColumns, SameColumns
from headwater_records.graph import Dataset, Input
from headwater_records.lists import Numbers

T = TypeVar("T")
R = TypeVar("R")


COPIES: Final = int(pd.__version__.partition(".")[0]) >= 3
"""Whether pandas copies what two objects share before it writes to one of them (3 does)."""
_OF_COLUMNS: Final = frozenset({"__delitem__", "insert", "_set_axis"})


class _State(threading.local):
    busy = False
    notes: list[Any] | None = None
    taken: dict[Dataset, None] | None = None


STATE = _State()
TAKEN: list[Callable[[Dataset], None]] = []
"""Called with the dataset of which a call gave plain values to the program."""
STRICT = False
"""Whether an error in a rule is raised, as tests want it."""


@contextmanager
def alone() -> Iterator[None]:
    """What pandas calls inside is not observed."""
    before, STATE.busy = STATE.busy, True
    if not before:
        shared.call_runs()
    try:
        yield
    finally:
        STATE.busy = before
        if not before:
            shared.program_runs()


@contextmanager
def resumed(taken: dict[Dataset, None]) -> Iterator[None]:
    """A function of the program runs inside a call: it is observed, and what it takes is noted there."""
    before = STATE.busy, STATE.notes, STATE.taken
    STATE.busy, STATE.notes, STATE.taken = False, None, taken
    shared.program_runs()
    try:
        yield
    finally:
        STATE.busy, STATE.notes, STATE.taken = before
        shared.call_runs()


def observe(
    name: str,
    original: Callable[..., Any],
    rule: Rule | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    named: tuple[Any, ...] = (),
) -> Any:
    """Call the function, and track what it gives; ``named`` are values that a text among the arguments names."""
    with alone():
        call = guarded(lambda: _asked(name, original, args, kwargs, named))
        if call is not None:
            return _run(name, call, rule)
    return _unobserved(original, args, kwargs)


def _unobserved(original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the function gives, as far from the program as in an observed call: pandas reads its names there."""
    return original(*args, **kwargs)


def _asked(
    name: str,
    original: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    named: tuple[Any, ...],
) -> Call | None:
    """The call; None if nothing is tracked."""
    subject = subject_of(args, kwargs)
    if subject is None:
        return None
    call = _begun(name, original, subject, args, kwargs)
    call.named = named
    return call


def _run(name: str, call: Call, rule: Rule | None) -> Any:
    """What the function gives, which is tracked; a failure of the observation is nothing to the program."""
    notes: list[Any] = []
    STATE.notes = notes
    args, kwargs = call.args, call.kwargs
    watched = guarded(lambda: functions_of(name, call.subject, args, kwargs, resumed))
    if watched is None:  # what the functions take is not known
        rule = None
    else:
        args, kwargs, call.functions = watched
    targets = _targets(kwargs.get("out"))
    changed = name in IN_PLACE or bool(kwargs.get("inplace"))
    with _together(name, call, targets, changed=changed):
        result = call.original(*args, **kwargs)
        STATE.notes, call.noted = None, tuple(notes)
        call.result = call.subject if changed and (result is None or result is call.subject) else result
        _or_all(call, lambda: _track(call, rule, changed=changed))
        for each in targets:
            call.result = each
            _or_all(call, lambda: _hold_data(call, rule))
    guarded(lambda: _kept(call))
    return result


def _or_all(call: Call, step: Callable[[], object]) -> None:
    """Do a step of the observation; if it fails, all that the call was given may be in what it has given."""
    try:
        step()
    except Exception:
        if STRICT:
            raise
        if is_data(call.result):
            guarded(lambda: hold(call.result, opaque(call)))


def _targets(out: Any) -> list[Any]:
    """Objects that a function of NumPy writes its results into."""
    return [each for each in (out if isinstance(out, tuple) else (out,)) if is_data(each)]


def _together(name: str, call: Call, targets: list[Any], *, changed: bool) -> AbstractContextManager[None]:
    """What the call may change beside its subject is looked at before and behind it."""
    if call.functions is not None:
        guarded(lambda: share_cells(call.subject))
    handed = call.functions is not None and call.functions.handed
    if not handed and not targets and (not changed or _writes_elsewhere(name, call)):
        return nullcontext()
    return _safely(call, changing([*targets, call.subject], themselves=handed))


@contextmanager
def _safely(call: Call, looking: AbstractContextManager[None]) -> Iterator[None]:
    """Look before and behind a call; if that fails, everything may be in what it may have changed."""
    _or_all(call, looking.__enter__)
    try:
        yield
    finally:
        _or_all(call, lambda: looking.__exit__(None, None, None))


def _writes_elsewhere(name: str, call: Call) -> bool:
    """Whether pandas leaves the memory of all others alone: it sets whole columns, or copies before it writes."""
    if COPIES or name in _OF_COLUMNS:
        return True
    of_frame = (
        name == "__setitem__" and call.subject is call.args[0] and isinstance(call.subject, pd.DataFrame)
    )
    return of_frame and isinstance(call.args[1], str) and call.subject.columns.is_unique


def _kept(call: Call) -> None:
    """A function that may have kept something of what it was handed has taken it for the program."""
    if call.functions is not None and call.functions.around.kept():
        for dataset in (call.dataset, *call.functions.taken):
            notify_taken(dataset)


def construct(
    name: str, original: Callable[..., None], new: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Make an object of what is given, and track it if something of that is tracked."""
    with alone():
        original(new, *args, **kwargs)
        guarded(lambda: _constructed(name, original, new, args, kwargs))


def _constructed(
    name: str, original: Callable[..., None], new: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    given = [each for part in (*args, *kwargs.values()) for each in data_in(part)]
    tracked = next((each for each in given if held(each) is not None), None)
    if tracked is None:
        return
    call = _begun(name, original, tracked, (new, *args), kwargs)
    call.result = new
    _hold_data(call, CONSTRUCTED)
    known = None if isinstance(new, pd.DataFrame | pd.Series) else held(new)
    if known is not None:  # an array's values are the program's
        _taken(new, known.dataset)


def subject_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the call is about: what it is called on, or else the first tracked argument; None if nothing is tracked."""
    first = args[0] if args else None
    for inner in ("obj", "_orig", "_parent"):
        behind = getattr(first, inner, None) if not is_data(first) and held(first) is None else None
        first = behind if is_data(behind) else first
    if held(first) is not None:
        return first
    tracked = [
        each for given in (*args, *kwargs.values()) for each in data_in(given) if held(each) is not None
    ]
    if not tracked:
        return None
    return first if is_data(first) else tracked[0]


def _begun(
    name: str, original: Callable[..., Any], subject: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Call:
    known = held(subject) or Held(program(subject))
    before = known.shape or shape_of(subject)
    frame = subject.copy(deep=False) if kwargs.get("inplace") else subject
    first = args[0] if args else None
    location = getattr(first, "name", None) if type(first).__name__.endswith("Indexer") else None
    return Call(
        sys.intern(str(location or name).strip("_")), original, args, kwargs, subject, known, before, frame
    )


def _track(call: Call, rule: Rule | None, *, changed: bool) -> None:
    result = call.result
    if is_data(result):
        if changed or not any(result is each for each in call.args):
            _hold_data(call, rule)
            if changed:
                _behind_a_series(call)
            known = None if isinstance(result, pd.DataFrame | pd.Series) else held(result)
            if known is not None:  # an array's values are the program's
                share_cells(call.subject)
                _taken(result, known.dataset)
    elif isinstance(result, tuple):
        for each in result:
            if is_data(each):
                call.result = each
                _hold_data(call, None)
    elif isinstance(result, int | float | str | np.generic | pd.Timestamp):
        dataset = _tried(rule, call) or opaque(single(call))
        collected.remember(result, dataset)
        _taken(result, dataset)
    elif isinstance(result, BaseGroupBy | BaseWindow):
        dataset = call.dataset if call.known.shape else with_figures(call, in_order(call, grouped(call)))
        hold(result, dataset, shape=call.known.shape or _shape_inside(result, call.before))
    elif result is not None:
        share_cells(call.subject)
        _taken(result, call.dataset)


def _shape_inside(grouped_: Any, before: Shape) -> Shape:
    """The outline of what a grouped object has, whose records may be in another order."""
    inside: Any = getattr(grouped_, "obj", None)
    same = isinstance(inside, pd.DataFrame | pd.Series) and len(inside) == before.rows
    return Shape(inside.index, before.columns) if same else before


def each_group(grouped_: Any, pairs: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """The keys and groups that pandas gives one by one; the groups are tracked."""
    with alone():
        places = guarded(lambda: iter(places_of_groups(grouped_))) or iter(())
    keep = None
    while True:
        with alone():
            pair, here = next(pairs, None), next(places, None)
            if pair is not None and here is not None:
                keep = keep or guarded(partial(_keeping, grouped_, pair[1]))
                if keep is not None:
                    guarded(partial(keep, pair[1], here))
        if pair is None:
            return
        yield pair


def _keeping(grouped_: Any, first: Any) -> Callable[[Any, Numbers], None]:
    """What tracks each group, of which this is the first: its records are at places, or any of all."""
    call = _begun("groupby", type(grouped_).__iter__, grouped_, (grouped_,), {})
    call.result = first
    member = _tried(members, call)

    def keep(group: Any, places: Numbers) -> None:
        if member is not None and len(places) == len(group):
            hold(group, member(places, group))
        else:
            hold(group, opaque(replace(call, result=group)))

    return keep


def note_labels(index: Any, labels: Any) -> None:
    """Notify that the program has labels of an index as values, which it can change where they are an array."""
    with alone():
        known = held_index(index)
        if known is not None:
            guarded(lambda: notify_taken(labels_of(index, known)))
            if is_data(labels):
                share(labels)


def note_count(thing: Any, counts: Sequence[Any]) -> None:
    """Notify that the program knows how many records (or columns) an object has, which it may compute with."""
    with alone():
        guarded(lambda: _counted(thing, counts))


def _counted(thing: Any, counts: Sequence[Any]) -> None:
    for dataset in counts_of(thing):
        for count in counts:
            collected.remember(count, dataset)
        notify_taken(dataset)


def _taken(result: Any, dataset: Dataset) -> None:
    """Notify that the program has values of a dataset."""
    if result is not None:
        notify_taken(dataset)


def notify_taken(dataset: Dataset) -> None:
    """Notify that the program has values of a dataset, or a function that a call has asked."""
    if STATE.taken is not None:
        STATE.taken[dataset] = None
        return
    collected.note_taken()
    for notify in TAKEN:
        _tried(notify, dataset)


def guarded(step: Callable[[], R]) -> R | None:
    """Do a step of the observation; None if it fails, which is nothing to the program."""
    return _tried(lambda _: step(), None)


def _hold_data(call: Call, rule: Rule | None) -> None:
    call.turned = False
    dataset = None if call.known.turned else _tried(rule, call)
    hold(
        call.result,
        dataset if dataset is not None else opaque(call),
        turned=dataset is not None and call.turned,
    )


def _tried(step: Callable[[T], R] | None, given: T) -> R | None:
    """What a step of the observation gives; None if it fails, which is nothing to the program."""
    try:
        return step(given) if step is not None else None
    except Exception:
        if STRICT:
            raise
        return None


def _behind_a_series(call: Call) -> None:
    """A series that is a column of a frame shares its values: what changes one changes the other."""
    name, reference = getattr(call.subject, "_cacher", None) or (None, None)
    frame: Any = reference() if isinstance(reference, weakref.ref) else None
    known = held(frame) if frame is not None else None
    if known is None or known.turned or not frame.columns.is_unique or name not in frame.columns:
        return  # a column that was taken out of its frame (`pop`) still knows it
    shape: Shape = shape_of(frame)
    place = int(shape.columns.get_loc(name))
    target = tuple(0 if number == place else -1 for number in range(shape.width + shape.levels))
    changed = held(call.subject)
    if changed is None:
        return
    parts = (
        Input(known.dataset, Same(), SameColumns()),
        Input(changed.dataset, Same(), MovedColumns(target)),
    )
    hold(frame, Dataset(call.name, shape.rows, shape.labels, parts))


def note_join(operation: Any, found: Any) -> None:
    """Note what pandas found when it joined, for the call that is observed."""
    if STATE.notes is not None:
        left_keys, right_keys = list(operation.left_on), list(operation.right_on)
        left, right = (
            [name for name in side.columns if name not in {"_left_indicator", "_right_indicator"}]
            for side in (operation.left, operation.right)
        )
        STATE.notes.append(Joined(found[1], found[2], left, right, left_keys, right_keys, operation.how))


def note_drawn(places: Any) -> None:
    """Note the positions that pandas drew by chance, which would be others if it drew again."""
    if STATE.notes is not None:
        STATE.notes.append(Drawn(places))


def note_dummies(name: Any, width: int) -> None:
    """Note how many columns pandas made of one that it encoded."""
    if STATE.notes is not None:
        STATE.notes.append((name, width))
