"""Personal attributes in GraphQL at the paths that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.privacy import held_attributes
from headwater_backend.privacy.answers import policy_check
from headwater_backend.privacy.forms import Form
from headwater_backend.questions.active import passing
from headwater_graphql.engine import definitions
from headwater_graphql.fields.privacy.exposure import PersonalAttribute
from headwater_graphql.fields.privacy.reidentification import Reidentification, nodes_of_found
from headwater_graphql.fields.types import PathRef, WitnessStep

if TYPE_CHECKING:
    from headwater_backend.domain.model import NodeKey


@definitions.object_type(description="Who has acknowledged that no row can bring data somewhere.")
class Acceptance:
    by: str
    at: datetime
    reason: str


@definitions.object_type(description="Why no row takes any of the known ways on which data would come.")
class Barred:
    because: list[str] = definitions.field(
        description="The conditions that exclude each other, for each place at which the ways are cut."
    )
    accepted: Acceptance | None = definitions.field(
        default=None,
        description="Of a violation: who has acknowledged its finding, while the jobs on the ways do what they did.",
    )

    @classmethod
    def of(cls, barred: passing.Barred, accepted: policy_check.Acceptance | None = None) -> Barred:
        by = Acceptance(**accepted._asdict()) if accepted else None
        return cls(because=list(barred.because), accepted=by)


@definitions.object_type(description="A personal attribute at a path that holds it or is influenced by it.")
class HeldAttribute:
    attribute: PersonalAttribute
    node: PathRef
    forms: list[Form] = definitions.field(description="All forms, strongest first.")
    witness: list[WitnessStep] = definitions.field(
        description="A shortest route for the strongest form; empty where the attribute is declared there."
    )
    outside: list[str] = definitions.field(
        description="The stated countries of the dataset that the violated policy does not permit."
    )
    reidentification: Reidentification | None = definitions.field(
        default=None, description="How its pseudonym is readable, if the violated policy forbids that."
    )

    barred: Barred | None = definitions.field(
        default=None, description="With `active`: why no row can bring it there. Null where one may."
    )

    @classmethod
    def of(
        cls,
        held: held_attributes.HeldAttribute,
        labels: Mapping[NodeKey, str],
        accepted: policy_check.Acceptance | None = None,
    ) -> HeldAttribute:
        return cls(
            attribute=PersonalAttribute.of(held.attribute, labels),
            node=PathRef.of(held.node, labels),
            forms=list(held.forms),
            witness=[WitnessStep.of(edge, labels) for edge in held.witness],
            outside=list(held.outside),
            reidentification=Reidentification.of(held.reidentification, labels)
            if held.reidentification
            else None,
            barred=Barred.of(held.barred, accepted) if held.barred else None,
        )


def nodes_of(found: Iterable[held_attributes.HeldAttribute]) -> Iterator[NodeKey]:
    """All nodes whose labels ``HeldAttribute.of`` needs."""
    for each in found:
        yield from (each.attribute.node, each.node)
        for edge in each.witness:
            yield from (edge.source, edge.target)
        if each.reidentification:
            yield from nodes_of_found([each.reidentification])
