"""What a leak exposes: whose attributes, in which form, how many rows, and what they can be joined with.

The leak is given as places (``place_patterns``): datasets, paths of them, or a whole store by its namespace. An
attribute is in the leak where it arrived or is declared at one of the places. It *influences* the leak where it only
decided about what is there, from which some of it may be reconstructed. A dataset of which no path is known has leaked
with all that may be in it: what nobody knows or has decided of it is a gap of the answer.

Leaked data can be *joined* with other datasets by an attribute that identifies a person: where both hold the value
itself, or its pseudonym; and where one holds the value, or something computed from it, and the other something
computed, such as a number in another notation, because whoever has both can repeat the computation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product, takewhile
from typing import Final

from headwater_backend.domain.errors import UnknownDataset, UnknownPath
from headwater_backend.domain.model import DatasetKey, Incomplete, JobKey, NodeKey, Use
from headwater_backend.ports import CataloguedRuns, LineageAndRuns, NamedEdges
from headwater_backend.privacy.answers.dataset_runs import dataset_runs
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.classification.place_patterns import PlacePattern, Places, covering
from headwater_backend.privacy.exposure import Classification, ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import READABLE, Form
from headwater_backend.privacy.held_attributes import HeldAttribute, held_at_places, held_attributes
from headwater_backend.privacy.reaching import Reaching
from headwater_backend.privacy.unknown_rows import at_places
from headwater_backend.questions.traversal import Bounds

RUNS: Final = 20
"""The number of the newest runs among which one with counted rows is looked for, besides the newest of each writer."""


@dataclass(frozen=True, slots=True)
class LeakedDataset:
    """A leaked dataset. ``rows`` is what the newest run that counted them wrote; None if none of the newest ``RUNS``,
    and of the newest of each writer, did.

    ``writers`` and ``readers`` are all jobs that ever wrote or read it, sorted; readers may hold copies of what leaked.
    """

    dataset: DatasetKey
    rows: int | None
    written_at: datetime | None
    writers: tuple[JobKey, ...]
    readers: tuple[JobKey, ...]


@dataclass(frozen=True, slots=True)
class Joinable:
    """A path outside the leak that holds an identifying attribute of it.

    ``form`` is the weaker one of the two that are joined. With ``reidentifies``, that is a pseudonym, and the dataset
    holds the attribute itself, too: whoever has it, a key table, knows whose pseudonyms leaked.
    """

    attribute: Attribute
    node: NodeKey
    form: Form
    reidentifies: bool = False


@dataclass(frozen=True, slots=True)
class Matched:
    """What a place of the leak matches: known paths, inner ones included, and datasets without a known path; sorted."""

    place: PlacePattern
    nodes: tuple[NodeKey, ...]
    unknown: tuple[DatasetKey, ...]


@dataclass(frozen=True, slots=True)
class Breach:
    """What a leak exposes, as of a moment: values first, then influences; all sorted by attribute, form and path."""

    as_of: datetime
    matched: tuple[Matched, ...]
    datasets: tuple[LeakedDataset, ...]
    values: tuple[HeldAttribute, ...]
    influences: tuple[HeldAttribute, ...]
    joinable: tuple[Joinable, ...]
    incomplete: tuple[Incomplete, ...]
    classification: Classification

    @property
    def complete(self) -> bool:
        return not self.incomplete


def breach(
    store: LineageAndRuns, leaked: Sequence[PlacePattern], ruling: Ruling, bounds: Bounds | None = None
) -> Breach:
    """What the leak of these places exposes.

    Raises ``UnknownDataset`` or ``UnknownPath`` for a place that matches nothing, and what ``exposed`` raises.
    """
    places = Places(store, leaked)
    matched = _matched(store, leaked, places)
    _require_matches(places, matched)
    datasets = _leaked_datasets(matched)
    report = exposed(store, Scope(influenced=True, bounds=bounds or Bounds()), ruling)
    found = list(held_at_places(report.attributes, leaked, places))
    values = [each for each in found if each.forms[0] is not Form.INFLUENCED]
    return Breach(
        as_of=report.as_of,
        matched=matched,
        datasets=tuple(_datasets(store, datasets)),
        values=tuple(values),
        influences=tuple(each for each in found if each.forms[0] is Form.INFLUENCED),
        joinable=tuple(_joinable(report, values, set(datasets))),
        incomplete=_at_places(store, report, places, matched),
        classification=report.classification,
    )


def _matched(
    store: NamedEdges, leaked: Sequence[PlacePattern], places: Places[PlacePattern]
) -> tuple[Matched, ...]:
    covered_by = covering(store, leaked)
    paths = store.paths([key for key, named in covered_by.items() if named])
    bare = {each: [key for key in paths if not paths[key] and each in covered_by[key]] for each in leaked}
    return tuple(
        Matched(each, tuple(sorted(places.matched.get(each, ()))), tuple(sorted(bare[each])))
        for each in leaked
    )


def _leaked_datasets(matched: Sequence[Matched]) -> list[DatasetKey]:
    """The datasets of the leak. Of one without a known path, it is not known whether it has the one that leaked."""
    with_paths = {node.dataset for each in matched for node in each.nodes}
    return sorted(with_paths.union(*(each.unknown for each in matched if each.place.is_whole)))


def _at_places(
    store: LineageAndRuns, report: ExposureReport, places: Places[PlacePattern], matched: Sequence[Matched]
) -> tuple[Incomplete, ...]:
    """The report's gaps; of what nobody decided and of rows of unknown origin, only what may be at the places."""
    unknown = {key for each in matched for key in each.unknown}
    here = set(at_places(report.unknown_rows, [each.place for each in matched], places))
    here |= {each.gap for each in report.unknown_rows if any(node.dataset in unknown for node in each.nodes)}
    elsewhere = {each.gap for each in report.unknown_rows} - here
    elsewhere |= Reaching(store, report).elsewhere({*places.datasets(), *unknown})
    return tuple(gap for gap in report.incomplete if gap not in elsewhere)


