"""Writes functions by chance that use classes of a module with several bases, descriptors and kept results, and judges
what is read of the module's source: ``python -m functions.generated_classes --count 2000``.
"""

from __future__ import annotations

import sys
from random import Random
from typing import Any

from functions import generating, oracle
from functions.generated_values import ARGUMENTS, FEW_STARTS
from functions.generating import Generator
from functions.grammar import Grammar, Writer

HELPERS = """
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partialmethod, singledispatch, wraps


def loud(f):
    @wraps(f)
    def inner(*given, **named):
        return f(*given, **named) + "!"
    return inner


def swapped(f):
    def inner(self, one, other):
        return f(self, other, one)
    return inner


def chosen(first):
    def outer(f):
        def inner(one, other):
            return f(one, other) if first else other
        return inner
    return outer


def changed(kind):
    kind.get = lambda self: self.other
    return kind


class Base:
    tag = "base"

    def __init__(self, text, other="none"):
        self.text, self.other = text, other

    def show(self):
        return [self.tag, self.text]

    def run(self, given):
        return given

    @property
    def both(self):
        return self.text + self.other

    @both.setter
    def both(self, value):
        self.other = value

    @classmethod
    def of(cls, text):
        return cls(text, "of")

    @staticmethod
    def plain(text):
        return text.strip()


class Left(Base):
    tag = "left"

    def show(self):
        return ["left", *super().show()]

    def run(self, given):
        return super().run(given) + self.text


class Right(Base):
    def show(self):
        return [self.other, *super().show()]

    def run(self, given):
        return super().run(self.other)


class Diamond(Left, Right):
    def run(self, given):
        return super().run(given) + "d"


class Turned(Right, Left):
    tag = "turned"

    @property
    def both(self):
        return super().both + self.tag


class Upper:
    def upper(self):
        return self.text.upper()

    def run(self, given):
        return "mixed" + given


class Mixed(Upper, Left):
    pass


class Last(Left, Upper):
    get = Base.run

    def run(self, given):
        return Upper.run(self, self.other)


class Kept:
    def __init__(self, text, other):
        self.text, self.other = text, other

    @cached_property
    def first(self):
        return self.text

    @cached_property
    def parts(self):
        return [self.text, self.other]

    @lru_cache(maxsize=8)
    def got(self, given):
        return given + self.text

    def joined(self, one, other, end="."):
        return one + other + end

    with_end = partialmethod(joined, end="?")
    with_one = partialmethod(joined, "one")

    @loud
    def shout(self, given):
        return given

    @swapped
    def second(self, one, other):
        return one

    @property
    @loud
    def noise(self):
        return self.other


class Slotted(Base):
    __slots__ = ("more",)

    def __init__(self, text):
        super().__init__(text)
        self.more = self.text


@dataclass
class A:
    a: str = "a"


@dataclass
class B:
    b: str = "b"

    def get(self):
        return self.b


@dataclass
class AB(A, B):
    c: str = "c"


class MB(Upper, B):
    text = "fixed"


@changed
class Replaced(Base):
    def get(self):
        return self.text


class Later(Base):
    def get(self):
        return self.text


Later.get = lambda self: self.other


@lru_cache
def cleaned(text):
    return text.strip()


@cache
def second(one, other):
    return other


@lru_cache(maxsize=4)
def listed(text):
    return [text]


@cache
def pair(one, other):
    return one, other


@chosen(False)
def picked(one, other):
    return one


@chosen(True)
def taken(one, other):
    return one


@singledispatch
def single(given):
    return "none"


@single.register(str)
def _(given):
    return given

"""
GRAMMAR = Grammar(
    expressions={
        "t": [
            "p.name",
            "p.mail",
            "s",
            "p.address.city",
            "p.items[0].sku",
            "<one>.text",
            "<one>.other",
            "<one>.tag",
            "<one>.both",
            "''.join(<one>.show())",
            "<one>.show()[0]",
            "<one>.run(<t>)",
            "<one>.plain(<t>)",
            "<mixed>.upper()",
            "<mixed>.run(<t>)",
            "Last(<t>, <t>).get(<t>)",
            "<kept>.first",
            "<kept>.parts[0]",
            "<kept>.parts[-1]",
            "<kept>.got(<t>)",
            "<kept>.with_end(<t>, <t>)",
            "<kept>.with_one(<t>)",
            "<kept>.shout(<t>)",
            "<kept>.second(<t>, <t>)",
            "<kept>.noise",
            "<kept>.other",
            "Slotted(<t>).more",
            "AB(<t>, <t>, <t>).a",
            "AB(<t>, <t>).b",
            "AB(<t>, c=<t>).get()",
            "MB(<t>).get()",
            "MB(<t>).upper()",
            "cleaned(<t>)",
            "second(<t>, <t>)",
            "pair(<t>, <t>)[0]",
            "picked(<t>, <t>)",
            "taken(<t>, <t>)",
            "super(Left, <one>).run(<t>) if isinstance(<one>, Diamond) else <t>",
            "Base.run(<one>, <t>)",
            "(<one> if k > 3 else <mixed>).run(<t>)",
        ],
        "odd": ["Replaced(<t>, <t>).get()", "Later(<t>, <t>).get()", "listed(<t>)[0]", "single(<t>)"],
        "one": [
            "Base(<t>, <t>)",
            "Left(<t>, <t>)",
            "Right(<t>, <t>)",
            "Diamond(<t>, <t>)",
            "Turned(<t>, other=<t>)",
            "Diamond.of(<t>)",
            "Turned.of(<t>)",
            "<mixed>",
        ],
        "mixed": ["Mixed(<t>, <t>)", "Last(<t>, <t>)", "Mixed.of(<t>)"],
        "kept": ["Kept(<t>, <t>)"],
    },
    statements=[
        ("t", "@ = <t>"),
        ("one", "@ = <one>"),
        ("one", "@ = Diamond(<t>, <t>)\n@.both = <t>"),
        ("one", "@ = Base(<t>, <t>)\nif <t> > 'm':\n    @.both = <t>"),
        ("one", "@ = Turned(<t>)\n@.text = <t>"),
        ("mixed", "@ = Mixed(<t>, <t>)\n@.other = @.run(<t>)"),
        ("kept", "@ = Kept(<t>, <t>)"),
        ("kept", "@ = Kept(<t>, <t>)\n@.first\n@.text = <t>"),
        ("kept", "@ = Kept(<t>, <t>)\nif <t> > 'm':\n    @.first\n@.text = 'later'"),
        ("kept", "@ = Kept(<t>, <t>)\n@.parts.append(<t>)"),
        ("kept", "@ = Kept(<t>, <t>)\n@.first = <t>"),
        ("t", "@ = ''\nfor each in (<one>, <one>):\n    @ = @ + each.run(<t>)"),
        ("t", "@ = [each.text for each in (<one>, <kept>)][0]"),
        ("t", "@ = <odd>"),
        ("t", "@ = listed(<t>)\n@.append(<t>)\n@ = @[-1]"),
        ("t", "call = <one>.run\n@ = call(<t>)"),
    ],
    results=[
        "<t>",
        "<t>",
        "(<t>, <t>)",
        "{'a': <t>, 'b': <t>}",
        "{'x': <one>.text, 'y': <kept>.first}",
        "<one>.show()",
        "[<kept>.first, *<kept>.parts]",
    ],
)


def written(chance: Random, name: str) -> tuple[str, tuple[Any, ...]]:
    """The source of one function, and its arguments."""
    return Writer(GRAMMAR, chance).function(f"def {name}(p, s, k):"), ARGUMENTS


GENERATOR = Generator("generated_classes_of_test", HELPERS, written, in_file=True)

if __name__ == "__main__":
    oracle.FEW_STARTS = FEW_STARTS
    raise SystemExit(generating.main(GENERATOR, sys.argv[1:]))
