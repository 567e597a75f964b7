"""Which attributes may be in more datasets than the matrix knows: what an empty cell means.

A gap is about the attributes that reach it, if lineage lists all that is read there: of a user function, its arguments.
What a function does with them is in its result, so that an attribute may be in more datasets only where data come from
there. Where something could not be read at all, or nobody has decided what is personal, any attribute may be anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from headwater_backend.domain.model import DatasetKey, Incomplete, NodeKey, hides_origin
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.exposure import ExposureReport
from headwater_backend.privacy.exposure_search import values
from headwater_backend.questions.onward import onward

Reached = frozenset[DatasetKey] | None
"""The datasets where an attribute may be; None for all."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """The attributes in doubt, and where they may be; ``of_all`` if any may be anywhere."""

    of_all: bool
    places: Mapping[NodeKey, Reached]

    @classmethod
    def of(
        cls,
        report: ExposureReport,
        unmatched: Iterable[Incomplete] = (),
        store: CataloguedGraph | None = None,
    ) -> Doubt:
        """The doubt about a report's attributes, with statements that fit nothing. Without a store, which has to be
        as the report found it, an attribute in doubt may be anywhere.
        """
        gaps = (*report.of_any, *unmatched)
        of_all = bool(gaps) or any(hides_origin(gap.reason) for gap in report.incomplete)
        in_doubt = {each.attribute.node: each.incomplete for each in report.attributes if not each.complete}
        if of_all or store is None:
            return cls(of_all, dict.fromkeys(in_doubt))
        return cls(False, dict(_places(store, report, in_doubt)))

    def about(self, attributes: Iterable[Attribute]) -> Reached:
        """Where one of the attributes may be, and the matrix does not know of it."""
        known = [self.places[each.node] for each in attributes if each.node in self.places]
        if self.of_all or None in known:
            return None
        return frozenset().union(*(datasets for datasets in known if datasets is not None))


def _places(
    store: CataloguedGraph, report: ExposureReport, in_doubt: Mapping[NodeKey, Iterable[Incomplete]]
) -> Iterator[tuple[NodeKey, Reached]]:
    starts = {gap.dataset for gaps in in_doubt.values() for gap in gaps if _is_of_function(gap.reason)}
    known = onward(store, starts, report.scope.bounds, values(report.scope)) if starts else None
    for node, gaps in in_doubt.items():
        if known is None or not all(_is_of_function(gap.reason) for gap in gaps):
            yield node, None
        else:
            yield node, frozenset(known.from_any({gap.dataset for gap in gaps}))


def _is_of_function(reason: str) -> bool:
    """Whether such a gap is a function whose arguments are known, and whose result is at the gap."""
    return reason.endswith(("_UDF", "_UDAF", "_UDTF"))
