"""Trees of paths through the steps of a pipeline, patterns over records, and what is written of both."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_records.nested.answer import trace_back, united
from headwater_records.nested.expressions import Aggregated, Column, Computed, Struct
from headwater_records.nested.forward import became
from headwater_records.nested.pattern_text import parse_pattern
from headwater_records.nested.patterns import Condition, Node, PatternError, paths_tree, read_path
from headwater_records.nested.steps import Aggregate, Flatten, Group, Join, Read, Same, Select

TWEETS = Read(1, "tweets", (("1", "text"), ("2", "user"), ("3", "count")))
RECORD = {
    "user": {"id": "lp", "name": None},
    "tweets": [{"text": "a"}, {"text": "b"}, {"text": "b"}, {"text": None}],
    "tags": [{"key": "x", "value": 1}],
}


def asked(*paths: str) -> Any:
    return paths_tree([read_path(each) for each in paths])


def matched(pattern: str) -> list[str] | None:
    tree = parse_pattern(pattern).match(RECORD)
    return None if tree is None else [str(each) for each in tree.found()]


def test_a_position_asks_for_the_member_at_it_alone() -> None:
    collected = Aggregate("collect_list", (Column("1"),), (), "list", 0)
    step = Group(2, TWEETS, (Column("2"),), (("9", Aggregated(0)),), (collected,))
    members = [(("f", 0), True), (("f", 1), False), (("f", 2), True)]
    answer = trace_back(step, [("texts", "9")], [((members,), asked("texts[2]"))])
    assert answer.ids() == {("f", 2)}
    (item,) = answer.items()
    assert (item.contributing, item.influencing) == (["text"], ["user"])


def test_of_a_list_the_elements_are_named_that_a_record_became() -> None:
    collected = Aggregate("collect_list", (Column("1"),), (), "list", 0)
    step = Group(2, TWEETS, (Column("2"),), (("8", Column("2")), ("9", Aggregated(0))), (collected,))
    members = [(("f", 0), True), (("f", 1), False), (("f", 2), True)]
    record = ((members,), {"user": {"id": "lp"}, "texts": ["a", "b"]})
    columns = [("user", "8"), ("texts", "9")]
    paths = became(step, columns, record, lambda source, identity: identity == ("f", 2)).found()
    assert {str(each): each.contributes for each in paths} == {"user.id": True, "texts[2]": True}
    paths = became(step, columns, record, lambda source, identity: identity == ("f", 1)).found()
    assert [str(each) for each in paths] == ["user.id"], "its text was NULL"


def test_what_a_record_only_decided_about_is_named_as_a_whole() -> None:
    right = Read(2, "users", (("5", "id"),))
    step = Join(3, "inner", TWEETS, right, (Computed((Column("2"), Column("5"))),), ("5",))
    record = ((("f", 1), ("g", 1)), {"text": {"short": "a"}, "id": 7})
    paths = became(step, [("text", "1"), ("id", "5")], record, lambda source, _: source == "users").found()
    assert {str(each): each.contributes for each in paths} == {"id": True, "text": False}


def test_a_collection_as_a_whole_asks_for_all_that_it_holds() -> None:
    collected = Aggregate("collect_list", (Column("1"),), (), "list", 0)
    step = Group(2, TWEETS, (Column("2"),), (("9", Aggregated(0)),), (collected,))
    members = [(("f", 0), True), (("f", 1), False), (("f", 2), True)]
    answer = trace_back(step, [("texts", "9")], [((members,), asked("texts"))])
    assert answer.ids() == {("f", 0), ("f", 2)}


def test_a_filter_influences_and_what_is_dropped_does_neither() -> None:
    filtered = Same(2, "filter", TWEETS, (Computed((Column("3"),)),))
    step = Select(3, filtered, (("8", Struct(("t",), (Column("1"),))),))
    answer = trace_back(step, [("out", "8")], [(("f", 4), asked("out.t"))])
    (item,) = answer.items()
    assert (item.contributing, item.influencing) == (["text"], ["count"])


def test_an_outer_join_without_a_partner_follows_the_other_side_alone() -> None:
    right = Read(2, "users", (("5", "id"),))
    step = Join(3, "left outer", TWEETS, right, (Computed((Column("2"), Column("5"))),), ("5",))
    answer = trace_back(step, [("text", "1")], [((("f", 1), None), asked("text"))])
    assert {item.source for item in answer.items()} == {"tweets"}


def test_an_element_is_found_at_its_position() -> None:
    step = Flatten(2, TWEETS, Column("2"), (("7", ()),))
    answer = trace_back(step, [("u", "7")], [((("f", 1), 3), asked("u.name"))])
    (item,) = answer.items()
    assert item.contributing == ["user[3].name"]
    assert item.influencing == ["user[3]"]


def test_a_pattern_binds_positions_and_counts_what_matches() -> None:
    assert matched('user/id="lp", tweets[2..2]/text="b"') == ["tweets[2].text", "tweets[3].text", "user.id"]
    assert matched('tweets[3..]/text="b"') is None
    assert matched('//text contains "a"') == ["tweets[1].text"]
    assert matched('tags{key="x", value > 0}') == ["tags[1].key", "tags[1].value"]
    assert matched("user{id length 2}") == ["user.id"]


def test_null_matches_nothing_and_neither_does_a_value_under_an_inner_node() -> None:
    assert matched("user/name") is None
    assert matched("user/id/x") is None
    assert matched("tweets[4..]/text") is None
    assert matched('user[0..]/name="x"') == []


@pytest.mark.parametrize(
    ("pattern", "position"),
    [("user{", 6), ("user[2]", 5), ("a[3..2]", 1), ('user="x', 6), ("user}", 5), ("", 1), ('a{b}="x"', 1)],
)
def test_an_error_names_the_position(pattern: str, position: int) -> None:
    with pytest.raises(PatternError) as problem:
        parse_pattern(pattern)
    assert problem.value.position == position


def test_a_condition_stands_at_a_leaf() -> None:
    with pytest.raises(PatternError):
        Node("a", (Node("b"),), Condition("=", 1))
    with pytest.raises(PatternError):
        Node("a", test=Condition("near", 1))
    with pytest.raises(PatternError):
        Node("a", edge="?")


def test_a_path_that_cannot_be_read_is_an_error() -> None:
    assert read_path("tweets[2].text") == ("tweets", 2, "text")
    assert read_path("a[].b") == ("a", None, "b")
    for bad in ("a[x]", "[", ""):
        with pytest.raises(PatternError):
            read_path(bad)


def test_answers_of_several_pipelines_are_one_with_numbers_that_go_on() -> None:
    looked = Same(2, "filter", TWEETS, (Column("3"),))
    answers = [
        trace_back(looked, [("text", "1")], [(made_of, asked("text"))])
        for made_of in (("f", 0), ("f", 1), ("f", 1))
    ]
    whole = united(answers)
    assert whole.steps == dict(enumerate(["read tweets", "filter"] * 3, 1))
    assert whole.records == 3
    accessed = {item.id: {str(each): set(each.accessed) for each in item.paths} for item in whole.items()}
    assert accessed == {("f", 0): {"count": {2}, "text": set()}, ("f", 1): {"count": {4, 6}, "text": set()}}
    assert united([]).items() == []
