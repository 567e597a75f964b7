"""The names of files: they hold the values of the columns that name the folders which the files are in.

``input_file_name()`` is the hidden column ``_metadata.file_path`` of what is read. A file's own name (``file_name``)
has no column's value in it: Spark makes it of numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Final

from headwater_facets.kinds import Manipulation, Retains, Subtype
from headwater_plan.nodes import Attribute, Read, Relation
from headwater_plan.traversal import below
from headwater_spark.decode.folders import FILE_PATH
from headwater_spark.tracing.values.functions.steps import direct
from headwater_spark.tracing.values.value import (
    NOTHING,
    Origin,
    Value,
    apply,
    column,
    construct,
    extract,
    merge,
    untraced,
)

_COLUMNS: Final = {"binaryfile": "path"}
"""By format, the column of its own in which it has the files' names, …"""
_MEMBERS: Final = {"image": ("image", "origin")}
"""… or the member of one."""


def columns_of(read: Read, operator: int) -> dict[int, Value]:
    """What the columns of a read are made of, hidden ones among them."""
    found = {a.id: column(Origin(operator, a.id, a.name)) for a in (*read.outputs, *_hidden(read))}
    in_names = _in_names(read, operator)
    for a, members in _places(read) if in_names is not NOTHING else ():
        part = reduce(lambda value, step: construct([(step, value)]), reversed(members), in_names)
        found[a.id] = merge((found[a.id], part))
    return found


def file_name(reads: Iterable[tuple[int, Read]], operator: int) -> Value:
    """The value of ``input_file_name()`` over what is read by these operators."""
    how = direct(operator, Manipulation.EXTRACT, function="input_file_name")
    names = [column(Origin(i, read.names.id, read.names.name)) for i, read in reads if read.names is not None]
    return merge(apply(extract(name, FILE_PATH), how) for name in names)


def reads_below(relation: Relation) -> Iterator[Read]:
    """What the rows of a relation are read from, as far as it has files."""
    return (each for each in below(relation) if isinstance(each, Read) and each.names is not None)


def _hidden(read: Read) -> tuple[Attribute, ...]:
    return () if read.names is None or read.names in read.outputs else (read.names,)


def _in_names(read: Read, operator: int) -> Value:
    """What stands in the names of the files: the folders' columns."""
    if read.folders is None:
        return untraced("the columns that name the folders of what is read are not known")
    how = direct(operator, Manipulation.SERIALIZE, subtype=Subtype.TRANSFORMATION, retains=Retains.CONTAINS)
    return merge(apply(column(Origin(operator, a.id, a.name)), how) for a in read.folders)


def _places(read: Read) -> Iterator[tuple[Attribute, tuple[str, ...]]]:
    """The columns, with members of them, that have the names of files."""
    if read.names is not None:
        yield read.names, (FILE_PATH,)
    kind = str(read.source.get("format") or "").lower()
    own, *members = _MEMBERS.get(kind, (_COLUMNS.get(kind, ""),))
    yield from ((a, tuple(members)) for a in read.outputs if own and a.name == own)
