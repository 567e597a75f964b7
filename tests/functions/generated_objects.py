"""Writes functions by chance that hold, make, change and call objects of the module's classes, and judges them:
``python -m functions.generated_objects --count 2000``.
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
import re
from abc import ABC
from dataclasses import InitVar, asdict, astuple, dataclass, field, replace
from functools import partial
from typing import ClassVar, NamedTuple


class Tag:
    mark = "#"
    made = []

    def __init__(self, text, other="none"):
        self.text = text
        self.other = other

    def __call__(self, given):
        return f"{given}{self.text}"

    def full(self, end=""):
        return self.mark + self.text + end

    def keep(self, text):
        self.text, self.other = text, self.text
        return self

    def first(self, one, other="two"):
        return one if self.text > "m" else other

    @property
    def upper(self):
        return self.text.upper()

    @staticmethod
    def plain(text, end=""):
        return text.strip() + end

    @classmethod
    def of(cls, text, *others):
        return cls(text, *others[:1])

    def compared(self, tag):
        return tag if len(tag.text) > len(self.text) else self


class Long(Tag):
    mark = "##"

    def __init__(self, text, other="none", more="more"):
        super().__init__(text, other)
        self.more = more

    def full(self, end="."):
        return super().full(self.more) + end

    @property
    def upper(self):
        return self.more


class Longest(Long):
    def __call__(self, given):
        return super().__call__(self.other) + given[:2]

    def swapped(self):
        self.text, self.more = self.more, self.text
        return self.more


class Base(ABC):
    def show(self):
        return self.name() + "!"


class Shown(Base):
    def __init__(self, text):
        self.text = text

    def name(self):
        return self.text


@dataclass
class Pair:
    text: str
    other: str = "none"
    parts: list = field(default_factory=list)
    kind: ClassVar[str] = "pair"

    def both(self):
        return f"{self.text}/{self.other}"

    def add(self, part):
        self.parts.append(part)
        return len(self.parts)


@dataclass
class Triple(Pair):
    third: str = "3"
    fixed: str = field(default="f", init=False)
    last: str = "4"

    def both(self):
        return super().both() + self.third


@dataclass(frozen=True)
class Frozen:
    text: str
    other: str = "none"


@dataclass
class HandedOn:
    text: str
    extra: InitVar[str] = ""

    def __post_init__(self, extra):
        self.other = extra or "none"


class Point(NamedTuple):
    text: str
    other: str = "none"

    def turned(self):
        return Point(self.other, self.text)

    @property
    def whole(self):
        return self.text + self.other


class Holder:
    def __init__(self, *steps, **named):
        self.steps, self.named = steps, named
        self.tag = Tag("held")

    def run(self, text):
        for step in self.steps:
            text = step(text)
        return text

    def get(self, name, default=None):
        return self.named.get(name, default)


TAG, LONG, PAIR, POINT = Tag("tag", "tagged"), Longest("long"), Pair("left", "right", ["p"]), Point("x", "y")
FROZEN, HOLDER = Frozen("f", "g"), Holder(str.strip, Tag("s"), Tag("m").first, key="k", tag=Tag("n"))
SHORT = partial(LONG.full, end="?")


def joined(one, other, end="-"):
    return f"{one}{end}"


def called(function, *given):
    return function(*given)

"""
GRAMMAR = Grammar(
    expressions={
        "t": [
            "p.name",
            "p.mail",
            "s",
            "p.address.city",
            "p.items[0].sku",
            "p.tags['tier']",
            "TAG(<t>)",
            "LONG(<t>)",
            "TAG.first(<t>, <t>)",
            "TAG.plain(<t>)",
            "TAG.full(<t>)",
            "LONG.full(<t>)",
            "LONG.upper",
            "TAG.text",
            "SHORT()",
            "HOLDER.run(<t>)",
            "HOLDER.tag(<t>)",
            "HOLDER.get('key', <t>)",
            "HOLDER.named['tag'](<t>)",
            "PAIR.both()",
            "POINT.turned().text",
            "POINT[1]",
            "FROZEN.other",
            "<tag>.text",
            "<tag>.other",
            "<tag>.upper",
            "<tag>.full(<t>)",
            "<tag>.first(<t>)",
            "<tag>.first(<t>, other=<t>)",
            "<tag>.first(*[<t>, <t>])",
            "<tag>(<t>)",
            "<tag>.keep(<t>).other",
            "<tag>.compared(<tag>).text",
            "<long>.more",
            "<long>.swapped()",
            "<long>.full()",
            "Shown(<t>).show()",
            "<pair>.text",
            "<pair>.other",
            "<pair>.both()",
            "str(<pair>.add(<t>))",
            "asdict(<pair>)['other']",
            "astuple(<point>)[0] if False else <point>.other",
            "replace(<pair>, other=<t>).both()",
            "Triple(<t>, <t>, [<t>], <t>, <t>).last",
            "Triple(<t>, third=<t>).third",
            "Triple(<t>, <t>).both()",
            "Frozen(<t>, <t>).text",
            "Frozen(<t>, other=<t>).other",
            "HandedOn(<t>, <t>).other",
            "HandedOn(<t>).text",
            "<point>.text",
            "<point>[1]",
            "<point>.whole",
            "<point>.turned().other",
            "partial(joined, <t>)(<t>)",
            "partial(joined, end=<t>)(<t>, <t>)",
            "partial(<tag>.first, <t>)(<t>)",
            "called(<tag>.full, <t>)",
            "called(<tag>, <t>)",
            "called(<tag>.first, *(<t>, <t>))",
            "[*map(<tag>, [<t>, <t>])][0]",
            "sorted([<t>, <t>], key=<tag>)[0]",
            "max([<t>, <t>], key=<tag>.first)",
            "[x.text for x in [<tag>, <tag>]][0]",
            "{'a': <tag>, 'b': <tag>}['a'].text",
            "(<tag> if k > 3 else <long>).full()",
            "(TAG if k > 3 else <long>).full()",
            "getattr(<tag>, 'other')",
            "<tag>.mark",
            "<tag>.__dict__['text']",
            "Tag.full(<tag>, <t>)",
            "Tag.full(<long>)",
            "super(Long, <long>).full(<t>)",
            "isinstance(<tag>, Long) and <t> or <t>",
            "re.sub('a', 'b', <tag>.text)",
            "next(x.other for x in (<tag>, <pair>) if x.text)",
        ],
        "tag": ["Tag(<t>)", "Tag(<t>, <t>)", "Tag.of(<t>)", "Tag.of(<t>, <t>)", "Long(<t>)", "<long>"],
        "long": [
            "Long(<t>, <t>, <t>)",
            "Longest(<t>, more=<t>)",
            "Longest.of(<t>, <t>)",
            "Longest(*[<t>, <t>])",
            "Longest(**{'text': <t>, 'more': <t>})",
        ],
        "pair": [
            "Pair(<t>)",
            "Pair(<t>, <t>)",
            "Pair(other=<t>, text=<t>)",
            "Triple(<t>, <t>)",
            "Pair(*[<t>, <t>])",
        ],
        "point": ["Point(<t>)", "Point(<t>, <t>)", "Point(<t>, other=<t>).turned()", "POINT"],
    },
    statements=[
        ("t", "@ = <t>"),
        ("tag", "@ = Tag(<t>)"),
        ("tag", "@ = <tag>"),
        ("tag", "@ = Long(<t>, <t>)"),
        ("long", "@ = Longest(<t>, <t>)"),
        ("pair", "@ = Pair(<t>, <t>)"),
        ("pair", "@ = Triple(<t>)"),
        ("point", "@ = Point(<t>, <t>)"),
        ("tag", "@ = Tag(<t>)\n@.text = <t>"),
        ("tag", "@ = Tag(<t>)\nif <t> > 'm':\n    @.text = <t>"),
        ("tag", "@ = Tag(<t>)\nif <t> > 'm':\n    @ = Long(<t>)"),
        ("tag", "@ = Tag(<t>)\nfor item in p.items:\n    @.keep(item.sku)"),
        ("tag", "@ = None\nfor item in p.items:\n    @ = Tag(item.sku, <t>)"),
        ("tag", "@ = Tag(<t>)\n@.__dict__['text'] = <t>"),
        ("tag", "@ = Tag(<t>)\nif k > 3:\n    @.mark = <t>"),
        ("tag", "@ = Tag(<t>)\nkept = @\nkept.text = <t>"),
        ("tag", "@ = Tag(<t>)\nkeep = @.keep\n@ = Long(<t>)\nkeep(<t>)"),
        ("pair", "@ = Pair(<t>)\nfor item in p.items:\n    @.add(item.sku)\n@.other = @.parts[0]"),
        ("t", "@, *_ = <point>"),
        ("t", "@ = partial(<tag>.full, <t>)\n@ = @()"),
        ("t", "@ = <t>\nfor step in (Tag(<t>), str.upper, Tag(<t>).first):\n    @ = step(@)"),
        ("t", "def @(w, tag=Tag(<t>)):\n    return tag(w)\n@ = @(<t>)"),
        ("t", "match <point>:\n    case Point(text=@):\n        pass"),
    ],
    results=[
        "<t>",
        "<t>",
        "(<t>, <t>)",
        "{'a': <t>, 'b': <t>}",
        "[<t>, <t>]",
        "asdict(Pair(<t>, <t>))",
        "Pair(<t>, <t>)",
        "{'x': <tag>.text, 'y': <point>.other}",
    ],
)


def written(chance: Random, name: str) -> tuple[str, tuple[Any, ...]]:
    """The source of one function, and its arguments."""
    return Writer(GRAMMAR, chance).function(f"def {name}(p, s, k):"), ARGUMENTS


GENERATOR = Generator("generated_objects_of_test", HELPERS, written)

if __name__ == "__main__":
    oracle.FEW_STARTS = FEW_STARTS
    raise SystemExit(generating.main(GENERATOR, sys.argv[1:]))
