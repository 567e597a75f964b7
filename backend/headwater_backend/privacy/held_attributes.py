"""Personal attributes at the paths that hold them: at those that declare them, and wherever they arrived."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from typing import Protocol

from headwater_backend.domain.model import Edge, JobKey, NodeKey
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.classification.place_patterns import P, Places
from headwater_backend.privacy.exposure import AttributeExposure, ExposedOutput
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.propagation import Propagation
from headwater_backend.privacy.reidentified import Reidentification
from headwater_backend.questions.active.passing import Barred, Passing


class Arrived(Protocol):
    """How an attribute arrived at a path."""

    @property
    def forms(self) -> tuple[Form, ...]: ...

    @property
    def witness(self) -> tuple[Edge, ...]: ...

    @property
    def distance(self) -> int: ...


class HeldAttribute:
    """An attribute at a path that holds it or is influenced by it.

    Its forms and its witness are computed on access, because answers have many more than they show.
    """

    def __init__(
        self,
        attribute: Attribute,
        node: NodeKey,
        output: Arrived | None = None,
        outside: tuple[str, ...] = (),
        barred: Barred | None = None,
    ) -> None:
        """``output`` is None where the attribute is declared at the path; ``outside`` are the stated countries of the
        dataset that a policy which it violates does not permit; ``barred`` is why no row can bring it there.
        """
        self.attribute = attribute
        self.node = node
        self.outside = outside
        self.barred = barred
        self._output = output

    @classmethod
    def declared(cls, attribute: Attribute) -> HeldAttribute:
        """The attribute at the path that declares it."""
        return cls(attribute, attribute.node)

    @classmethod
    def arrived(cls, attribute: Attribute, output: ExposedOutput) -> HeldAttribute:
        """The attribute at a path that it reached."""
        return cls(attribute, output.node, output)

    @classmethod
    def reidentified(cls, found: Reidentification) -> HeldAttribute:
        """The attribute where its pseudonym is readable."""
        return cls(found.attribute, found.node, found)

    def with_outside(self, countries: tuple[str, ...]) -> HeldAttribute:
        """A copy in countries that a policy does not permit."""
        return HeldAttribute(self.attribute, self.node, self._output, countries, self.barred)

    def judged(self, passing: Passing) -> HeldAttribute:
        """A copy that says whether a row can bring it there. Of a readable pseudonym, nothing is stated."""
        barred = passing.barred(self.attribute.node, self.node) if self._is_arrival else None
        return HeldAttribute(self.attribute, self.node, self._output, self.outside, barred)

    @property
    def _is_arrival(self) -> bool:
        return self._output is not None and self.reidentification is None

    @property
    def forms(self) -> tuple[Form, ...]:
        """All forms, the strongest first."""
        return self._output.forms if self._output else (Form.IDENTITY,)

    @cached_property
    def witness(self) -> tuple[Edge, ...]:
        """A shortest route for the strongest form; empty where the attribute is declared."""
        return self._output.witness if self._output else ()

    @property
    def is_brought(self) -> bool:
        """Whether jobs brought the attribute to the path by themselves: it is neither declared there, nor a readable
        pseudonym.
        """
        return self._output is not None and self.reidentification is None

    @property
    def reidentification(self) -> Reidentification | None:
        """How its pseudonym is readable there, if that is what is stated of it."""
        return self._output if isinstance(self._output, Reidentification) else None

    @property
    def routes(self) -> tuple[tuple[Edge, ...], ...]:
        """The witness, and the routes of what makes it readable."""
        return self.reidentification.routes if self.reidentification else (self.witness,)

    @property
    def distance(self) -> int:
        """The least number of edges from the attribute; 0 where it is declared."""
        return self._output.distance if self._output else 0

    @property
    def jobs(self) -> tuple[JobKey, ...]:
        """The jobs of the witness, in its order."""
        return tuple(edge.job for edge in self.witness)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeldAttribute) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.attribute.node, self.node))

    def _content(self) -> tuple[object, ...]:
        return self.attribute, self.node, self.forms, self.routes, self.outside, self.reidentification


def held_attributes(
    exposure: AttributeExposure, included: Callable[[NodeKey], bool] | None = None
) -> Iterator[HeldAttribute]:
    """The attribute at each path that holds it: first where it is declared, then by strength and name.

    With ``included``, only at paths for which it is true.
    """
    if included is None or included(exposure.attribute.node):
        yield HeldAttribute.declared(exposure.attribute)
    for node in filter(included, exposure.holders) if included else exposure.holders:
        yield HeldAttribute.arrived(exposure.attribute, exposure.output(node))


def held_at_places(
    exposures: Iterable[AttributeExposure], patterns: Sequence[P], places: Places[P]
) -> Iterator[HeldAttribute]:
    """The attributes at each path that is a place of one of the patterns, contains one, or is contained in one.

    What arrived at a struct as a whole is not at a place in it that is declassified.
    """

    @cache
    def among(node: NodeKey) -> tuple[P, ...]:
        return tuple(pattern for pattern in patterns if places.include(pattern, node))

    @cache
    def arrives(propagation: Propagation, node: NodeKey) -> bool:
        if not (among(node) and propagation.is_stopped_in(node)):
            return bool(among(node))
        inside = (place for pattern in among(node) for place in places.inside(pattern, node))
        return any(propagation.may_be_in(node, place) for place in inside)

    def included(exposure: AttributeExposure, node: NodeKey) -> bool:
        return bool(among(node)) if node == exposure.attribute.node else arrives(exposure.propagation, node)

    for each in exposures:
        yield from held_attributes(each, partial(included, each))
