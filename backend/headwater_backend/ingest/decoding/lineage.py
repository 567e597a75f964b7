"""The lineage facets of one output, as edges and gaps.

``headwater_pathLineage`` is read where it is present. The explicit ``lineage`` of the dataset, or else of the job, is
read only without it, and ``columnLineage`` only without either, because it is the same in less detail. Without all of
them, or with a ``columnLineage`` that lists no input at all, the rank is NONE, which the store reports as
``NO_LINEAGE_FACET`` for a run that had inputs.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from headwater_backend.domain.errors import EventError
from headwater_backend.domain.expand import ROOT, Tree, leaf_pairs
from headwater_backend.domain.model import (
    READ_AS,
    DatasetKey,
    JobKey,
    LineageType,
    NodeKey,
    PathSteps,
    Transformation,
)
from headwater_backend.domain.node_keys import named_text, node_text
from headwater_backend.domain.records import EdgeRow, Gap, LineageRank, Version
from headwater_backend.domain.transformations import text_of
from headwater_backend.ingest.decoding.columns import column_lineage, explicit_lineage
from headwater_backend.ingest.decoding.mapped import UNSPECIFIED, Mapped, packed_at, shared
from headwater_backend.ingest.decoding.rows import rows_read
from headwater_facets import codec, facets

PATH_LINEAGE = "headwater_pathLineage"
LINEAGE = "lineage"
COLUMN_LINEAGE = "columnLineage"
FACETS = (PATH_LINEAGE, LINEAGE, COLUMN_LINEAGE)
"""All facets with an output's lineage, of which the first that is present is read."""


@dataclass(frozen=True, slots=True)
class FacetLineage:
    """The lineage of an output as a facet has it, before it is expanded."""

    rank: LineageRank
    mapped: tuple[Mapped, ...] = ()
    gaps: tuple[tuple[str, PathSteps, str], ...] = ()


def read(
    output_facets: Mapping[str, Mapping[str, Any]],
    trees: Mapping[DatasetKey, Tree],
    output: DatasetKey,
    pointer: str,
    *,
    inputs: Sequence[DatasetKey] = (),
    declared: tuple[Mapping[str, Any], str] | None = None,
) -> FacetLineage:
    """The lineage in the output's facets, or what the job ``declared``: an entry of its ``lineage``, and its place.

    ``pointer`` leads to the facets, ``inputs`` are what was read for the output; raises ``EventError``.
    """
    if (facet := _present(output_facets, PATH_LINEAGE)) is not None:
        try:
            return _read_paths(codec.read_path_lineage(facet), inputs)
        except codec.FacetError as error:
            place = f"{pointer}/{PATH_LINEAGE}{error.pointer}"
            raise EventError(error.code, place, error.hint) from error
    if (facet := _present(output_facets, LINEAGE)) is not None:
        declared = (facet, f"{pointer}/{LINEAGE}")
    if declared is not None:
        mapped = explicit_lineage(declared[0], trees, output, declared[1])
        return FacetLineage(LineageRank.LINEAGE, tuple(mapped))
    if (facet := _present(output_facets, COLUMN_LINEAGE)) is not None:
        mapped = column_lineage(facet, trees, output, f"{pointer}/{COLUMN_LINEAGE}")
        return FacetLineage(LineageRank.COLUMN_LINEAGE if mapped else LineageRank.NONE, tuple(mapped))
    return FacetLineage(LineageRank.NONE)


def of_former_name(before: DatasetKey) -> FacetLineage:
    """The lineage of a dataset that was renamed: what it held ``before``, as it was.

    The two names are one dataset's until the former is given to another (``in_force.aliases``); then this is how the
    content came here.
    """
    moved = Mapped(NodeKey(before, ROOT), ROOT, (Transformation(),), True)
    return FacetLineage(LineageRank.LINEAGE, (moved,))


def _present(all_facets: Mapping[str, Mapping[str, Any]], name: str) -> Mapping[str, Any] | None:
    facet = all_facets.get(name)
    return None if facet is None or facet.get("_deleted") is True else facet


def _read_paths(facet: facets.PathLineageDatasetFacet, inputs: Sequence[DatasetKey]) -> FacetLineage:
    mapped = [
        each
        for field in facet.fields
        for entry in field.inputFields
        for each in _mapped(tuple(field.path), entry)
    ]
    mapped += [each for entry in facet.dataset for each in _mapped(ROOT, entry)]
    mapped += rows_read(facet, mapped, inputs)
    gaps = [(opaque.reason, tuple(opaque.path), opaque.name or "") for opaque in facet.opaque]
    for entry in facet.incomplete:
        paths = [tuple(path) for path in entry.paths or ()] or [ROOT]
        gaps += [(str(entry.reason), path, entry.detail or "") for path in paths]
    if not facet.complete and not facet.incomplete:
        gaps.append(("UNKNOWN", ROOT, ""))
    return FacetLineage(LineageRank.PATH_LINEAGE, tuple(mapped), tuple(gaps))


