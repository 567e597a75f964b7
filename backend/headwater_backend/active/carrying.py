"""Conditions carried through a population: from what is written to a row that is read, and the other way."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from headwater_backend.active.reading import Made, Of, Population, Row, Unknown
from headwater_backend.active.terms import (
    NULL,
    Applied,
    Constant,
    Term,
    Variable,
    parts,
    rewritten,
    variables,
)
from headwater_backend.domain.model import JobKey, PathSteps

MOST_FACTS: Final = 32
"""Conditions that are carried; more are forgotten, which leaves more possible."""
MOST_KEPT: Final = 10_000
"""What of it is kept for other ways and questions."""


class Here(NamedTuple):
    """A column of the row that a search is at, as the name of a variable."""

    path: PathSteps


class Other(NamedTuple):
    """A value of a row that the search has left, as the name of a variable."""

    number: int


class Reason(NamedTuple):
    """Where a condition stands: in a job, or in the question itself; with its SQL text."""

    job: JobKey | None
    sql: str


class Fact(NamedTuple):
    """A condition that holds, and the statements that it follows from."""

    term: Term
    reasons: tuple[Reason, ...]


def against(facts: Iterable[Fact], population: Population, job: JobKey, *, kept: bool) -> tuple[Fact, ...]:
    """What must hold of the population's rows for a row that it makes to meet the facts.

    ``kept``: the facts speak of values as they were written.
    """
    found = [_replaced(fact, population, job, kept=kept) for fact in facts]
    return (*found, *_passed(population, job))


def along(
    facts: Iterable[Fact], population: Population, job: JobKey, row: int, *, kept: bool
) -> tuple[Fact, ...]:
    """What holds of the population's rows if the facts hold of one of them where it was written."""

    types = _types(population)

    def new(variable: Variable) -> Term:
        if not isinstance(variable.name, Here):
            return variable
        of = Of(row, variable.name.path)
        in_folder = bool(population.rows[row].folders & set(of.path[:1]))
        if not kept or in_folder or not types.get(of, set()) <= {variable.type}:
            return Variable(Unknown((population.id, variable.name), 0), variable.type)
        return Variable(of, variable.type)

    return (*(Fact(rewritten(f.term, new), f.reasons) for f in facts), *_passed(population, job))


def _types(population: Population) -> dict[Hashable, set[str | None]]:
    """The types as which columns are read."""
    found: dict[Hashable, set[str | None]] = {}
    terms = (*(each.term for each in population.passed), *(made.term for made in population.values.values()))
    for term in terms:
        for each in parts(term):
            if isinstance(each, Variable):
                found.setdefault(each.name, set()).add(each.type)
    return found


@lru_cache(maxsize=MOST_KEPT)
def _passed(population: Population, job: JobKey) -> tuple[Fact, ...]:
    return tuple(Fact(each.term, (Reason(job, each.sql),)) for each in population.passed)


def _replaced(fact: Fact, population: Population, job: JobKey, *, kept: bool) -> Fact:
    made: dict[Reason, None] = {}

    def new(variable: Variable) -> Term:
        if not isinstance(variable.name, Here):
            return variable
        found, reason = _written_as(population, job, variable, variable.name.path, kept)
        if reason is not None:
            made[reason] = None
        return found

    term = rewritten(fact.term, new)
    return Fact(term, tuple(dict.fromkeys((*fact.reasons, *made))) if made else fact.reasons)


@lru_cache(maxsize=MOST_KEPT)
def _written_as(
    population: Population, job: JobKey, variable: Variable, path: PathSteps, kept: bool
) -> tuple[Term, Reason | None]:
    """What a column is of the population's rows, and the statement that says so if it is not just copied."""
    found = _value(population.values.get(path), variable) if kept else None
    if found is None:
        return Variable(Unknown((population.id, variable.name), 0), variable.type), None
    copied = isinstance(found, Variable)
    return found, None if copied else Reason(job, f"{'.'.join(path)} is {shown(found)}")


def _value(made: Made | None, variable: Variable) -> Term | None:
    """What was written, where it is read as the same type."""
    if made is None or made.type is None:
        return None
    return made.term if variable.type in (None, made.type) else None


def read_as_written(facts: Iterable[Fact], row_of: int, row: Row, *, kept: bool) -> tuple[Fact, ...]:
    """The facts about a row, of the columns of the dataset that it is read from, and of values of other rows.

    Those that say nothing of the row are left out: they hold whatever it is.
    """

    if not kept:
        return ()

    def new(variable: Variable) -> Term:
        name = variable.name
        if not isinstance(name, Of) or name.row != row_of:
            return Variable(("other", name), variable.type)
        here = Variable(Here(name.path), variable.type)
        return _from_folder(here) if row.folders & set(name.path[:1]) else here

    return settled(Fact(rewritten(fact.term, new), fact.reasons) for fact in facts)


