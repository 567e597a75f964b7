"""The types of the GraphQL schema, and how each is made of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from headwater_backend.domain import facet_readers, model
from headwater_backend.domain.pages import cursor
from headwater_backend.questions import closure, find
from headwater_graphql.context import Info
from headwater_graphql.engine import declare
from headwater_graphql.engine.connections import Loader, PageInfo
from headwater_graphql.engine.declare import JSON
from headwater_graphql.engine.tables import Table
from headwater_graphql.fields.quality import Assertion, DataQualityMetrics

declare.enum(
    model.LineageType,
    description="DIRECT: a value flows. INDIRECT: it only decides (filter, join, group, …).",
)
declare.enum(
    closure.Reach, description="DIRECT: by values all the way. INFLUENCED: only over an indirect edge."
)


@declare.input_type(description="A path of a dataset, as step names; no path is the whole dataset.")
class NodeRef:
    namespace: str
    name: str
    path: list[str] | None = declare.UNSET

    def key(self) -> model.NodeKey:
        return model.NodeKey(model.DatasetKey(self.namespace, self.name), tuple(self.path or ()))


@declare.object_type(description="A job, as OpenLineage names it.")
class JobRef:
    namespace: str
    name: str

    @classmethod
    def of(cls, key: model.JobKey) -> JobRef:
        return cls(namespace=key.namespace, name=key.name)


@declare.object_type(description="A place in the namespace of datasets.")
class DatasetRef:
    namespace: str
    name: str

    @classmethod
    def of(cls, key: model.DatasetKey) -> DatasetRef:
        return cls(namespace=key.namespace, name=key.name)


@declare.object_type(description="Who answers for a dataset or a job, as the `ownership` facet says.")
class Owner:
    name: str
    type: str | None

    @classmethod
    def of(cls, owner: facet_readers.Owner) -> Owner:
        return cls(name=owner.name, type=owner.type)


@declare.object_type(
    description="A tag of a dataset or a job, or of a dataset's field, as the `tags` facet says."
)
class Tag:
    key: str
    value: str
    field: str | None = declare.field(description="None where the dataset or job as a whole is tagged.")

    @classmethod
    def of(cls, tag: facet_readers.Tag) -> Tag:
        return cls(key=tag.key, value=tag.value, field=tag.field)


@declare.object_type(description="A path of a dataset; the empty path is the whole dataset.")
class PathRef:
    namespace: str
    name: str
    path: list[str]
    label: str = declare.field(description="The path as people write it, or the dataset's name.")

    @classmethod
    def of(cls, key: model.NodeKey, labels: Mapping[model.NodeKey, str]) -> PathRef:
        return cls(
            namespace=key.dataset.namespace, name=key.dataset.name, path=list(key.path), label=labels[key]
        )


@declare.object_type(description="Something that could not be traced, or that the answer leaves out.")
class Incomplete:
    reason: str
    namespace: str
    name: str
    path: list[str]
    job: JobRef | None
    detail: str

    @classmethod
    def of(cls, entry: model.Incomplete) -> Incomplete:
        return cls(
            reason=entry.reason,
            namespace=entry.dataset.namespace,
            name=entry.dataset.name,
            path=list(entry.path),
            job=JobRef.of(entry.job) if entry.job else None,
            detail=entry.detail,
        )


@declare.object_type(description="How a value got from one path to another.")
class Transformation:
    type: model.LineageType
    subtype: str
    masking: bool
    manipulation: list[str]
    access: str | None

    @classmethod
    def of(cls, kind: model.Transformation) -> Transformation:
        return cls(
            type=kind.type,
            subtype=kind.subtype,
            masking=kind.masking,
            manipulation=list(kind.manipulation),
            access=kind.access,
        )


@declare.object_type(description="A path that the answer holds; the start has distance 0.")
class LineageNode:
    namespace: str
    name: str
    path: list[str]
    label: str = declare.field(description="The path as people write it, or the dataset's name.")
    distance: int = declare.field(description="The least number of edges from the start.")
    reach: closure.Reach

    @classmethod
    def all_of(cls, nodes: Sequence[closure.LineageNode]) -> Table[LineageNode]:
        return Table(cls, lambda: _nodes(nodes))


def _nodes(nodes: Sequence[closure.LineageNode]) -> dict[str, Sequence[Any]]:
    keys, labels, distances, reaches = zip(*nodes, strict=True) if nodes else ((),) * 4
    return {
        "namespace": [key.dataset.namespace for key in keys],
        "name": [key.dataset.name for key in keys],
        "path": [list(key.path) for key in keys],
        "label": labels,
        "distance": distances,
        "reach": reaches,
    }


@declare.object_type(
    description="An edge from source to target, whichever way was asked; both are indexes into nodes."
)
class LineageEdge:
    source: int
    target: int
    transformations: list[Transformation]
    job: JobRef

    @classmethod
    def all_of(cls, graph: closure.LineageGraph) -> Table[LineageEdge]:
        return Table(cls, lambda: _edges(graph.edges))


def _edges(edges: closure.Edges) -> dict[str, Sequence[Any]]:
    """Few ways of transforming, and few jobs, lie on many edges: each is put into words once."""
    sources, targets, jobs, ways = edges.columns
    refs = {job: JobRef.of(job) for job in set(jobs)}
    kinds_of = dict(zip(map(id, ways), ways, strict=True))
    told = {way: [Transformation.of(kind) for kind in kinds] for way, kinds in kinds_of.items()}
    return {
        "source": sources,
        "target": targets,
        "transformations": list(map(told.__getitem__, map(id, ways))),
        "job": list(map(refs.__getitem__, jobs)),
    }


@declare.object_type(description="What a path is made of, or what is made of it.")
class LineageGraph:
    nodes: Sequence[LineageNode]
    edges: Sequence[LineageEdge]
    complete: bool = declare.field(description="Whether nothing is known to be missing.")
    incomplete: list[Incomplete]
    cursor: str | None = declare.field(description="Where a limit ended the answer: `after` goes on.")

    @classmethod
    def of(cls, graph: closure.LineageGraph) -> LineageGraph:
        return cls(
            nodes=LineageNode.all_of(graph.nodes),
            edges=LineageEdge.all_of(graph),
            complete=graph.complete,
            incomplete=[Incomplete.of(entry) for entry in graph.incomplete],
            cursor=graph.cursor,
        )


@declare.object_type(description="One edge of a witness.")
class WitnessStep:
    source: PathRef
    target: PathRef
    job: JobRef
    transformations: list[Transformation]

    @classmethod
    def of(cls, edge: model.Edge, labels: Mapping[model.NodeKey, str]) -> WitnessStep:
        return cls(
            source=PathRef.of(edge.source, labels),
            target=PathRef.of(edge.target, labels),
            job=JobRef.of(edge.job),
            transformations=[Transformation.of(kind) for kind in edge.transformations],
        )


@declare.object_type(description="A path of a dataset, with what its schema says of it.")
class DatasetPath:
    path: list[str]
    label: str
    type: str | None
    description: str | None


class Siblings:
    """What the datasets of one answer are asked for."""

    def __init__(self, keys: Sequence[model.DatasetKey]) -> None:
        self.paths = Loader(lambda: keys, find.paths)
        self.gaps = Loader(lambda: keys, find.gaps)


@declare.object_type(description="What happened to a dataset, as a `lifecycleStateChange` facet says.")
class StateChange:
    change: str = declare.field(description="ALTER, CREATE, DROP, OVERWRITE, RENAME or TRUNCATE.")
    at: datetime
    dataset: DatasetRef = declare.field(description="By the name that it had then.")
    previous: DatasetRef | None = declare.field(description="Its name before it was renamed.")
    job: JobRef | None
    run_id: str | None

    @classmethod
    def of(cls, change: model.StateChange) -> StateChange:
        return cls(
            change=change.change,
            at=change.at,
            dataset=DatasetRef.of(change.dataset),
            previous=DatasetRef.of(change.previous) if change.previous else None,
            job=JobRef.of(change.job) if change.job else None,
            run_id=change.run_id,
        )


@declare.object_type(description="A dataset with the newest state of each of its facets.")
class Dataset:
    namespace: str
    name: str
    names: list[DatasetRef] = declare.field(
        description="Its other names: symlinks, and those that it had before it was renamed."
    )
    first_seen: datetime | None
    last_seen: datetime | None
    description: str | None
    version: str | None
    owners: list[Owner]
    tags: list[Tag]
    changes: list[StateChange] = declare.field(
        description="What happened to it, newest first; what failed runs did does not count."
    )
    dropped_at: datetime | None = declare.field(
        description="None unless it was dropped, and not written since."
    )
    quality: DataQualityMetrics | None = declare.field(
        description="What was measured of it last; what a run measured of it is told in `datasetHistory`."
    )
    assertions: list[Assertion] = declare.field(
        description="What was tested of it last; what a run tested of it is told in `datasetHistory`."
    )
    facets: JSON = declare.field(description="The facets as they came, by name.")
    key: model.DatasetKey = declare.private()
    fields: tuple[model.SchemaField, ...] = declare.private()
    siblings: Siblings = declare.private()

    @classmethod
    def of(cls, found: model.Dataset, siblings: Siblings | None = None) -> Dataset:
        return cls(
            namespace=found.key.namespace,
            name=found.key.name,
            names=[DatasetRef.of(name) for name in found.names],
            first_seen=found.first_seen,
            last_seen=found.last_seen,
            description=facet_readers.description(found.facets),
            version=facet_readers.version(found.facets),
            owners=[Owner.of(owner) for owner in facet_readers.owners(found.facets)],
            tags=[Tag.of(tag) for tag in facet_readers.tags(found.facets)],
            changes=[StateChange.of(change) for change in found.changes],
            dropped_at=found.dropped_at,
            quality=DataQualityMetrics.of(found.facets),
            assertions=Assertion.all(found.facets),
            facets=JSON(dict(found.facets)),
            key=found.key,
            fields=found.fields,
            siblings=siblings or Siblings([found.key]),
        )

    @declare.resolver(description="All known paths, inner ones included, sorted.")
    def paths(self, info: Info) -> list[DatasetPath]:
        known = find.described_paths(self.siblings.paths.get(info, self.key) or (), self.fields)
        return [
            DatasetPath(path=list(each.path), label=each.label, type=each.type, description=each.description)
            for each in known
        ]

    @declare.resolver(description="What is known not to be known about the lineage into it.")
    def incomplete(self, info: Info) -> list[Incomplete]:
        return [Incomplete.of(entry) for entry in self.siblings.gaps.get(info, self.key) or ()]


def described(found: Mapping[model.DatasetKey, model.Dataset]) -> dict[model.DatasetKey, Dataset]:
    """The datasets of one answer by the keys asked for; they share their loaders."""
    siblings = Siblings([each.key for each in found.values()])
    return {key: Dataset.of(each, siblings) for key, each in found.items()}


@declare.object_type()
class DatasetEdge:
    node: Dataset
    cursor: str


@declare.object_type(description="A page of datasets, by namespace and name.")
class DatasetConnection:
    edges: list[DatasetEdge]
    page_info: PageInfo
    total_count: int

    @classmethod
    def of(cls, page: model.DatasetPage, after: str | None) -> DatasetConnection:
        siblings = Siblings([found.key for found in page.items])
        edges = [
            DatasetEdge(node=Dataset.of(found, siblings), cursor=cursor(*found.key)) for found in page.items
        ]
        return cls(
            edges=edges,
            page_info=PageInfo.of([edge.cursor for edge in edges], page.has_next, after),
            total_count=page.total,
        )
