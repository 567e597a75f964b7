"""Writes functions of values by chance, and judges them: ``python -m functions.generated_values --count 10000``.

A function takes a row, a text and a number, takes parts of them, computes, builds, branches and loops over them, also
through functions of its module, closures, generators and exceptions, and gives back a dictionary, a tuple or a value.
"""

from __future__ import annotations

import sys
from random import Random
from typing import Any

from pyspark.sql import Row

from functions import generating, oracle
from functions.generating import Generator

FEW_STARTS = 2
"""Other values of each argument that a function is started from: there are many functions."""
ITEMS = [Row(sku="a-1", n=2, price=3.5), Row(sku="b-22", n=1, price=12.0)]
PERSON = Row(
    name="Ada Long",
    mail="ada@example.org",
    age=31,
    address=Row(city="Bern", zip="3011"),
    items=ITEMS,
    tags={"tier": "gold", "since": "2020"},
)
ARGUMENTS = (PERSON, "paid-late", 7)
HELPERS = """
import hashlib, json, math, re
from dataclasses import dataclass
from pyspark.sql import Row

LEVELS = {"gold": 3, "new": 1}


@dataclass
class Pair:
    first: object
    second: object = None

    def both(self):
        return f"{self.first}/{self.second}"


def clean(text):
    return text.strip().lower() if text else ""


def swap(pair):
    one, other = pair
    return other, one


def each(items):
    for item in items:
        yield item.sku, item.n


def total(items, start=0):
    for item in items:
        start += item.price * item.n
    return start


def pick(mapping, key, default=None):
    try:
        return mapping[key]
    except KeyError:
        return default


def longest(*texts):
    return max(texts, key=len)


def applied(function, value):
    return function(value)

"""

TEXTS = (
    "p.name",
    "p.mail",
    "p.address.city",
    "p['address']['zip']",
    "p.tags['tier']",
    "p.tags.get('since', s)",
    "p.items[0].sku",
    "s",
    "clean(p.name)",
    "pick(p.tags, 'tier')",
    "pick(p.tags, 'gone', s)",
    "p.address.asDict()['city']",
    "getattr(p, 'mail')",
    "p[0]",
    "next(i.sku for i in p.items if i.n > 0)",
    "sorted(i.sku for i in p.items)[0]",
    "'-'.join(i.sku for i in p.items)",
    "Pair(p.name, s).both()",
    "Pair(p.mail).first",
    "swap((p.name, s))[0]",
    "[v for v in p.tags.values()][0]",
    "dict(each(p.items)) and p.name",
    "{**p.tags, 'tier': s}['tier']",
    "(lambda v=p.name: v)()",
    "longest(p.name, s)",
    "json.dumps({'c': p.address.city})",
    "json.loads(json.dumps(p.tags))['tier']",
    "re.sub('[aeiou]', '', p.name)",
    "f'{p.name} <{p.mail}>'",
    "(p.name or s)",
    "(s if p.age > 40 else p.mail)",
    "hashlib.sha256(p.mail.encode()).hexdigest()",
)
NUMBERS = (
    "p.age",
    "k",
    "len(p.items)",
    "len(p.name)",
    "sum(i.n for i in p.items)",
    "total(p.items)",
    "max(i.price for i in p.items)",
    "LEVELS.get(p.tags['tier'], 0)",
    "p.items[1].n",
    "min(p.age, k)",
    "abs(k - p.age)",
    "int(p.address.zip)",
    "total(p.items, k)",
    "sum(1 for i in p.items if i.price > k)",
    "applied(lambda v: v * 2, p.age)",
    "round(p.items[0].price)",
    "p.mail.count('e')",
    "hash(s) % 2 if k < 0 else k",
)
ON_TEXT = (
    "{}.upper()",
    "{}[:3]",
    "{}.split('@')[0]",
    "{}.replace('a', 'o')",
    "clean({})",
    "{} + s",
    "applied(str.title, {})",
    "'%s!' % {}",
    "{}.encode().hex()",
    "({} if k > 3 else s)",
    "({} or 'none')",
)
ON_NUMBER = (
    "{} + 1",
    "{} * k",
    "{} // 2",
    "-{}",
    "({} if p.age > 30 else 0)",
    "math.floor({})",
    "max({}, k)",
    "{} % 5",
)
TESTS = (
    "p.age > {n}",
    "s.startswith('paid')",
    "{t}",
    "k % 2",
    "p.tags.get('tier') == 'gold'",
    "len({t}) > 4",
    "{n} > 3",
    "not p.items",
)


