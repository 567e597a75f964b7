"""The forms in which a value arrives, and the effect of each edge on the form.

A route's form is the weakest on it, in this order:

IDENTITY
    the value itself: moved, renamed, nested in a list, or picked out of several;
TRANSFORMED
    computed from it: a substring, a cast, a UDF, a decrypted value;
PSEUDONYMISED
    a hash, a digest, an encrypted value: equal values stay equal, and whoever has the key or a list of values finds
    the person again. Still personal data (recital 26 of the GDPR);
AGGREGATED
    computed from many such values: a sum, an average, a count; but not of one person (``grouping``);
MASKED
    characters of it replaced, or the number of its elements;
POSSIBLE
    perhaps the value: a program collected it, and later used a constant, a row or a function here
    (access ``DRIVER``, ``OPAQUE``); where such a constant only decides, it is INFLUENCED;
INFLUENCED
    not the value, but it decided which rows are there, or where: FILTER, JOIN, GROUP_BY, …

``collect_list`` and ``max`` are aggregations in OpenLineage's terms, but one person's value survives them
unchanged: what only NESTs or PICKs counts as IDENTITY here, and as TRANSFORMED after something was computed from it.
Masking by a function that is not known, or that a producer does not name, counts as PSEUDONYMISED, the stronger of the
two. An aggregation of a producer that does not specify manipulations may be a ``max`` as well as a sum, so it counts as
TRANSFORMED. From the first INDIRECT edge on, a route is POSSIBLE or INFLUENCED, with that edge's subtype as its *kind*,
whatever follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache, partial
from typing import Final

from headwater_backend.domain.model import LineageType, Transformation

DRIVER = "DRIVER"
"""The access to data that an application collected before it made its output."""


class Form(IntEnum):
    """The form in which a value arrives; the lower, the stronger."""

    IDENTITY = 0
    TRANSFORMED = 1
    PSEUDONYMISED = 2
    AGGREGATED = 3
    MASKED = 4
    POSSIBLE = 5
    INFLUENCED = 6


READABLE: Final = (Form.IDENTITY, Form.TRANSFORMED)
"""Forms that may tell whose value it is."""

LINKABLE: Final = (Form.IDENTITY, Form.PSEUDONYMISED)
"""Forms in which equal values stay equal and others differ, so that a person is found by them."""


@dataclass(frozen=True, slots=True, order=True)
class Arrival:
    """A form; ``kind`` is the subtype or access of the influence with which it began, else empty."""

    form: Form
    kind: str = ""


WHOLE = Arrival(Form.IDENTITY)


def may_carry(transformation: Transformation) -> bool:
    """Whether the target may hold something of the value."""
    return transformation.type is LineageType.DIRECT or _may_stand(transformation)


def _may_stand(transformation: Transformation) -> bool:
    """Whether a value that a program collected may itself be in the target."""
    return transformation.access == DRIVER and "OPAQUE" in transformation.manipulation


@lru_cache(maxsize=65_536)
def carrying(kinds: tuple[Transformation, ...]) -> tuple[Transformation, ...]:
    """The transformations that may carry something of the value."""
    return tuple(filter(may_carry, kinds))


_MASKING: Final = "md5 sha sha1 sha2 crc32 hash xxhash64 hive_hash hmac aes_encrypt"
_FUNCTIONS: Final = {
    **dict.fromkeys(_MASKING.split(), Form.PSEUDONYMISED),
    "mask": Form.MASKED,
    "aes_decrypt": Form.TRANSFORMED,
    "try_aes_decrypt": Form.TRANSFORMED,
}


class FormTable:
    """What functions make of a value: Spark's own, and a company's, which take precedence.

    A function that is listed with a form stronger than PSEUDONYMISED makes a pseudonym readable again. Functions that
    are not listed count by the transformation's manipulation.
    """

    def __init__(self, own: Iterable[tuple[str, Form]] = ()) -> None:
        """The table with a company's functions, by their names in lower case."""
        self._forms = {**_FUNCTIONS, **dict(own)}
        self.onward = lru_cache(maxsize=65_536)(self._onward)
        """The forms in which a value leaves an edge with these transformations, the strongest first."""
        self.onward_of_one = lru_cache(maxsize=65_536)(partial(self._onward, of_one=True))
        """The same where aggregates are of one person."""

    def arrival(self, transformation: Transformation, *, of_one: bool = False) -> Arrival:
        """The form in which a value comes out of one transformation; with ``of_one``, all that it aggregates is of one
        person.
        """
        t = transformation
        if t.type is LineageType.INDIRECT:
            return Arrival(Form.POSSIBLE, DRIVER) if _may_stand(t) else Arrival(Form.INFLUENCED, t.subtype)
        if t.carries_structure and not t.masking:
            return Arrival(Form.IDENTITY)
        listed = self._listed(t)
        if restored := [form for form in listed if form < Form.PSEUDONYMISED]:
            return Arrival(max(restored) if len(listed) == len(t.functions) else Form.TRANSFORMED)
        return Arrival(max(_steps(t, listed, of_one=of_one), default=Form.TRANSFORMED))

    def _listed(self, t: Transformation) -> list[Form]:
        return [self._forms[name.lower()] for name in t.functions if name.lower() in self._forms]

    def _onward(
        self, before: Arrival, kinds: tuple[Transformation, ...], *, of_one: bool = False
    ) -> tuple[Arrival, ...]:
        return tuple(sorted({self._after(before, kind, of_one) for kind in kinds}))

    def _after(self, before: Arrival, t: Transformation, of_one: bool) -> Arrival:
        after = self.arrival(t, of_one=of_one)
        restores = any(form < Form.PSEUDONYMISED for form in self._listed(t))
        return after if before.form is Form.PSEUDONYMISED and restores else weakest(before, after)


@lru_cache(maxsize=16)
def form_table(own: tuple[tuple[str, Form], ...] = ()) -> FormTable:
    """The table with these functions of a company."""
    return FormTable(own)


def _steps(t: Transformation, listed: Sequence[Form], *, of_one: bool) -> Iterator[Form]:
    """The forms that the steps of a transformation give a value, apart from those that move it or compute from it."""
    yield from listed
    if of_one and t.subtype == "AGGREGATION":
        return
    if "AGGREGATE" in t.manipulation:
        yield Form.AGGREGATED
    if "COUNT" in t.manipulation:
        yield Form.AGGREGATED if t.subtype == "AGGREGATION" else Form.MASKED
    if not listed and ("MASK" in t.manipulation or (t.masking and not t.manipulation)):
        yield Form.PSEUDONYMISED


def weakest(before: Arrival, after: Arrival) -> Arrival:
    """The form of a route after another step; an influence keeps the kind with which it began."""
    return before if before.form >= after.form else after
