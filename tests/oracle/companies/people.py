"""The sources of a company: records of people with tokens that no other record has, and tables of codes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any, Final

from oracle.companies.company import Attribute, Company, Source
from oracle.companies.kinds import Kind, Leaf, Many, Struct

RECORDS: Final = 6
_LETTERS: Final = "ghijklmnopqrstuvwxyz"
"""No letters of hexadecimal numbers, so that no digest holds a token by chance."""
_CATEGORIES: Final = {
    "id": "user.unique_id",
    "first": "user.name",
    "last": "user.name",
    "email": "user.contact.email",
    "phone": "user.contact.phone_number",
    "city": "user.contact.address.city",
    "reason": "user.health_and_medical",
    "salary": "user.financial",
}
_OF_FEW: Final = ("city", "reason")
"""Values that several records may share."""
_SHAPES: Final[tuple[Mapping[str, Any], ...]] = (
    {"id": "id", "name": {"first": "first", "last": "last"}, "contact": {"email": "email", "city": "city"},
     "visits": [{"reason": "reason", "cost": ""}], "salary": "salary", "kind": ""},
    {"id": "id", "email": "email", "city": "city", "reason": "reason", "salary": "salary", "kind": ""},
    {"person": {"id": "id", "last": "last", "phone": "phone"}, "mails": [{"email": "email", "kind": ""}],
     "case": {"reason": "reason", "city": "city"}, "kind": ""},
    {"id": "id", "last": "last", "phone": "phone", "salary": "salary", "reason": "reason", "kind": ""},
)  # fmt: skip


class People:
    """Makes the records of one source, and notes their tokens in the company."""

    def __init__(self, company: Company, chance: random.Random, name: str) -> None:
        self.company = company
        self.chance = chance
        self.name = name
        self.categories: dict[str, str] = {}
        self.words: dict[str, list[str]] = {}

    def source(self, format_: str) -> tuple[Source, dict[str, Kind]]:
        """The source, and the types of its columns."""
        shape = self.chance.choice(_SHAPES)
        columns = {name: self._kind(each, name) for name, each in shape.items()}
        records = [{n: self._value(k, row) for n, k in columns.items()} for row in range(RECORDS)]
        return Source(self.name, format_, records, self.categories), columns

    def _kind(self, shape: Any, path: str) -> Kind:
        if isinstance(shape, dict):
            return Struct({name: self._kind(each, f"{path}.{name}") for name, each in shape.items()})
        if isinstance(shape, list):
            return Many(self._kind(shape[0], f"{path}[]"))
        if not shape:
            return Leaf("long" if path.endswith("cost") else "string")
        self.categories[path] = _CATEGORIES[shape]
        if shape in _OF_FEW:
            self.words[path] = [word(self.chance, 11) for _ in range(3)]
            self.company.tokens |= {each: {Attribute(self.name, path)} for each in self.words[path]}
        number = shape in ("salary",)
        words = tuple(self.words.get(path, ()))
        return Leaf("long" if number else "string", Attribute(self.name, path), words)

    def _value(self, kind: Kind, row: int) -> Any:
        match kind:
            case Struct(fields):
                return {name: self._value(each, row) for name, each in fields.items()}
            case Many(element):
                return [self._value(element, row + n) for n in range(self.chance.randint(1, 2))]
            case Leaf(of=None):
                return self.chance.randint(1, 90) if kind.type == "long" else "ab"[row % 2]
            case Leaf(words=(_, *_)):
                return kind.words[row % len(kind.words)]
            case _:
                return self._of_person(kind)

    def _of_person(self, kind: Kind) -> str | int:
        """A value that no other record has."""
        assert isinstance(kind, Leaf) and kind.of is not None
        value = self._token(kind.of.path.rpartition(".")[2])
        self.company.tokens[str(value)] = {kind.of}
        return value

    def _token(self, name: str) -> str | int:
        if name == "salary":
            return self.chance.randrange(10**9, 10**10)
        if name in ("id", "phone"):
            return str(self.chance.randrange(10**11, 10**12))
        if name == "email":
            return f"{word(self.chance, 12)}@{word(self.chance, 8)}.com"
        return word(self.chance, 12)


def word(chance: random.Random, length: int) -> str:
    """A random word that nothing else contains."""
    return "".join(chance.choices(_LETTERS, k=length))


def lookup(company: Company, chance: random.Random, name: str, leaf: Leaf) -> tuple[Source, dict[str, Kind]]:
    """A table that gives a code for each word that the leaf may have."""
    assert leaf.of is not None
    columns: dict[str, Kind] = {"key": Leaf("string", leaf.of, leaf.words), "code": Leaf("string")}
    return Source(name, "json", list(_codes(company, chance, leaf)), {}), columns


def _codes(company: Company, chance: random.Random, leaf: Leaf) -> Iterator[dict[str, str]]:
    assert leaf.of is not None
    for each in leaf.words:
        code = word(chance, 10)
        company.codes[code] = {leaf.of}
        yield {"key": each, "code": code}