def _from_folder(here: Variable) -> Term:
    """A value that is kept in a folder's name: an empty text comes back as NULL."""
    if here.type != "string":
        return here
    empty = Applied("=", (here, Constant("", "string")))
    return Applied("case", (empty, NULL, here))


def written(facts: Iterable[Fact], population: Population, job: JobKey) -> tuple[Fact, ...]:
    """The facts about a row that the population makes."""
    known = tuple(facts)
    used = frozenset().union(*(variables(fact.term) for fact in known))
    # A column that was copied stands for what it was copied from; the others are equal to what they were made of.
    equal = [
        Fact(
            Applied("<=>", (Variable(Here(path), made.type), made.term)),
            (Reason(job, f"{'.'.join(path)} is {shown(made.term)}"),),
        )
        for path, made in population.values.items()
        if made.type is not None and (isinstance(made.term, Constant) or variables(made.term) & used)
    ]

    copied: dict[Hashable, Variable] = {}
    for path, made in population.values.items():
        if isinstance(made.term, Variable) and made.type is not None and made.type == made.term.type:
            copied.setdefault(made.term.name, Variable(Here(path), made.type))

    def new(variable: Variable) -> Term:
        if isinstance(variable.name, Here):
            return variable
        return copied.get(variable.name) or Variable(("other", variable.name), variable.type)

    return settled(Fact(rewritten(fact.term, new), fact.reasons) for fact in (*known, *equal))


def settled(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts that say something of the row, each once, in an order of their own, other values numbered."""
    once = {fact.term: fact for fact in facts}
    ordered = _connected(list(once.values()))
    if len(ordered) > 1:
        ordered.sort(key=lambda fact: _without_others(fact.term))
    numbers: dict[Hashable, int] = {}

    def new(variable: Variable) -> Term:
        if isinstance(variable.name, Here):
            return variable
        return Variable(Other(numbers.setdefault(variable.name, len(numbers))), variable.type)

    return tuple(
        fact if _is_of_the_row(fact.term) else Fact(rewritten(fact.term, new), fact.reasons)
        for fact in ordered[:MOST_FACTS]
    )


def _is_of_the_row(term: Term) -> bool:
    return all(isinstance(name, Here) for name in variables(term))


@lru_cache(maxsize=MOST_KEPT)
def _without_others(term: Term) -> str:
    """The term's text without the names of other values."""
    return repr(rewritten(term, lambda v: v if isinstance(v.name, Here) else Variable("", v.type)))


def _connected(facts: list[Fact]) -> list[Fact]:
    """The facts that are about the row, or about values that others relate to it."""
    names = [variables(fact.term) for fact in facts]
    reached: set[Hashable] = {name for each in names for name in each if isinstance(name, Here)}
    grown = bool(reached)
    while grown:
        more = {name for each in names if each & reached for name in each}
        grown = not more <= reached
        reached |= more
    return [fact for fact, each in zip(facts, names, strict=True) if each & reached]


def shown(term: Term) -> str:
    """The term as SQL-like text for people."""
    match term:
        case Variable(name=Here(path) | Of(path=path)):
            return ".".join(path)
        case Constant(value=str() as value):
            return "'" + value.replace("'", "''") + "'"
        case Constant(value=None):
            return "NULL"
        case Constant(value=value):
            return str(value)
        case Applied(op=op, args=args):
            return _applied(op, [shown(each) for each in args], term.type)
        case _:
            return "…"


def _applied(op: str, args: list[str], type_: str | None) -> str:  # noqa: PLR0911 - one arm a notation
    match op, args:
        case (("and" | "or"), _):
            return "(" + f" {op.upper()} ".join(args) + ")"
        case "not", [one]:
            return f"NOT {one}"
        case "isnull", [one]:
            return f"{one} IS NULL"
        case "isnotnull", [one]:
            return f"{one} IS NOT NULL"
        case "in", [one, *listed]:
            return f"{one} IN ({', '.join(listed)})"
        case "between", [one, low, high]:
            return f"{one} BETWEEN {low} AND {high}"
        case "cast", [one]:
            return f"CAST({one} AS {type_})"
        case "case", _:
            whens = " ".join(f"WHEN {p} THEN {v}" for p, v in zip(args[::2], args[1::2], strict=False))
            return f"CASE {whens}{f' ELSE {args[-1]}' if len(args) % 2 else ''} END"
        case _, [one, other] if not op.isalpha() or op == "like":
            return f"{one} {op.upper()} {other}"
        case _:
            return f"{op}({', '.join(args)})"
