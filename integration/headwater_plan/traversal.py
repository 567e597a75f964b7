"""Ways through a plan: what is directly inside a node, all that is below one, and the order in which to compute."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import assert_never

from headwater_plan.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Construct,
    DeclaredCall,
    Distinct,
    Element,
    Expand,
    Expression,
    Filter,
    Generate,
    Join,
    Lambda,
    Limit,
    Literal,
    Local,
    Member,
    OpaqueCall,
    OpaqueRelation,
    Previous,
    Project,
    Read,
    ReadCall,
    Recursion,
    Relation,
    SetOperation,
    Sort,
    Subquery,
    Union,
    UnknownRelation,
    Update,
    Window,
    Windowed,
)


def inputs_of(relation: Relation) -> tuple[Relation, ...]:
    """The relations directly below, without those inside subquery expressions."""
    match relation:
        case Read() | Local() | Previous():
            return ()
        case Recursion(anchor=anchor, step=step):
            return (anchor, step)
        case Join(left=left, right=right) | SetOperation(left=left, right=right):
            return (left, right)
        case Union(inputs=inputs) | OpaqueRelation(inputs=inputs) | UnknownRelation(inputs=inputs):
            return inputs
        case _:
            return (relation.child,)


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


def parts_of(e: Expression) -> tuple[Expression, ...]:  # noqa: PLR0911 - one arm a variant
    """The expressions directly inside one; of a subquery, the values that it is compared with."""
    match e:
        case Column() | Literal():
            return ()
        case Member() | Cast():
            return (e.child,)
        case Element():
            return (e.child, e.key)
        case Construct():
            return tuple(part for _, part in e.parts)
        case Update():
            return (e.child, *(value for _, value in e.changes if value is not None))
        case Case():
            return (*e.predicates, *e.values)
        case Call() | OpaqueCall() | DeclaredCall() | ReadCall():
            return e.args
        case Lambda():
            return (e.body,)
        case AggregateCall():
            return (e.call,) if e.filter is None else (e.call, e.filter)
        case Windowed():
            return (e.function, *e.partition, *e.order)
        case Subquery():
            return e.compared
        case _:
            assert_never(e)


def below(relation: Relation) -> Iterator[Relation]:
    """The relation and all that are below it, each once, without those inside subquery expressions."""
    pending, seen = [relation], set[int]()
    while pending:
        each = pending.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            pending.extend(inputs_of(each))


def within(expression: Expression) -> Iterator[Expression]:
    """The expression and all that are inside it, each once, without what is inside subqueries."""
    pending, seen = [expression], set[int]()
    while pending:
        each = pending.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            pending.extend(parts_of(each))


def subqueries(expression: Expression) -> Iterator[Subquery]:
    """The subqueries directly in the expression, not those inside them."""
    return (each for each in within(expression) if isinstance(each, Subquery))


def columns_in(expression: Expression) -> frozenset[int]:
    """The expression ids of the columns that it reads, those inside subqueries left out."""
    return frozenset(each.id for each in within(expression) if isinstance(each, Column))


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
