"""Checks of the whole graph in GraphQL."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.domain.roles import Permission
from headwater_backend.questions.checks import checking, whole
from headwater_backend.questions.resolving import labels
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, connection
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.lineage import DatasetPattern, dataset_patterns
from headwater_graphql.fields.types import JobRef, PathRef

if TYPE_CHECKING:
    from headwater_backend.domain.model import NodeKey

definitions.enum(
    whole.Check,
    name="GraphCheck",
    description="REDUNDANT_MAPPING: in passive lineage, and in no active lineage. DEAD_END: written, read by nobody, "
    "not declared an output. LOOP: values are made of themselves. BROKEN_WAY: read, written by nobody, not declared a "
    "source. CONDITIONS_ONLY: a source of which no value gets anywhere. ALWAYS_TRUE, ALWAYS_FALSE: a condition that "
    "all rows meet, or none. WEAK_FILTER: one that only missing values do not meet. COPIED_FOR_NOTHING: a path that is "
    "copied along, and of which no output has or needs anything.",
)


@definitions.object_type(description="What a check of the whole graph found.")
class GraphFinding:
    check: whole.Check
    node: PathRef = definitions.field(description="Where; of a condition, the output of its job.")
    job: JobRef | None
    sql: str = definitions.field(description="The condition, if it is one.")
    because: list[str]
    along: list[PathRef] = definitions.field(
        description="What belongs to it: sources of a mapping or a copy, the other paths of a loop."
    )

    @classmethod
    def of(cls, found: whole.Found, names: Mapping[NodeKey, str]) -> GraphFinding:
        return cls(
            check=found.check,
            node=PathRef.of(found.node, names),
            job=JobRef.of(found.job) if found.job else None,
            sql=found.sql,
            because=list(found.because),
            along=[PathRef.of(each, names) for each in found.along],
        )


@definitions.object_type()
class CheckQuery:
    @definitions.resolver(
        description="What is wrong with the whole graph, by all checks or some `kinds`, in their order. `sources` and "
        "`outputs` declare datasets so, as tags with the keys `source` and `output` do."
    )
    @needs(Permission.ASK)
    def graph_checks(
        self,
        info: Info,
        kinds: list[whole.Check] | None = None,
        sources: list[DatasetPattern] | None = None,
        outputs: list[DatasetPattern] | None = None,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[GraphFinding]:
        info = as_known(info, as_known_at)
        declared = checking.Declared(dataset_patterns(sources), dataset_patterns(outputs))
        page = run_question(
            info, checking.checks, declared, kinds=kinds, as_of=as_of, first=first, after=after
        )
        found = [each for _, each in page.items]
        names = run_question(info, labels, (node for each in found for node in (each.node, *each.along)))
        cursors = [cursor for cursor, _ in page.items]
        return connection((GraphFinding.of(each, names) for each in found), cursors, page.has_next, after)
