"""JSON of answers, with tables encoded by columns.

The edges of a large answer have few distinct jobs and transformations. Each is encoded once, and the text of an edge is
composed of the texts of its values, without an object for the edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
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
    columns = [
        _texts((b"," if place else b"},{") + to_json(name) + b":", values)
        for place, (name, values) in enumerate(table.columns.items())
    ]
    parts = chain.from_iterable(zip(*columns, strict=True))
    return chain([b"[" + next(parts).removeprefix(b"},")], parts, [b"}]"])


def _texts(before: bytes, values: Sequence[Any]) -> Iterator[bytes]:
    """Return the text of each value, behind its name; a repeated object is encoded once."""
    if isinstance(values, Repeated):
        return map(list(_texts(before, values.values)).__getitem__, values.places)
    distinct = dict(zip(map(id, values), values, strict=True))
    texts = {key: before + to_json(value) for key, value in distinct.items()}
    return map(texts.__getitem__, map(id, values))
