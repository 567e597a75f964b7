"""Functions that make objects of classes with bases, properties and calls, and take them apart again."""

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from dataclasses import InitVar, astuple, dataclass, field
from functools import partial
from itertools import groupby
from typing import ClassVar, NamedTuple

from functions.examples import Example, example

EXAMPLES: list[Example] = []


@dataclass
class Person:
    name: str
    mail: str

    @property
    def domain(self):
        return self.mail.split("@")[1]

    def greeting(self):
        return f"Dear {self.name}"


@dataclass
class Customer(Person):
    city: str = ""

    def greeting(self):
        return super().greeting() + f" of {self.city}"


class Shape(ABC):
    def __init__(self, label):
        self.label = label

    @abstractmethod
    def area(self): ...

    def text(self):
        return f"{self.label}: {self.area()}"


class Square(Shape):
    def __init__(self, label, side):
        super().__init__(label)
        self.side = side

    def area(self):
        return self.side**2


class Adder:
    def __init__(self, amount):
        self.amount = amount

    def __call__(self, value):
        return value + self.amount

    def twice(self, value, other=0):
        return value + 2 * self.amount


class Point(NamedTuple):
    x: int
    y: int = 0

    @property
    def swapped(self):
        return Point(self.y, self.x)


class Registry:
    def __init__(self):
        self.known = {}
        self.last = None

    def add(self, key, value):
        self.known[key] = value
        self.last = value
        return self

    def get(self, key):
        return self.known.get(key)

    @classmethod
    def of(cls, value):
        return cls().add("first", value)


class Once(type):
    made = {}

    def __call__(cls, *arguments):
        if cls not in Once.made:
            Once.made[cls] = super().__call__(*arguments)
        return Once.made[cls]


class Single(metaclass=Once):
    def __init__(self, value):
        self.value = value


class Shouting:
    def __init__(self, value):
        self.value = value

    def __getattr__(self, name):
        return self.value


class Keeping:
    def __init__(self, value):
        self.value = value

    def replacement(self, match):
        return self.value


@example("Ada", "ada@example.org", "Bern")
def base_field(name, mail, city):
    customer = Customer(name, mail, city)
    return {"name": customer.name, "domain": customer.domain}


@example("Ada", "ada@example.org", "Bern")
def overridden(name, mail, city):
    return Customer(name, mail, city).greeting()


@example("Ada", "ada@example.org", "Bern")
def base_only(name, mail, city):
    return Person(name, mail).greeting() + city


@example("a", 3)
def abstract(label, side):
    square = Square(label, side)
    return {"area": square.area(), "label": square.label}


@example("a", 3)
def template_method(label, side):
    return Square(label, side).text()


@example(3, 4)
def callable_made(a, b):
    add = Adder(a)
    return {"sum": add(b), "amount": add.amount}


@example([1, 2], 4)
def callable_mapped(values, b):
    return list(map(Adder(b), values))


@example(3, 4, 5)
def partial_of_made(a, b, c):
    return partial(Adder(a).twice, b)()


@example(3, [4, 5])
def method_with_spread(a, values):
    return Adder(a).twice(*values)


@example(3, 4)
def swapped_point(a, b):
    return Point(a, b).swapped.x


@example("k", "v")
def registered(key, value):
    registry = Registry()
    registry.add("a", key).add("b", value)
    return {"last": registry.last, "a": registry.get("a")}


@example("k", "v")
def made_by_class(key, value):
    return Registry.of(value).last


@example("k", "v")
def one_of_a_kind(key, value):
    Single(key)
    return Single(value).value


@example("k", "v")
def any_attribute(key, value):
    return Shouting(key).anything


@example("k", "banana")
def replaced_by_a_method(key, text):
    return re.sub("a", Keeping(key).replacement, text)


@example("k", "v")
def chosen_method(key, value):
    keep = Keeping(key)
    method = keep.replacement if value > "m" else str.upper
    return method(value)


class Kept:
    last = "none"

    def __init__(self):
        self.seen = []

    def see(self, text):
        self.seen.append(text)
        return self.seen[0]

    def note(self, text):
        Kept.last = text
        return text


class Memo(dict):
    def __missing__(self, key):
        self[key] = len(self)
        return self[key]


class Compared:
    def __init__(self):
        self.value = ""

    def __eq__(self, other):
        self.value = other
        return True

    def __add__(self, other):
        self.value = other
        return other


KEPT, MEMO, COMPARED = Kept(), Memo(), Compared()


@example("k", "v")
def seen_before(key, value):
    KEPT.see(key)
    return KEPT.see(value)


@example("k", "v")
def noted(key, value):
    KEPT.note(key)
    return Kept.last


@example("k", "v")
def numbered(key, value):
    return MEMO[key], MEMO[value]


@example("k", "v")
def compared_and_kept(key, value):
    if COMPARED == key:
        return COMPARED.value
    return value


@example("k", "v")
def added_and_kept(key, value):
    COMPARED + key
    return COMPARED.value


EXAMPLES += [Example(partial(Adder(5).twice, 2), (3,)), Example(Adder(5), (3,))]


@dataclass
class Given:
    name: str
    key: str = field(default="x", init=False)
    note: str = ""


@dataclass
class OfClass:
    kind: ClassVar[str] = "z"
    name: str = ""
    note: str = ""


@dataclass
class HandedOn:
    name: str
    extra: InitVar[str] = ""

    def __post_init__(self, extra):
        self.shown = extra.upper()


@dataclass
class ByName:
    name: str = field(kw_only=True)
    note: str = ""


class Listed(Given):
    def __init__(self, name, others):
        super().__init__(name, others[0])
        self.others = others


class Unchanged(Given): ...


@dataclass(frozen=True)
class Fixed:
    name: str
    note: str = "none"


@example("Ada", "note")
def field_that_is_not_given(name, note):
    return Given(name, note).note


@example("Ada", "note")
def variable_of_the_class(name, note):
    return OfClass(name, note).note


@example("Ada", "note")
def field_that_is_handed_on(name, note):
    return HandedOn(name, note).shown


@example("Ada", "note")
def field_by_name(name, note):
    return astuple(ByName(note, name=name))[0]


@example("Ada", "note")
def super_of_a_dataclass(name, note):
    listed = Listed(name, [note, "b"])
    return {"note": listed.note, "name": listed.name}


@example("Ada", "note")
def inherited_as_it_is(name, note):
    return Unchanged(name, note).note


@example("Ada", "note")
def frozen(name, note):
    return Fixed(name, note=note).note


@example("Ada", "note")
def set_through_another_name(name, note):
    one = Keeping(name)
    other = one
    other.value = note
    return one.value


@example("Ada", "note")
def instances_in_a_list(name, note):
    adders = [Keeping(name), Keeping(note)]
    return adders[0].value


class Rank:
    def __init__(self, order):
        self.order = order

    def __call__(self, text):
        return text in self.order


@example(["b", "a"], "a")
def sorted_by_an_instance(texts, order):
    return sorted(texts, key=Rank(order))[0]


@example(["b", "a"], "a")
def filtered_by_an_instance(texts, order):
    return list(filter(Rank(order), texts))


@example(["b", "a"], "a")
def runs_by_an_instance(texts, order):
    return [list(run) for _, run in groupby(texts, key=Rank(order))]


@example(["b", "a"], "a")
def list_sorted_by_an_instance(texts, order):
    texts = [*texts]
    texts.sort(key=Rank(order))
    return texts[0]


@example("k", "a")
def made_when_missing(key, value):
    return defaultdict(partial(Keeping(value).replacement, None))[key]
