"""What an output owes to the rows of its inputs alone: how many there are, whatever is in them.

Lineage lists of which paths a path is made, and which paths decide about all rows. A dataset that is read for neither
still decides how many rows there are: that of which ``lit(1)`` is written for each row, the other side of a cross join,
the other branch of a union. ``rows_read`` adds an edge (``ROWS``) from the whole of such an input to the paths that
nothing else of it leads to, or to the whole output.

Only what the facet says is taken: that a path is generated, of what it is made, and, where the facet is complete, that
nothing of an input leads to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Final

from headwater_backend.domain.expand import ROOT
from headwater_backend.domain.model import OF_ROWS, DatasetKey, NodeKey, PathSteps
from headwater_backend.ingest.decoding.mapped import Mapped
from headwater_facets import facets

MOST_PATHS: Final = 1_000
"""Paths up to which each has an edge of its own from the rows of an input."""


def rows_read(
    facet: facets.PathLineageDatasetFacet, mapped: Iterable[Mapped], inputs: Sequence[DatasetKey]
) -> list[Mapped]:
    """The edges from the rows of the inputs; ``mapped`` is all that the facet has by itself."""
    targets, deciding = _targets(mapped)
    made = {tuple(field.path): bool(field.inputFields) for field in facet.fields}
    made.update((tuple(each.path), False) for each in facet.generated if tuple(each.path) not in made)
    return [
        Mapped(NodeKey(dataset, ROOT), target, OF_ROWS, True)
        for dataset in inputs
        if dataset not in deciding
        for target in _reached_by_rows(made, targets.get(dataset, set()), complete=facet.complete)
    ]


def _targets(mapped: Iterable[Mapped]) -> tuple[Mapping[DatasetKey, Set[PathSteps]], Set[DatasetKey]]:
    """The paths to which each dataset leads by something in it, and the datasets that lead to all rows."""
    targets: dict[DatasetKey, set[PathSteps]] = defaultdict(set)
    deciding: set[DatasetKey] = set()
    for each in mapped:
        targets[each.source.dataset].add(each.target)
        if each.target == ROOT:
            deciding.add(each.source.dataset)
    return targets, deciding


def _reached_by_rows(
    made: Mapping[PathSteps, bool], targets: Set[PathSteps], *, complete: bool
) -> Sequence[PathSteps]:
    """The paths to which the rows of a dataset lead, of which something leads to ``targets``."""
    if not complete:
        return _or_whole([path for path, of_inputs in made.items() if not of_inputs])
    if not targets:
        return [ROOT]
    around = {target[:end] for target in targets for end in range(len(target) + 1)}
    return _or_whole([path for path in made if path not in around and targets.isdisjoint(_holders(path))])


def _or_whole(paths: Sequence[PathSteps]) -> Sequence[PathSteps]:
    return [ROOT] if len(paths) > MOST_PATHS else paths


def _holders(path: PathSteps) -> Iterator[PathSteps]:
    return (path[:end] for end in range(len(path)))
