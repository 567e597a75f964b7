"""Types used in several parts of the schema, and their conversion from the backend's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from headwater_backend.domain import facet_readers, model
from headwater_backend.domain.pages import cursor
from headwater_backend.questions import closure, resolving
from headwater_backend.reports.languages.catalogue import remedy
from headwater_facets.job_titles import title_of
from headwater_graphql.context import Info
from headwater_graphql.engine import definitions
from headwater_graphql.engine.columnar import Repeated, Table
from headwater_graphql.engine.connections import Loader, PageInfo
from headwater_graphql.engine.definitions import JSON
from headwater_graphql.fields.quality import Assertion, DataQualityMetrics

definitions.enum(
    model.LineageType,
    description="DIRECT: the value flows. INDIRECT: it only influences others (filter, join, group, …).",
)
definitions.enum(
    closure.Reach, description="DIRECT: by direct edges only. INFLUENCED: by an indirect edge as well."
)


@definitions.input_type(description="A path of a dataset, as step names; without it, the whole dataset.")
class NodeRef:
    namespace: str
    name: str
    path: list[str] | None = definitions.UNSET

    def key(self) -> model.NodeKey:
        return model.NodeKey(model.DatasetKey(self.namespace, self.name), tuple(self.path or ()))


@definitions.resolver(
    description="What a person would call it; the name itself, unless an agent in Spark has made it."
)
def job_title(self: Any, info: Info) -> str:
    """The ``title`` of each type that has a job's name."""
    return title_of(self.name)


@definitions.object_type(description="An OpenLineage job.")
class JobRef:
    namespace: str
    name: str

    @classmethod
    def of(cls, key: model.JobKey) -> JobRef:
        return cls(namespace=key.namespace, name=key.name)

    title = job_title


@definitions.input_type(description="The full name of a job.")
class JobName:
    namespace: str
    name: str

    def key(self) -> model.JobKey:
        return model.JobKey(self.namespace, self.name)


@definitions.object_type(description="A dataset's namespace and name.")
class DatasetRef:
    namespace: str
    name: str

    @classmethod
    def of(cls, key: model.DatasetKey) -> DatasetRef:
        return cls(namespace=key.namespace, name=key.name)


@definitions.object_type(description="An owner of a dataset or job, from the `ownership` facet.")
class Owner:
    name: str
    type: str | None

    @classmethod
    def of(cls, owner: facet_readers.Owner) -> Owner:
        return cls(name=owner.name, type=owner.type)


@definitions.object_type(description="A tag of a dataset, a dataset's field or a job, from the `tags` facet.")
class Tag:
    key: str
    value: str
    field: str | None = definitions.field(description="Null if the whole dataset or job is tagged.")

    @classmethod
    def of(cls, tag: facet_readers.Tag) -> Tag:
        return cls(key=tag.key, value=tag.value, field=tag.field)


@definitions.object_type(description="A path of a dataset; the empty path is the whole dataset.")
class PathRef:
    namespace: str
    name: str
    path: list[str]
    label: str = definitions.field(description="The path as text, or the dataset's name.")

    @classmethod
    def of(cls, key: model.NodeKey, labels: Mapping[model.NodeKey, str]) -> PathRef:
        return cls(
            namespace=key.dataset.namespace, name=key.dataset.name, path=list(key.path), label=labels[key]
        )


@definitions.object_type(description="A gap: lineage that could not be traced, or that the answer omits.")
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

    @definitions.resolver(description="What to do about gaps with this reason, in English.")
    def remedy(self) -> str:
        return remedy(self.reason)


@definitions.object_type(description="How a value is derived from another.")
class Transformation:
    type: model.LineageType
    subtype: str
    masking: bool
    manipulation: list[str]
    access: str | None
    functions: list[str] = definitions.field(
        description="The names of the functions that changed the value, in the order of the program."
    )
    retains: str | None = definitions.field(
        description="What of the value can be read back from the output and the program's constants: VALUE, CONTAINS, "
        "PART, TOKEN, KEYED_TOKEN, OF_FEW, STATISTIC or FACT; null where it is not given."
    )

    @classmethod
    def of(cls, kind: model.Transformation) -> Transformation:
        return cls(
            type=kind.type,
            subtype=kind.subtype,
            masking=kind.masking,
            manipulation=list(kind.manipulation),
            access=kind.access,
            functions=list(kind.functions),
            retains=kind.retains,
        )


