"""Gaps of lineage: from rows to the model, for both stores.

A gap is kept with the version of an output's lineage that has it. It is looked up in two ways: by the output datasets
(``incomplete``), and by the datasets that a run read whose gap does not list which of them arrived there
(``possible_outputs``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from headwater_backend.domain.model import DatasetKey, Incomplete
from headwater_backend.domain.node_keys import dataset_of, job_of
from headwater_backend.domain.records import unlisted
from headwater_backend.stores.answers import node_named

NO_LINEAGE_FACET: Final = "NO_LINEAGE_FACET"


class GapRow(NamedTuple):
    """Something of a current version that could not be traced; ``path`` is a node key."""

    reason: str
    path: str
    detail: str
    job: str


class OutputRow(NamedTuple):
    """An output, or a path of one, with its gaps (reason, path and detail); ``reads`` are the datasets read for it."""

    reads: Sequence[str]
    output: str
    job: str
    gaps: Sequence[Sequence[str]]
    no_lineage: bool

    def rows(self) -> list[GapRow]:
        found = [GapRow(reason, path, detail, self.job) for reason, path, detail in self.gaps]
        return [*found, GapRow(NO_LINEAGE_FACET, self.output, "", self.job)] if self.no_lineage else found


def sorted_gaps(rows: Iterable[GapRow], own: Mapping[str, str]) -> list[Incomplete]:
    """Each gap once, in a fixed order."""
    found = {
        Incomplete(row.reason, node.dataset, node.path, job_of(row.job), row.detail)
        for row in rows
        for node in [node_named(row.path, own)]
    }
    return in_order(found)


def in_order(found: Iterable[Incomplete]) -> list[Incomplete]:
    """The gaps by place, reason, job and detail."""
    return sorted(found, key=lambda gap: (gap.dataset, gap.path, gap.reason, gap.job or (), gap.detail))


def possible_outputs(
    names: Iterable[Sequence[str]], rows: Iterable[OutputRow], own: Mapping[str, str]
) -> dict[DatasetKey, Sequence[Incomplete]]:
    """The gaps by the dataset asked for: ``names`` are (name, asked), the rows are by name. Gaps whose reads are listed
    are left out.
    """
    of_name: dict[str, list[Incomplete]] = defaultdict(list)
    for row in rows:
        found = sorted_gaps(unlisted(row.output, row.rows()), own)
        for name in row.reads:
            of_name[name] += found
    of_asked: dict[str, list[Incomplete]] = defaultdict(list)
    for name, asked in names:
        of_asked[asked] += of_name.get(name, ())
    return {dataset_of(asked): in_order(set(gaps)) for asked, gaps in of_asked.items() if gaps}
