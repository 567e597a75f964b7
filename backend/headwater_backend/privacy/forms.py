"""The forms in which a value arrives, and the effect of each edge on the form.

A route's form is the weakest on it, in this order:

IDENTITY
    the value itself: moved, renamed, nested in a list, or picked out of several;
TRANSFORMED
    computed from it: a substring, a cast, a UDF, a decrypted value;
DERIVED
    decided by it for each record, or compared with it: the branch of a CASE, what was found by it in a map or a joined
    table, a rank; or revealed by which records there are: a list of those whose diagnosis is 'flu';
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
    not the value, but it decided which rows are there, or where: FILTER, JOIN, GROUP_BY, …, or whether another is null.

Where the producer says what of the value can be read back (``Transformation.retains``), that decides, and only what
can be proven does where it says nothing. ``collect_list`` and ``max`` are aggregations in OpenLineage's terms, but one
person's value survives them: an aggregation without the name of a function whose result is a figure of the whole group
counts as TRANSFORMED, as do ``mask``, whose arguments may keep all characters, and hashes so short that they can be
tried out. Other masking counts as PSEUDONYMISED.

``CASE WHEN reason = 'flu' THEN 'flu'`` writes the value by a decision. So whoever has the output and the program reads
it, also where the decision was about a pseudonym: a decision makes DERIVED of it again. Of what was aggregated or
masked, it tells no more than that, and what is decided and then aggregated is AGGREGATED. Which rows a filter leaves
tells of each of them what the producer says (``retains``): the value, or a fact about it. Of groups (STATISTIC), it
tells something only where each is of one person. A comparison (``retweets > 0``) tells little of each row, unless the
law makes the category special. What a join finds by an identifier of persons is only perhaps another name of the
person, so POSSIBLE. From any other INDIRECT edge on, a route is POSSIBLE or INFLUENCED, with that edge's subtype as
its *kind*, whatever follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple

from headwater_backend.domain.model import LineageType, Transformation
from headwater_backend.domain.transformations import DRIVER, decides, may_carry, may_stand
from headwater_facets.kinds import Access, Retains, Subtype


class Form(IntEnum):
    """The form in which a value arrives; the lower, the stronger."""

    IDENTITY = 0
    TRANSFORMED = 1
    DERIVED = 2
    PSEUDONYMISED = 3
    AGGREGATED = 4
    MASKED = 5
    POSSIBLE = 6
    INFLUENCED = 7


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


class Value(NamedTuple):
    """What a value is of a person: an identifier, or something that the law makes special."""

    identifies: bool = False
    special: bool = False


ORDINARY: Final = Value()


@lru_cache(maxsize=65_536)
def carrying(kinds: tuple[Transformation, ...]) -> tuple[Transformation, ...]:
    """The transformations that may carry something of the value into a path."""
    return tuple(filter(may_carry, kinds))


@lru_cache(maxsize=65_536)
def decide(kinds: tuple[Transformation, ...]) -> bool:
    """Whether the value decides, for each record, what the target is, among other things."""
    return any(map(decides, kinds))


@lru_cache(maxsize=65_536)
def depend(kinds: tuple[Transformation, ...]) -> bool:
    """Whether the form depends on where they lead, on whose value it is, or on what the rows there are."""
    return any(decides(t) or (t.type is LineageType.INDIRECT and t.retains is not None) for t in kinds)


def is_grouped(transformation: Transformation) -> bool:
    """Whether the form depends on whether the groups are persons."""
    return transformation.subtype == Subtype.AGGREGATION or _reveals_groups(transformation)


def _reveals_groups(t: Transformation) -> bool:
    return t.type is LineageType.INDIRECT and t.retains == Retains.STATISTIC


@lru_cache(maxsize=65_536)
def of_rows(kinds: tuple[Transformation, ...]) -> tuple[Transformation, ...]:
    """The transformations into a whole dataset: there, a decision is about which rows there are."""
    return tuple(replace(t, access=Access.FILTER) if decides(t) else t for t in kinds)


_BY_RETAINS: Final[dict[str, Form]] = {
    Retains.VALUE: Form.IDENTITY,
    Retains.CONTAINS: Form.TRANSFORMED,
    Retains.PART: Form.TRANSFORMED,
    Retains.TOKEN: Form.PSEUDONYMISED,
    Retains.KEYED_TOKEN: Form.PSEUDONYMISED,
    Retains.OF_FEW: Form.TRANSFORMED,
    Retains.STATISTIC: Form.AGGREGATED,
}
"""The form by what of a value can be read back; a FACT depends on whether it is a comparison."""


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# What is known of functions whose producer does not say what can be read back.
_HASHES: Final = _names("md5 sha sha1 sha2 hmac aes_encrypt try_aes_encrypt")
_READABLE_MASKS: Final = _names(
    "mask crc32 hash xxhash64 hive_hash collation_aware_murmur3_hash collation_aware_xxhash64 soundex"
)
_STATISTICS: Final = _names(
    "sum try_sum avg mean try_avg count count_if count_distinct approx_count_distinct std stddev stddev_pop "
    "stddev_samp var_pop var_samp variance corr covar_pop covar_samp kurtosis skewness regr_avgx regr_avgy "
    "regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy"
)
_RESTORING: Final = {"aes_decrypt": Form.TRANSFORMED, "try_aes_decrypt": Form.TRANSFORMED}


class FormTable:
    """What functions make of a value: Spark's own, and a company's, which take precedence.

    A function that is listed with a form stronger than PSEUDONYMISED makes a pseudonym readable again. Functions that
    are not listed count by what of the value their producer says can be read back.
    """

    def __init__(self, own: Iterable[tuple[str, Form]] = ()) -> None:
        """The table with a company's functions, by their names in lower case."""
        self._forms = {**_RESTORING, **dict(own)}
        self.onward = lru_cache(maxsize=65_536)(self._onward)
        """The forms in which a value leaves an edge with these transformations, the strongest first."""

    def arrival(
        self, transformation: Transformation, *, of_one: bool = False, value: Value = ORDINARY
    ) -> Arrival:
        """The form in which the value comes out of one transformation; with ``of_one``, all that it aggregates is of
        one person.
        """
        t = transformation
        if t.type is LineageType.INDIRECT:
            return _decided(t, of_one=of_one, value=value)
        if t.carries_structure and not t.masking and t.retains in (None, Retains.VALUE):
            return Arrival(Form.IDENTITY)
        listed = self._listed(t)
        if restored := [form for form in listed if form < Form.PSEUDONYMISED]:
            return Arrival(max(restored) if len(listed) == len(t.functions) else Form.TRANSFORMED)
        if listed and len(listed) == len(t.functions):
            return Arrival(max(listed))
        return Arrival(max((*listed, _judged(t, of_one=of_one))))

    def _listed(self, t: Transformation) -> list[Form]:
        return [self._forms[name.lower()] for name in t.functions if name.lower() in self._forms]

    def _onward(
        self,
        before: Arrival,
        kinds: tuple[Transformation, ...],
        *,
        of_one: bool = False,
        value: Value = ORDINARY,
    ) -> tuple[Arrival, ...]:
        after = ((t, self.arrival(t, of_one=of_one, value=value)) for t in kinds)
        return tuple(sorted({self._joined(before, t, each) for t, each in after}))

    def _joined(self, before: Arrival, t: Transformation, after: Arrival) -> Arrival:
        if before.form is Form.PSEUDONYMISED and (after.form is Form.DERIVED or self._restores(t)):
            return after
        return weakest(before, after)

    def _restores(self, t: Transformation) -> bool:
        return any(form < Form.PSEUDONYMISED for form in self._listed(t))