@definitions.object_type(description="A path in the answer; the start has distance 0.")
class LineageNode:
    namespace: str
    name: str
    path: list[str]
    label: str = definitions.field(description="The path as text, or the dataset's name.")
    distance: int = definitions.field(description="The least number of edges from the start.")
    reach: closure.Reach

    @classmethod
    def all_of(cls, nodes: Sequence[closure.LineageNode]) -> Table[LineageNode]:
        return Table(cls, lambda: _nodes(nodes))


def _nodes(nodes: Sequence[closure.LineageNode]) -> dict[str, Sequence[Any]]:
    keys, labels, distances, reaches = zip(*nodes, strict=True) if nodes else ((),) * 4
    datasets = Repeated.of([key.dataset for key in keys])
    paths = Repeated.of(list(zip([key.path for key in keys], labels, strict=True)))
    return {
        "namespace": Repeated(datasets.places, [dataset.namespace for dataset in datasets.values]),
        "name": Repeated(datasets.places, [dataset.name for dataset in datasets.values]),
        "path": Repeated(paths.places, [list(path) for path, _ in paths.values]),
        "label": Repeated(paths.places, [label for _, label in paths.values]),
        "distance": distances,
        "reach": reaches,
    }


@definitions.object_type(
    description="An edge from source to target, in either direction of the query; both are indexes into `nodes`."
)
class LineageEdge:
    source: int
    target: int
    transformations: list[Transformation]
    job: JobRef

    @classmethod
    def all_of(cls, graph: closure.LineageGraph) -> Table[LineageEdge]:
        return Table(cls, lambda: _edges(graph))


def _edges(graph: closure.LineageGraph) -> dict[str, Sequence[Any]]:
    """Return the columns of edges; the few distinct transformations and jobs are each converted once."""
    direction, fars, fans, nears, jobs, ways = graph.edges.columns
    far, near = Repeated(fars, list(range(len(graph.nodes)))), Repeated(fans, nears)
    source, target = (far, near) if direction is model.Direction.BACKWARD else (near, far)
    refs = {job: JobRef.of(job) for job in set(jobs)}
    kinds_of = dict(zip(map(id, ways), ways, strict=True))
    converted = {way: [Transformation.of(kind) for kind in kinds] for way, kinds in kinds_of.items()}
    return {
        "source": source,
        "target": target,
        "transformations": Repeated(fans, [converted[id(way)] for way in ways]),
        "job": Repeated(fans, [refs[job] for job in jobs]),
    }


@definitions.object_type(
    description="A condition, or what a job writes; of no job where the question states it."
)
class ProofStatement:
    sql: str
    job: JobRef | None


@definitions.object_type(description="Statements that exclude each other, of which none can be left out.")
class ExclusionProof:
    because: str
    statements: list[ProofStatement]
    checked: str = definitions.field(
        description="TRIED: all values that matter were tried. SOLVED: another solver agrees. OPEN: neither could say. "
        "WRONG: values were found that meet all."
    )

    @classmethod
    def of(cls, proof: closure.Proof) -> ExclusionProof:
        stated = [
            ProofStatement(sql=sql, job=JobRef.of(job) if job else None) for job, sql in proof.statements
        ]
        return cls(because=proof.because, statements=stated, checked=proof.checked)


@definitions.object_type(
    description="An edge, with why no data can take it: a sentence for each case, or none where only other such edges "
    "lead to it."
)
class JudgedEdge:
    source: PathRef
    target: PathRef
    job: JobRef
    transformations: list[Transformation]
    because: list[str]
    proofs: list[ExclusionProof] = definitions.field(description="With `verify`, each proof checked apart.")

    @classmethod
    def of(cls, judged: closure.JudgedEdge) -> JudgedEdge:
        edge = judged.edge
        names = {edge.source: judged.source, edge.target: judged.target}
        return cls(
            source=PathRef.of(edge.source, names),
            target=PathRef.of(edge.target, names),
            job=JobRef.of(edge.job),
            transformations=[Transformation.of(kind) for kind in edge.transformations],
            because=list(judged.because),
            proofs=[ExclusionProof.of(each) for each in judged.proofs],
        )


