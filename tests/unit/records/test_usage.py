"""The paths that a pipeline uses, whatever is in its sources."""

from __future__ import annotations

from headwater_records.nested.expressions import Aggregated, Column, Computed
from headwater_records.nested.steps import (
    Aggregate,
    Flatten,
    Group,
    Join,
    Matched,
    Operator,
    Read,
    Same,
    Select,
    Union,
    Variants,
)
from headwater_records.nested.usage import paths_used

ORDERS = Read(1, "orders", (("1", "user"), ("2", "items"), ("3", "note")))
USERS = Read(2, "users", (("5", "id"), ("6", "name")))


def used(step: Operator, *columns: tuple[str, str]) -> dict[str, tuple[list[str], list[str]]]:
    """By source the paths that contribute, and those that influence, without the record as a whole."""
    answer = paths_used(step, columns)
    return {
        item.source: ([each for each in item.contributing if each], item.influencing)
        for item in answer.items()
    }


def test_elements_have_open_positions_and_what_is_dropped_is_not_used() -> None:
    items = Flatten(2, ORDERS, Column("2"), (("7", ()),))
    assert used(items, ("item", "7")) == {"orders": (["items[]"], [])}


def test_a_filter_influences() -> None:
    step = Same(3, "filter", ORDERS, (Computed((Column("3"),)),))
    assert used(step, ("user", "1")) == {"orders": (["user"], ["note"])}


def test_every_branch_of_a_union_and_every_grouping_set_is_followed() -> None:
    union = Union(3, (ORDERS, USERS), (("8", ("1", "6")),))
    assert used(union, ("who", "8")) == {"orders": (["user"], []), "users": (["name"], [])}
    sets = Variants(3, ORDERS, ((("8", Column("1")),), (("8", Column("3")),)))
    assert used(sets, ("key", "8")) == {"orders": (["note", "user"], [])}


def test_both_sides_of_joins_are_followed() -> None:
    keys = (Computed((Column("1"), Column("5"))),)
    assert used(Join(3, "inner", ORDERS, USERS, keys, ("5", "6")), ("name", "6")) == {
        "orders": ([], ["user"]),
        "users": (["name"], ["id"]),
    }
    assert used(Matched(3, "left semi", ORDERS, USERS, keys, ("5", "6")), ("note", "3")) == {
        "orders": (["note"], ["user"]),
        "users": ([], ["id"]),
    }


def test_a_group_uses_keys_and_arguments() -> None:
    total = Aggregate("sum", (Column("3"),))
    group = Group(3, ORDERS, (Column("1"),), (("8", Aggregated(0)),), (total,))
    step = Select(4, group, (("9", Computed((Column("8"),))),))
    assert used(step, ("total", "9")) == {"orders": (["note"], ["user"])}
