"""Sources of one record in GraphQL."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.copies import gaps
from headwater_backend.domain.roles import Permission
from headwater_backend.questions import lineage
from headwater_backend.questions.active import record_sources
from headwater_backend.questions.traversal import DEFAULT_DEPTH, DIRECT_ONLY
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.lineage import LineageFilter, bounds
from headwater_graphql.fields.types import ConcernedRows, DatasetRef, Incomplete, NodeRef, PathRef


@definitions.object_type(description="A source that all attributes of a record come from.")
class SharedSource:
    dataset: DatasetRef
    rows: list[ConcernedRows] = definitions.field(
        description="The rows that each attribute comes from, in the order of the attributes."
    )

    @classmethod
    def of(cls, found: record_sources.SharedSource) -> SharedSource:
        return cls(dataset=DatasetRef.of(found.dataset), rows=[ConcernedRows.of(f) for f in found.fetches])


@definitions.object_type(description="An attribute of a record.")
class RecordAttribute:
    node: PathRef
    alone: list[ConcernedRows] = definitions.field(
        description="Rows of sources that this attribute can come from, and not all of the others."
    )
    has_none: bool = definitions.field(
        description="Whether it comes from no source: it is a constant, or no row can bring a value."
    )

    @classmethod
    def of(cls, found: record_sources.AttributeSources) -> RecordAttribute:
        return cls(
            node=PathRef.of(found.node, {found.node: found.label}),
            alone=[ConcernedRows.of(each) for each in found.alone],
            has_none=found.has_none,
        )


@definitions.object_type(description="Where one record comes from, by active lineage.")
class RecordSources:
    shared: list[SharedSource]
    attributes: list[RecordAttribute]
    complete: bool
    incomplete: list[Incomplete]

    @classmethod
    def of(cls, found: record_sources.RecordSources) -> RecordSources:
        return cls(
            shared=[SharedSource.of(each) for each in found.shared],
            attributes=[RecordAttribute.of(each) for each in found.attributes],
            complete=found.complete,
            incomplete=[Incomplete.of(each) for each in found.incomplete],
        )


@definitions.object_type()
class RecordSourceQuery:
    @definitions.resolver(
        description="The sources that one record with all of these attributes comes from: those that the active "
        "lineage of each attribute has in common, and what each has alone. All are paths of one dataset. `where` asks "
        "about some rows, as in `backwardLineage`."
    )
    @needs(Permission.ASK)
    def record_sources(
        self,
        info: Info,
        attributes: list[NodeRef],
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002, the usual name of the argument
        where: str | None = None,
    ) -> RecordSources:
        info = as_known(info, as_known_at)
        scope = lineage.Scope(DIRECT_ONLY, bounds(info, depth, as_of, filter))
        nodes = [each.key() for each in attributes]
        return RecordSources.of(run_question(info, gaps.record_sources, nodes, scope, where=where))
