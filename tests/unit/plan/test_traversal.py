"""Ways through a plan, whose parts may be shared."""

from __future__ import annotations

from headwater_plan.nodes import (
    AggregateCall,
    Attribute,
    Call,
    Case,
    Column,
    Definition,
    Filter,
    Join,
    Literal,
    Project,
    Read,
    Subquery,
)
from headwater_plan.traversal import (
    below,
    columns_in,
    expressions_of,
    in_order,
    inputs_of,
    subqueries,
    within,
)
from headwater_plan.types import AtomicType

TEXT = AtomicType("string")
NAME = Attribute(1, "name", TEXT)
PEOPLE = Read((NAME,), {})
OTHERS = Read((NAME,), {})
COLUMN = Column(1, "name")
ONE = Literal(1, None, "1", "1")


def call(*args: Column | Literal | Subquery | Call) -> Call:
    return Call("=", args)


def test_a_shared_part_is_met_once() -> None:
    condition = Case((call(COLUMN, ONE),), (COLUMN, ONE))
    assert len(list(within(condition))) == len({id(each) for each in within(condition)}) == 4
    joined = Join((NAME,), PEOPLE, PEOPLE, "Inner", None)
    assert list(below(joined)) == [joined, PEOPLE]


def test_what_is_inside_a_subquery_is_not_inside_the_expression() -> None:
    inner = Filter((NAME,), OTHERS, call(Column(7, "hidden"), ONE))
    found = Subquery("IN", inner, (COLUMN,))
    condition = call(found, ONE)
    assert list(subqueries(condition)) == [found]
    assert columns_in(condition) == {1}
    assert list(below(Filter((NAME,), PEOPLE, condition)))[1:] == [PEOPLE]


def test_an_aggregates_filter_is_a_part_of_it() -> None:
    counted = AggregateCall(call(COLUMN), call(Column(2, "city"), ONE))
    assert columns_in(counted) == {1, 2}


def test_each_relation_comes_after_all_that_it_needs() -> None:
    inner = Project((NAME,), OTHERS, (Definition(NAME, COLUMN),))
    kept = Filter((NAME,), PEOPLE, call(Subquery("EXISTS", inner), ONE))
    root = Join((NAME,), kept, kept, "Inner", call(COLUMN, COLUMN))
    order = list(in_order(root))
    assert order == [PEOPLE, OTHERS, inner, kept, root]
    assert inputs_of(root) == (kept, kept)
    assert list(expressions_of(root)) == [root.condition]
