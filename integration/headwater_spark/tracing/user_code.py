"""The user functions of a plan: which of them were read, which are declared, and why the others are opaque."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from headwater_facets.kinds import Known
from headwater_plan.nodes import DeclaredCall, Expression, OpaqueCall, OpaqueRelation, ReadCall
from headwater_plan.readings import Why, differences
from headwater_plan.traversal import expressions_of, within
from headwater_spark.tracing.result import UserFunction
from headwater_spark.tracing.values.analysis import Traced

_NOT_READ = (Why("SORT", "code of this sort is not read", "declare what the function does"),)


def user_functions(traced: Iterable[Traced]) -> tuple[UserFunction, ...]:
    """What is known of each function, once for each way in which it is known, with the operators that call it."""
    found: dict[UserFunction, list[int]] = {}
    for each in traced:
        for function in map(_described, _calls(each)):
            if function is not None:
                found.setdefault(function, []).append(each.id)
    return tuple(replace(f, operators=tuple(dict.fromkeys(at))) for f, at in found.items())


def _calls(traced: Traced) -> Iterator[Expression]:
    relation = traced.relation
    if isinstance(relation, OpaqueRelation):
        if relation.function is not None:
            yield relation.function
        elif relation.name:
            yield OpaqueCall(relation.name, relation.reason, ())
    for expression in expressions_of(relation):
        yield from within(expression)


def _described(call: Expression) -> UserFunction | None:
    match call:
        case ReadCall(name=name, reason=reason, reading=reading):
            return UserFunction(name, reason, Known.ANALYSED, reading.place)
        case DeclaredCall(declaration=declaration, reason=reason, reading=reading):
            made = UserFunction(declaration.name, reason, Known.DECLARED, by=declaration.by)
            if reading is None:
                return made
            return replace(made, place=reading.place, differences=differences(declaration, reading))
        case OpaqueCall(name=name, reason=reason, why=why):
            return UserFunction(name, reason, Known.OPAQUE, why=why or _NOT_READ)
        case _:
            return None
