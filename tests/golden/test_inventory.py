"""Every expression and operator of every installed Spark is accounted for, once."""

from __future__ import annotations

import pytest

from golden.inventory import COVERAGE, ELSEWHERE, coverage, defaults, handled
from headwater_plan.functions import OPERATORS
from headwater_spark.decode.catalogue import CLASSES, LADDER
from headwater_spark.decode.functions import function_of
from headwater_spark.tracing.values.functions import AGGREGATES, FUNCTIONS
from headwater_spark.tracing.values.generators import GENERATORS
from headwater_spark.tracing.values.lambdas import LAMBDAS
from headwater_spark.tracing.values.readback import TABLE
from kit.catalyst import EXPRESSION, PLAN, concrete_classes
from kit.spark_lines import LINES, SPARK_35, SPARK_41, SparkLine

pytestmark = pytest.mark.spark

TABLED = frozenset().union(*handled().values())
DEFAULTED = frozenset().union(*(group.names for group in defaults()))


@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("root", [EXPRESSION, PLAN], ids=["expressions", "operators"])
def test_every_class_is_decoded_tabled_or_defaulted_with_a_reason(line: SparkLine, root: str) -> None:
    found = concrete_classes(line, root)
    assert len(found) > 250, "the jars hold no Spark"
    assert sorted(found - TABLED - DEFAULTED) == []


def test_nothing_is_listed_that_no_spark_has() -> None:
    there = frozenset().union(*(concrete_classes(line, EXPRESSION, PLAN) for line in LINES))
    assert sorted(DEFAULTED - there) == []
    own = frozenset().union(*(names for what, names in handled().items() if "command" not in what))
    assert sorted(own - there - ELSEWHERE) == []


def test_what_has_a_rule_is_not_defaulted_and_no_default_is_given_twice() -> None:
    names = [name for group in defaults() for name in group.names]
    assert sorted(DEFAULTED & TABLED) == []
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_the_coverage_page_is_what_the_tables_say() -> None:
    assert COVERAGE.read_text("utf-8") == coverage(), "write it anew: make golden"


@pytest.mark.parametrize("line", LINES, ids=str)
def test_no_class_is_taken_for_a_function_whose_row_names_another(line: SparkLine) -> None:
    known = {*FUNCTIONS, *AGGREGATES, *LAMBDAS, *GENERATORS, *TABLE, *OPERATORS}
    others = concrete_classes(line, EXPRESSION) - CLASSES
    assert sorted(name for name in others if function_of(name) in known) == []


@pytest.mark.parametrize(
    ("before", "since"),
    [(SPARK_35, (4, 0)), pytest.param(SPARK_41, (4, 2), marks=pytest.mark.slow)],
    ids=str,
)
def test_what_a_step_of_the_ladder_adds_no_spark_before_it_has(
    before: SparkLine, since: tuple[int, int]
) -> None:
    added = {
        name for step in LADDER if step.version >= since for name in (*step.expressions, *step.relations)
    }
    assert added
    assert sorted(concrete_classes(before, EXPRESSION, PLAN) & added) == []
