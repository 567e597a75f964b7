"""A lineage graph in memory that answers as a store does: for tests that state a graph and ask about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import Any

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.layouts import Layout
from headwater_backend.domain.model import (
    Ahead,
    Alike,
    Dataset,
    DatasetKey,
    DatasetPage,
    Direction,
    Edge,
    Fan,
    Incomplete,
    Job,
    JobKey,
    LineageType,
    Making,
    Neighbours,
    NodeKey,
    PathSteps,
    Run,
    RunPlace,
    SchemaField,
    Transformation,
    Use,
    Writer,
)
from headwater_backend.domain.node_keys import named_text
from headwater_backend.domain.pages import cursor, read_cursor
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.ports import NOTHING_AHEAD
from headwater_backend.ports.decisions import Decisions
from kit.unanswered import Unanswered


class MemoryStore(Unanswered):
    """The questions' side of the store port over a fixed graph; ``calls`` counts what was asked of it."""

    def __init__(
        self,
        edges: Iterable[Edge],
        paths: Iterable[NodeKey] = (),
        incomplete: Iterable[Incomplete] = (),
        tags: Iterable[tuple[NodeKey, str, str]] = (),
        symlinks: Mapping[DatasetKey, DatasetKey] | None = None,
        fields: Mapping[DatasetKey, tuple[SchemaField, ...]] | None = None,
        facets: Mapping[DatasetKey | JobKey, Mapping[str, Any]] | None = None,
        decisions: Iterable[DecisionMade] = (),
    ) -> None:
        self._decisions = Decisions(
            decisions, {named_text(name): named_text(dataset) for name, dataset in (symlinks or {}).items()}
        )
        self._edges = tuple(edges)
        self._incomplete = tuple(incomplete)
        self._tags = tuple(tags)
        self._fields = dict(fields or {})
        self._facets = dict(facets or {})
        self._symlinks = dict(symlinks or {})
        self._near: dict[tuple[Direction, DatasetKey], list[Edge]] = defaultdict(list)
        for edge in self._edges:
            self._near[Direction.BACKWARD, edge.target.dataset].append(edge)
            self._near[Direction.FORWARD, edge.source.dataset].append(edge)
        self._paths: dict[DatasetKey, set[PathSteps]] = defaultdict(set)
        self.calls: list[str] = []
        self.notes: list[AuditNote] = []
        ends = [node for edge in self._edges for node in (edge.source, edge.target)]
        for node in [*ends, *paths, *(tag[0] for tag in self._tags)]:
            known = self._paths[node.dataset]
            known.update(node.path[:length] for length in range(1, len(node.path) + 1))

    def writers(self, datasets: Sequence[DatasetKey], as_of: datetime | None = None) -> Sequence[Writer]:
        del as_of
        found = (Writer(each.job, each.target.dataset, "") for each in self._edges)
        return list(dict.fromkeys(each for each in found if each.output in datasets))

    def conditions(
        self, versions: Collection[str], as_of: datetime | None = None
    ) -> Mapping[str, Sequence[Making]]:
        del as_of
        return {version: [Making(None)] for version in versions}

    def decisions(self) -> Decisions:
        return self._decisions

    def neighbours(
        self,
        frontier: Sequence[NodeKey],
        direction: Direction,
        types: frozenset[LineageType],
        as_of: datetime | None = None,
        ahead: Ahead = NOTHING_AHEAD,
    ) -> Neighbours:
        self.calls.append("neighbours")
        edges_found: list[Edge] = []
        for dataset in sorted({node.dataset for node in frontier}):
            nodes = [node for node in frontier if node.dataset == dataset]
            for edge in self._near[direction, dataset]:
                near = edge.target if direction is Direction.BACKWARD else edge.source
                if any(_comparable(near, node) for node in nodes):
                    edges_found.append(edge)
        filtered = [_of_types(edge, types) for edge in edges_found]
        fans = [_fan(edge, direction) for edge in filtered if edge.transformations]
        return Neighbours(fans, set(frontier))

    def get_datasets(self, keys: Sequence[DatasetKey]) -> Mapping[DatasetKey, Dataset]:
        self.calls.append("get_datasets")
        return {key: found for key in keys if (found := self._dataset(key))}

    def _dataset(self, key: DatasetKey) -> Dataset | None:
        own = self._symlinks.get(key, key)
        if own not in self._paths:
            return None
        return Dataset(own, self._fields.get(own, ()), self._facets.get(own, {}))

    def datasets(self, search: str | None = None, first: int = 50, after: str | None = None) -> DatasetPage:
        self.calls.append("datasets")
        wanted = (search or "").lower()
        keys = [
            key for key in sorted(self._paths) if wanted in key.namespace.lower() + "\0" + key.name.lower()
        ]
        following = [
            key for key in keys if after is None or key > DatasetKey(*read_cursor(after, (str, str)))
        ]
        page = following[:first]
        end = cursor(*page[-1]) if page else None
        return DatasetPage(tuple(Dataset(key) for key in page), end, len(following) > first, len(keys))

    def dataset_keys(self) -> Sequence[DatasetKey]:
        self.calls.append("dataset_keys")
        return sorted(self._paths)

    def paths(self, datasets: Sequence[DatasetKey]) -> Mapping[DatasetKey, Sequence[PathSteps]]:
        self.calls.append("paths")
        return {key: sorted(self._paths.get(self._symlinks.get(key, key), ())) for key in datasets}

    def incomplete(
        self,
        datasets: Sequence[DatasetKey],
        as_of: datetime | None = None,
        *,
        earlier: bool = False,
        only: str | None = None,
    ) -> Sequence[Incomplete]:
        self.calls.append("incomplete")
        asked = set(datasets)
        return [each for each in self._incomplete if each.dataset in asked and only in (None, each.reason)]

    def possible_outputs(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None, *, earlier: bool = False
    ) -> Mapping[DatasetKey, Sequence[Incomplete]]:
        self.calls.append("possible_outputs")
        return {}

    def sources(
        self,
        first: int = 50,
        after: DatasetKey | None = None,
        among: Sequence[DatasetKey] | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[DatasetKey]:
        self.calls.append("sources")
        made = {edge.target.dataset for edge in self._edges if edge.source.dataset != edge.target.dataset}
        wanted = self._paths.keys() if among is None else self._paths.keys() & set(among)
        return sorted(wanted - made)[:first]

    def tagged_fields(self) -> Sequence[tuple[NodeKey, str, str]]:
        self.calls.append("tagged_fields")
        return self._tags

    def get_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
        self.calls.append("get_jobs")
        known = {edge.job for edge in self._edges}
        return {key: Job(key, self._facets.get(key, {})) for key in keys if key in known}

    def runs(self, job: JobKey, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        return ()

    def runs_with(
        self,
        datasets: Sequence[DatasetKey],
        use: Use | None = None,
        first: int = 50,
        after: RunPlace | None = None,
    ) -> Mapping[DatasetKey, Sequence[Run]]:
        return {}

    def counted_alike(self, datasets: Sequence[DatasetKey], use: Use) -> Sequence[Alike]:
        return ()

    def found_there(
        self, among: Sequence[DatasetKey] | None = None, as_of: datetime | None = None
    ) -> Mapping[DatasetKey, Sequence[Layout]]:
        return {}

    def jobs_with(self, datasets: Sequence[DatasetKey], use: Use) -> Mapping[DatasetKey, Sequence[JobKey]]:
        return {}

    def newest_runs(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Run]:
        return {}

    def existing(self, keys: Sequence[DatasetKey], as_of: datetime | None = None) -> Set[DatasetKey]:
        return frozenset(keys)

    def apply(self, batch: Batch) -> None:
        """Keeps what is for the audit log; the graph is fixed."""
        self.notes.extend(batch.notes)

    def ping(self) -> None:
        return None

    def close(self) -> None:
        return None


def _comparable(one: NodeKey, other: NodeKey) -> bool:
    length = min(len(one.path), len(other.path))
    return one.dataset == other.dataset and one.path[:length] == other.path[:length]


def _fan(edge: Edge, direction: Direction) -> Fan:
    source, target, job, kinds = edge
    near, far = (target, source) if direction is Direction.BACKWARD else (source, target)
    return Fan(near, (far,), job, kinds)


def _of_types(edge: Edge, types: frozenset[LineageType]) -> Edge:
    kept = tuple(t for t in edge.transformations if t.type in types)
    return Edge(edge.source, edge.target, edge.job, kept)


_KINDS = {
    "IDENTITY": Transformation(),
    "COMPUTE": Transformation(subtype="TRANSFORMATION", manipulation=("COMPUTE",)),
    "SUM": Transformation(subtype="AGGREGATION", manipulation=("AGGREGATE",), functions=("sum",)),
    "NEST": Transformation(subtype="AGGREGATION", manipulation=("NEST",)),
    "HASH": Transformation(subtype="TRANSFORMATION", masking=True, manipulation=("MASK",)),
    "FILTER": Transformation(LineageType.INDIRECT, "FILTER", access="FILTER"),
    "JOIN": Transformation(LineageType.INDIRECT, "JOIN", access="JOIN"),
    "GROUP_BY": Transformation(LineageType.INDIRECT, "GROUP_BY", access="GROUP_BY"),
    "DECISION": Transformation(LineageType.INDIRECT, "CONDITIONAL", access="CONDITION"),
    "DRIVER": Transformation(LineageType.INDIRECT, "CONDITIONAL", manipulation=("OPAQUE",), access="DRIVER"),
}


def node(text: str) -> NodeKey:
    """``"tweets:user.id"`` is a path of the dataset tweets in namespace ns; ``"tweets"`` is all of it."""
    name, _, path = text.partition(":")
    return NodeKey(DatasetKey("ns", name), tuple(path.split(".")) if path else ())


def edge(text: str) -> Edge:
    """``"tweets:user -IDENTITY+FILTER-> out:author @job"``; the job is ``job`` unless named."""
    ends, _, job = text.partition(" @")
    source, arrow = ends.split(" -", 1)
    kinds, target = arrow.split("-> ")
    parts = tuple(_KINDS[kind] for kind in kinds.split("+"))
    return Edge(node(source), node(target.strip()), JobKey("ns", job or "job"), parts)


def graph(text: str) -> list[Edge]:
    """One edge a line."""
    return [edge(line.strip()) for line in text.strip().splitlines()]
