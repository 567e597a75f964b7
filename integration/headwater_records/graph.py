"""The provenance graph: datasets, and the steps that made them.

A dataset holds on to what it was made of, and nothing holds on to what was made of it: when nobody has a dataset any
more, it and all that only it needed are freed. Numbers are given in the order of making, so that every input of a step
has a lower number than its output.

A program has many steps, and each would be a dozen of Python's objects. A dataset keeps two, and unpacks them when it
is asked: all that is plain, as bytes, and a tuple of its inputs' datasets and associations. Names of columns that are
those of its first input, or some of these, are not kept again.
"""

from __future__ import annotations

import marshal
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, groupby, pairwise
from typing import Any, NamedTuple

from headwater_records.associations import SAME, Association, Same
from headwater_records.columns import (
    WHOLE,
    ColumnMap,
    Counted,
    KeptColumns,
    NoColumns,
    SameColumns,
    packed,
    unpacked,
)
from headwater_records.labels import Labels

_NUMBERS = count(1)
_NOTHING_MORE = (0, WHOLE, (), True)
_MOST_STEPS = 4
"""From so many steps before, at most, names of columns are taken."""


class Input(NamedTuple):
    """What a step took of one dataset.

    ``accessed`` are the columns that decided by the own record (a predicate, a key), about the columns ``decides``.
    ``fits`` are pairs of columns of the output and of the input, of which all records decided (a mean, a category).
    ``exact`` is false where the step was not understood: what it may have taken is listed then.
    """

    dataset: Dataset
    rows: Association
    columns: ColumnMap
    accessed: int = 0
    decides: int = WHOLE
    fits: tuple[tuple[int, int], ...] = ()
    exact: bool = True

    @property
    def contributes(self) -> bool:
        """Whether something of it is in the output, and not only looked at."""
        return not isinstance(self.columns, NoColumns | Counted)


class Dataset:
    """Records with columns, and the step that made them of ``inputs``; a source has none.

    ``alternatives`` says that each member of a group would have been enough for its record (duplicates that were
    dropped), where otherwise all were used together. ``known`` is false for a source whose origin nobody saw, and
    ``location`` where the records of a source are stored: a namespace and a name, as OpenLineage has them.
    ``origin`` is what another engine knows of how the columns of a source were made, ``files`` are where its records
    lie, as whoever read them writes that.
    ``functions`` are the names of what made each column, where that is not what the step is called after; an empty
    one has moved it.
    """

    __slots__ = ("_labels", "_objects", "_packed")

    def __init__(
        self,
        step: str,
        rows: int,
        columns: Sequence[object],
        inputs: Sequence[Input] = (),
        *,
        alternatives: bool = False,
        known: bool = True,
        location: tuple[str, str] | None = None,
        origin: object = None,
        files: object = None,
        functions: Sequence[str] = (),
    ) -> None:
        runs = tuple((name, len(list(same))) for name, same in groupby(functions))
        taken = tuple(_packed(each) for each in inputs)
        plain: Any = (next(_NUMBERS), str(step), int(rows), taken, bool(alternatives), bool(known), runs)
        self._packed = marshal.dumps(plain)
        self._objects = _objects(inputs) if inputs else (_Beginning(location, origin, files),)
        self._labels = _to_keep(columns, inputs[0]) if inputs else columns

    def _plain(self) -> Any:
        """What was packed, in the order of ``__init__``."""
        return marshal.loads(self._packed)  # noqa: S302 - bytes that the same object packed

    @property
    def number(self) -> int:
        """Higher than the numbers of all that it was made of."""
        return _opened(self)[0]

    @property
    def step(self) -> str:
        """The name of the call that made it, or of a source."""
        return str(self._plain()[1])

    @property
    def rows(self) -> int:
        """How many records it has."""
        return int(self._plain()[2])

    @property
    def columns(self) -> Sequence[object]:
        """The names of its columns."""
        return _followed(self)[0]

    @property
    def inputs(self) -> list[Input]:
        """What the step took."""
        return _opened(self)[1]

    def _inputs(self, taken: tuple[tuple[Any, ...], ...]) -> list[Input]:
        objects = self._objects
        if len(objects) == len(taken):
            return [_input(dataset, SAME, plain) for dataset, plain in zip(objects, taken, strict=True)]
        pairs = zip(_pairs(objects), taken, strict=True)
        return [_input(dataset, rows, plain) for (dataset, rows), plain in pairs]

    @property
    def made_of(self) -> list[Dataset]:
        """The datasets of the inputs; a source has none."""
        return [each for each in self._objects if type(each) is Dataset]

    @property
    def alternatives(self) -> bool:
        """Whether each member of a group would have been enough."""
        return bool(self._plain()[4])

    @property
    def known(self) -> bool:
        """Whether somebody saw where the records are from."""
        return bool(self._plain()[5])

    @property
    def location(self) -> tuple[str, str] | None:
        """Where the records of a source are stored."""
        return None if self.made_of else self._objects[0].location

    @property
    def origin(self) -> object:
        """What another engine knows of a source's columns."""
        return None if self.made_of else self._objects[0].origin

    @property
    def files(self) -> object:
        """Where the records of a source lie."""
        return None if self.made_of else self._objects[0].files

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of what made each column, if they are others than the step's."""
        return tuple(name for name, length in self._plain()[6] for _ in range(length))

    def function(self, column: int) -> str:
        """The name of what made a column."""
        plain = self._plain()
        for name, length in plain[6]:
            if column < length:
                return str(name)
            column -= length
        return str(plain[1])

    @property
    def exact(self) -> bool:
        """Whether the step that made it was understood."""
        plain = self._plain()
        return bool(plain[5]) and all(len(each) == 1 or each[-1] for each in plain[3])


