"""The order in which the operators of a plan are analysed: each after all that it needs."""

from __future__ import annotations

from collections.abc import Iterator

from headwater_spark.ir import (
    Aggregate,
    Distinct,
    Expand,
    Expression,
    Filter,
    Generate,
    Join,
    Limit,
    OpaqueRelation,
    Project,
    Relation,
    Sort,
    Window,
    inputs_of,
)
from headwater_spark.tracing.values.expressions import subqueries


def in_order(root: Relation) -> Iterator[Relation]:
    """All relations the root needs, each once, after what it needs; subqueries come after the inputs."""
    done: set[int] = set()
    stack = [(root, iter(_needs(root)))]
    opened = {id(root)}
    while stack:
        relation, needs = stack[-1]
        following = next((n for n in needs if id(n) not in opened), None)
        if following is not None:
            opened.add(id(following))
            stack.append((following, iter(_needs(following))))
            continue
        stack.pop()
        if id(relation) not in done:
            done.add(id(relation))
            yield relation


def _needs(relation: Relation) -> Iterator[Relation]:
    yield from inputs_of(relation)
    for expression in expressions_of(relation):
        for subquery in subqueries(expression):
            yield subquery.relation


def expressions_of(relation: Relation) -> Iterator[Expression]:
    """The expressions that stand in the relation itself."""
    match relation:
        case Project(definitions=ds) | Window(definitions=ds):
            yield from (d.expression for d in ds)
        case Aggregate(keys=keys, definitions=ds):
            yield from keys
            yield from (d.expression for d in ds)
        case Filter(condition=condition):
            yield condition
        case Join(condition=condition):
            if condition is not None:
                yield condition
        case Generate(generator=generator):
            yield generator
        case Expand(projections=projections):
            for projection in projections:
                yield from projection
        case Sort(orders=keys) | Distinct(keys=keys) | Limit(keys=keys) | OpaqueRelation(keys=keys):
            yield from keys
        case _:
            return
