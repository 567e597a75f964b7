"""The checks, and a page of what they found.

REDUNDANT_MAPPING   values never take it: in passive lineage, and in no active lineage
DEAD_END            somebody writes it, nobody reads it, and it is not declared an output
LOOP                values are made of themselves, by way of other datasets
BROKEN_WAY          somebody reads it, nobody writes it, and it is not declared a source
CONDITIONS_ONLY     a source of which no value gets anywhere: it only decides which rows there are
ALWAYS_TRUE         a condition that all rows meet: by itself, beside others, or given what arrives
ALWAYS_FALSE        a condition that no row meets, so that nothing comes of it
WEAK_FILTER         a condition that only missing values do not meet
COPIED_FOR_NOTHING  a path that is copied along, and of which no output has or needs anything (minimisation)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from headwater_backend.domain.facet_readers import tags
from headwater_backend.domain.model import DatasetKey, LineageType, NodeKey, Use
from headwater_backend.domain.pages import Page, numbered
from headwater_backend.domain.patterns import DatasetPattern, any_names
from headwater_backend.questions.active.steps import half_time
from headwater_backend.questions.checks.conditions import check_conditions
from headwater_backend.questions.checks.flows import copied_for_nothing, loops, redundant_mappings
from headwater_backend.questions.checks.whole import Check, CheckedGraph, Found, Whole, by_source, whole_graph

SOURCE_TAG = "source"
OUTPUT_TAG = "output"
"""The keys of tags that declare a dataset a source, or an output; unless their value is ``false``."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The datasets that are sources and outputs, beside those whose tags say so."""

    sources: tuple[DatasetPattern, ...] = ()
    outputs: tuple[DatasetPattern, ...] = ()


def checks(
    store: CheckedGraph,
    declared: Declared = Declared(),
    *,
    kinds: Collection[Check] | None = None,
    as_of: datetime | None = None,
    first: int | None = None,
    after: str | None = None,
) -> Page[tuple[str, Found]]:
    """A page of what the checks found in the whole graph, now or at the moment: all kinds, or some.

    Raises ``BadQuestion``.
    """
    found = [each for each in _found(store, declared, as_of) if kinds is None or each.check in kinds]
    return numbered(sorted(set(found), key=lambda each: each.order), first, after, "checks")


def _found(store: CheckedGraph, declared: Declared, as_of: datetime | None) -> Iterator[Found]:
    whole = whole_graph(store, as_of)
    tagged = store.labelled_datasets()
    readers, writers = (store.jobs_with(whole.datasets, use) for use in (Use.INPUT, Use.OUTPUT))
    outputs = {each for each in whole.datasets if _is_declared(each, declared.outputs, tagged, OUTPUT_TAG)}
    yield from redundant_mappings(whole, half_time())
    for each in whole.datasets:
        node = NodeKey(each, ())
        if each not in readers and each in writers and each not in outputs:
            yield Found(Check.DEAD_END, node, writers[each][0])
        is_source = _is_declared(each, declared.sources, tagged, SOURCE_TAG)
        if each in readers and each not in writers and not is_source:
            yield Found(Check.BROKEN_WAY, node, readers[each][0])
    yield from loops(whole)
    yield from _conditions_only(store, whole, as_of)
    yield from check_conditions(whole.steps, whole.foreign)
    onward = {edge.source.dataset for edge in whole.edges if edge.source.dataset != edge.target.dataset}
    ends = set(whole.datasets) - onward | outputs
    known = {each for each in readers if each not in whole.unlisted}
    yield from copied_for_nothing(whole, known, ends)


def _conditions_only(store: CheckedGraph, whole: Whole, as_of: datetime | None) -> Iterator[Found]:
    """The sources from which only influences lead."""
    onward = by_source(whole.edges)
    for dataset in store.sources(len(whole.datasets), None, whole.datasets, as_of) if whole.datasets else ():
        edges = onward.get(dataset, ())
        kinds = {kind.type for edge in edges for kind in edge.transformations}
        if edges and dataset not in whole.unlisted and LineageType.DIRECT not in kinds:
            jobs = sorted({edge.job for edge in edges})
            paths = tuple(sorted({edge.source for edge in edges if edge.source.path}))
            yield Found(Check.CONDITIONS_ONLY, NodeKey(dataset, ()), jobs[0], along=paths)


def _is_declared(
    dataset: DatasetKey,
    patterns: Sequence[DatasetPattern],
    tagged: Mapping[DatasetKey, Mapping[str, Any]],
    key: str,
) -> bool:
    if any_names(patterns, dataset):
        return True
    found = tags(tagged.get(dataset, {}))
    return any(tag.key == key and tag.field is None and tag.value.lower() != "false" for tag in found)
