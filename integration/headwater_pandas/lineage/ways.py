"""The ways from the columns of a frame back to those of its sources.

A way collects what its steps do to the value: their functions, and what can be read back in the end. A way that goes
through a column that was only looked at is an influence from there on. Steps are visited once, in the reverse order of
making, with all columns and ways that reach them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from headwater_facets.kinds import Manipulation, Retains, Subtype, retained, strongest
from headwater_pandas.lineage.kinds import MOVED, UNKNOWN, Kind, decides, of_all_records, of_many, of_value
from headwater_records.associations import Every, Grouped, Peers
from headwater_records.columns import WHOLE, Counted, numbers
from headwater_records.graph import Dataset, Input, ancestors
from headwater_records.labels import Labels

MOST_FUNCTIONS: Final = 8
"""The most names of functions on a way; it has the last ones."""
MOST_WAYS: Final = 12
"""The most ways between two columns that are distinguished."""
OF_ROWS: Final = frozenset({Subtype.FILTER, Subtype.JOIN, Subtype.GROUP_BY, Subtype.SORT})
"""What decides which rows there are, or where they are."""


class Way(NamedTuple):
    """What is done to a value on its way; the functions in the order of the program.

    ``retains`` is None where the value is only looked at.
    """

    subtype: Subtype
    manipulations: tuple[Manipulation, ...] = ()
    functions: tuple[str, ...] = ()
    retains: Retains | None = Retains.VALUE

    @property
    def of_rows(self) -> bool:
        """Whether it decides about rows, and not about values."""
        return self.retains is None and self.subtype in OF_ROWS


_START: Final = Way(Subtype.IDENTITY)
_ORDER: Final = (Subtype.IDENTITY, Subtype.TRANSFORMATION, Subtype.AGGREGATION)
ALL: Final = -1
"""Stands for the rows of a dataset among its columns, and for all columns of the frame that they lead to."""
_ROW: Final = Way(Subtype.CONDITIONAL, retains=None)
_OF_SEVERAL: Final = frozenset({"merge", "merge_asof", "join", "concat"})
"""Functions whose result has the rows of all that they are given; that of others has those of their subject."""
MOST_APART: Final = 50
"""The most columns of the frame that an influence of one step is listed at; if it has more, it counts for all."""
Ways = dict[int, dict[Way, None]]
"""The ways by the number of the column of the frame that they lead to, or ALL."""


@dataclass(slots=True)
class Lineage:
    """The lineage of a frame.

    ``sources`` are all that something of it came from, or was decided by, ``columns`` are the ways from each column of
    each source, and ``opaque`` the steps that were not understood, by the columns of the frame that go through them.
    ``rows`` are the sources whose records the frame's records are.
    """

    columns: dict[tuple[Dataset, int], Ways] = field(default_factory=dict)
    opaque: dict[int, dict[str, None]] = field(default_factory=dict)
    sources: dict[Dataset, None] = field(default_factory=dict)
    rows: dict[Dataset, None] = field(default_factory=dict)


def lineage_of(frame: Dataset, wanted: int) -> Lineage:
    """The lineage of these columns of a frame (bits)."""
    found = Lineage()
    waiting: dict[Dataset, dict[int, Ways]] = {
        frame: {ALL: {ALL: {_ROW: None}}, **{column: {column: {_START: None}} for column in numbers(wanted)}}
    }
    for dataset in reversed(ancestors([frame])):
        reached = waiting.pop(dataset, {})
        if not dataset.made_of:
            found.sources |= {dataset: None} if reached else {}
            found.rows |= {dataset: None} if ALL in reached else {}
            found.columns |= {(dataset, column): ways for column, ways in reached.items() if column != ALL}
            continue
        inputs = dataset.inputs
        has_rows = _with_rows(inputs)
        for each in inputs:
            before = waiting.setdefault(each.dataset, {})
            if isinstance(each.columns, Counted):
                _count(reached, before)
            elif ALL in reached and (each is has_rows or dataset.step in _OF_SEVERAL):
                before[ALL] = {**before.get(ALL, {}), **reached[ALL]}
            _contribute(dataset, each, reached, before)
            _influence(dataset, each, reached, before, wanted.bit_count())
        if not dataset.exact:
            for target in {target for ways in reached.values() for target in ways if target != ALL}:
                found.opaque.setdefault(target, {})[dataset.step] = None
    return found


def _with_rows(inputs: Sequence[Input]) -> Input:
    """The input whose rows a result has: the first, unless nobody saw where it is from and there is another."""
    seen = (each for each in inputs if each.dataset.known and each.contributes)
    return next(seen, inputs[0])


def _count(reached: dict[int, Ways], before: dict[int, Ways]) -> None:
    """What decides how many records there are is what decides which there are."""
    targets = {target: {_ROW: None} for ways in reached.values() for target in ways}
    before[ALL] = {**before.get(ALL, {}), **targets}


def _contribute(dataset: Dataset, step: Input, reached: dict[int, Ways], before: dict[int, Ways]) -> None:
    whole = _all_of(step.dataset)
    for column, ways in reached.items():
        if column == ALL:
            continue
        made = _as_way(_kind(dataset, step, column), dataset.function(column))
        for source in numbers(step.columns.backward(1 << column) & whole):
            _extend(before.setdefault(source, {}), ways, made)


def _influence(
    dataset: Dataset, step: Input, reached: dict[int, Ways], before: dict[int, Ways], wanted: int
) -> None:
    for outputs, inputs, way in _decisions(dataset, step):
        here = (
            ways
            for column, ways in reached.items()
            if (column == ALL and way.of_rows) or (column >= 0 and outputs >> column & 1)
        )
        ways = _united_targets(here, wanted)
        ways = ways if way.retains is None else _influences(ways)
        for source in numbers(inputs & _all_of(step.dataset)) if ways else ():
            _extend(before.setdefault(source, {}), ways, way)


def _decisions(dataset: Dataset, step: Input) -> Iterator[tuple[int, int, Way]]:
    """What decided about columns (bits) of the output: columns of the input, and how."""
    if step.accessed:
        grouped = isinstance(step.rows, Grouped | Peers)
        yield step.decides, step.accessed, Way(decides(dataset.step, grouped=grouped), retains=None)
    for outputs, inputs in step.fits:
        if step.dataset.rows == 1 and not step.contributes:  # a figure, which is a constant of the result
            yield outputs, inputs, _as_way(of_value(dataset.step), dataset.step)
        else:
            yield outputs, inputs, Way(of_all_records(dataset.step), retains=None)
    if not step.exact:
        yield 0, WHOLE, Way(Subtype.FILTER, retains=None)


def _united_targets(several: Iterable[Ways], wanted: int) -> Ways:
    """The ways by target; those of many targets at once as ways to ALL, if nothing of a value is on them."""
    found: Ways = {}
    for ways in several:
        for target, each in ways.items():
            found.setdefault(target, {}).update(each)
    if len(found) < min(wanted, MOST_APART):
        return found
    return {**found, ALL: {way: None for each in found.values() for way in each}}


def _influences(ways: Ways) -> Ways:
    """The ways to ALL that are influences: nothing of a value is on a way that stands for all columns."""
    return {
        target: {way: None for way in each if target != ALL or way.retains is None}
        for target, each in ways.items()
    }


def _all_of(dataset: Dataset) -> int:
    return (1 << len(dataset.columns)) - 1


def _kind(dataset: Dataset, step: Input, column: int) -> Kind:
    if not step.exact:
        return UNKNOWN
    function = dataset.function(column)
    labels = dataset.columns
    if not function or (isinstance(labels, Labels) and column >= labels.width):
        return MOVED  # the levels of an index are moved, whatever is done to the columns
    many = isinstance(step.rows, Grouped | Peers) or (isinstance(step.rows, Every) and dataset.rows <= 1)
    return of_many(function) if many else of_value(function)


def _as_way(kind: Kind, function: str) -> Way:
    named = () if kind == MOVED else (function,)
    return Way(kind.subtype, (kind.manipulation,), named, kind.retains)


def _extend(there: Ways, ways: Ways, step: Way) -> None:
    """Add the ways with one more step before them; an influence on all columns is listed there alone."""
    covered = step.retains is None and ALL in ways
    for target, later in ways.items():
        if target == ALL or not covered:
            known = there.setdefault(target, {})
            known.update((_joined(step, way), None) for way in later)
            if len(known) > MOST_WAYS:
                there[target] = _united(known)


def _joined(earlier: Way, later: Way) -> Way:
    """The way with one more step before it; what is looked at stays so."""
    if earlier.retains is None and (later.retains is not None or earlier.of_rows):
        return earlier
    if earlier.retains is None or later.retains is None:
        return later
    return Way(
        max(earlier.subtype, later.subtype, key=_ORDER.index),
        tuple(dict.fromkeys((*earlier.manipulations, *later.manipulations))),
        (*earlier.functions, *later.functions)[-MOST_FUNCTIONS:],
        retained(earlier.retains, later.retains),
    )


def _united(ways: dict[Way, None]) -> dict[Way, None]:
    """Fewer ways that say no less: one for each subtype, with the most that can be read back."""
    found: dict[Subtype, Way] = {}
    for each in ways:
        other = found.get(each.subtype)
        if other is None:
            found[each.subtype] = each._replace(functions=())
        elif each.retains is not None and other.retains is not None:
            found[each.subtype] = other._replace(
                manipulations=tuple(dict.fromkeys((*other.manipulations, *each.manipulations))),
                retains=strongest((each.retains, other.retains)),
            )
    return dict.fromkeys(found.values())