@definitions.object_type(
    description="How many edges a condition of the question excludes that its other conditions do not."
)
class ConditionEffect:
    sql: str
    near: int | None = definitions.field(
        description="Those up to the next fork: 0 if it has no effect there. Null where it is not known."
    )
    all: int | None = definitions.field(
        description="Those in the answer, as far as it was searched. Null where it is not known."
    )

    @classmethod
    def of(cls, effect: closure.Effect) -> ConditionEffect:
        return cls(sql=effect.sql, near=effect.near, all=effect.all)


@definitions.object_type(
    description="A condition for `where`, and how many of the ways at which the answer stopped it keeps and ends."
)
class WayChoice:
    sql: str
    keeps: int
    ends: int


@definitions.object_type(description="Where active lineage stopped because of too many ways.")
class TooManyWays:
    ways: int = definitions.field(
        description="How many ways it had followed: paths, each with what rows there have to meet."
    )
    at: list[PathRef] = definitions.field(
        description="The paths at which it stopped. Beyond them, nothing is left out."
    )
    choices: list[WayChoice] = definitions.field(
        description="Conditions that the ways to these paths have met, to ask again with one of them in `where`."
    )

    @classmethod
    def of(cls, stop: closure.Stop) -> TooManyWays:
        return cls(
            ways=stop.ways,
            at=[PathRef.of(each.node, {each.node: each.label}) for each in stop.at],
            choices=[WayChoice(sql=each.sql, keeps=each.keeps, ends=each.ends) for each in stop.choices],
        )


@definitions.object_type(description="A path at which an answer ends, and the rows there that are concerned.")
class ConcernedRows:
    node: PathRef
    condition: str | None = definitions.field(
        description="What holds of each of the rows, in Spark's SQL. Null: all rows may be concerned."
    )
    query: str | None = definitions.field(
        description="Fetches at least the rows that are concerned. Null where the dataset is not known."
    )

    @classmethod
    def of(cls, fetch: closure.Fetch) -> ConcernedRows:
        node = PathRef.of(fetch.node, {fetch.node: fetch.label})
        return cls(node=node, condition=fetch.condition, query=fetch.query)


@definitions.object_type(description="The backward or forward lineage of a path.")
class LineageGraph:
    nodes: Sequence[LineageNode]
    edges: Sequence[LineageEdge]
    complete: bool = definitions.field(description="Whether there are no known gaps.")
    incomplete: list[Incomplete]
    cursor: str | None = definitions.field(
        description="If a limit cut the answer: the value of `after` to continue."
    )
    pruned: list[JudgedEdge] = definitions.field(
        description="Of active lineage: edges that are left out, because no data can take them."
    )
    undecided: list[JudgedEdge] = definitions.field(
        description="Of active lineage: edges that stay, because it was too hard to decide whether data can take them."
    )
    effects: list[ConditionEffect] = definitions.field(
        description="What each condition of `where` excludes, whose parts hold together."
    )
    fetches: list[ConcernedRows] = definitions.field(
        description="Of active lineage, backward: the rows at its ends that are concerned."
    )
    stopped: TooManyWays | None = definitions.field(
        description="Of active lineage: where it stopped because of too many ways, or for lack of time."
    )

    @classmethod
    def of(cls, graph: closure.LineageGraph) -> LineageGraph:
        return cls(
            nodes=LineageNode.all_of(graph.nodes),
            edges=LineageEdge.all_of(graph),
            complete=graph.complete,
            incomplete=[Incomplete.of(entry) for entry in graph.incomplete],
            cursor=graph.cursor,
            pruned=[JudgedEdge.of(each) for each in graph.pruned],
            undecided=[JudgedEdge.of(each) for each in graph.undecided],
            effects=[ConditionEffect.of(each) for each in graph.effects],
            fetches=[ConcernedRows.of(each) for each in graph.fetches],
            stopped=graph.stopped and TooManyWays.of(graph.stopped),
        )


