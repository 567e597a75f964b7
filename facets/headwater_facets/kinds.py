"""The closed vocabularies of path lineage. Every value is its own text on the wire."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeVar


class _Word(str, Enum):
    """An enum member that is its wire text: it compares, hashes, prints and serialises as that."""

    def __str__(self) -> str:
        return str(self.value)


class LineageType(_Word):
    """DIRECT: the value flows. INDIRECT: it decides about what flows."""

    DIRECT = "DIRECT"
    INDIRECT = "INDIRECT"


class Subtype(_Word):
    """What OpenLineage's columnLineage facet knows of a transformation."""

    IDENTITY = "IDENTITY"
    TRANSFORMATION = "TRANSFORMATION"
    AGGREGATION = "AGGREGATION"
    JOIN = "JOIN"
    GROUP_BY = "GROUP_BY"
    FILTER = "FILTER"
    SORT = "SORT"
    WINDOW = "WINDOW"
    CONDITIONAL = "CONDITIONAL"

    @property
    def type(self) -> LineageType:
        """The type that the subtype belongs to."""
        return LineageType.DIRECT if self in DIRECT_SUBTYPES else LineageType.INDIRECT


DIRECT_SUBTYPES: Final = frozenset({Subtype.IDENTITY, Subtype.TRANSFORMATION, Subtype.AGGREGATION})


class Manipulation(_Word):
    """How structure or value was changed on the way."""

    COPY = "COPY"
    RENAME = "RENAME"
    EXTRACT = "EXTRACT"
    CONSTRUCT = "CONSTRUCT"
    FLATTEN = "FLATTEN"
    NEST = "NEST"
    CAST = "CAST"
    COMPUTE = "COMPUTE"
    PARSE = "PARSE"
    SERIALIZE = "SERIALIZE"
    AGGREGATE = "AGGREGATE"
    COUNT = "COUNT"
    PICK = "PICK"
    MASK = "MASK"
    OPAQUE = "OPAQUE"


MOVES: Final = frozenset(
    {
        Manipulation.COPY,
        Manipulation.RENAME,
        Manipulation.EXTRACT,
        Manipulation.CONSTRUCT,
        Manipulation.FLATTEN,
        Manipulation.NEST,
        Manipulation.PICK,
    }
)
"""Manipulations that move values and change none. Of a mapping that has only these, each path below the source is
the same relative path below the target."""


class Access(_Word):
    """What a path was read for."""

    FILTER = "FILTER"
    JOIN = "JOIN"
    GROUP_BY = "GROUP_BY"
    SORT = "SORT"
    WINDOW = "WINDOW"
    CONDITION = "CONDITION"
    INDEX = "INDEX"
    PROJECT = "PROJECT"
    DRIVER = "DRIVER"
    """Handed to the program: collected to the driver, or to code of its own that may send it anywhere."""


class IncompleteReason(_Word):
    """Why lineage is not complete. The facet takes any upper-case code; these are ours."""

    TRUNCATED = "TRUNCATED"
    DROPPED = "DROPPED"
    ERROR = "ERROR"
    UNKNOWN_RELATION = "UNKNOWN_RELATION"
    UNKNOWN_EXPRESSION = "UNKNOWN_EXPRESSION"
    UNKNOWN_SOURCE = "UNKNOWN_SOURCE"
    RDD = "RDD"
    OPAQUE = "OPAQUE"
    DRIVER = "DRIVER"
    """Constants or rows of a program that has collected data before: any of that may be in them."""


class OperatorType(_Word):
    """The kinds of nodes of the operator graph."""

    READ = "READ"
    FILTER = "FILTER"
    SELECT = "SELECT"
    MAP = "MAP"
    JOIN = "JOIN"
    UNION = "UNION"
    FLATTEN = "FLATTEN"
    GROUP = "GROUP"
    NEST = "NEST"
    AGGREGATE = "AGGREGATE"
    WINDOW = "WINDOW"
    SORT = "SORT"
    LIMIT = "LIMIT"
    DISTINCT = "DISTINCT"
    SET = "SET"
    PIVOT = "PIVOT"
    WRITE = "WRITE"


W = TypeVar("W", bound=_Word)


def known(words: type[W], text: str) -> W | str:
    """The word of that text, or the text itself when a newer producer says what we do not know."""
    try:
        return words(text)
    except ValueError:
        return text
