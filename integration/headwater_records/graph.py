"""The provenance graph: datasets, and the steps that made them.

A dataset holds on to what it was made of, and nothing holds on to what was made of it: when nobody has a dataset any
more, it and all that only it needed are freed. Numbers are given in the order of making, so that every input of a step
has a lower number than its output.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

from headwater_records.associations import Association
from headwater_records.columns import WHOLE, ColumnMap, NoColumns

_NUMBERS = count(1)


@dataclass(frozen=True, slots=True)
class Input:
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
        return not isinstance(self.columns, NoColumns)


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Records with columns, and the step that made them of ``inputs``; a source has none.

    ``alternatives`` says that each member of a group would have been enough for its record (duplicates that were
    dropped), where otherwise all were used together. ``known`` is false for a source whose origin nobody saw, and
    ``location`` where the records of a source are stored: a namespace and a name, as OpenLineage has them.
    ``origin`` is what another engine knows of how the columns of a source were made.
    ``functions`` are the names of what made each column, where that is not what the step is called after; an empty
    one has moved it.
    """

    step: str
    rows: int
    columns: Sequence[object]
    inputs: tuple[Input, ...] = ()
    alternatives: bool = False
    known: bool = True
    location: tuple[str, str] | None = None
    origin: object = None
    functions: Sequence[str] = ()
    number: int = field(default_factory=_NUMBERS.__next__)

    def function(self, column: int) -> str:
        """The name of what made a column."""
        return self.functions[column] if column < len(self.functions) else self.step

    @property
    def exact(self) -> bool:
        """Whether the step that made it was understood."""
        return self.known and all(each.exact for each in self.inputs)


def ancestors(datasets: Iterable[Dataset]) -> list[Dataset]:
    """These datasets and all that they were made of, in the order of making."""
    found = dict.fromkeys(datasets)
    waiting = list(found)
    while waiting:
        for each in waiting.pop().inputs:
            if each.dataset not in found:
                found[each.dataset] = None
                waiting.append(each.dataset)
    return sorted(found, key=lambda dataset: dataset.number)
