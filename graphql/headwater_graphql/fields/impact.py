"""Witnesses and impact in GraphQL: routes between paths, and datasets and jobs affected by a change."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from headwater_backend.domain import model
from headwater_backend.domain.roles import Permission
from headwater_backend.questions import closure, impact, witness
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
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


@definitions.object_type(description="A route of edges from the source to the target.")
class Witness:
    length: int
    reach: closure.Reach = definitions.field(description="DIRECT if a value can flow along the whole route.")
    steps: list[WitnessStep]

    @classmethod
    def of(cls, found: witness.Witness, labels: Mapping[model.NodeKey, str]) -> Witness:
        return cls(
            length=len(found.steps),
            reach=found.reach,
            steps=[WitnessStep.of(edge, labels) for edge in found.steps],
        )


@definitions.object_type(description="The shortest routes, shortest first; empty if no route is known.")
class Witnesses:
    witnesses: list[Witness]
    more: bool = definitions.field(description="Whether there are more routes.")
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


@definitions.object_type(description="A dataset with affected paths.")
class TouchedDataset:
    namespace: str
    name: str
    distance: int = definitions.field(description="The least number of edges from the path.")
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


@definitions.object_type(description="A job that reads the path, or data derived from it.")
class TouchedJob:
    namespace: str
    name: str
    distance: int = definitions.field(description="Distance in jobs; 1 for jobs that read the path.")
    reach: closure.Reach
    reads: bool = definitions.field(
        description="Whether it reads the path itself, and fails when it is dropped."
    )
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


@definitions.object_type(description="An owner to notify, and the affected datasets and jobs.")
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


@definitions.object_type(description="What changing or dropping the path affects, nearest first.")
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


@definitions.object_type()
class ImpactQuery:
    @definitions.resolver(description="The shortest routes from the source to the target.")
    @needs(Permission.ASK)
    def witnesses(
        self,
        info: Info,
        source: NodeRef,
        target: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        types: list[model.LineageType] | None = DIRECT,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002, the usual name of the argument
        first: int = witness.WITNESSES,
    ) -> Witnesses:
        info = as_known(info, as_known_at)
        kinds = frozenset(DIRECT if types is None else types)
        limits = bounds(info, depth, as_of, filter)
        found = run_question(info, witness.witnesses, source.key(), target.key(), kinds, limits, first=first)
        return Witnesses.of(found)

    @definitions.resolver(description="What changing or dropping the node affects: outputs, jobs, owners.")
    @needs(Permission.ASK)
    def impact(
        self,
        info: Info,
        node: NodeRef,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002
    ) -> Impact:
        info = as_known(info, as_known_at)
        return Impact.of(run_question(info, impact.impact, node.key(), bounds(info, depth, as_of, filter)))
