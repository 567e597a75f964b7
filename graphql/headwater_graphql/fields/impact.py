"""Witnesses and impact in GraphQL: how one path gets to another, and whom a change of it touches."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from headwater_backend.domain import model
from headwater_backend.questions import closure, impact, witness
from headwater_backend.questions.search import DEFAULT_DEPTH
from headwater_graphql.context import Info, ask
from headwater_graphql.engine import declare
from headwater_graphql.fields.lineage import DIRECT, LineageFilter, bounds
from headwater_graphql.fields.types import (
    DatasetRef,
    Incomplete,
    JobRef,
    LineageNode,
    NodeRef,
    Owner,
    PathRef,
    WitnessStep,
)


@declare.object_type(description="A route of edges from the source to the target.")
class Witness:
    length: int
    reach: closure.Reach = declare.field(description="DIRECT when a value can have come all the way.")
    steps: list[WitnessStep]

    @classmethod
    def of(cls, found: witness.Witness, labels: Mapping[model.NodeKey, str]) -> Witness:
        return cls(
            length=len(found.steps),
            reach=found.reach,
            steps=[WitnessStep.of(edge, labels) for edge in found.steps],
        )


@declare.object_type(
    description="The shortest routes, the shortest first; none when nothing known gets there."
)
class Witnesses:
    witnesses: list[Witness]
    more: bool = declare.field(description="Whether there are other routes than these.")
    complete: bool
    incomplete: list[Incomplete]

    @classmethod
    def of(cls, found: witness.Witnesses) -> Witnesses:
        return cls(
            witnesses=[Witness.of(each, found.labels) for each in found.witnesses],
            more=found.more,
            complete=found.complete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
        )


@declare.object_type(description="A dataset of which some paths are touched.")
class TouchedDataset:
    namespace: str
    name: str
    distance: int = declare.field(description="The least number of edges from the path.")
    reach: closure.Reach
    owners: list[Owner]
    paths: list[LineageNode]

    @classmethod
    def of(cls, each: impact.TouchedDataset) -> TouchedDataset:
        return cls(
            namespace=each.key.namespace,
            name=each.key.name,
            distance=each.distance,
            reach=each.reach,
            owners=[Owner.of(owner) for owner in each.owners],
            paths=list(LineageNode.all_of(each.paths)),
        )


@declare.object_type(description="A job that reads the path, or what was made of it.")
class TouchedJob:
    namespace: str
    name: str
    distance: int = declare.field(description="How many jobs away: those that read the path have 1.")
    reach: closure.Reach
    reads: bool = declare.field(description="Whether it reads the path itself, and misses it when it goes.")
    owners: list[Owner]

    @classmethod
    def of(cls, each: impact.TouchedJob) -> TouchedJob:
        return cls(
            namespace=each.key.namespace,
            name=each.key.name,
            distance=each.distance,
            reach=each.reach,
            reads=each.reads,
            owners=[Owner.of(owner) for owner in each.owners],
        )


@declare.object_type(description="Somebody to tell, and what they answer for.")
class AffectedOwner:
    name: str
    type: str | None
    datasets: list[DatasetRef]
    jobs: list[JobRef]

    @classmethod
    def of(cls, each: impact.AffectedOwner) -> AffectedOwner:
        return cls(
            name=each.owner.name,
            type=each.owner.type,
            datasets=[DatasetRef.of(key) for key in each.datasets],
            jobs=[JobRef.of(key) for key in each.jobs],
        )


@declare.object_type(description="What a change of the path, or its end, would touch; the nearest first.")
class Impact:
    node: PathRef
    outputs: list[TouchedDataset]
    jobs: list[TouchedJob]
    owners: list[AffectedOwner]
    complete: bool
    incomplete: list[Incomplete]

    @classmethod
    def of(cls, found: impact.Impact) -> Impact:
        return cls(
            node=PathRef.of(found.node, {found.node: found.label}),
            outputs=[TouchedDataset.of(each) for each in found.outputs],
            jobs=[TouchedJob.of(each) for each in found.jobs],
            owners=[AffectedOwner.of(each) for each in found.owners],
            complete=found.complete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
        )


@declare.object_type()
class ImpactQuery:
    @declare.resolver(description="The shortest routes by which the source gets to the target.")
    def witnesses(
        self,
        info: Info,
        source: NodeRef,
        target: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        types: list[model.LineageType] | None = DIRECT,
        as_of: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002, the name that everybody gives it
        first: int = witness.WITNESSES,
    ) -> Witnesses:
        kinds = frozenset(DIRECT if types is None else types)
        limits = bounds(info, depth, as_of, filter)
        found = ask(info, witness.witnesses, source.key(), target.key(), kinds, limits, first=first)
        return Witnesses.of(found)

    @declare.resolver(description="What changing or dropping the node would touch: outputs, jobs, owners.")
    def impact(
        self,
        info: Info,
        node: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002
    ) -> Impact:
        return Impact.of(ask(info, impact.impact, node.key(), bounds(info, depth, as_of, filter)))