class Writer:
    """Writes one function; ``texts`` and ``numbers`` are the expressions that it has by now."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.texts, self.numbers = list(TEXTS), list(NUMBERS)
        self.lines: list[str] = []
        self.made = 0

    def name(self) -> str:
        self.made += 1
        return f"v{self.made}"

    def text(self) -> str:
        found = self.chance.choice(self.texts)
        return self.chance.choice(ON_TEXT).format(found) if self.chance.random() < 0.4 else found

    def number(self) -> str:
        found = self.chance.choice(self.numbers)
        return self.chance.choice(ON_NUMBER).format(found) if self.chance.random() < 0.4 else found

    def test(self) -> str:
        return self.chance.choice(TESTS).format(t=self.text(), n=self.number())

    def step(self) -> None:
        self.chance.choice(
            [self.bound, self.bound, self.branched, self.looped, self.tried, self.matched, self.collected, self.closed,
             self.unpacked, self.changed]
        )()  # fmt: skip

    def keep(self, name: str, *, text: bool) -> None:
        (self.texts if text else self.numbers).append(name)

    def bound(self) -> None:
        name, text = self.name(), self.chance.random() < 0.6
        self.lines.append(f"{name} = {self.text() if text else self.number()}")
        self.keep(name, text=text)

    def branched(self) -> None:
        name = self.name()
        self.lines += [
            f"if {self.test()}:",
            f"    {name} = {self.text()}",
            "else:",
            f"    {name} = {self.text()}",
        ]
        self.keep(name, text=True)

    def looped(self) -> None:
        name = self.name()
        inner = self.chance.choice(
            [
                "{0} = {0} + i.sku",
                "{0} = i.sku",
                "{0} = {0} or i.sku",
                "if i.n > 1:\n        {0} = i.sku\n        break",
            ]
        )
        head = self.chance.choice(
            ["for i in p.items:", "for j, i in enumerate(p.items):", "for i in reversed(p.items):"]
        )
        self.lines += [f"{name} = {self.text()}", head, *f"    {inner.format(name)}".split("\n")]
        self.keep(name, text=True)

    def tried(self) -> None:
        name = self.name()
        self.lines += ["try:", f"    {name} = int({self.text()})", "except (ValueError, TypeError):"]
        self.lines += [f"    {name} = {self.number()}"]
        self.keep(name, text=False)

    def matched(self) -> None:
        name = self.name()
        self.lines += [f"match {self.text()}:", "    case 'gold':", f"        {name} = {self.text()}"]
        self.lines += [
            "    case found if found:",
            f"        {name} = {self.chance.choice(['found', self.text()])}",
        ]
        self.lines += ["    case _:", f"        {name} = 'none'"]
        self.keep(name, text=True)

    def collected(self) -> None:
        name = self.name()
        made = self.chance.choice(
            ["[{0}, {1}]", "({0}, {1})", "{{'x': {0}, 'y': {1}}}", "Row(x={0}, y={1})", "Pair({0}, {1})"]
        )
        self.lines.append(f"{name} = {made.format(self.text(), self.text())}")
        key = {"{": "['x']", "R": ".x", "P": ".first"}.get(
            made.lstrip("{")[:1] if made[0] != "{" else "{", "[0]"
        )
        self.keep(f"{name}{key}", text=True)

    def closed(self) -> None:
        name = self.name()
        self.lines += [f"def {name}(w):", f"    return w + {self.text()}"]
        self.keep(f"{name}({self.chance.choice(TEXTS)})", text=True)

    def unpacked(self) -> None:
        name, other = self.name(), self.name()
        self.lines.append(f"{name}, *{other} = {self.text()}, {self.text()}, {self.text()}")
        self.keep(name, text=True)
        self.keep(f"{other}[0]", text=True)

    def changed(self) -> None:
        name = self.name()
        self.lines.append(f"{name} = {{'a': {self.text()}}}")
        self.lines.append(
            self.chance.choice(
                [
                    f"{name}['b'] = {self.text()}",
                    f"{name}.update(b={self.text()})",
                    f"{name} |= {{'b': {self.text()}}}",
                ]
            )
        )
        self.keep(f"{name}['{self.chance.choice('ab')}']", text=True)

    def result(self) -> str:
        parts = [self.chance.choice([self.text, self.number])() for _ in range(self.chance.randint(1, 4))]
        match self.chance.randrange(4):
            case 0:
                return parts[0]
            case 1:
                return f"({', '.join(parts)},)"
            case 2:
                return f"Row({', '.join(f'r{i}={part}' for i, part in enumerate(parts))})"
            case _:
                return f"{{{', '.join(f'{chr(97 + i)!r}: {part}' for i, part in enumerate(parts))}}}"


def written(chance: Random, name: str) -> tuple[str, tuple[Any, ...]]:
    """The source of one function, and its arguments."""
    writer = Writer(chance)
    for _ in range(chance.randint(1, 6)):
        writer.step()
    lines = [*writer.lines, f"return {writer.result()}"]
    return "\n".join([f"def {name}(p, s, k):", *(f"    {line}" for line in lines)]), ARGUMENTS


GENERATOR = Generator("generated_values_of_test", HELPERS, written)

if __name__ == "__main__":
    oracle.FEW_STARTS = FEW_STARTS
    raise SystemExit(generating.main(GENERATOR, sys.argv[1:]))
