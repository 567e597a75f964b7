"""Steps are the same after they were kept."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import get_args

import pytest

from headwater_records.nested import expressions, steps
from headwater_records.nested.expressions import (
    Aggregated,
    Choice,
    Column,
    Computed,
    EachField,
    Listed,
    Part,
    Struct,
)
from headwater_records.nested.kept import KINDS, step_of, to_json
from headwater_records.nested.steps import (
    Aggregate,
    Flatten,
    Framed,
    Group,
    Join,
    Matched,
    Operator,
    Read,
    Same,
    Select,
    Union,
    Variants,
    Window,
)

SOURCE = Read(1, "tweets", (("1", "text"), ("2", "xs")))
CHOSEN = Choice((Column("1"), Part(Column("2"), (None, "a", 3))), (Computed(()),))
STEPS: tuple[Operator, ...] = (
    SOURCE,
    Same(2, "filter", SOURCE, (CHOSEN,)),
    Select(2, SOURCE, (("3", Struct(("a",), (Listed((EachField(Column("2"), "b"),)),))),), "repeat"),
    Flatten(2, SOURCE, Column("2"), (("3", ("key",)), ("4", ())), "5"),
    Variants(2, SOURCE, ((("1", Column("1")),), (("1", Computed(())),))),
    Join(3, "inner", SOURCE, Same(2, "sort", SOURCE), (), ("1",)),
    Matched(3, "existence", SOURCE, SOURCE, (Column("1"),), ("1",), "9"),
    Union(3, (SOURCE, SOURCE), (("1", ("1", "2")),)),
    Group(
        2, SOURCE, (Column("1"),), (("3", Aggregated(0)),), (Aggregate("Sum", (Column("2"),), (), "list", 0),)
    ),
    Window(2, SOURCE, (Framed("3", "Sum", (Column("2"),), 0),), (Column("1"),)),
)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: type(step).__name__)
def test_a_step_is_read_back_as_it_was(step: Operator) -> None:
    assert step_of(json.loads(json.dumps(to_json(step)))) == step


def test_every_kind_of_step_and_expression_is_kept() -> None:
    known = {*get_args(steps.Operator), *get_args(expressions.Expression), Aggregate, Framed}
    assert set(KINDS.values()) == known
    assert {type(step) for step in STEPS} == set(get_args(steps.Operator))
    assert all("is" not in {each.name for each in fields(kind)} for kind in known)


@pytest.mark.parametrize("given", [{"is": "Spam"}, {"number": 1}, {"is": "Column", "key": "1"}])
def test_what_is_no_step_is_an_error(given: object) -> None:
    with pytest.raises(ValueError, match="no step"):
        step_of(given)
