"""Patterns as objects say the same as the text."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_records.nested.pattern_objects import read_pattern
from headwater_records.nested.pattern_text import parse_pattern
from headwater_records.nested.patterns import Node, PatternError

RECORD = {"user": {"id": "lp"}, "tweets": [{"text": "a"}, {"text": "b"}, {"text": "b"}]}
BOTH: list[tuple[str, Any]] = [
    ("user/id", [{"name": "user", "children": [{"name": "id"}]}]),
    ('//text="b"', [{"name": "text", "edge": "//", "condition": {"equal": "b"}}]),
    (
        'user{id length 2}, tweets[2..3]/text !contains "x"',
        [
            {"name": "user", "children": [{"name": "id", "condition": {"length": 2}}]},
            {
                "name": "tweets",
                "least": 2,
                "most": 3,
                "children": [{"name": "text", "condition": {"not_contains": "x"}}],
            },
        ],
    ),
]


def shape(node: Node) -> Any:
    return node.name, node.edge, node.least, node.most, node.test, tuple(map(shape, node.children))


@pytest.mark.parametrize(("text", "given"), BOTH, ids=[text for text, _ in BOTH])
def test_objects_and_text_are_one_pattern(text: str, given: Any) -> None:
    read, parsed = read_pattern(given), parse_pattern(text)
    assert list(map(shape, read.nodes)) == list(map(shape, parsed.nodes))
    assert read.match(RECORD) == parsed.match(RECORD) is not None


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("user", ""),
        ([{"name": "a", "edge": "?"}], "[0]"),
        ([{"name": "a", "value": 1}], "[0]"),
        ([{"name": "a", "least": "1"}], "[0].least"),
        ([{"name": "a", "children": "b"}], "[0].children"),
        ([{"name": "a"}, {"name": "b", "condition": {"near": 1}}], "[1].condition"),
        ([{"name": "a", "condition": {"equal": None}}], "[0].condition.equal"),
    ],
)
def test_an_error_names_the_place(given: Any, place: str) -> None:
    with pytest.raises(PatternError) as problem:
        read_pattern(given)
    assert problem.value.position == place


def test_a_name_that_the_schema_does_not_have_is_named_with_its_place() -> None:
    pattern = read_pattern([{"name": "user", "children": [{"name": "id"}, {"name": "age"}]}])
    with pytest.raises(PatternError, match=r"no field age there, at \[0\].children\[1\]"):
        pattern.check({"user": {"id": None}})
