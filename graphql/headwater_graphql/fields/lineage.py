"""Lineage in GraphQL: one direction or both, at each level, within bounds, page by page."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.domain import model, patterns
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.questions import closure, levels, lineage
from headwater_backend.questions.search import DEFAULT_DEPTH, Bounds
from headwater_graphql.context import Info, ask
from headwater_graphql.engine import declare
from headwater_graphql.fields.types import DatasetRef, Incomplete, LineageGraph, NodeRef

declare.enum(
    levels.Level,
    name="LineageLevel",
    description="How finely nodes are told apart. A coarser level is a roll-up of the paths' answer.",
)
declare.enum(
    model.Direction,
    name="LineageDirection",
    description="BACKWARD: to what it is made of. FORWARD: to what is made of it.",
)
DIRECT = [model.LineageType.DIRECT]


@declare.input_type(
    description="Datasets whose namespace and name fit; `*` is any text, `?` any character, nothing fits all."
)
class DatasetPattern:
    namespace: str | None = None
    name: str | None = None


@declare.input_type(description="Which datasets a question about lineage takes in.")
class LineageFilter:
    within: list[DatasetPattern] | None = declare.field(
        default=None, description="Enter these datasets only."
    )
    stop_at: list[DatasetPattern] | None = declare.field(
        default=None, description="Do not go beyond these datasets."
    )


@declare.object_type(description="What a node is made of, and what is made of it.")
class BothWays:
    backward: LineageGraph
    forward: LineageGraph
    complete: bool


@declare.object_type(description="A job behind an answer.")
class LineageJob:
    namespace: str
    name: str
    distance: int = declare.field(description="How many jobs away: those next to the start have 1.")
    reach: closure.Reach


@declare.object_type(description="The target read what the source wrote; both are indexes into jobs.")
class JobEdge:
    source: int
    target: int
    through: list[DatasetRef]


@declare.object_type(description="The jobs behind an answer, and which of them handed data to which.")
class JobGraph:
    jobs: list[LineageJob]
    edges: list[JobEdge]
    complete: bool
    incomplete: list[Incomplete]
    cursor: str | None = declare.field(description="Where a limit ended the answer: `after` goes on.")

    @classmethod
    def of(cls, graph: levels.JobGraph) -> JobGraph:
        index = {job.key: position for position, job in enumerate(graph.jobs)}
        refs = {key: DatasetRef.of(key) for edge in graph.edges for key in edge.through}
        return cls(
            jobs=[
                LineageJob(
                    namespace=job.key.namespace, name=job.key.name, distance=job.distance, reach=job.reach
                )
                for job in graph.jobs
            ],
            edges=[
                JobEdge(
                    source=index[edge.source],
                    target=index[edge.target],
                    through=[refs[key] for key in edge.through],
                )
                for edge in graph.edges
            ],
            complete=graph.complete,
            incomplete=[Incomplete.of(entry) for entry in graph.incomplete],
            cursor=graph.cursor,
        )


@declare.object_type()
class LineageQuery:
    @declare.resolver(description="What the node is made of.")
    def backward_lineage(
        self,
        info: Info,
        node: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        types: list[model.LineageType] | None = DIRECT,
        level: levels.Level = levels.Level.PATH,
        as_of: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002, the name that everybody gives it
        first: int | None = None,
        after: str | None = None,
    ) -> LineageGraph:
        scope = _scope(info, depth, types, as_of, filter, first, after)
        graph = ask(info, lineage.lineage, node.key(), model.Direction.BACKWARD, scope, level)
        return LineageGraph.of(graph)

    @declare.resolver(description="What is made of the node.")
    def forward_lineage(
        self,
        info: Info,
        node: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        types: list[model.LineageType] | None = DIRECT,
        level: levels.Level = levels.Level.PATH,
        as_of: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002
        first: int | None = None,
        after: str | None = None,
    ) -> LineageGraph:
        scope = _scope(info, depth, types, as_of, filter, first, after)
        graph = ask(info, lineage.lineage, node.key(), model.Direction.FORWARD, scope, level)
        return LineageGraph.of(graph)

    @declare.resolver(description="What the node is made of, and what is made of it.")
    def lineage(
        self,
        info: Info,
        node: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        types: list[model.LineageType] | None = DIRECT,
        level: levels.Level = levels.Level.PATH,
        as_of: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002
        first: int | None = None,
    ) -> BothWays:
        scope = _scope(info, depth, types, as_of, filter, first)
        found = ask(info, lineage.both, node.key(), scope, level)
        return BothWays(
            backward=LineageGraph.of(found.backward),
            forward=LineageGraph.of(found.forward),
            complete=found.complete,
        )

    @declare.resolver(description="The jobs behind what the node is made of, or what is made of it.")
    def job_lineage(
        self,
        info: Info,
        node: NodeRef,
        direction: model.Direction,
        depth: int | None = DEFAULT_DEPTH,
        types: list[model.LineageType] | None = DIRECT,
        as_of: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002
        first: int | None = None,
        after: str | None = None,
    ) -> JobGraph:
        scope = _scope(info, depth, types, as_of, filter, first, after)
        return JobGraph.of(ask(info, lineage.jobs, node.key(), direction, scope))


def bounds(
    info: Info,
    depth: int | None,
    as_of: datetime | None = None,
    chosen: LineageFilter | None = None,
    first: int | None = None,
) -> Bounds:
    """The bounds asked for, within those of the server."""
    if first is not None and first < 1:
        raise BadQuestion(f"first is {first}", "first counts nodes, from 1")
    most = info.context.max_nodes
    return Bounds(
        depth=depth,
        nodes=most if first is None else min(first, most),
        as_of=as_of,
        within=_patterns(chosen.within if chosen else None),
        stops=_patterns(chosen.stop_at if chosen else None),
    )


def _scope(
    info: Info,
    depth: int | None,
    types: list[model.LineageType] | None,
    as_of: datetime | None,
    chosen: LineageFilter | None,
    first: int | None,
    after: str | None = None,
) -> lineage.Scope:
    kinds = frozenset(DIRECT if types is None else types)
    return lineage.Scope(kinds, bounds(info, depth, as_of, chosen, first), after)


def _patterns(given: list[DatasetPattern] | None) -> tuple[patterns.DatasetPattern, ...]:
    return tuple(patterns.DatasetPattern(each.namespace, each.name) for each in given or ())
