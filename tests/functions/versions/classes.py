"""A module whose classes hold data, as each version compiles it."""

from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple


@dataclass
class Person:
    name: str
    mail: str = ""
    age: "int" = 0

    def upper(self):
        return self.name.upper()


Pair = namedtuple("Pair", "left right")


class Point(NamedTuple):
    x: int
    y: int


def of_person(n, m, a):
    p = Person(n, m, a)
    return {"who": p.name, "age": p.age, "up": p.upper()}


def of_pair(a, b):
    p = Pair(a, b)
    return {"l": p.left, "r": p.right}


def of_point(a, b):
    p = Point(a, b)
    return {"x": p.x, "y": p.y}


def with_annotated(a: int, b: str = "x") -> str:
    c: int = a
    return b * c
