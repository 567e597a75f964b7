"""The conditions of lineage in GraphQL."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.domain import model
from headwater_backend.domain.roles import Permission
from headwater_backend.questions import arrivals
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.definitions import JSON
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.types import JobName, NodeRef

if TYPE_CHECKING:
    from headwater_facets.facets import Condition


@definitions.object_type(description="A predicate of a filter, a join or a choice.")
class Predicate:
    operator: int = definitions.field(description="Its operator, as in the transformations of edges.")
    access: str = definitions.field(description="FILTER, JOIN or CONDITION.")
    sql: str
    expression: JSON = definitions.field(description="A tree over input paths, as in `headwater_conditions`.")
    guards: list[list[str]] | None = definitions.field(
        description="The paths of the output that depend on it; null for all of its rows."
    )

    @classmethod
    def of(cls, found: Condition) -> Predicate:
        import attr  # noqa: PLC0415 - as the facet's own classes, which few questions need

        expression = attr.asdict(found.expression, filter=lambda _, value: value is not None)
        return cls(
            operator=found.operator,
            access=found.access,
            sql=found.sql,
            expression=JSON(expression),
            guards=found.guards,
        )


@definitions.object_type(description="Conditions under which runs made what an output holds.")
class Making:
    predicates: list[Predicate] | None = definitions.field(description="Null if they are not known.")
    producer: str | None = definitions.field(description="The program that reported them.")
    by: list[str] = definitions.field(description="Those who sent the runs' events.")
    left: bool = definitions.field(description="Whether it is not current, and data of it may be left.")

    @classmethod
    def of(cls, found: model.Making) -> Making:
        known = found.conditions
        return cls(
            predicates=[Predicate.of(each) for each in known.predicates] if known else None,
            producer=known.producer if known else None,
            by=list(found.by),
            left=found.left,
        )


@definitions.object_type()
class ConditionQuery:
    @definitions.resolver(
        description="The conditions under which the job made what the output holds: of each run that counts, each once."
    )
    @needs(Permission.ASK)
    def conditions(
        self,
        info: Info,
        job: JobName,
        output: NodeRef,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
    ) -> list[Making]:
        info = as_known(info, as_known_at)
        made = run_question(info, arrivals.makings, job.key(), output.key().dataset, as_of)
        return [Making.of(each) for each in made]
