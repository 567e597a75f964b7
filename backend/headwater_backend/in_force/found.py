"""Datasets that were found with data in them: they were read before anybody is known to have written them, or a run
that wrote or read there found more than those left there that are known to have written it.

Whatever wrote the rest reports nothing, or it was moved or copied there. It counts as long as it may be left
(``copies``): also where jobs have written the dataset since, until it was certainly replaced, and everywhere it was
brought until then::

    read, written as a whole                          what was made of it when it was read
    read, appended to                                 there, too
    written, read                                     nothing
    appended to, with data found there                there
    written, appended to, with more than was written  there
    written, read, with more than was written         there, and in what was made of it

A run that writes may say what it found, its *base*, and what it left, its *state* (``facet_readers.extent_state``); one
that reads says what it found (``facet_readers.states_read``), of a part that it read no more than that. A base that is
the state of some run is known whole, whichever run that was, so that no order of events matters. Any other is compared
with what was left last before, and with what other runs wrote since, or may have written: one that does not say what it
wrote may have written all of it. Where a run says only that something was there, it is nobody's if no other run had
written the dataset before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from headwater_backend.domain.facet_readers import Figures, Statistics, figures, rows
from headwater_backend.domain.records import BASE, FOUND, READ, STATE
from headwater_backend.in_force.copies import Copies
from headwater_backend.in_force.datasets.outcomes import Outcome
from headwater_facets.kinds import Replaced

_NOTHING: Final = Figures(0, 0)
_OF_CONTENT: Final = (BASE, READ)


class FirstUse(NamedTuple):
    """When a dataset was first read, and when a run that wrote it first began, under any of its names; ``itself`` is
    whether a run that first wrote it read it as well. Reads that found it empty are none, and neither are those of all
    that it ever held, from time 0 on (``RESTORE``): these read what was written.
    """

    dataset: str
    read: int | None
    written: int | None
    itself: bool


class Stated(NamedTuple):
    """What a run stated of a dataset's content (FOUND, BASE, READ, STATE), or that it created the dataset."""

    dataset: str
    change: str
    time: int
    run: str
    text: str
    replaced: str


class Writing(NamedTuple):
    """A run that wrote the dataset, from its ``first`` to its ``last`` event, with what it counted and its outcome."""

    dataset: str
    run: str
    first: int
    last: int
    counted: Statistics
    outcome: Outcome

    @property
    def has_written(self) -> bool:
        """Whether it certainly wrote something by its last event: a stream does so while it is running."""
        then = self.outcome
        return not then.has_failed and (not then.has_only_begun or then.running is not None)


class Found(NamedTuple):
    """At ``time``, a run found data in the dataset that nobody is known to have written."""

    dataset: str
    time: int


def found_there(uses: Iterable[FirstUse], founds: Iterable[Found], copies: Copies) -> list[str]:
    """The datasets that were found with data in them which may be left, sorted."""
    read = (
        use.dataset
        for use in uses
        if _is_found(use) and (use.written is None or copies.may_be_left(use.dataset, 0, 0))
    )
    left = (each.dataset for each in founds if copies.may_be_left(each.dataset, each.time, each.time))
    return sorted({*read, *left})


def _is_found(use: FirstUse) -> bool:
    """A run reads before it writes."""
    return use.itself or (use.read is not None and (use.written is None or use.read < use.written))


def writing(row: Sequence[Any], counted: Statistics) -> Writing:
    """The writing of a row whose last columns are an outcome."""
    dataset, run, first, last, *outcome = row
    return Writing(dataset, run, first, last, counted, Outcome(*outcome))


def found_by_writers(stated: Iterable[Stated], writings: Iterable[Writing]) -> list[Found]:
    """What the runs that wrote the datasets found there, of nobody who is known."""
    about: dict[str, list[Stated]] = defaultdict(list)
    wrote: dict[str, list[Writing]] = defaultdict(list)
    for each in stated:
        about[each.dataset].append(each)
    for one in writings:
        wrote[one.dataset].append(one)
    return [found for key, some in about.items() for found in _Dataset(some, wrote.get(key, ())).found()]


class _Dataset:
    """What runs stated of one dataset, and that they wrote it."""

    def __init__(self, stated: Sequence[Stated], writings: Iterable[Writing]) -> None:
        self._stated = stated
        self._states = {each.text for each in stated if each.change == STATE}
        self._stating = {each.run for each in stated if each.change == STATE}
        empty = {each.run for each in stated if each.replaced == Replaced.NONE and _is_creation(each)}
        self._writings = [each for each in writings if each.run not in empty or each.run in self._stating]
        self._first: Mapping[str, int] = {each.run: each.first for each in self._writings}

    def found(self) -> Iterable[Found]:
        """What was there of nobody who is known."""
        for each in self._stated:
            if each.change == FOUND:
                is_nobodys = not self._earlier(each)
            else:
                is_known = each.change not in _OF_CONTENT or each.text in self._states
                is_nobodys = not is_known and self._is_more(each)
            if is_nobodys:
                yield Found(each.dataset, each.time)

    def _is_more(self, base: Stated) -> bool:
        """Whether it is more than what was left last before and what others may have written since."""
        last = self._left_before(base)
        if last is None and self._earlier(base):
            return False
        since = 0 if last is None else last.time
        others = [
            each
            for each in self._writings
            if each.run != base.run and since < each.last and each.first <= base.time
        ]
        if (number := rows(base.text)) is not None:
            return self._has_more_rows(number, last, others)
        there = figures(base.text)
        if there is None:
            return not any(each.run not in self._stating and not each.outcome.has_failed for each in others)
        known = _NOTHING if last is None else figures(last.text)
        return known is not None and _exceeds(there, known, [each.counted for each in others])

    def _has_more_rows(self, there: int, last: Stated | None, others: Iterable[Writing]) -> bool:
        """Whether a table of a database has more rows; not so where the run that left the last is not listed any more,
        as others may be, and where one has failed, which may have left some of its rows.
        """
        left = 0 if last is None else rows(last.text)
        written = [None if each.outcome.has_failed else each.counted.rows for each in others]
        is_known = last is None or last.run in self._first
        if left is None or not is_known or None in written:
            return False
        return there > left + sum(number for number in written if number is not None)

    def _left_before(self, base: Stated) -> Stated | None:
        before = (each for each in self._stated if each.change == STATE and each.time < base.time)
        return max(before, key=lambda each: (each.time, each.text), default=None)

    def _earlier(self, stated: Stated) -> bool:
        """Whether another run that is known to have written the dataset had begun before."""
        began = self._first.get(stated.run, stated.time), stated.run
        return any(
            (each.first, each.run) < began and each.run != stated.run and each.has_written
            for each in self._writings
        )


def _is_creation(stated: Stated) -> bool:
    return stated.change not in {FOUND, STATE, *_OF_CONTENT}


def _exceeds(there: Figures, known: Figures, others: Sequence[Statistics]) -> bool:
    """Whether there are more files or bytes than are known, or as many files of another size; not so where somebody may
    have written any number.
    """
    files, size = known
    for each in others:
        if each.files is None or each.size is None:
            return False
        files, size = files + each.files, size + each.size
    return there.files > files or there.size > size or (there.files == files and there.size != size)
