"""Populations as they are on the wire, read into terms.

What is malformed or not understood is not known, and no error.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import Any, Final, NamedTuple

from headwater_backend.active.terms import (
    KNOWN,
    Applied,
    Constant,
    Kind,
    Term,
    Token,
    Variable,
    conjuncts,
    kind_of,
)
from headwater_backend.domain.model import DatasetKey, PathSteps

_DEEPEST: Final = 60
_PER_SESSION: Final = frozenset({"cast"})
"""What depends on the session's settings: whether an error is NULL, and the time zone."""


class Of(NamedTuple):
    """A column of a row of a population, as the name of a variable."""

    row: int
    path: PathSteps


class Unknown(NamedTuple):
    """A value that nothing is known of, as the name of a variable."""

    where: Hashable
    number: int


@dataclass(frozen=True, slots=True)
class Passed:
    """A condition that a population's rows have passed, with its text."""

    term: Term
    sql: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row that a population's rows are made of: of one of the datasets.

    ``kept``: its values are those that were written; but an empty text in a column of ``folders`` is NULL.
    """

    datasets: tuple[DatasetKey, ...]
    kept: bool = False
    folders: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Made:
    """A written column: its value, and the columns that may be in it; ``others``: other rows' as well.

    ``exact``: all of it is in the term.
    """

    term: Term
    type: str | None
    of: frozenset[Of]
    others: bool
    exact: bool


class Values(Mapping[PathSteps, Made]):
    """The written columns, by path; each is read when it is first asked for."""

    def __init__(self, id_: Hashable, documents: Mapping[PathSteps, Mapping[str, Any]]) -> None:
        self._id, self._documents = id_, documents
        self._read: dict[PathSteps, Made] = {}

    def __getitem__(self, path: PathSteps) -> Made:
        found = self._read.get(path)
        if found is None:
            found = self._read[path] = _made(_Reader(self._id, path), self._documents[path])
        return found

    def __contains__(self, path: object) -> bool:
        return path in self._documents

    def __iter__(self) -> Iterator[PathSteps]:
        return iter(self._documents)

    def __len__(self) -> int:
        return len(self._documents)


@dataclass(frozen=True, eq=False)
class Population:
    """Rows of an output that were made in one way; ``id`` tells it from all others.

    ``stated`` are the conditions that they have passed, as trees with their SQL.
    """

    id: Hashable
    rows: Mapping[int, Row]
    values: Values
    stated: Sequence[tuple[Any, str]]

    @cached_property
    def passed(self) -> tuple[Passed, ...]:
        """The conditions of which something is understood, those that hold together each for itself."""
        return tuple(each for each in self._conditions if _says_something(each.term))

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """The SQL of the others."""
        return tuple(dict.fromkeys(each.sql for each in self._conditions if not _says_something(each.term)))

    @cached_property
    def _conditions(self) -> tuple[Passed, ...]:
        reader = _Reader(self.id, ())
        return tuple(Passed(term, sql) for tree, sql in self.stated for term in conjuncts(reader.term(tree)))


def read_populations(listed: Any, of: Hashable) -> tuple[Population, ...] | None:
    """The populations of a step; None if there are none, or one of them cannot be read."""
    if not isinstance(listed, list | tuple) or not listed:
        return None
    try:
        return tuple(_population(each, (of, number)) for number, each in enumerate(listed))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _population(document: Mapping[str, Any], id_: Hashable) -> Population:
    return Population(
        id_,
        {int(each["row"]): _row(each) for each in document["rows"]},
        Values(id_, {_path(each): each for each in document["values"]}),
        [(each["expression"], str(each["sql"])) for each in document["conditions"]],
    )


def _path(document: Mapping[str, Any]) -> PathSteps:
    steps = document["path"]
    if not isinstance(steps, list):
        raise TypeError(steps)
    return tuple(map(str, steps))


def _says_something(term: Term) -> bool:
    return not isinstance(term, Variable | Constant) or term.type == "boolean"


def _row(document: Mapping[str, Any]) -> Row:
    return Row(
        tuple(DatasetKey(str(each["namespace"]), str(each["name"])) for each in document["datasets"]),
        document.get("kept") is True,
        frozenset(map(str, document.get("folders") or ())),
    )


def _made(reader: _Reader, document: Mapping[str, Any]) -> Made:
    try:
        return reader.made(document)
    except (KeyError, TypeError, ValueError, AttributeError):
        return Made(reader.unknown(), None, frozenset(), others=True, exact=False)


class _Reader:
    """Reads the expressions of one place in a population."""

    def __init__(self, id_: Hashable, place: Hashable) -> None:
        self._id, self._place = id_, place
        self._numbers = count()

    def unknown(self, type_: str | None = None) -> Variable:
        return Variable(Unknown((self._id, self._place), next(self._numbers)), type_)

    def made(self, document: Mapping[str, Any]) -> Made:
        tree, found = document["expression"], list(_parts(document["expression"]))
        stated = document.get("type")
        return Made(
            self.term(tree),
            stated if isinstance(stated, str) else None,
            frozenset(_of(each) for each in found if "path" in each),
            any(each.get("others") for each in found),
            not any("opaque" in each for each in found),
        )

    def term(self, tree: Any, depth: int = 0) -> Term:
        """The expression as a term."""
        if not isinstance(tree, Mapping) or depth > _DEEPEST:
            return self.unknown()
        match tree:
            case {"op": str(op), "args": [*args]}:
                return self._applied(op, [self.term(each, depth + 1) for each in args], tree.get("type"))
            case {"row": int(), "path": [*_]}:
                type_ = tree.get("type")
                return Variable(_of(tree), type_ if isinstance(type_, str) else None)
            case {"token": str(token), "type": str(type_)}:
                return self._token(token, type_)
            case {"type": str(type_)} if "opaque" not in tree:
                return self._constant(tree.get("literal"), type_)
            case _:
                return self.unknown()

    def _applied(self, op: str, args: Sequence[Term], type_: Any) -> Term:
        if op not in KNOWN:
            return self.unknown()
        if op == "cast" and args and isinstance(args[0], Constant) and args[0].value is None:
            return Constant(None, type_ if isinstance(type_, str) else None)
        scope = self._id if op in _PER_SESSION else None
        return Applied(op, tuple(args), type_ if isinstance(type_, str) else None, scope)

    def _token(self, text: str, type_: str) -> Term:
        name, _, rest = text.partition(":")
        key, _, digest = rest.partition(":")
        known = name == "token" and key and digest and kind_of(type_) in (Kind.TEXT, Kind.WHOLE)
        return Token(key, digest, type_) if known else self.unknown(type_)

    def _constant(self, value: Any, type_: str) -> Term:
        if value is None:
            return Constant(None, type_)
        known = _VALUES.get(kind_of(type_), _unreadable)(value)
        return self.unknown(type_) if known is None else Constant(known, type_)


def _number(value: Any) -> Fraction | None:
    """A number as it is compared: a float's exact value, a decimal's text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _unreadable(_: Any) -> None:
    return None


_VALUES: Final[Mapping[Kind | None, Any]] = {
    Kind.TEXT: lambda value: value if isinstance(value, str) else None,
    Kind.WHOLE: _whole,
    Kind.NUMBER: _number,
    Kind.TRUTH: lambda value: value if isinstance(value, bool) else None,
}


def _of(leaf: Mapping[str, Any]) -> Of:
    return Of(int(leaf["row"]), tuple(map(str, leaf["path"])))


def _parts(tree: Any) -> Iterator[Mapping[str, Any]]:
    pending: list[Any] = [tree]
    while pending:
        each = pending.pop()
        if isinstance(each, Mapping):
            yield each
            for key in ("args", "of"):
                inside = each.get(key)
                pending.extend(inside if isinstance(inside, Sequence) else ())
