"""Functions that use instances of their module or closure: settings, cleaners, tables of rules."""

import hashlib
import re
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import NamedTuple

from functions.examples import Example, example
from pyspark.sql import Row

EXAMPLES: list[Example] = []
PERSON = Row(name="Ada Long", mail="ada@example.org", city="Bern", age=31)


class Hasher:
    def __init__(self, salt, length=12):
        self.salt = salt
        self.length = length

    def token(self, text):
        return hashlib.sha256((self.salt + text).encode()).hexdigest()[: self.length]

    def __call__(self, text):
        return self.token(text)


@dataclass
class Settings:
    prefix: str
    columns: list = field(default_factory=list)
    limits: dict = field(default_factory=dict)
    strict: bool = False


@dataclass(frozen=True)
class Rule:
    pattern: str
    replacement: str

    def apply(self, text):
        return re.sub(self.pattern, self.replacement, text)


class Bounds(NamedTuple):
    low: int
    high: int

    def clamp(self, value):
        return max(self.low, min(self.high, value))


class Cleaner:
    SUFFIXES = (".org", ".com")

    def __init__(self, lower=True):
        self.lower = lower

    def strip(self, text):
        return text.strip()

    def clean(self, text):
        text = self.strip(text)
        return text.lower() if self.lower else text

    @property
    def label(self):
        return "lower" if self.lower else "plain"

    @staticmethod
    def initials(text):
        return "".join(part[0] for part in text.split())

    @classmethod
    def cut(cls, text):
        for suffix in cls.SUFFIXES:
            text = text.removesuffix(suffix)
        return text


class Base:
    unit = "EUR"

    def __init__(self, rate):
        self.rate = rate

    def format(self, amount):
        return f"{self.convert(amount)} {self.unit}"

    def convert(self, amount):
        return amount * self.rate


class Rounded(Base):
    unit = "CHF"

    def __init__(self, rate, digits):
        super().__init__(rate)
        self.digits = digits

    def convert(self, amount):
        return round(super().convert(amount), self.digits)


class Pipeline:
    def __init__(self, *steps):
        self.steps = steps
        self.hasher = Hasher("inner")

    def run(self, text):
        return self.hasher.token(text)

    def all(self, text):
        for step in self.steps:
            text = step(text)
        return text


HASHER = Hasher("pepper")
SETTINGS = Settings("id-", ["name", "mail"], {"age": 99})
RULE = Rule("[aeiou]", "*")
BOUNDS = Bounds(0, 40)
CLEANER = Cleaner()
MONEY = Rounded(1.1, 1)
PIPELINE = Pipeline(str.strip)


@example("ada@example.org", "Ada")
def token_of_mail(mail, name):
    return {"key": HASHER.token(mail), "name": name}


@example("ada@example.org", "Ada")
def called_instance(mail, name):
    return HASHER(mail) + "-" + name[:1]


@example("ada", "Bern")
def prefixed(name, city):
    return SETTINGS.prefix + name if SETTINGS.strict else SETTINGS.prefix + city


@example(PERSON)
def columns_of_settings(row):
    return {c: row[c] for c in SETTINGS.columns}


@example(31, "Ada")
def limit_of_settings(age, name):
    return {"age": min(age, SETTINGS.limits["age"]), "name": name}


@example("Ada Long", "Bern")
def rule_applied(name, city):
    return RULE.apply(name), city


@example(31, 7)
def clamped(age, other):
    return BOUNDS.clamp(age)


@example(31, "x")
def bounds_unpacked(age, name):
    low, high = BOUNDS
    return low <= age <= high


@example(" Ada ", "B")
def cleaned(name, city):
    return {"name": CLEANER.clean(name), "label": CLEANER.label}


@example("Ada Long", "B")
def initials(name, city):
    return CLEANER.initials(name)


@example("ada@example.org", "B")
def cut_suffix(mail, city):
    return CLEANER.cut(mail)


@example(12, "B")
def converted(amount, city):
    return {"text": MONEY.format(amount), "unit": MONEY.unit, "city": city}


@example(" ada ", "B")
def through_pipeline(name, city):
    return PIPELINE.run(name)


@example(" ada ", "B")
def through_steps(name, city):
    return PIPELINE.all(name)


def _made():
    hasher, rules = Hasher("closure"), [Rule("a", "b"), Rule("c", "d")]

    @example("ada@example.org", "Bern")
    def in_closure(mail, city):
        return {"key": hasher.token(mail), "city": city}

    @example("ada", "Bern")
    def rules_in_closure(name, city):
        for rule in rules:
            name = rule.apply(name)
        return name

    return in_closure, rules_in_closure


_made()
_short = partial(Hasher("partial", 4).token)
_replaced = partial(re.sub, "[0-9]", "#")


def _joined(separator, one, other, *, end=""):
    return f"{one}{separator}{end}"


_with_dash = partial(_joined, "-", end=".")


@example("ada", "Bern")
def partial_of_a_method(name, city):
    return {"k": _short(name), "city": city}


@example("ada", "Bern")
def partial_of_a_function(name, city):
    return _with_dash(name, city)


@example("a1b2", "Bern")
def partial_of_a_library(text, city):
    return _replaced(text)


@example("ada", "Bern")
def partial_made_inside(name, city):
    join = partial(_joined, "+")
    return join(city, name)


@example(["a", "b"], "Bern")
def instance_mapped(names, city):
    return [*map(HASHER, names)]


@example(["b", "a"], "Bern")
def method_as_key(names, city):
    return sorted(names, key=CLEANER.clean)[0]


EXAMPLES += [
    Example(HASHER, ("ada@example.org",)),
    Example(CLEANER.clean, (" Ada ",)),
    Example(_short, ("ada@example.org",)),
    Example(_with_dash, ("ada", "Bern")),
    Example(Cleaner.cut, ("ada.org",)),
    Example(partial(MONEY.format), (12,)),
]


class Level(Enum):
    LOW = 1
    HIGH = 2

    def text(self):
        return self.name.lower()


@example(31, "Ada")
def member_of_an_enumeration(age, name):
    return {"level": Level.HIGH.value if age > 30 else Level.LOW.value, "name": name}
