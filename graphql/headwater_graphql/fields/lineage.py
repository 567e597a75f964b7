"""Lineage in GraphQL: one direction or both, at each level, limited and paginated."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from headwater_backend.active import MOST_STATES
from headwater_backend.copies import gaps
from headwater_backend.domain import model, patterns
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.roles import Permission
from headwater_backend.questions import closure, levels, lineage
from headwater_backend.questions.traversal import DEFAULT_DEPTH, Bounds
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.types import DatasetRef, Incomplete, LineageGraph, NodeRef, job_title

definitions.enum(
    levels.Level,
    name="LineageLevel",
    description="The granularity of nodes. A coarser level aggregates the answer at path level.",
)
definitions.enum(
    model.Direction,
    name="LineageDirection",
    description="BACKWARD: to its sources. FORWARD: to data derived from it.",
)
DIRECT = [model.LineageType.DIRECT]


@definitions.input_type(
    description="Datasets whose namespace and name match; `*` is any text, `?` any character, null matches all."
)
class DatasetPattern:
    namespace: str | None = None
    name: str | None = None


@definitions.input_type(description="Restricts the datasets of a lineage query.")
class LineageFilter:
    within: list[DatasetPattern] | None = definitions.field(
        default=None, description="Only enter these datasets."
    )
    stop_at: list[DatasetPattern] | None = definitions.field(
        default=None, description="Do not follow lineage beyond these datasets."
    )


@definitions.object_type(description="The backward and forward lineage of a node.")
class BothWays:
    backward: LineageGraph
    forward: LineageGraph
    complete: bool


@definitions.object_type(description="A job behind an answer.")
class LineageJob:
    namespace: str
    name: str
    distance: int = definitions.field(description="Distance in jobs; 1 for jobs next to the start.")
    reach: closure.Reach

    title = job_title


@definitions.object_type(
    description="The target job read what the source job wrote; both are indexes into `jobs`."
)
class JobEdge:
    source: int
    target: int
    through: list[DatasetRef]


@definitions.object_type(description="The jobs behind an answer, and the data flow between them.")
class JobGraph:
    jobs: list[LineageJob]
    edges: list[JobEdge]
    complete: bool
    incomplete: list[Incomplete]
    cursor: str | None = definitions.field(
        description="If a limit cut the answer: the value of `after` to continue."
    )

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


@definitions.object_type()
class LineageQuery:
    @definitions.resolver(description="The sources of the node.")
    @needs(Permission.ASK)
    def backward_lineage(
        self,
        info: Info,
        node: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        types: list[model.LineageType] | None = DIRECT,
        level: levels.Level = levels.Level.PATH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002, the usual name of the argument
        first: int | None = None,
        after: str | None = None,
        active: bool = False,
        where: str | None = None,
        verify: bool = False,
        most_ways: int | None = MOST_STATES,
    ) -> LineageGraph:
        info = as_known(info, as_known_at)
        scope = _scope(info, depth, types, as_of, filter, first, after)
        asked = _Active(active, where, verify, most_ways)
        return _one_way(info, node.key(), model.Direction.BACKWARD, scope, level, asked)

    @definitions.resolver(description="The data derived from the node.")
    @needs(Permission.ASK)
    def forward_lineage(
        self,
        info: Info,
        node: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        types: list[model.LineageType] | None = DIRECT,
        level: levels.Level = levels.Level.PATH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002
        first: int | None = None,
        after: str | None = None,
        active: bool = False,
        where: str | None = None,
        verify: bool = False,
        most_ways: int | None = MOST_STATES,
    ) -> LineageGraph:
        info = as_known(info, as_known_at)
        scope = _scope(info, depth, types, as_of, filter, first, after)
        asked = _Active(active, where, verify, most_ways)
        return _one_way(info, node.key(), model.Direction.FORWARD, scope, level, asked)

    @definitions.resolver(description="The sources of the node, and the data derived from it.")
    @needs(Permission.ASK)
    def lineage(
        self,
        info: Info,
        node: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        types: list[model.LineageType] | None = DIRECT,
        level: levels.Level = levels.Level.PATH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002
        first: int | None = None,
    ) -> BothWays:
        info = as_known(info, as_known_at)
        scope = _scope(info, depth, types, as_of, filter, first)
        found = run_question(info, gaps.both, node.key(), scope, level)
        return BothWays(
            backward=LineageGraph.of(found.backward),
            forward=LineageGraph.of(found.forward),
            complete=found.complete,
        )

    @definitions.resolver(description="The jobs behind the node's backward or forward lineage.")
    @needs(Permission.ASK)
    def job_lineage(
        self,
        info: Info,
        node: NodeRef,
        direction: model.Direction,
        depth: int | None = DEFAULT_DEPTH,
        types: list[model.LineageType] | None = DIRECT,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002
        first: int | None = None,
        after: str | None = None,
    ) -> JobGraph:
        info = as_known(info, as_known_at)
        scope = _scope(info, depth, types, as_of, filter, first, after)
        return JobGraph.of(run_question(info, lineage.jobs, node.key(), direction, scope))


class _Active(NamedTuple):
    """What is asked for of active lineage; each but ``active`` asks for it, too."""

    active: bool
    where: str | None
    verify: bool
    most_ways: int | None


def _one_way(
    info: Info,
    node: model.NodeKey,
    direction: model.Direction,
    scope: lineage.Scope,
    level: levels.Level,
    asked: _Active,
) -> LineageGraph:
    most_ways = MOST_STATES if asked.most_ways is None else asked.most_ways
    if not (asked.active or asked.verify or asked.where is not None or most_ways != MOST_STATES):
        return LineageGraph.of(run_question(info, gaps.lineage, node, direction, scope, level))
    found = run_question(
        info,
        gaps.active_lineage,
        node,
        direction,
        scope,
        level,
        where=asked.where,
        verify=asked.verify,
        most_ways=most_ways,
    )
    return LineageGraph.of(found)


def bounds(
    info: Info,
    depth: int | None,
    as_of: datetime | None = None,
    chosen: LineageFilter | None = None,
    first: int | None = None,
) -> Bounds:
    """Return the requested limits, capped by those of the server."""
    if first is not None and first < 1:
        raise BadQuestion(f"first is {first}", "first must be at least 1")
    most = info.context.max_nodes
    return Bounds(
        depth=depth,
        nodes=most if first is None else min(first, most),
        as_of=as_of,
        within=dataset_patterns(chosen.within if chosen else None),
        stops=dataset_patterns(chosen.stop_at if chosen else None),
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


def dataset_patterns(given: list[DatasetPattern] | None) -> tuple[patterns.DatasetPattern, ...]:
    """Return the patterns of an argument."""
    return tuple(patterns.DatasetPattern(each.namespace, each.name) for each in given or ())