@definitions.object_type(description="One edge of a witness.")
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


@definitions.object_type(description="A path of a dataset, with its type and description from the schema.")
class DatasetPath:
    path: list[str]
    label: str
    type: str | None
    description: str | None


class Siblings:
    """Loaders shared by the datasets of one answer."""

    def __init__(self, keys: Sequence[model.DatasetKey]) -> None:
        self.paths = Loader(lambda: keys, resolving.paths)
        self.gaps = Loader(lambda: keys, resolving.gaps)


@definitions.object_type(description="A change of a dataset, from a `lifecycleStateChange` facet.")
class StateChange:
    change: str = definitions.field(
        description="ALTER, CREATE, DROP, OVERWRITE, RENAME, TRUNCATE, or FOUND: data of before were left."
    )
    at: datetime
    dataset: DatasetRef = definitions.field(description="The dataset's name at that time.")
    previous: DatasetRef | None = definitions.field(description="The name before a RENAME.")
    job: JobRef | None
    run_id: str | None
    replaced: str | None = definitions.field(
        description="How much of the content it replaced: WHOLE, PART (partitions, the rows of a condition) or NONE. "
        "Null where that is not known."
    )

    @classmethod
    def of(cls, change: model.StateChange) -> StateChange:
        return cls(
            change=change.change,
            at=change.at,
            dataset=DatasetRef.of(change.dataset),
            previous=DatasetRef.of(change.previous) if change.previous else None,
            job=JobRef.of(change.job) if change.job else None,
            run_id=change.run_id,
            replaced=change.replaced,
        )


@definitions.object_type(description="A dataset with the newest state of each of its facets.")
class Dataset:
    namespace: str
    name: str
    names: list[DatasetRef] = definitions.field(
        description="Its other names: symlinks, and names before it was renamed."
    )
    first_seen: datetime | None
    last_seen: datetime | None
    description: str | None
    version: str | None
    owners: list[Owner]
    tags: list[Tag]
    changes: list[StateChange] = definitions.field(
        description="Its changes, newest first; changes by failed runs are ignored."
    )
    dropped_at: datetime | None = definitions.field(
        description="Null unless it was dropped, and not written since."
    )
    quality: DataQualityMetrics | None = definitions.field(
        description="The latest metrics of the dataset itself; `datasetHistory` has those of runs."
    )
    assertions: list[Assertion] = definitions.field(
        description="The latest test results of the dataset itself; `datasetHistory` has those of runs."
    )
    facets: JSON = definitions.field(description="The original facets, by name.")
    key: model.DatasetKey = definitions.private()
    fields: tuple[model.SchemaField, ...] = definitions.private()
    siblings: Siblings = definitions.private()

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

    @definitions.resolver(description="All known paths, including inner ones, sorted.")
    def paths(self, info: Info) -> list[DatasetPath]:
        known = resolving.describe_paths(self.siblings.paths.get(info, self.key) or (), self.fields)
        return [
            DatasetPath(path=list(each.path), label=each.label, type=each.type, description=each.description)
            for each in known
        ]

    @definitions.resolver(description="Known gaps in the lineage into it.")
    def incomplete(self, info: Info) -> list[Incomplete]:
        return [Incomplete.of(entry) for entry in self.siblings.gaps.get(info, self.key) or ()]


def datasets_by_key(found: Mapping[model.DatasetKey, model.Dataset]) -> dict[model.DatasetKey, Dataset]:
    """Convert the datasets of one answer, by the requested keys; they share their loaders."""
    siblings = Siblings([each.key for each in found.values()])
    return {key: Dataset.of(each, siblings) for key, each in found.items()}


@definitions.object_type()
class DatasetEdge:
    node: Dataset
    cursor: str


@definitions.object_type(description="A page of datasets, by namespace and name.")
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
