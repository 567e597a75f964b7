"""The other direction within a record of the end: which of its values some records of the sources are in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from headwater_records.nested.answer import Id, trace_back
from headwater_records.nested.backtrace import Derivation
from headwater_records.nested.steps import Operator
from headwater_records.nested.tree import Path, Step, Tree

IsAsked = Callable[[str, Id], bool]
"""Whether a record of a source, by its id, is one of those that are asked about."""


def became(
    end: Operator,
    columns: Sequence[tuple[str, str]],
    record: tuple[Derivation, Mapping[str, Any]],
    is_asked: IsAsked,
) -> Tree:
    """The paths of a record that such records made or decided about.

    ``record`` is its derivation, and its values as dicts and lists. A path contributes if values of these records are
    in it, or it was computed of them. Below what they only decided about, as a condition does, nothing is listed.
    """
    made_of, values = record
    found = Tree()

    def look(path: Path, value: Any) -> bool | None:
        """Whether they contribute to a value, or only decided about it; None if neither."""
        asked = Tree()
        asked.at(path).bind(contributes=True)
        answer = trace_back(end, columns, [(made_of, asked)])
        items = [item for item in answer.items() if is_asked(item.source, item.id)]
        if not items:
            return None
        contributes = any(each.contributes for item in items for each in item.paths)
        below = [look((*path, step), part) for step, part in _parts(value)] if contributes else []
        if not any(below):
            found.at(path).bind(contributes=contributes)
        return contributes

    for name, value in values.items():
        look((name,), value)
    return found


def _parts(value: Any) -> Iterator[tuple[Step, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value, 1)
