"""Which attributes may be in more datasets than the matrix knows: what an empty cell means.

A gap is about the attributes that reach it, if lineage lists all that is read there: of a user function, its arguments.
Where something could not be read at all, or nobody has decided what is personal, any attribute may be at any place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headwater_backend.domain.model import Incomplete, NodeKey, hides_origin
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.exposure import ExposureReport


@dataclass(frozen=True, slots=True)
class Doubt:
    """The attributes in doubt; ``of_all`` if any may be, whichever it is."""

    of_all: bool
    attributes: frozenset[NodeKey]

    @classmethod
    def of(cls, report: ExposureReport, unmatched: Iterable[Incomplete] = ()) -> Doubt:
        """The doubt about a report's attributes, with statements that fit nothing."""
        gaps = (*report.of_any, *unmatched)
        of_all = bool(gaps) or any(hides_origin(gap.reason) for gap in report.incomplete)
        return cls(of_all, frozenset(each.attribute.node for each in report.attributes if not each.complete))

    def about(self, attributes: Iterable[Attribute]) -> bool:
        """Whether one of the attributes may be where the matrix has nothing of it."""
        return self.of_all or any(each.node in self.attributes for each in attributes)
