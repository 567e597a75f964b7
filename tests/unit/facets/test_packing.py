"""Which part of a text a take may get is never fewer than those that it gets: texts are made, and taken apart."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from headwater_facets import packing
from headwater_facets.packing import Part

HELD = {
    "s": ["a", "b,c", "x|y,z", "", "?mail=1&id=2", "k:v,mail:w", ",", "&city=5", "#"],
    "d": ["12", "-3", "true", "0fa9"],
    "t": ["1.5", "2024-01-02 03:04:05.6", "1.0E-12", "-0.25"],
    "u": ["a%2Cb", "x+y", "*._-"],
}
"""Texts that a part of each kind may hold, with what stands between others."""
BETWEEN = [",", "|", "-", ":", ", ", "::"]


def _template(tokens: Sequence[packing.Token]) -> str:
    mark = packing.text(tokens)
    assert mark is not None
    return mark


def _made(chance: random.Random, between: str) -> tuple[list[packing.Token], list[str]]:
    """A template's tokens, and kinds of its parts."""
    kinds = [chance.choice("sdtu") for _ in range(chance.randint(2, 4))]
    tokens: list[packing.Token] = [chance.choice(["", "", "<", f"x{between}"])]
    for at, kind in enumerate(kinds):
        tokens += [between if at else "", Part(kind)]
    return tokens, kinds


def _filled(tokens: Sequence[packing.Token], values: Sequence[str]) -> str:
    given = iter(values)
    return "".join(next(given) if isinstance(each, Part) else each for each in tokens)


def _at_place(text: str, between: str, first: int, last: int) -> list[str]:
    pieces = text.split(between)
    if first < 0:
        return pieces[max(len(pieces) + first, 0) : max(len(pieces) + last + 1, 0)]
    return pieces[first : last + 1]


@pytest.mark.parametrize("seed", range(60))
def test_each_part_that_changes_what_is_taken_at_a_place_is_reported(seed: int) -> None:
    chance = random.Random(seed)
    between = chance.choice(BETWEEN)
    tokens, kinds = _made(chance, between)
    place = chance.randint(0, 3)
    for first, last in ((place, place), (0, place), (-1 - place, -1 - place), (-1 - place, -1)):
        name = packing.places(first, last, between)
        assert name is not None
        taken_parts = packing.taken(_template(tokens), name)
        assert taken_parts is not None
        for _ in range(40):
            values = [chance.choice(HELD[kind]) for kind in kinds]
            at = chance.randrange(len(kinds))
            other = [*values[:at], chance.choice(HELD[kinds[at]]), *values[at + 1 :]]
            taken = [_at_place(_filled(tokens, each), between, first, last) for each in (values, other)]
            assert taken[0] == taken[1] or str(at) in taken_parts, (tokens, name, values, other)


@pytest.mark.parametrize("seed", range(60))
def test_each_part_that_changes_what_is_under_a_key_is_reported(seed: int) -> None:
    chance = random.Random(seed)
    kinds = [chance.choice("sdtu") for _ in range(3)]
    keys = ["id", "mail", "city"]
    tokens: list[packing.Token] = []
    for at, (key, kind) in enumerate(zip(keys, kinds, strict=True)):
        tokens += [f"{',' if at else ''}{key}:", Part(kind)]
    for key in keys:
        name = packing.keyed(",:", key)
        assert name is not None
        taken_parts = packing.taken(_template(tokens), name)
        assert taken_parts is not None
        for _ in range(40):
            values = [chance.choice(HELD[kind]) for kind in kinds]
            at = chance.randrange(3)
            other = [*values[:at], chance.choice(HELD[kinds[at]]), *values[at + 1 :]]
            taken = [
                dict(pair.partition(":")[::2] for pair in _filled(tokens, each).split(",")).get(key)
                for each in (values, other)
            ]
            assert taken[0] == taken[1] or str(at) in taken_parts, (tokens, name, values, other)


def _taken(tokens: Sequence[packing.Token], name: str | None) -> set[str] | None:
    assert name is not None
    found = packing.taken(_template(tokens), name)
    return None if found is None else set(found)


def test_a_part_that_cannot_hold_the_delimiter_leaves_the_next_at_its_place() -> None:
    tokens: list[packing.Token] = [Part("d"), ",", Part("s"), ",", Part("d")]
    assert _taken(tokens, packing.places(0, 0, ",")) == {"0"}
    assert _taken(tokens, packing.places(1, 1, ",")) == {"1"}
    assert _taken(tokens, packing.places(2, 2, ",")) == {"1", "2"}
    assert _taken(tokens, packing.places(-1, -1, ",")) == {"2"}
    assert _taken(tokens, packing.places(0, 0, "-")) == {"0", "1", "2"}


def test_the_first_pair_with_a_key_of_a_query_counts() -> None:
    tokens: list[packing.Token] = ["http://h.org/?mail=", Part("s"), "&id=", Part("d")]
    assert _taken(tokens, packing.keyed("?", "mail")) == {"0"}
    assert _taken(tokens, packing.keyed("?", "id")) == {"0", "1"}
    encoded: list[packing.Token] = ["http://h.org/?mail=", Part("u"), "&id=", Part("d")]
    assert _taken(encoded, packing.keyed("?", "id")) == {"1"}
    assert _taken(encoded, packing.keyed("?", "other")) == set()


def test_what_is_no_delimiter_whose_places_are_certain_has_no_name() -> None:
    assert packing.places(0, 0, "x") is None
    assert packing.places(0, 0, "") is None
    assert packing.places(-1, 0, ",") is None
    assert packing.keyed(",,", "mail") is None
    assert packing.keyed("?", "m.*") is None


def test_a_template_leaves_without_what_its_constants_say() -> None:
    assert packing.shown(_template(["Dr. Muster: ", Part(), ", 100%"])) == "_text …. …: %s, …%%"
    address = _template(["https://h.org/?mail=", Part(), "&id=", Part("d")])
    assert packing.shown(address) == "_text …://….…/?mail=%s&id=%d"
    name = packing.keyed("?", "id")
    assert name is not None
    assert packing.taken(packing.shown(address), name) == packing.taken(address, name)
    assert packing.shown("mail") == "mail"


def test_paths_of_one_notation_are_related_as_they_lead_down() -> None:
    assert packing.related(["user"], ["user", "mail"])
    assert packing.related(["user", "mail"], ["user", "mail"])
    assert not packing.related(["user", "mail"], ["user", "name"])
    assert not packing.related(["_csv ,", "0"], ["_csv ,", "1"])


def test_what_is_packed_in_one_notation_may_be_anywhere_in_another() -> None:
    assert packing.related(["_csv ,", "0"], ["_csv ;", "1"])
    assert packing.related(["_csv ,", "0"], ["mail"])
    assert packing.related(["_xml", "mail"], ["mail"])
    assert packing.related(["_text %s,%d", "0"], ["_csv ,", "1"])


def test_a_take_is_related_to_the_parts_that_it_may_get() -> None:
    take = packing.places(0, 0, ",")
    assert take is not None
    assert packing.related(["_text %s,%d", "0"], [take])
    assert not packing.related(["_text %s,%d", "1"], [take])
    assert not packing.related([take], ["_text %s,%d", "1"])
    assert packing.related(["_text %s,%d"], [take])
    assert packing.related(["_csv ,", "1"], [take])


def test_too_long_a_text_has_no_template() -> None:
    assert packing.text(["x" * packing.MOST_CHARACTERS, Part()]) is None
