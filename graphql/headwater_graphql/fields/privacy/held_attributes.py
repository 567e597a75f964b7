"""Personal attributes in GraphQL at the paths that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from headwater_backend.privacy import held_attributes
from headwater_backend.privacy.forms import Form
from headwater_graphql.engine import definitions
from headwater_graphql.fields.privacy.exposure import PersonalAttribute
from headwater_graphql.fields.privacy.reidentification import Reidentification, nodes_of_found
from headwater_graphql.fields.types import PathRef, WitnessStep

if TYPE_CHECKING:
    from headwater_backend.domain.model import NodeKey


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

    @classmethod
    def of(cls, held: held_attributes.HeldAttribute, labels: Mapping[NodeKey, str]) -> HeldAttribute:
        return cls(
            attribute=PersonalAttribute.of(held.attribute, labels),
            node=PathRef.of(held.node, labels),
            forms=list(held.forms),
            witness=[WitnessStep.of(edge, labels) for edge in held.witness],
            outside=list(held.outside),
            reidentification=Reidentification.of(held.reidentification, labels)
            if held.reidentification
            else None,
        )


def nodes_of(found: Iterable[held_attributes.HeldAttribute]) -> Iterator[NodeKey]:
    """All nodes whose labels ``HeldAttribute.of`` needs."""
    for each in found:
        yield from (each.attribute.node, each.node)
        for edge in each.witness:
            yield from (edge.source, edge.target)
        if each.reidentification:
            yield from nodes_of_found([each.reidentification])
