"""JSON of answers, with tables encoded by columns.

The edges of a large answer have few distinct jobs and transformations. Each is encoded once, and the text of an edge is
composed of the texts of its values, without an object for the edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from secrets import token_hex
from typing import Any

from pydantic_core import to_json

from headwater_graphql.engine.columnar import Repeated, Table


def encode(answer: object) -> bytes:
    """Return the JSON of an answer."""
    tables: list[Table[Any]] = []
    mark = token_hex()  # a client must not be able to guess it, or its own texts would be replaced

    def set_aside(value: Any) -> str:
        if not isinstance(value, Table):
            raise TypeError(f"an answer cannot contain {type(value).__name__}")
        tables.append(value)
        return mark

    first, *others = to_json(answer, fallback=set_aside).split(to_json(mark))
    parts = chain.from_iterable(
        chain(_rows(table), [other]) for table, other in zip(tables, others, strict=True)
    )
    return b"".join(chain([first], parts))


def _rows(table: Table[Any]) -> Iterable[bytes]:
    """Return the text of an array of objects, in parts."""
    if not table:
        return [b"[]"]
    columns = _columns(
        ((b"," if place else b"},{") + to_json(name) + b":", values)
        for place, (name, values) in enumerate(table.columns.items())
    )
    parts = chain.from_iterable(zip(*columns, strict=True))
    return chain([b"[" + next(parts).removeprefix(b"},")], parts, [b"}]"])


def _columns(named: Iterable[tuple[bytes, Sequence[Any]]]) -> Iterator[Iterator[bytes]]:
    """Return the texts of the columns; those side by side that repeat their values at the same places become one."""
    for _, group in groupby(named, key=lambda column: id(_places(column[1]))):
        columns = list(group)
        places = _places(columns[0][1])
        texts = [_texts(before, _values(column)) for before, column in columns]
        if places is None:
            yield from texts
        else:
            yield map(list(map(b"".join, zip(*texts, strict=True))).__getitem__, places)


def _places(column: Sequence[Any]) -> Sequence[int] | None:
    return column.places if isinstance(column, Repeated) else None


def _values(column: Sequence[Any]) -> Sequence[Any]:
    return column.values if isinstance(column, Repeated) else column


def _texts(before: bytes, values: Sequence[Any]) -> Iterator[bytes]:
    """Return the text of each value, behind its name; a repeated object is encoded once."""
    distinct = dict(zip(map(id, values), values, strict=True))
    texts = {key: before + to_json(value) for key, value in distinct.items()}
    return map(texts.__getitem__, map(id, values))