def _mapped(target: PathSteps, entry: facets.PathInput) -> Iterator[Mapped]:
    """The mapping, split by what is taken out of the text at the source, and where it is put in that at the target."""
    dataset, source = DatasetKey(entry.namespace, entry.name), tuple(entry.path)
    if not entry.transformations:
        yield Mapped(NodeKey(dataset, source), target, (UNSPECIFIED,), False)
    known: dict[tuple[PathSteps, PathSteps], list[Transformation]] = defaultdict(list)
    for each in entry.transformations:
        known[packed_at(source, each.unpacked), packed_at(target, each.packed)].append(_transformation(each))
    for (near, far), transformations in known.items():
        yield Mapped(NodeKey(dataset, near), far, tuple(transformations), True)


def _transformation(entry: facets.PathTransformation) -> Transformation:
    return shared(
        LineageType.INDIRECT if entry.type == "INDIRECT" else LineageType.DIRECT,
        str(entry.subtype),
        entry.masking,
        # READ_AS is what stores make of layouts: an edge with it counts for its own job alone.
        tuple(str(each) for each in entry.manipulation or () if each != READ_AS),
        None if entry.access is None else str(entry.access),
        tuple(entry.at or ()),
        tuple(entry.functions or ()),
        tuple(entry.operators or ()),
        None if entry.retains is None else str(entry.retains),
    )


def version(
    job: JobKey, output: DatasetKey, found: FacetLineage, trees: Mapping[DatasetKey, Tree], max_edges: int
) -> Version:
    """The version with the facet's mappings expanded; above ``max_edges`` they stay as compact as in the facet."""
    edges = _edges(output, found.mapped, trees, max_edges)
    gaps = tuple(sorted({Gap(why, node_text(NodeKey(output, at)), what) for why, at, what in found.gaps}))
    job_text, output_text = named_text(job), named_text(output)
    content = json.dumps([job_text, output_text, found.rank, edges, gaps], separators=(",", ":"))
    key = hashlib.sha256(content.encode()).hexdigest()[:32]
    return Version(key, job_text, output_text, found.rank, edges, gaps)


def _edges(
    output: DatasetKey, mapped: Sequence[Mapped], trees: Mapping[DatasetKey, Tree], max_edges: int
) -> tuple[EdgeRow, ...]:
    how: dict[tuple[NodeKey, PathSteps], dict[Transformation, None]] = {}
    for source, target, transformations in _expanded(output, mapped, trees):
        how.setdefault((source, target), {}).update(dict.fromkeys(transformations))
        if len(how) > max_edges:
            return _rows(output, _compact(mapped))
    return _rows(output, how)


def _compact(mapped: Iterable[Mapped]) -> dict[tuple[NodeKey, PathSteps], dict[Transformation, None]]:
    how: dict[tuple[NodeKey, PathSteps], dict[Transformation, None]] = {}
    for entry in mapped:
        how.setdefault((entry.source, entry.target), {}).update(dict.fromkeys(entry.transformations))
    return how


def _expanded(
    output: DatasetKey, mapped: Iterable[Mapped], trees: Mapping[DatasetKey, Tree]
) -> Iterator[tuple[NodeKey, PathSteps, tuple[Transformation, ...]]]:
    none: Tree = {}
    target_tree = trees.get(output, none)
    for source, target, transformations, identical in mapped:
        same, rest = _parted(transformations) if identical else ((), transformations)
        if same:
            pairs = leaf_pairs(source.path, target, trees.get(source.dataset, none), target_tree)
            yield from ((NodeKey(source.dataset, near), far, same) for near, far in pairs)
        if rest:
            yield source, target, rest


@lru_cache(maxsize=16_384)
def _parted(
    transformations: tuple[Transformation, ...],
) -> tuple[tuple[Transformation, ...], tuple[Transformation, ...]]:
    """The transformations that carry structure, and the others."""
    same = tuple(t for t in transformations if t.carries_structure)
    return same, tuple(t for t in transformations if not t.carries_structure)


def _rows(
    output: DatasetKey, how: Mapping[tuple[NodeKey, PathSteps], Iterable[Transformation]]
) -> tuple[EdgeRow, ...]:
    rows = (
        EdgeRow(
            node_text(source),
            node_text(NodeKey(output, target)),
            text_of(transformations),
            any(t.type is LineageType.DIRECT for t in transformations),
            any(t.type is LineageType.INDIRECT for t in transformations),
        )
        for (source, target), transformations in how.items()
    )
    return tuple(sorted(rows))
