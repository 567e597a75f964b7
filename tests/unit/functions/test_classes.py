"""Classes of a module that is read as source: what is not known of how they make instances is not read."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_functions.source import Checked, check

HEAD = """
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import ClassVar

class Meta(type):
    def __call__(cls, *given):
        return None

class Plain:
    def __init__(self, value):
        self.value = value

class Child(Plain):
    kind = "child"

@dataclass
class Person:
    name: str
    mail: str = ""

@dataclass
class Customer(Person):
    city: str = ""

class Same(Customer):
    pass
"""


def read(body: str) -> Checked:
    return next(each for each in check(HEAD + body, "job.py") if each.name == "f")


def paths(found: Checked) -> set[Any]:
    assert found.analysis is not None
    assert found.analysis.unread == frozenset()
    return {edge.path[0] for edge in found.analysis.result.all_edges()}


@pytest.mark.parametrize(
    ("made", "of"),
    [
        ("Customer(a, b).city", set()),
        ("Customer(a, 'x', b).city", {1}),
        ("Customer(a, 'x', b).name", {0}),
        ("Same(a, 'x', b).city", {1}),
        ("Child(b).value", {1}),
        ("Child(b).kind", set()),
    ],
)
def test_what_is_inherited_is_known(made: str, of: set[int]) -> None:
    assert paths(read(f"def f(a, b):\n    return {made}\n")) == of


@pytest.mark.parametrize(
    "fields",
    [
        "kind: ClassVar[str] = 'x'\n    name: str = ''\n    note: str = ''",
        "key: str = field(default='x', init=False)\n    name: str = ''\n    note: str = ''",
        "name: str\n    _: KW_ONLY\n    note: str = ''",
        "name: InitVar[str]\n    note: str = ''",
        "name: 'InitVar[str]'\n    note: str = ''",
        "note: str = field(kw_only=True)\n    name: str = ''",
    ],
)
def test_fields_that_may_be_no_parameters_keep_a_class_from_being_read(fields: str) -> None:
    found = read(f"@dataclass\nclass Odd:\n    {fields}\n\ndef f(a, b):\n    return Odd(a, b).note\n")
    assert found.analysis is None or found.analysis.unread


@pytest.mark.parametrize(
    "written",
    [
        "class Odd(metaclass=Meta):\n    def __init__(self, a):\n        self.a = a",
        "class Odd(Plain, dict):\n    pass",
        "class Odd(dict):\n    pass",
        "class Odd:\n    def __getattr__(self, name):\n        return name",
        "@dataclass(kw_only=True)\nclass Odd:\n    a: str",
    ],
)
def test_classes_that_do_more_than_hold_attributes_are_not_read(written: str) -> None:
    found = read(f"{written}\n\ndef f(a, b):\n    return Odd(a).a\n")
    assert found.analysis is None or found.analysis.unread
