"""Paths into nested data: typed steps, the wire form, and a readable notation.

A path leads from a dataset's row to a value in it::

    wire                                        notation
    ["user", "name"]                            user.name
    ["user_mentions", "_element", "id_str"]     user_mentions[].id_str
    ["props", "value"]   (props is a map)       props{}
    ["props", "key"]     (props is a map)       props{key}
    ["a.b", "c"]                                `a.b`.c
    ["body", "_packed", "mail"]                 body{packed}.mail

The last one is what is packed under a name in a text or a variant, such as a member of a JSON object. Such paths are
not in events, where ``packed`` and ``unpacked`` have the names.

The wire form alone cannot distinguish a struct member called ``_element``, ``key`` or ``value`` from an
array's element or a map's key and value; the schema can. Steps are therefore typed, the notation is
exact (``Path.parse(str(path)) == path``), and ``Path.from_wire`` uses the schema's fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias, final


class Inside(Enum):
    """A step into a collection, or a text that holds packed values; its value is the step's name on the wire."""

    ELEMENT = "_element"
    KEY = "key"
    VALUE = "value"
    PACKED = "_packed"

    def __repr__(self) -> str:
        return self.name


ELEMENT: Final = Inside.ELEMENT
KEY: Final = Inside.KEY
VALUE: Final = Inside.VALUE
PACKED: Final = Inside.PACKED


@final
@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct; at the start of a path, a column."""

    name: str


@final
class Fields:
    """Index of a ``schema`` facet's fields by name, built once for many paths of a dataset.

    The fields are objects or JSON with ``name``, ``type`` and ``fields``; the first of several with one name counts.
    """

    def __init__(self, fields: Iterable[Any] | None) -> None:
        self._by_name: dict[Any, Any] = {}
        for field in fields or ():
            self._by_name.setdefault(_get(field, "name"), field)
        self._below: dict[str, Fields] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    def kind(self, name: str) -> str | None:
        """Return the field's outer type, such as array for ``array<struct<…>>``; None if it is unknown."""
        text = _get(self._by_name.get(name), "type")
        return re.split(r"[<(\s]", text.strip().lower(), maxsplit=1)[0] if isinstance(text, str) else None

    def below(self, name: str) -> Fields:
        """Return the fields nested in a field."""
        found = self._below.get(name)
        if found is None:
            found = self._below[name] = Fields(_get(self._by_name.get(name), "fields"))
        return found


Step: TypeAlias = Member | Inside

_NOTATION: Final = {ELEMENT: "[]", VALUE: "{}", KEY: "{key}", PACKED: "{packed}"}
_NEEDS_QUOTES: Final = re.compile(r"[.\[\]{}`]")
_COLLECTION: Final = re.compile(r"\[\]|\{\}|\{key\}|\{packed\}")
_QUOTED: Final = re.compile(r"`((?:[^`]|``)*)`")
_BARE: Final = re.compile(r"[^.\[\]{}`]+")
_BY_NOTATION: Final = {text: step for step, text in _NOTATION.items()}


class PathSyntaxError(ValueError):
    """A text is not a path: ``code`` is stable, ``position`` counts characters from 0."""

    def __init__(self, code: str, text: str, position: int, hint: str) -> None:
        super().__init__(f"{text!r} is not a path, at character {position}: {hint}")
        self.code = code
        self.text = text
        self.position = position
        self.hint = hint


