"""Patterns from who asks, matched with names from who sends: they take time in proportion, or are refused.

With expressions that go back over the text, six ``*`` and a name of 120 characters take a minute, in which the whole
process stands still.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, Direction
from headwater_backend.domain.patterns import DatasetPattern, any_names
from headwater_backend.domain.roles import Caller, Role
from headwater_backend.privacy.classification.rules import Rule
from headwater_backend.questions.traversal import ALL_TYPES, Bounds, explore
from kit.memory_store import MemoryStore, graph, node

STARS: Final = "*" + "a*" * 40 + "b"
LONG: Final = "a" * 2_000


def caller(namespace: str) -> bool:
    return Caller("key", frozenset({Role.PRODUCER}), (STARS,)).may_write(namespace)


def rule(name: str) -> bool:
    return Rule.of(None, STARS, "**", "user", 1).covers(DatasetKey("n", name))


def rule_of_paths(path: str) -> bool:
    found = Rule.of(None, "*", "**" + "a**" * 40 + "b", "user", 1)
    return found.includes(DatasetKey("n", "x"), path)


def asked(name: str) -> bool:
    return any_names([DatasetPattern(name=STARS)], DatasetKey("n", name))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("fits", [caller, rule, rule_of_paths, asked])
def test_many_wildcards_and_a_long_name_take_no_long_time(fits: Callable[[str], bool]) -> None:
    assert not fits(LONG)
    assert fits(LONG + "b")


@pytest.mark.timeout(60)
def test_a_search_within_such_names_ends() -> None:
    store = MemoryStore(graph(f"{LONG}:x -IDENTITY-> {LONG}b:x"))
    bounds = Bounds(within=(DatasetPattern(name=STARS),))
    found = explore(store, [node(f"{LONG}:x")], Direction.FORWARD, ALL_TYPES, bounds)
    assert list(found.distance) == [node(f"{LONG}:x"), node(f"{LONG}b:x")]


def test_a_pattern_that_takes_too_much_memory_is_refused() -> None:
    with pytest.raises(BadQuestion, match="cannot be used"):
        any_names([DatasetPattern(name="?*ä" * 20_000)], DatasetKey("n", "x"))


@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [
        ("*tweets*", "my\ntweets", "twets"),
        ("a?c", "aäc", "ac"),
        ("a.c", "a.c", "abc"),
        ("(x)[1]{2}|\\d", "(x)[1]{2}|\\d", "x"),
        ("grüße *", "grüße aus Köln", "grüsse aus Köln"),
        ("", "", "x"),
    ],
)
def test_all_else_is_meant_as_it_is(pattern: str, fitting: str, other: str) -> None:
    assert any_names([DatasetPattern(name=pattern)], DatasetKey("n", fitting))
    assert not any_names([DatasetPattern(name=pattern)], DatasetKey("n", other))
