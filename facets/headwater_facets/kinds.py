"""Closed vocabularies of path lineage; each value is the text on the wire."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final, TypeVar


class _Word(str, Enum):
    """An enum whose members compare, hash, print and serialise as their text on the wire."""

    def __str__(self) -> str:
        return str(self.value)


class LineageType(_Word):
    """DIRECT: the value flows. INDIRECT: it influences other values."""

    DIRECT = "DIRECT"
    INDIRECT = "INDIRECT"


class Subtype(_Word):
    """Subtype of a transformation in OpenLineage's columnLineage facet."""

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
        """The type of transformations with this subtype."""
        return LineageType.DIRECT if self in DIRECT_SUBTYPES else LineageType.INDIRECT


DIRECT_SUBTYPES: Final = frozenset({Subtype.IDENTITY, Subtype.TRANSFORMATION, Subtype.AGGREGATION})

ROWS: Final = "ROWS"
"""The subtype, INDIRECT, of what no event says and a store adds to it: which rows a dataset has decides which rows are
made, whatever is in them."""

ROWS_OF_ROWS: Final = "ROWS_OF_ROWS"
"""The subtype, INDIRECT, of what follows from others: the rows of a dataset decide about those of one that a job makes
of something in it."""


class Known(_Word):
    """Where it is known from what a user function does: from its code, from a declaration, or not at all."""

    ANALYSED = "ANALYSED"
    DECLARED = "DECLARED"
    OPAQUE = "OPAQUE"


class Difference(_Word):
    """How a declaration and the code differ: the code does what is not declared, not what is, or hides nothing."""

    UNDECLARED = "UNDECLARED"
    NOT_DONE = "NOT_DONE"
    READABLE = "READABLE"


class Manipulation(_Word):
    """How a transformation changes structure or value."""

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
"""Manipulations that move values without changing them. If a mapping has only these, each path below the source maps
to the same relative path below the target."""


class Retains(_Word):
    """What of an input value can be read back from the output and the program's constants alone, strongest first."""

    VALUE = "VALUE"
    """The value itself: moved, nested, or picked out of several."""
    CONTAINS = "CONTAINS"
    """All of it can be read back: changed case, encoded, in a text, encrypted with a key that is at hand."""
    PART = "PART"
    """A part of it, or a hash so short that it is no pseudonym."""
    TOKEN = "TOKEN"  # noqa: S105 - what it is, not one
    """One to one but not readable: a digest."""
    KEYED_TOKEN = "KEYED_TOKEN"  # noqa: S105 - what it is, not one
    """As TOKEN, made with a key or salt that neither the output nor the program shows."""
    OF_FEW = "OF_FEW"
    """A statistic of few records, such as a window: perhaps of one; or of equal values."""
    STATISTIC = "STATISTIC"
    """A statistic of a group: a count, a sum, an average."""
    FACT = "FACT"
    """A fact about it: whether it is null, its length, the result of a comparison."""

    @property
    def readable(self) -> bool:
        """Whether the whole value can be read back."""
        return self in (Retains.VALUE, Retains.CONTAINS)


_STRENGTH: Final = {word: place for place, word in enumerate(Retains)}


def retained(earlier: Retains, step: Retains, *, packed: bool = True, restores: bool = False) -> Retains:
    """What can be read back after a step is done to the result of an earlier one: the weaker of the two.

    Except that a part of a value that was packed with others may be all of it (``split(concat_ws(',', a, b), ',')[0]``
    is ``a``), and that a step that ``restores`` reads a keyed token again. ``packed``: whether the earlier result may
    hold more than the value; False if it is known not to.
    """
    if restores and earlier is Retains.KEYED_TOKEN:
        return step
    if packed and earlier is Retains.CONTAINS and step is Retains.PART:
        return earlier
    return max(earlier, step, key=_STRENGTH.__getitem__)


def strongest(words: Iterable[Retains]) -> Retains:
    """What can be read back where one of several ways holds."""
    return min(words, key=_STRENGTH.__getitem__)


class Access(_Word):
    """The purpose for which a path is read."""

    FILTER = "FILTER"
    JOIN = "JOIN"
    GROUP_BY = "GROUP_BY"
    SORT = "SORT"
    WINDOW = "WINDOW"
    CONDITION = "CONDITION"
    INDEX = "INDEX"
    NULL_TEST = "NULL_TEST"
    """Whether it is null decides, and not what it is."""
    PROJECT = "PROJECT"
    DRIVER = "DRIVER"
    """Passed to the program: collected to the driver, or to custom code that may send it anywhere."""


class IncompleteReason(_Word):
    """Reason of a gap in lineage. The facet accepts any upper-case code; these are Headwater's."""

    TRUNCATED = "TRUNCATED"
    DROPPED = "DROPPED"
    ERROR = "ERROR"
    UNKNOWN_RELATION = "UNKNOWN_RELATION"
    UNKNOWN_EXPRESSION = "UNKNOWN_EXPRESSION"
    UNKNOWN_SOURCE = "UNKNOWN_SOURCE"
    RDD = "RDD"
    OPAQUE = "OPAQUE"
    DRIVER = "DRIVER"
    """Constants or rows of a program that collected data before, and may contain any of these data."""
    PROGRAM = "PROGRAM"
    """Rows of a program, which may have read by itself what is in them: nobody saw where it has them from."""


class OperatorType(_Word):
    """Kinds of nodes in the operator graph."""

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


class Replaced(_Word):
    """How much of a dataset's former content a write or a change of its state replaced."""

    WHOLE = "WHOLE"
    PART = "PART"
    """Partitions, or the rows of a condition."""
    NONE = "NONE"
    """Nothing: the write appended."""


W = TypeVar("W", bound=_Word)


def known(words: type[W], text: str) -> W | str:
    """Return the word with that text, or the text itself if it is unknown, as from a newer producer."""
    try:
        return words(text)
    except ValueError:
        return text
