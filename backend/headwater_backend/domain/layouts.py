"""Layouts: the columns with which a job read or wrote a dataset, by which readers and writers are compared.

A layout is the ``schema`` facet's columns in their order, each with its kind (a struct, a map, an array or
none), the ``storage`` facet's format, and from ``headwater_layout`` what else decides which stored
column a reader's column is. Its text is canonical, so that equal layouts have equal texts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from headwater_backend.domain.facet_readers import REPLACING, replaced
from headwater_facets.canonical_json import canonical
from headwater_facets.kinds import Replaced
from headwater_facets.schemas import LAYOUT

Facets = Mapping[str, Mapping[str, Any]]

ORDERED: Final = frozenset({"", "avro", "csv", "orc", "text"})
"""Formats whose columns are, or may be, found by their order."""
_MATCHING: Final = ("position", "id")
_KINDS: Final = ("struct", "array", "map")


class Column(NamedTuple):
    """A column or a nested field; ``kind`` is struct, array, map, or empty where it has no known members. ``id`` is
    what it keeps when it is renamed; empty where the format has nothing of that kind, or it is not known.
    """

    name: str
    kind: str = ""
    members: tuple[Column, ...] = ()
    id: str = ""


class Layout(NamedTuple):
    """The columns of a dataset as a job used them.

    ``partitions`` are the columns that are kept in the names of directories; ``separator`` is that of CSV. ``matching``
    is how columns are found: by their position, by the format's ids of fields, or by their names.
    """

    columns: tuple[Column, ...]
    format: str = ""
    partitions: tuple[str, ...] = ()
    separator: str = ","
    case_sensitive: bool = False
    matching: str = ""


class LayoutText(NamedTuple):
    """A layout as it is stored: its text, and the digest of the text."""

    digest: str
    text: str


def layouts_of(facets: Facets) -> tuple[LayoutText, ...]:
    """The layouts with which a run used a dataset, by the dataset's facets: none without a schema, several where the
    run read the dataset in several ways.
    """
    fields = facets.get("schema", {}).get("fields")
    if not fields:
        return ()
    kind = (_string(facets.get("storage", {}).get("fileFormat")) or "").lower()
    facet = facets.get(LAYOUT)
    return _layouts(canonical(fields), kind, canonical(facet) if facet else "{}")


@lru_cache(maxsize=2_048)
def _layouts(fields: str, kind: str, facet: str) -> tuple[LayoutText, ...]:
    """The layouts of a schema. They are cached, because the same schema comes with every run and every reader."""
    known = json.loads(facet)
    columns = _with_ids(_columns(json.loads(fields)), known.get("fieldIds"))
    reads = [named for names in _lists(known.get("reads")) if (named := _named(columns, names))]
    texts = [_text(each, kind, known) for each in reads or [columns] if each]
    return tuple(LayoutText(hashlib.sha256(text.encode()).hexdigest()[:16], text) for text in texts)


def replaces(facets: Facets) -> bool:
    """Whether the write replaced the content of the dataset, or a part of it."""
    return facets.get("lifecycleStateChange", {}).get("lifecycleStateChange") in REPLACING


def replaces_all(facets: Facets) -> bool:
    """Whether the write certainly replaced the whole content of the dataset."""
    return replaced(facets) == Replaced.WHOLE


@lru_cache(maxsize=4_096)
def layout_of(text: str) -> Layout:
    """The layout with that text."""
    known = json.loads(text)
    return Layout(
        tuple(map(_column, known["columns"])),
        known.get("format", ""),
        tuple(known.get("partitions", ())),
        known.get("separator", ","),
        known.get("caseSensitive", False),
        known.get("matching", ""),
    )


def joined(texts: Sequence[str]) -> str:
    """The text of a layout with all columns of layouts of one format, which are found by name."""
    known = [json.loads(text) for text in texts]
    columns: list[Any] = []
    for each in known:
        columns = _union(columns, each["columns"])
    partitions = dict.fromkeys(name for each in known for name in each.get("partitions", ()))
    facet = {
        "caseSensitive": any(each.get("caseSensitive") for each in known),
        "partitions": list(partitions) or None,
    }
    return _text(columns, known[0].get("format", ""), facet)


def _union(some: list[Any], more: list[Any]) -> list[Any]:
    """The columns of both; one that has members in either has all of these."""
    found = {_name(column): column for column in some}
    for column in more:
        known = found.get(_name(column))
        if known is None or isinstance(known, str):
            found[_name(column)] = column
        elif not isinstance(column, str):
            found[_name(column)] = [*known[:2], _union(known[2], column[2])]
    return list(found.values())


def _name(column: Any) -> str:
    return column if isinstance(column, str) else str(column[0])


def _text(columns: list[Any], kind: str, facet: Mapping[str, Any]) -> str:
    layout: dict[str, Any] = {"columns": columns if kind in ORDERED else _sorted(columns)}
    if kind:
        layout["format"] = kind
    if partitions := next(_lists([facet.get("partitions")]), None):
        layout["partitions"] = partitions
    if (separator := _string(facet.get("separator"))) not in {None, ","}:
        layout["separator"] = separator
    if facet.get("caseSensitive") is True:
        layout["caseSensitive"] = True
    if facet.get("matching") in _MATCHING:
        layout["matching"] = facet["matching"]
    return canonical(layout)


def _columns(fields: Any) -> list[Any]:
    """The fields of a ``schema`` facet: a name, or a name with a kind and its members."""
    columns: list[Any] = []
    for field in fields if isinstance(fields, list) else ():
        name = _string(field.get("name")) if isinstance(field, Mapping) else None
        if name is not None:
            members = _columns(field.get("fields")) if field.get("fields") else []
            columns.append([name, _kind(field.get("type")), members] if members else name)
    return columns


def _with_ids(columns: list[Any], ids: Any) -> list[Any]:
    """The columns, those with an identifier as name, kind, members and that."""
    known = (
        {each.get("name"): each for each in ids if isinstance(each, Mapping)} if isinstance(ids, list) else {}
    )
    return [
        _with_id(column, known[_name(column)]) if _name(column) in known else column for column in columns
    ]


def _with_id(column: Any, known: Mapping[str, Any]) -> Any:
    name, kind, members = (column, "", []) if isinstance(column, str) else column
    found = [name, kind, _with_ids(members, known.get("fields"))]
    number = _string(known.get("id"))
    if number:
        return [*found, number]
    return found if members else name


def _sorted(columns: list[Any]) -> list[Any]:
    """The columns and their members, sorted by name: where columns are found by name, their order has no meaning."""
    by_name = sorted(columns, key=_name)
    return [each if isinstance(each, str) else [*each[:2], _sorted(each[2]), *each[3:]] for each in by_name]


def _kind(written: Any) -> str:
    text = written.lower() if isinstance(written, str) else ""
    return next((kind for kind in _KINDS if text.startswith(kind)), _KINDS[0])


def _column(written: Any) -> Column:
    if isinstance(written, str):
        return Column(written)
    name, kind, members, *number = written
    return Column(name, kind, tuple(map(_column, members)), *number)


def _named(columns: list[Any], names: list[str]) -> list[Any]:
    by_name = {_name(column): column for column in columns}
    return [by_name[name] for name in names if name in by_name]


def _lists(entries: Any) -> Iterator[list[str]]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, list) and all(isinstance(each, str) for each in entry):
            yield entry


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
