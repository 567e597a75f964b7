"""Retention in GraphQL: personal data that are kept for longer than the organisation states."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.domain.roles import Permission
from headwater_backend.privacy.retention import overdue
from headwater_backend.privacy.retention.listing import overdue_page
from headwater_backend.questions.resolving import labels
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import PageInfo
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.privacy.exposure import (
    Classification,
    FunctionRule,
    PersonalRule,
    exposure_scope,
    ruling_of,
)
from headwater_graphql.fields.privacy.held_attributes import HeldAttribute, nodes_of
from headwater_graphql.fields.privacy.policies.check import stated
from headwater_graphql.fields.types import DatasetRef, Incomplete, JobRef, NodeRef

if TYPE_CHECKING:
    from headwater_backend.domain.model import NodeKey


@definitions.object_type(description="The retention that the organisation states for a dataset.")
class RetentionLimit:
    dataset: DatasetRef
    activity: str
    retention: str = definitions.field(description="The period, as it is stated.")
    before: datetime = definitions.field(description="What was written before this moment exceeds it.")

    @classmethod
    def of(cls, limit: overdue.Limit) -> RetentionLimit:
        return cls(
            dataset=DatasetRef.of(limit.dataset),
            activity=limit.activity,
            retention=limit.retention,
            before=limit.before,
        )


@definitions.object_type(description="A dataset that may hold data beyond a limit.")
class OverdueDataset:
    limit: RetentionLimit
    dataset: DatasetRef
    route: list[DatasetRef] = definitions.field(
        description="The datasets through which the old data came here, from the one into which they were written "
        "before the limit."
    )
    job: JobRef = definitions.field(description="The job that wrote them into the first one.")
    written: datetime = definitions.field(description="When it did so for the last time before the limit.")
    stated: list[str] = definitions.field(
        description="What is stated for the dataset itself, which may keep the data for another purpose."
    )
    held: list[HeldAttribute] = definitions.field(
        description="The attributes concerned, each at the path that holds it in the strongest form."
    )

    @classmethod
    def of(cls, found: overdue.Overdue, labels: Mapping[NodeKey, str]) -> OverdueDataset:
        return cls(
            limit=RetentionLimit.of(found.limit),
            dataset=DatasetRef.of(found.dataset),
            route=list(map(DatasetRef.of, found.route)),
            job=JobRef.of(found.job),
            written=found.written,
            stated=list(found.stated),
            held=[HeldAttribute.of(each, labels) for each in found.held],
        )


@definitions.object_type()
class OverdueEdge:
    node: OverdueDataset
    cursor: str


@definitions.object_type(
    description="A page of the datasets where personal data are kept for longer than stated, by limit and dataset."
)
class RetentionCheck:
    edges: list[OverdueEdge]
    page_info: PageInfo
    as_of: datetime = definitions.field(description="The time of the lineage used for all pages.")
    limits: int = definitions.field(description="The number of datasets and statements with a period.")
    total_count: int
    complete: bool
    incomplete: list[Incomplete] = definitions.field(
        description="Gaps of lineage, retention that is not stated or no period, and data of unknown age."
    )
    classification: Classification


@definitions.object_type()
class RetentionQuery:
    @definitions.resolver(
        description="Datasets that may hold personal data for longer than the organisation states, in its YAML file or "
        "that of the server, by the times of runs and of replacements. A limit holds for the dataset for which it is "
        "stated, and for what that declares, wherever it went. Other arguments are those of `attributeExposure`."
    )
    @needs(Permission.AUDIT, audited_as="retention")
    def retention(
        self,
        info: Info,
        node: NodeRef | None = None,
        category: str | None = None,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        organisation: str | None = None,
        first: int | None = 500,
        after: str | None = None,
    ) -> RetentionCheck:
        info = as_known(info, as_known_at)
        scope = exposure_scope(info, node, None, category, depth, as_of, influenced=False)
        ruling = ruling_of(info, rules, functions, lenient)
        snapshots = info.context.snapshots
        answer = run_question(
            info,
            overdue_page,
            scope,
            ruling,
            stated(info, organisation),
            snapshots,
            first=first,
            after=after,
        )
        found, shown = answer.check, answer.overdue.items
        named = run_question(info, labels, nodes_of(held for _, each in shown for held in each.held))
        return RetentionCheck(
            edges=[OverdueEdge(node=OverdueDataset.of(each, named), cursor=at) for at, each in shown],
            page_info=PageInfo.of([at for at, _ in shown], answer.overdue.has_next, after),
            as_of=found.report.as_of,
            limits=len(found.limits),
            total_count=len(found.overdue),
            complete=not found.incomplete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
            classification=Classification.of(found.report.classification),
        )
