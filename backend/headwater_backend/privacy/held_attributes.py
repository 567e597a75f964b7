"""Personal attributes at the paths that hold them: at those that declare them, and wherever they arrived."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from headwater_backend.domain.model import Edge, JobKey, NodeKey
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.exposure import AttributeExposure, ExposedOutput
from headwater_backend.privacy.forms import Form


@dataclass(frozen=True, slots=True)
class HeldAttribute:
    """An attribute at a path that holds it or is influenced by it, with its forms, the strongest first.

    ``witness`` is a shortest route for the strongest form, and ``distance`` the least number of edges from the
    attribute; they are empty and 0 where the attribute is declared at the path. ``outside`` are the stated countries of
    the dataset that a policy which it violates does not permit.
    """

    attribute: Attribute
    node: NodeKey
    forms: tuple[Form, ...]
    witness: tuple[Edge, ...] = ()
    distance: int = 0
    outside: tuple[str, ...] = ()

    @classmethod
    def declared(cls, attribute: Attribute) -> HeldAttribute:
        """The attribute at the path that declares it."""
        return cls(attribute, attribute.node, (Form.IDENTITY,))

    @classmethod
    def arrived(cls, attribute: Attribute, output: ExposedOutput) -> HeldAttribute:
        """The attribute at a path that it reached."""
        return cls(attribute, output.node, output.forms, output.witness, output.distance)

    @property
    def jobs(self) -> tuple[JobKey, ...]:
        """The jobs of the witness, in its order."""
        return tuple(edge.job for edge in self.witness)


def held_attributes(
    exposure: AttributeExposure, included: Callable[[NodeKey], bool] | None = None
) -> Iterator[HeldAttribute]:
    """The attribute at each path that holds it: first where it is declared, then by strength and name.

    With ``included``, only at paths for which it is true; witnesses are computed for no others.
    """
    if included is None or included(exposure.attribute.node):
        yield HeldAttribute.declared(exposure.attribute)
    for node in filter(included, exposure.holders) if included else exposure.holders:
        yield HeldAttribute.arrived(exposure.attribute, exposure.output(node))
