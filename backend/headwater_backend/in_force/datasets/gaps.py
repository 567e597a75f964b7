"""What is not known of lineage.

A gap is kept with the version of an output's lineage that has it. An output whose run had inputs and reported no
lineage has one as a whole. A drift is one of the paths whose reader and writer do not fit: into its dataset where a
reader has it, out of its dataset where a writer has. What was reported before a correction, and what a job wrote
earlier, may be gaps as well.

Gaps are looked up in two ways: by the outputs (``of_outputs``), and by the datasets that a run read whose gap does not
list which of them arrived there (``hiding``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Final, NamedTuple

from headwater_backend.domain.model import AFTER_THE_FACT, EARLIER_LINEAGE, SCHEMA_DRIFT, Use
from headwater_backend.domain.moments import moment
from headwater_backend.domain.node_keys import dataset_of, slot_parts
from headwater_backend.domain.records import Gap, unlisted
from headwater_backend.in_force.copies import End
from headwater_backend.in_force.datasets.use import Deciding
from headwater_backend.in_force.drift import DriftRow
from headwater_backend.in_force.earlier import Earlier

NO_LINEAGE_FACET: Final = "NO_LINEAGE_FACET"
_MAY_BE_LEFT: Final = (
    "an earlier run of the job, or one that failed, brought values from here or to here that it does not bring now, "
    "and they may be left there, or in what was made of them"
)
_REPORTED_AGAIN: Final = (
    "{who} reported again (received {when}) what a run did that had ended: what was reported before is listed as "
    "well"
)
_ENDED_BEFORE: Final = (
    "{who} reported (received {when}) that {ended} had been dropped or replaced, with values from here or to here, "
    "before others read it, as was known until then"
)


class GapRow(NamedTuple):
    """Something that could not be traced; ``path`` is a node key."""

    reason: str
    path: str
    detail: str
    job: str


class Untraced(NamedTuple):
    """A version that has gaps, or no lineage at all (``rank`` 0)."""

    rank: int
    gaps: tuple[Gap, ...]


class Hiding(NamedTuple):
    """Gaps that may hide what was read of the datasets ``reads``."""

    gaps: list[GapRow]
    reads: Set[str]


def of_outputs(
    deciding: Iterable[Deciding], untraced: Mapping[str, Untraced], inputs: Mapping[str, Set[str]]
) -> list[GapRow]:
    """The gaps of the versions that decide outputs; ``inputs`` are what runs had read."""
    found: list[GapRow] = []
    for each in deciding:
        if each.cleared is not None:
            found.append(reported_again(each.output, each.job, each.cleared, each.cleared_by))
        if known := untraced.get(each.version):
            missing = known.rank == 0 and bool(inputs.get(each.run))
            found += _gaps(each.output, each.job, known, missing=missing)
    return found


def hiding(
    deciding: Iterable[Deciding],
    untraced: Mapping[str, Untraced],
    inputs: Mapping[str, Set[str]],
    names: Set[str],
) -> list[Hiding]:
    """The gaps of outputs whose runs read one of ``names``, and which do not list that."""
    found: list[Hiding] = []
    for each in deciding:
        reads = inputs.get(each.run, frozenset()) & names
        if reads and (known := untraced.get(each.version)):
            rows = _gaps(each.output, each.job, known, missing=known.rank == 0)
            found.append(Hiding(unlisted(each.output, rows), reads))
    return found


def _gaps(output: str, job: str, known: Untraced, *, missing: bool) -> list[GapRow]:
    rows = [GapRow(*gap, job) for gap in known.gaps]
    return [*rows, GapRow(NO_LINEAGE_FACET, output, "", job)] if missing else rows


def drifts_into(drifts: Iterable[DriftRow]) -> list[GapRow]:
    """The gaps of the lineage into datasets: what a reader names that their writers do not."""
    return [_drift(each) for each in drifts if each.use == Use.INPUT.value]


def drifts_out_of(drifts: Iterable[DriftRow]) -> list[Hiding]:
    """The gaps at which what was written to datasets may be lost: what their readers do not name."""
    return [Hiding([_drift(each)], {each.dataset}) for each in drifts if each.use == Use.OUTPUT.value]


def _drift(row: DriftRow) -> GapRow:
    return GapRow(SCHEMA_DRIFT, row.path, row.detail, row.job)


def by_read(found: Iterable[Hiding]) -> dict[str, list[GapRow]]:
    """The gaps by the names of datasets that they may hide."""
    rows: dict[str, list[GapRow]] = defaultdict(list)
    for each in found:
        for name in each.reads:
            rows[name] += each.gaps
    return rows


def reported_again(output: str, job: str, cleared: int, who: str) -> GapRow:
    """What was reported before a correction is listed beside it."""
    return GapRow(AFTER_THE_FACT, output, _written(_REPORTED_AGAIN, cleared, who), job)


def left_at(node: str, job: str, late: End | None) -> GapRow:
    """What the job brought earlier may be left; ``late`` is as in ``earlier.LeftEdge``."""
    if late is None:
        return GapRow(EARLIER_LINEAGE, node, _MAY_BE_LEFT, job)
    ended = " ".join(dataset_of(late.dataset))
    return GapRow(AFTER_THE_FACT, node, _written(_ENDED_BEFORE, late.known, late.who, ended=ended), job)


class LeftGaps(NamedTuple):
    """The gaps of an earlier version of a slot whose data may be left: not known of it, and so not of these."""

    slot: str
    output: str
    gaps: list[GapRow]


def left_of_versions(earlier: Earlier, untraced: Mapping[str, Untraced]) -> Iterator[LeftGaps]:
    """The gaps of the earlier versions whose data may be left."""
    for slot, version in earlier.left:
        if known := untraced.get(version):
            job, output = slot_parts(slot)
            yield LeftGaps(slot, output, _gaps(output, job, known, missing=False))


def _written(text: str, when: int, who: str, **more: str) -> str:
    return text.format(who=who or "somebody", when=moment(when).isoformat(timespec="seconds"), **more)
