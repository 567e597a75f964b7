"""What the rows that a condition leaves reveal of its operands, whoever reads them.

    reason = 'flu'                         of reason, the value
    reason IN ('flu', 'cold')              of reason, a part: one of few
    reason LIKE 'fl%'                      of reason, a part
    salary > 50000, a.key = b.key          a fact about each operand
    mail IS NOT NULL                       nothing

A condition that is negated, or one of several alternatives, reveals a fact, except of a truth value.

The keys of groups reveal all that they are made of: ``SELECT salary, avg(salary) … GROUP BY salary`` writes each salary
twice, and nothing of it is lost among many. Measures of how values differ from each other show nothing of equal ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from headwater_facets.kinds import LineageType, Retains, Subtype, strongest
from headwater_plan.functions import Asks, operators_that
from headwater_plan.nodes import Call, Case, Column, Expression, Literal, Member, Subquery
from headwater_spark.tracing.values.readback import is_constant
from headwater_spark.tracing.values.value import Edge, How, Origin, Steps, Value, collapse

EQUAL: Final = operators_that(Asks.EQUAL)
_ONE_OF: Final = operators_that(Asks.ONE_OF)
_ALIKE: Final = operators_that(Asks.ALIKE)
_OF_NULL: Final = operators_that(Asks.NULL)

Place: TypeAlias = tuple[Origin, Steps]

_OF_SIZE: Final = frozenset(
    {"sum", "try_sum", "avg", "mean", "try_avg", "product", "vector_sum", "vector_avg"}
)
"""Functions whose result for equal values is the value, or some times it."""


class Revealed(NamedTuple):
    """An operand of a condition, and what is revealed of it; None for nothing."""

    operand: Expression
    reveals: Retains | None


def conjuncts(condition: Expression) -> Iterator[Expression]:
    """The conditions that all hold together."""
    if isinstance(condition, Call) and condition.function == "and":
        for part in condition.args:
            yield from conjuncts(part)
    else:
        yield condition


def revealed(condition: Expression) -> tuple[Revealed, ...]:
    """The operands that the rows reveal of; constants are none."""
    return tuple(each for part in conjuncts(condition) for each in _of_one(part))


def _of_one(e: Expression) -> tuple[Revealed, ...]:  # noqa: PLR0911 - one arm a form of condition
    match e:
        case Call(function=function, args=args) if function in _OF_NULL:
            return tuple(Revealed(a, None) for a in args)
        case Call(function="and", args=args):
            return tuple(each for a in args for each in _of_one(a))
        case Call(function="or", args=args):
            return _alternatives([each for a in args for each in _of_one(a)])
        case Call(function="not", args=(Column() | Member() as truth,)):
            return (Revealed(truth, Retains.VALUE),)
        case Call(function="not", args=(negated,)):
            return _as_facts(_of_one(negated))
        case Call(args=(first, *others)) if others and all(map(is_constant, others)):
            return _with_constants(e, first)
        case Call(args=(first, second)) if is_constant(first):
            return _with_constants(e, second)
        case Column() | Member() | Subquery():
            return (Revealed(e, Retains.VALUE),)
        case Call(args=args) if args:
            return tuple(Revealed(a, Retains.FACT) for a in args if not is_constant(a))
        case Case():
            return (Revealed(e, Retains.FACT),)
        case _:
            return () if is_constant(e) else (Revealed(e, Retains.FACT),)


def _with_constants(e: Call, operand: Expression) -> tuple[Revealed, ...]:
    if is_constant(operand):
        return ()
    if e.function in EQUAL:
        other = next(a for a in e.args if a is not operand)
        null = isinstance(other, Literal) and other.text == "NULL"
        return (Revealed(operand, None if null else Retains.VALUE),)
    if e.function in _ONE_OF:
        return (Revealed(operand, Retains.PART if len(e.args) > 2 else Retains.VALUE),)
    return (Revealed(operand, Retains.PART if e.function in _ALIKE else Retains.FACT),)


def _alternatives(found: list[Revealed]) -> tuple[Revealed, ...]:
    """Values of one column are as if it was one of several; otherwise, nobody knows which alternative holds."""
    columns = {(each.operand.id) if isinstance(each.operand, Column) else None for each in found}
    if len(columns) == 1 and None not in columns and all(_names_it(each) for each in found):
        return (Revealed(found[0].operand, Retains.PART),)
    return _as_facts(found)


def _names_it(each: Revealed) -> bool:
    return each.reveals in (Retains.VALUE, Retains.PART)


def _as_facts(found: Iterable[Revealed]) -> tuple[Revealed, ...]:
    return tuple(each if each.reveals is None else Revealed(each.operand, Retains.FACT) for each in found)


def most_revealed(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """The edges, those that differ in what they reveal made one that reveals the most."""
    grouped: dict[Edge, list[Edge]] = {}
    for edge in edges:
        bare = edge._replace(how=replace(edge.how, operators=0, reveals=None))
        grouped.setdefault(bare, []).append(edge)
    return tuple(map(_most, grouped.values()))


def _most(alike: list[Edge]) -> Edge:
    known = [each.how.reveals for each in alike if each.how.reveals is not None]
    operators = 0
    for each in alike:
        operators |= each.how.operators
    reveals = strongest(known) if known else None
    return alike[0]._replace(how=replace(alike[0].how, operators=operators, reveals=reveals))


def places_of(keys: Iterable[Value]) -> frozenset[Place]:
    """Where the values are that can be read from the keys of groups."""
    return frozenset(
        (e.origin, e.path)
        for key in keys
        for e in collapse(key).edges
        if e.how.type is LineageType.DIRECT and e.how.retains.readable
    )


def sides_of(keys: Iterable[Value]) -> frozenset[Place]:
    """Where the values are that the keys of groups say something of, each of its own: in other words, too."""
    return frozenset((e.origin, e.path) for key in keys for e in collapse(key).edges if _says_of_each(e.how))


def _says_of_each(how: How) -> bool:
    if how.type is LineageType.DIRECT:
        return how.retains not in (Retains.STATISTIC, Retains.FACT)
    return how.decides_each and how.reveals is not Retains.STATISTIC


def of_groups(value: Value, places: frozenset[Place]) -> Value:
    """A column of groups that are made by the values at the places: a statistic of them is of one value each."""
    edges = tuple(e._replace(how=replace(e.how, retains=Retains.OF_FEW)) if _is_alike(e, places) else e
                  for e in value.edges)  # fmt: skip
    members = {step: of_groups(member, places) for step, member in value.members.items()}
    return replace(value, edges=edges, members=members)


def revealed_of_groups(influences: Sequence[Edge], shown: frozenset[Place]) -> Iterator[Edge]:
    """What groups whose keys have something of these places reveal of what decided about the records in them: a
    statistic, but for the operand of a join whose other side is one of them, because the keys show what it was.
    """
    joins = [e for e in influences if e.how.subtype is Subtype.JOIN]
    sides = _found_rows(joins, {origin.operator for origin, _ in shown})
    known = [e for e in joins if e.origin.operator in sides]
    for e in influences:
        found = e.how.subtype is Subtype.JOIN and any(_are_sides(e, other) for other in known)
        yield e if found else e._replace(how=replace(e.how, reveals=e.how.revealed_of_groups))


def _found_rows(joins: Sequence[Edge], known: set[int]) -> set[int]:
    """The tables whose rows are known by those of some: a table that was found for others' rows leads to these, but for
    the first of all, because many of its rows are in a group.
    """
    first = min((e.origin.operator for e in joins), default=0)
    while found := {
        e.origin.operator
        for e in joins
        if any(other.origin.operator in known and _are_sides(e, other) for other in joins)
    } - {first, *known}:
        known = known | found
    return known


def _are_sides(one: Edge, other: Edge) -> bool:
    return bool(one.how.operators & other.how.operators) and one.origin.operator != other.origin.operator


def _is_alike(edge: Edge, places: frozenset[Place]) -> bool:
    how = edge.how
    if how.type is LineageType.INDIRECT or how.retains is not Retains.STATISTIC:
        return False
    ends = range(len(edge.path) + 1)
    return not _OF_SIZE.isdisjoint(how.functions) and any(
        (edge.origin, edge.path[:n]) in places for n in ends
    )
