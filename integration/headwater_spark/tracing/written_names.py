"""Names of columns and members, and texts in options, that a program may have made of the data that it holds.

A name is made of words. A word that stands in the program's text, in what it was started with, or in names that the
plan reads is none of the program's data; neither is what Spark calls a column without an alias by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from headwater_plan.nodes import Call, Cast, Expression, OpaqueCall, Read, Relation
from headwater_plan.traversal import expressions_of, within
from headwater_plan.types import ArrayType, AtomicType, DataType, MapType, StructType

_WORD: Final = re.compile(r"\d+(?:[-./:_ ]\d+)*|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\dA-Za-z_]+")
_COUNTED: Final = re.compile(r"\d{1,4}|(19|20)\d\d(0[1-9]|1[0-2])([0-3]\d([0-2]\d([0-5]\d){0,2})?)?")
"""Numbers by which programs count, days, and times of a day."""
DATE_FORMATS: Final = frozenset({"dateformat", "timestampformat", "timestampntzformat", "timeformat"})
_WRITTEN: Final = DATE_FORMATS | {
    *("sep", "delimiter", "linesep", "quote", "escape", "chartoescapequoteescaping"),
    *("nullvalue", "emptyvalue", "nanvalue", "positiveinf", "negativeinf"),
    *("attributeprefix", "valuetag", "arrayelementname", "rowtag", "roottag", "declaration", "indent"),
    *("recordname", "recordnamespace"),
}
"""Options whose texts stand in what is written with them."""
_READ: Final = frozenset({"emptyvalue"})
"""Options whose texts stand in what is read with them."""
_AS_IT_IS: Final = re.compile(r"'([^']+)'|([^\WA-Za-z_]+)")
"""What stands in a date as it does in the date's format: letters only in quotes."""


class Names(Protocol):
    """The names that somebody has written for a program."""

    def has(self, name: str) -> bool:
        """Whether somebody has written all words of the name."""
        ...

    def beside(self, words: frozenset[str]) -> Names:
        """These, and names that have the words, too."""
        ...


def words(text: str) -> Iterator[str]:
    """The words in a text, in small letters: ``maxAge_of[2]`` has max, age, of and 2. Numbers with no letter between
    them are one.
    """
    return (found.casefold() for found in _WORD.findall(text))


def is_counted(word: str) -> bool:
    """Whether the word is a number that programs count by, or a time."""
    return _COUNTED.fullmatch(re.sub(r"[-./:_ ]", "", word)) is not None


def names_in(data_type: DataType | None) -> Iterator[str]:
    """The names of all members in a type."""
    match data_type:
        case StructType(fields=fields):
            for each in fields:
                yield each.name
                yield from names_in(each.type)
        case ArrayType(element=element):
            yield from names_in(element)
        case MapType(key=key, value=value):
            yield from names_in(key)
            yield from names_in(value)
        case _:
            pass


def is_mark(text: str) -> bool:
    """Whether a text has no letter and no digit, as a separator: then it is no value."""
    return not any(map(str.isalnum, text))


def in_options(options: Iterable[tuple[str, str]], *, read: bool = False) -> Iterator[str]:
    """The texts in options that stand as they are in what is written, or ``read``, with them."""
    for option, text in options:
        if option not in (_READ if read else _WRITTEN):
            continue
        if option in DATE_FORMATS:
            yield from (quoted or other for quoted, other in _AS_IT_IS.findall(text))
        else:
            yield text


def of_plan(relations: Iterable[Relation]) -> frozenset[str]:
    """The words that are in names that the relations read, and those with which Spark names what has no alias."""
    return frozenset(_OF_SPARK.union(*map(words, _given(relations))))


def _given(relations: Iterable[Relation]) -> Iterator[str]:
    for relation in relations:
        if isinstance(relation, Read):
            for each in relation.outputs:
                yield each.name
                yield from names_in(each.type)
        for expression in expressions_of(relation):
            yield from map(_called, within(expression))


def _called(e: Expression) -> str:
    """What Spark writes of an expression beside its parts."""
    match e:
        case Call(function=name) | OpaqueCall(name=name):
            return name
        case Cast(to=AtomicType(name=name)):
            return name
        case _:
            return ""


_OF_SPARK: Final = frozenset(
    words(
        "id value key col pos element entries metadata window session start end struct array map x y "
        "type size indices values "
        "case when then else end as cast try and or not in is null nulls first last like rlike between interval "
        "over partition by order asc desc rows range unbounded preceding following current row "
        "distinct filter where exists scalarsubquery lateral outer lambda function true false"
    )
)
"""The words in names that Spark gives by itself, but for those of functions and types: also of members of vectors and
histograms.
"""
