"""Datasets that were found with data in them: they were read before anybody is known to have written them, or the
first run that wrote there says that it found data.

Whatever wrote them first reports nothing, or they were moved or copied there. What they held counts as long as it may
be left (``copies``): also where jobs have written them since, until it was certainly replaced, and everywhere it was
brought until then::

    read, written as a whole                      what was made of it when it was read
    read, appended to                             there, too
    written, read                                 nothing
    appended to, with files found there           there
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from headwater_backend.in_force.copies import Copies


class FirstUse(NamedTuple):
    """When a dataset was first read, and when a run that wrote it first began, under any of its names; ``itself`` is
    whether a run that first wrote it read it as well, or says that there was something before.
    """

    dataset: str
    read: int | None
    written: int | None
    itself: bool


def found_there(uses: Iterable[FirstUse], copies: Copies) -> list[str]:
    """The datasets that were found with data in them which may be left."""
    return [
        use.dataset
        for use in uses
        if _is_found(use) and (use.written is None or copies.may_be_left(use.dataset, 0, 0))
    ]


def _is_found(use: FirstUse) -> bool:
    """A run reads before it writes."""
    return use.itself or (use.read is not None and (use.written is None or use.read < use.written))