@final
@dataclass(frozen=True, slots=True)
class Path:
    """A sequence of steps into a row; the empty sequence is the row, and so the dataset, itself."""

    steps: tuple[Step, ...] = ()

    @classmethod
    def of(cls, *steps: str | Step) -> Path:
        """Return the path of these steps, where a plain string is a member's name."""
        return cls(tuple(Member(step) if isinstance(step, str) else step for step in steps))

    @classmethod
    def from_wire(cls, names: Iterable[str], fields: Fields | Sequence[Any] | None = None) -> Path:
        """Return the path with these step names.

        ``fields`` are the top-level fields of the dataset's ``schema`` facet. If they do not cover a step,
        ``_element`` is an element, ``_packed`` leads into a text, and ``key`` and ``value`` are members.
        """
        steps: list[Step] = []
        level = fields if isinstance(fields, Fields) else Fields(fields)
        holder = "struct" if level else None
        for name in names:
            steps.append(_typed(name, holder))
            holder, level = level.kind(name), level.below(name)
        return cls(tuple(steps))

    def to_wire(self) -> list[str]:
        """Return the step names, as in events."""
        return [step.name if isinstance(step, Member) else step.value for step in self.steps]

    def __str__(self) -> str:
        return "".join(_texts(self.steps))

    @classmethod
    def parse(cls, text: str) -> Path:
        """Parse the readable notation; raises ``PathSyntaxError``."""
        steps: list[Step] = []
        position = 0
        while position < len(text):
            step, position = _step_at(text, position)
            steps.append(step)
        return cls(tuple(steps))

    def __truediv__(self, step: str | Step) -> Path:
        """Return the path extended by a step."""
        return Path((*self.steps, Member(step) if isinstance(step, str) else step))

    def starts_with(self, other: Path) -> bool:
        """Return whether this path is ``other`` or below it."""
        return self.steps[: len(other.steps)] == other.steps


def _texts(steps: Iterable[Step]) -> Iterable[str]:
    for index, step in enumerate(steps):
        if isinstance(step, Member):
            yield ("." if index else "") + _quoted(step.name)
        else:
            yield _NOTATION[step]


def _quoted(name: str) -> str:
    if name and not _NEEDS_QUOTES.search(name):
        return name
    return "`" + name.replace("`", "``") + "`"


def _step_at(text: str, position: int) -> tuple[Step, int]:
    if found := _COLLECTION.match(text, position):
        return _BY_NOTATION[found.group()], found.end()
    if text[position] in "[]{}":
        raise _collection_error(text, position)
    return _member_at(text, _after_dot(text, position))


def _after_dot(text: str, position: int) -> int:
    if position == 0:
        return 0
    if text[position] != ".":
        raise PathSyntaxError("PATH_DOT_EXPECTED", text, position, "expected a dot before a member")
    return position + 1


def _member_at(text: str, position: int) -> tuple[Step, int]:
    if found := _QUOTED.match(text, position):
        return Member(found.group(1).replace("``", "`")), found.end()
    if text.startswith("`", position):
        hint = "the back-quote is not closed; a back-quote within a name is doubled"
        raise PathSyntaxError("PATH_QUOTE_OPEN", text, position, hint)
    if found := _BARE.match(text, position):
        return Member(found.group()), found.end()
    raise PathSyntaxError(
        "PATH_NAME_EXPECTED", text, position, "a member's name is missing; an empty one is ``"
    )


def _collection_error(text: str, position: int) -> PathSyntaxError:
    hint = "write [] for an array's element, {} for a map's value, {key} for its key; back-quote such a name"
    if re.match(r"\[[^\]]+\]", text[position:]):
        hint = "positions are not supported: write [] for any element of the array"
    elif re.match(r"\{[^}]+\}", text[position:]):
        hint = "map keys are not supported: write {} for any value of the map, {key} for its keys"
    return PathSyntaxError("PATH_COLLECTION", text, position, hint)


def _typed(name: str, holder: str | None) -> Step:
    """Return the step with that name into a ``holder``: "array", "map", any other type, or None if unknown."""
    if name == ELEMENT.value and holder in (None, "array"):
        return ELEMENT
    if name == PACKED.value and holder not in ("struct", "array", "map"):
        return PACKED
    if holder == "map" and name in (KEY.value, VALUE.value):
        return KEY if name == KEY.value else VALUE
    return Member(name)


def _get(field: Any, key: str) -> Any:
    return field.get(key) if isinstance(field, Mapping) else getattr(field, key, None)