class _Question(threading.local):
    opened: dict[Dataset, tuple[int, list[Input]]] | None = None


_QUESTION = _Question()


@contextmanager
def question() -> Iterator[None]:
    """What is asked inside unpacks each dataset once."""
    before, _QUESTION.opened = _QUESTION.opened, {}
    try:
        yield
    finally:
        _QUESTION.opened = before


def _opened(dataset: Dataset) -> tuple[int, list[Input]]:
    """The number and the inputs of a dataset."""
    opened = _QUESTION.opened
    found = None if opened is None else opened.get(dataset)
    if found is None:
        plain = dataset._plain()
        found = plain[0], dataset._inputs(plain[3])
        if opened is not None:
            opened[dataset] = found
    return found


class _Beginning(NamedTuple):
    """Where a source begins."""

    location: tuple[str, str] | None
    origin: object
    files: object


def _packed(each: Input) -> tuple[object, ...]:
    """What is plain of an input, without what is as most have it."""
    more = (int(each.accessed), int(each.decides), each.fits, bool(each.exact))
    return (packed(each.columns),) if more == _NOTHING_MORE else (packed(each.columns), *more)


def _input(dataset: Dataset, rows: Association, plain: tuple[Any, ...]) -> Input:
    more = _NOTHING_MORE if len(plain) == 1 else plain[1:]
    return Input._make((dataset, rows, unpacked(plain[0]), *more))


def _pairs(objects: tuple[Any, ...]) -> Iterator[tuple[Dataset, Association]]:
    """Each dataset with its association."""
    for each, behind in pairwise((*objects, None)):
        if type(each) is Dataset:
            yield each, SAME if behind is None or type(behind) is Dataset else behind


def _objects(inputs: Sequence[Input]) -> tuple[Any, ...]:
    """The dataset of each input, and behind it the association, unless records stay where they are."""
    return tuple(part for each in inputs for part in (each.dataset, each.rows) if not isinstance(part, Same))


def _to_keep(columns: Sequence[object], first: Input) -> Sequence[object] | None:
    """The names that a step's result keeps: none where they follow from the first input's."""
    before, steps = _followed(first.dataset)
    if steps == 0 and before == columns:
        return before
    follow = steps < _MOST_STEPS and _through(first.columns, before) == columns
    return None if follow else columns


def _followed(dataset: Dataset) -> tuple[Sequence[object], int]:
    """The names of a dataset's columns, and how many steps before it a dataset keeps those that they are taken of."""
    maps: list[ColumnMap] = []
    while dataset._labels is None:
        first = dataset.inputs[0]
        maps.append(first.columns)
        dataset = first.dataset
    labels = dataset._labels
    for each in reversed(maps):
        labels = _through(each, labels) or ()
    return labels, len(maps)


def _through(columns: ColumnMap, before: Sequence[object]) -> Sequence[object] | None:
    """The names that a map leaves; None where it does not say."""
    if isinstance(columns, SameColumns):
        return before
    if isinstance(columns, KeptColumns) and not columns.offset and isinstance(before, Labels):
        return before.kept(columns.left)
    return None


def ancestors(datasets: Iterable[Dataset]) -> list[Dataset]:
    """These datasets and all that they were made of, in the order of making."""
    found = dict.fromkeys(datasets)
    waiting = list(found)
    while waiting:
        for dataset in waiting.pop().made_of:
            if dataset not in found:
                found[dataset] = None
                waiting.append(dataset)
    return sorted(found, key=lambda dataset: dataset.number)
