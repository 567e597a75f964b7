"""What one job does to make one dataset of an answer, and how its parts are called in the language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from headwater_backend.active.passages import related
from headwater_backend.active.reading import Population
from headwater_backend.domain.model import DatasetKey, Edge, JobKey, LineageType, NodeKey
from headwater_backend.reports.languages.catalogue import Words
from headwater_backend.reports.lineage_words import how
from headwater_facets.kinds import Manipulation, Subtype
from headwater_mappings import tree

_AGGREGATES: Final[Mapping[str, str]] = {"sum": "SUM", "avg": "AVG", "min": "MIN", "max": "MAX"}
_COPIED: Final = frozenset(
    {Manipulation.COPY, Manipulation.RENAME, Manipulation.EXTRACT, Manipulation.CONSTRUCT}
)


class Names:
    """How datasets and paths are called: an entity is a dataset, an attribute the text of a path."""

    def __init__(self, labels: Mapping[NodeKey, str]) -> None:
        self._labels = labels
        datasets = {node.dataset for node in labels}
        self._alike = Counter(_plain(each.name) for each in datasets)

    def entity(self, dataset: DatasetKey) -> str:
        """The dataset's name, behind its namespace where another one is called the same."""
        name = _plain(dataset.name)
        return name if self._alike[name] < 2 else _plain(f"{dataset.namespace} {dataset.name}")

    def attribute(self, node: NodeKey) -> tree.Attribute:
        """A path as an attribute; the dataset as a whole is ``*``."""
        label = self._labels.get(node) or ".".join(node.path)
        return tree.Attribute(self.entity(node.dataset), _plain(label) if node.path else "*")


@dataclass(frozen=True, slots=True)
class Relation:
    """What a job does to make a dataset.

    ``edges`` are the flows of values of the answer, ``all`` those of its versions of lineage, into any path of the
    dataset. ``deciding`` are the edges of what only decides. ``text`` is its own, of an imported mapping.
    """

    job: JobKey
    output: DatasetKey
    title: str
    edges: Sequence[Edge]
    all: Sequence[Edge]
    deciding: Sequence[Edge]
    populations: Sequence[Population]
    text: str | None

    @property
    def targets(self) -> list[NodeKey]:
        """The paths that the answer has, in order."""
        return sorted({edge.target for edge in self.edges})


@dataclass(frozen=True, slots=True)
class Speech:
    """The words of a language, and how what they are about is called."""

    words: Words
    names: Names

    def populate(self, target: NodeKey, edges: Sequence[Edge]) -> tree.Populate:
        """What a path is made of, by its edges alone; a remark says what the language has no words for."""
        attribute = self.names.attribute(target)
        sources = [self.names.attribute(edge.source) for edge in edges]
        if len(edges) == 1 and (one := _expressed(edges[0], sources[0])) is not None:
            return tree.Populate(attribute, (tree.With(one),))
        parts = (
            f"{each.entity}.{each.name} ({how(self.words, e)})"
            for each, e in zip(sources, edges, strict=True)
        )
        remark = self.words("mapping.made", name=attribute.name, parts=self.listed(parts))
        return self.coarse(target, sources, remark)

    def coarse(self, target: NodeKey, sources: Iterable[tree.Attribute], remark: str) -> tree.Populate:
        """That a path is made of attributes, in a way that the remark states."""
        listed = tuple(dict.fromkeys(sources))
        value = listed[0] if len(listed) == 1 else tree.Concatenation(listed)
        return tree.Populate(self.names.attribute(target), (tree.With(value),), (remark,))

    def listed(self, parts: Iterable[str]) -> str:
        *before, last = parts
        return self.words("explanation.and", before=", ".join(before), last=last) if before else last

    def deciding(
        self, relation: Relation, targets: Iterable[NodeKey], expressed: Iterable[tree.Attribute]
    ) -> list[str]:
        """A remark on what decides about rows and values, and is not expressed yet."""
        near, known = list(targets), set(expressed)
        parts = {
            f"{attribute.entity}.{attribute.name} ({how(self.words, edge)})": None
            for edge in relation.deciding
            if any(related(edge.target.path, each.path) for each in near)
            for attribute in [self.names.attribute(edge.source)]
            if attribute not in known
        }
        return [self.words("mapping.decided", parts=self.listed(parts))] if parts else []


def _expressed(edge: Edge, source: tree.Attribute) -> tree.Expression | None:
    """The whole of what a job does to a value, if the language has a word for it."""
    kinds = [each for each in edge.transformations if each.type is LineageType.DIRECT]
    if len(kinds) != 1 or kinds[0].masking:
        return None
    (kind,) = kinds
    if kind.subtype == Subtype.IDENTITY and _COPIED.issuperset(kind.manipulation) and not kind.functions:
        return source
    if kind.subtype == Subtype.AGGREGATION and len(kind.functions) == 1 and len(kind.manipulation) == 1:
        function = _AGGREGATES.get(kind.functions[0])
        return tree.Aggregation(function, source) if function else None
    return None


def _plain(name: str) -> str:
    """The name without what cannot stand in backquotes."""
    plain = "".join("'" if each == "`" else each if each.isprintable() else "?" for each in name)
    return plain or "?"
