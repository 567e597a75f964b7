"""Frames of emitted code: an expression of PySpark with the names of its columns, and the statements before it."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

from headwater_boundary.split.text import quoted


@dataclass(frozen=True, slots=True)
class Frame:
    """``head`` with method calls on it; ``names`` has the column of each attribute, ``columns`` all columns in
    order.
    """

    head: str
    calls: tuple[str, ...]
    names: dict[int, str]
    columns: tuple[str, ...]

    def then(
        self, call: str, names: dict[int, str] | None = None, columns: Iterable[str] | None = None
    ) -> Frame:
        """The frame with one more call."""
        return Frame(
            self.head,
            (*self.calls, call),
            self.names if names is None else names,
            self.columns if columns is None else tuple(columns),
        )

    def code(self) -> str:
        """The expression."""
        if not self.calls:
            return self.head
        if len(self.calls) == 1:
            return f"{self.head}{self.calls[0]}"
        return "(\n" + "\n".join([self.head, *self.calls]) + "\n)"


@dataclass(slots=True)
class Statement:
    """One statement of a program, with the line of the original that it came from, and the row sets in it."""

    code: str
    line: str
    row_sets: tuple[int, ...] = ()


@dataclass(slots=True)
class Block:
    """The statements of one stage of one program."""

    statements: list[Statement] = field(default_factory=list)
    taken: set[str] = field(default_factory=lambda: {"spark", "region", "boundary", "F", "stage"})
    frames: dict[int, Frame] = field(default_factory=dict)
    pending: list[int] = field(default_factory=list)

    def variable(self, wanted: str) -> str:
        """A name that no variable has."""
        base = wanted if wanted.isidentifier() and not keyword.iskeyword(wanted) else "rows"
        names = (base if number == 1 else f"{base}_{number}" for number in count(1))
        name = next(each for each in names if each not in self.taken)
        self.taken.add(name)
        return name

    def settle(self, frame: Frame, wanted: str, line: str) -> Frame:
        """The frame as a variable."""
        if not frame.calls and frame.head in self.taken:
            return frame
        name = self.variable(wanted)
        self.add(f"{name} = {frame.code()}", line)
        return Frame(name, (), frame.names, frame.columns)

    def add(self, code: str, line: str) -> None:
        """Add a statement, in which the row sets are that were made since the one before."""
        self.statements.append(Statement(code, line, tuple(self.pending)))
        self.pending.clear()


def unique(wanted: str, taken: Iterable[str]) -> str:
    """A column's name that no other has, whatever the case."""
    known = {each.lower() for each in taken}
    names = (wanted if number == 1 else f"{wanted}_{number}" for number in count(1))
    return next(each for each in names if each.lower() not in known)


def text(value: str) -> str:
    """A Python literal, in double quotes where that needs no escapes."""
    if '"' not in value and "\\" not in value and "\n" not in value and value.isprintable():
        return f'"{value}"'
    return repr(value)


def arguments(values: Sequence[str]) -> str:
    """Arguments of a call: on one line if they fit."""
    line = ", ".join(values)
    return line if len(line) < 90 else "\n" + ",\n".join(values) + ",\n"


def select_text(expression: str, name: str) -> str:
    """An item of ``selectExpr``."""
    return expression if expression == quoted(name) else f"{expression} AS {quoted(name)}"


def expr(text_: str) -> str:
    """A column for an expression in SQL."""
    return f"F.col({text(text_)})" if text_.isidentifier() else f"F.expr({text(text_)})"


def named_expr(text_: str, name: str) -> str:
    """The same, under a name."""
    return expr(text_) if text_ == name else f"{expr(text_)}.alias({text(name)})"