@lru_cache(maxsize=16)
def form_table(own: tuple[tuple[str, Form], ...] = ()) -> FormTable:
    """The table with these functions of a company."""
    return FormTable(own)


def _decided(t: Transformation, *, of_one: bool, value: Value) -> Arrival:
    """The form in which a value that only decides arrives."""
    if may_stand(t):
        return Arrival(Form.POSSIBLE, DRIVER)
    of_many = _reveals_groups(t) and not of_one
    if decides(t):
        by_key = value.identifies and t.access == Access.JOIN
        held = Arrival(Form.POSSIBLE, str(Access.JOIN)) if by_key else Arrival(Form.DERIVED)
        return Arrival(Form.AGGREGATED) if of_many else held
    reveals = t.retains is not None and not of_many and not _tells_little(t, value)
    return Arrival(Form.DERIVED) if reveals else Arrival(Form.INFLUENCED, t.subtype)


def _tells_little(t: Transformation, value: Value) -> bool:
    """Whether the rows tell as good as nothing of the value: they were compared with it, or joined by an identifier."""
    if value.identifies and (t.retains == Retains.FACT or t.subtype == Subtype.JOIN):
        return True
    return t.retains == Retains.FACT and t.subtype != Subtype.WINDOW and not value.special


def _judged(t: Transformation, *, of_one: bool) -> Form:
    """The form by what can be read back, as the producer says or as can be proven."""
    if t.retains == Retains.FACT:
        return _of_fact(t, of_one=of_one)
    if t.retains is not None:
        form = _BY_RETAINS.get(str(t.retains), Form.TRANSFORMED)
        return Form.TRANSFORMED if of_one and form is Form.AGGREGATED else form
    return max(_proven(t, of_one=of_one), default=Form.TRANSFORMED)


def _of_fact(t: Transformation, *, of_one: bool) -> Form:
    """The form of a fact about the value, or of a statistic of such facts, such as the sum of lengths."""
    if t.masking:
        return Form.MASKED
    of_many = _is_statistic(t) and "PICK" not in t.manipulation
    return Form.AGGREGATED if of_many and not of_one else Form.DERIVED


def _proven(t: Transformation, *, of_one: bool) -> Iterator[Form]:
    """The forms that the steps give a value for certain, apart from those that move it or compute from it."""
    if of_one and t.subtype == Subtype.AGGREGATION:
        return
    if _is_statistic(t):
        yield Form.AGGREGATED
    elif "COUNT" in t.manipulation:
        yield Form.MASKED
    names = {name.lower() for name in t.functions}
    if _HASHES & names or (_is_masked(t) and not _READABLE_MASKS & names):
        yield Form.PSEUDONYMISED


def _is_statistic(t: Transformation) -> bool:
    """Whether it is certainly a figure of a group: one record's value is not in it as it was."""
    if "COUNT" in t.manipulation:
        return t.subtype == Subtype.AGGREGATION
    return "AGGREGATE" in t.manipulation and not _STATISTICS.isdisjoint(name.lower() for name in t.functions)


def _is_masked(t: Transformation) -> bool:
    return "MASK" in t.manipulation or (t.masking and not t.manipulation)


def weakest(before: Arrival, after: Arrival) -> Arrival:
    """The form of a route after another step; an influence keeps the kind with which it began."""
    return before if before.form >= after.form else after
