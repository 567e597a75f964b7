"""Where a search stopped, and what the conditions on its ways there say of the row at the start.

On each way, columns of the start's row are followed as long as they are copied from row to row as they are. A condition
on such columns alone, and a constant that one of them is made of, is one of the start's row, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from headwater_backend.active.carrying import Here
from headwater_backend.active.reading import Of, Population
from headwater_backend.active.terms import Applied, Constant, Term, Variable, rewritten, variables
from headwater_backend.domain.model import Direction, Edge, NodeKey, PathSteps


class Passage(NamedTuple):
    """A population, and the row of it, that a way leads through."""

    population: Population
    row: int


@dataclass(frozen=True, slots=True)
class Way:
    """A way to a node at which a search stopped: its last edge, and what it leads through, from the start on.

    A passage of which nothing is known is None. Without an edge, the search stopped at its start.
    """

    node: NodeKey
    edge: Edge | None
    passages: tuple[Passage | None, ...]


_Columns = Mapping[PathSteps, PathSteps]
"""Columns of the row that a way has come to, and which column of the start's row each is."""


def of_the_start(way: Way, direction: Direction, columns: Iterable[PathSteps]) -> Iterator[Term]:
    """The conditions on the way, as conditions on columns of the start's row."""
    known: _Columns = {column: column for column in columns}
    for passage in way.passages:
        if passage is None:
            return
        read = _read(passage, known) if direction is Direction.BACKWARD else known
        if direction is Direction.BACKWARD:
            yield from _constants(passage.population, known)
        for passed in passage.population.passed:
            term = _of_columns(passed.term, passage.row, read)
            if term is not None:
                yield term
        known = read if direction is Direction.BACKWARD else _written(passage, known)


def _read(passage: Passage, known: _Columns) -> _Columns:
    """The columns of the row that is read, by those of the one that is written."""
    return {of.path: known[path] for of, path in _copied(passage) if path in known}


def _written(passage: Passage, known: _Columns) -> _Columns:
    return {path: known[of.path] for of, path in _copied(passage) if of.path in known}


def _copied(passage: Passage) -> Iterator[tuple[Of, PathSteps]]:
    for path, made in passage.population.values.items():
        match made.term:
            case Variable(name=Of(row=passage.row) as of, type=type_) if type_ == made.type is not None:
                yield of, path


def _constants(population: Population, known: _Columns) -> Iterator[Term]:
    """The columns that are written as constants."""
    for path, made in population.values.items():
        if path in known and isinstance(made.term, Constant) and made.term.value is not None:
            yield Applied("=", (Variable(Here(known[path]), made.type), made.term))


def _of_columns(term: Term, row: int, known: _Columns) -> Term | None:
    """The condition on columns of the start's row; None if it speaks of anything else."""
    names = variables(term)
    if not names or not all(isinstance(n, Of) and n.row == row and n.path in known for n in names):
        return None

    def new(variable: Variable) -> Term:
        match variable.name:
            case Of(path=path):
                return Variable(Here(known[path]), variable.type)
            case _:
                return variable

    return rewritten(term, new)


def most_met(found: Sequence[Iterable[Term]]) -> list[Term]:
    """The conditions of several ways that not all have, those first that divide them most evenly."""
    many: dict[Term, int] = {}
    for each in found:
        for term in dict.fromkeys(each):
            many[term] = many.get(term, 0) + 1
    return sorted(many, key=lambda term: abs(len(found) - 2 * many[term]))