def _require_matches(places: Places[PlacePattern], matched: Sequence[Matched]) -> None:
    """Raise for a place that is not known: nothing would seem to have leaked there."""
    known = {each.place for each in matched if each.place.is_whole and each.unknown}
    for pattern, idle in places.idle.items():
        if pattern not in known:
            error = UnknownPath if idle.dataset_known else UnknownDataset
            raise error(f"the leak fits {idle.detail}", idle.hint)


def _joinable(
    report: ExposureReport, values: Sequence[HeldAttribute], leaked: set[DatasetKey]
) -> Iterator[Joinable]:
    keys: dict[Attribute, set[Form]] = {}
    for each in values:
        if each.attribute.identifies:
            keys.setdefault(each.attribute, set()).update(each.forms)
    for exposure in report.attributes:
        forms = keys.get(exposure.attribute, set())
        if not forms:
            continue
        outside = held_attributes(exposure, lambda node: node.dataset not in leaked)
        elsewhere = list(takewhile(lambda each: each.forms[0] is not Form.INFLUENCED, outside))
        readable = {each.node.dataset for each in elsewhere if Form.IDENTITY in each.forms}
        for each in elsewhere:
            for form in joined_as(forms, each.forms):
                reidentifies = form is Form.PSEUDONYMISED and each.node.dataset in readable
                yield Joinable(each.attribute, each.node, form, reidentifies)


def joined_as(some: Collection[Form], others: Collection[Form]) -> Iterator[Form]:
    """The forms in which an attribute that is held in some forms is joined with what holds it in others."""
    if pairs := list(product(set(READABLE).intersection(some), set(READABLE).intersection(others))):
        yield min(max(pair) for pair in pairs)
    if Form.PSEUDONYMISED in some and Form.PSEUDONYMISED in others:
        yield Form.PSEUDONYMISED


def _datasets(store: CataloguedRuns, keys: Sequence[DatasetKey]) -> Iterator[LeakedDataset]:
    for some in dataset_runs(store, keys, RUNS):
        readers = store.jobs_with([each.dataset.key for each in some], Use.INPUT)
        for each in some:
            key, runs = each.dataset.key, each.wrote
            counted = (rows for run in runs for rows in each.rows_written(run) if rows is not None)
            yield LeakedDataset(
                dataset=key,
                rows=next(counted, None),
                written_at=max((run.last_seen for run in runs if run.last_seen), default=None),
                writers=tuple(each.writers),
                readers=tuple(readers.get(key, ())),
            )
