"""What another engine knows of how the columns of a frame were made, and how its ways go on through pandas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import attr
from openlineage.client.event_v2 import InputDataset

from headwater_facets import facets as f
from headwater_facets.kinds import LineageType, Retains, Subtype, retained
from headwater_pandas.lineage.kinds import ACCESS
from headwater_pandas.lineage.ways import Way

_ORDER: Final = (Subtype.IDENTITY, Subtype.TRANSFORMATION, Subtype.AGGREGATION)


class Parent(NamedTuple):
    """The run that a run belongs to."""

    namespace: str
    job: str
    run: str


@dataclass(frozen=True)
class Origin:
    """The lineage of a frame's columns as the other engine would send it, and the datasets that it reads."""

    paths: f.PathLineageDatasetFacet
    inputs: tuple[InputDataset, ...]
    parent: Parent | None

    @cached_property
    def of_rows(self) -> list[f.PathInput]:
        """What decided which rows there are."""
        return [
            attr.evolve(
                each, transformations=[attr.evolve(way, operators=None) for way in each.transformations]
            )
            for each in self.paths.dataset
        ]

    @cached_property
    def by_column(self) -> dict[str, list[f.PathInput]]:
        """What each column was made of, with all that is below it."""
        found: dict[str, list[f.PathInput]] = {}
        for field in self.paths.fields:
            found.setdefault(field.path[0], []).extend(field.inputFields)
        for group in self.paths.alike or ():
            for pair in group.pairs:
                each = f.PathInput(group.namespace, group.name, pair["from"], group.transformations)
                found.setdefault(pair["to"][0], []).append(each)
        return found

    def generated(self, column: str) -> str | None:
        """How a column was made that is of no input."""
        return next((each.how for each in self.paths.generated if each.path == [column]), None)

    def opaque(self, column: str) -> Iterator[tuple[str, str | None]]:
        """Code that a column went through, by the reason why it is opaque and its name."""
        return ((each.reason, each.name) for each in self.paths.opaque if each.path[0] == column)

    def gaps(self, columns: Iterable[str]) -> Iterator[tuple[f.IncompleteEntry, list[str]]]:
        """What is not known, with those of the columns that it concerns."""
        wanted = list(columns)
        for each in self.paths.incomplete:
            concerned = {path[0] for path in each.paths or ()}
            found = [name for name in wanted if not concerned or name in concerned]
            if found:
                yield each, found


def continued(inputs: Iterable[f.PathInput], ways: Iterable[Way]) -> Iterator[f.PathInput]:
    """The inputs of a column whose values go on in these ways."""
    several = list(ways)
    for each in inputs:
        joined = [_joined(before, way) for before in each.transformations for way in several]
        unique = [way for place, way in enumerate(joined) if way not in joined[:place]]
        yield f.PathInput(each.namespace, each.name, each.path, unique)


def _joined(before: f.PathTransformation, way: Way) -> f.PathTransformation:
    """What the other engine did, and then pandas."""
    if before.type == LineageType.INDIRECT:
        return attr.evolve(before, operators=None)
    if way.retains is None:
        return f.PathTransformation(
            LineageType.INDIRECT, way.subtype, masking=before.masking, access=ACCESS.get(way.subtype)
        )
    left = retained(Retains(before.retains or Retains.VALUE), way.retains)
    done = not way.functions and way.retains is Retains.VALUE
    return f.PathTransformation(
        type=before.type,
        subtype=max(Subtype(before.subtype), way.subtype, key=_ORDER.index),
        masking=before.masking,
        manipulation=list(dict.fromkeys((*(before.manipulation or ()), *way.manipulations))),
        at=before.at,
        functions=[*(before.functions or ()), *way.functions],
        retains=before.retains if done else left if left is not Retains.VALUE else None,
        unpacked=before.unpacked,
        packed=before.packed if done else None,
    )
