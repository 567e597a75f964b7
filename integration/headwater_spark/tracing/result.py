"""What the analysis of one plan says: plain values that event building turns into facets.

Paths are wire paths (tuples of step names), relative to the row of the dataset they belong to. A dataset is
named by its position in ``PlanLineage.reads``; one dataset that is read twice in a plan is two reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater_facets.kinds import (
    Access,
    IncompleteReason,
    Known,
    LineageType,
    Manipulation,
    OperatorType,
    Retains,
    Subtype,
)
from headwater_plan.readings import Different, Place, Why
from headwater_plan.types import StructType

PathSteps = tuple[str, ...]

COLLECTED = -1
"""In place of a read: whatever the program has collected before."""
IN_ROWS = -2
"""In place of a read: the same, and whatever it was shown or has opened, which may be in rows that it hands in."""
OF_PROGRAM = (COLLECTED, IN_ROWS)


@dataclass(frozen=True, slots=True)
class Transformation:
    """How a value got from an input path to an output path, over all operators on the way."""

    type: LineageType
    subtype: Subtype
    masking: bool = False
    manipulation: tuple[Manipulation, ...] = ()
    access: Access | None = None
    at: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    operators: tuple[int, ...] = ()
    retains: Retains | None = None
    """None where the value is only copied, or only decides."""
    unpacked: PathSteps = ()
    """The names that lead, in the text at the input path, to what is taken of it; none for all of it."""
    packed: PathSteps = ()
    """The names that lead, in the text at the output path, to where it is packed; none for anywhere."""


@dataclass(frozen=True, slots=True)
class InputPath:
    """An input path and every way in which it contributes; ``read`` may be one ``OF_PROGRAM``, which has no path."""

    read: int
    path: PathSteps
    transformations: tuple[Transformation, ...]


@dataclass(frozen=True, slots=True)
class FieldLineage:
    """An output path with its inputs; it covers the path's subtree."""

    path: PathSteps
    inputs: tuple[InputPath, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """An output path that no input reaches: a literal or a generator, as SQL text."""

    path: PathSteps
    how: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """An output path that passed through code that cannot be looked into."""

    path: PathSteps
    reason: str
    name: str


@dataclass(frozen=True, slots=True)
class UserFunction:
    """A function of the user's in the plan, and from where it is known what it does.

    ``place`` is where its code stands, if that was read, ``why`` why it is opaque, ``differences`` where its code does
    something else than is declared, and ``by`` the steward who accepted what is declared, if one did.
    """

    name: str
    reason: str
    known: Known
    place: Place | None = None
    why: tuple[Why, ...] = ()
    differences: tuple[Different, ...] = ()
    operators: tuple[int, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that is not known, with the output paths concerned (none: all of them)."""

    reason: IncompleteReason
    detail: str
    paths: tuple[PathSteps, ...] = ()


@dataclass(frozen=True, slots=True)
class AccessedPath:
    """A path of an operator's input that the operator looks at."""

    input: int
    path: PathSteps
    access: Access


@dataclass(frozen=True, slots=True)
class Manipulated:
    """A path of an operator's input that ends up at a path of its output."""

    input: int
    source: PathSteps
    target: PathSteps


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of the job's graph. ``manipulated`` is None where the operator is opaque.

    A column that passes unchanged under its own name is not listed in ``manipulated``.
    """

    id: int
    type: OperatorType
    inputs: tuple[int, ...]
    text: str
    accessed: tuple[AccessedPath, ...] = ()
    manipulated: tuple[Manipulated, ...] | None = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """A predicate as a small tree over input paths (shape: ``headwater_conditions``), with what it guards.

    In ``predicate`` a path leaf is ``{"read": index, "path": [...]}``.
    """

    operator: int
    kind: str
    predicate: Mapping[str, Any]
    sql: str
    guards: tuple[PathSteps, ...] = ()


@dataclass(frozen=True, slots=True)
class Passed:
    """A condition that all rows of a population have passed, at an operator."""

    operator: int
    tree: Mapping[str, Any]
    sql: str


@dataclass(frozen=True, slots=True)
class Population:
    """Rows of the output that were made in one way (see ``populations``).

    ``rows`` has the numbers of the rows that each is made of, with the reads that they come from; ``values`` the
    written columns, with their types where these are compared by value.
    """

    rows: tuple[tuple[int, int], ...]
    passed: tuple[Passed, ...]
    values: tuple[tuple[PathSteps, str | None, Mapping[str, Any]], ...]


@dataclass(frozen=True, slots=True)
class Touched:
    """A path of a read dataset that this job touched."""

    read: int
    path: PathSteps
    access: tuple[Access, ...]
    reaches_output: bool


@dataclass(frozen=True, slots=True)
class Read:
    """A leaf of the plan: ``source`` is the plan document's ``src`` object, ``schema`` what is read of it.

    ``at`` is when the execution began that reads it, in epoch milliseconds: an earlier one, if its rows were kept.
    """

    operator: int
    source: Mapping[str, Any]
    schema: StructType
    at: int | None = None


def unversioned(source: Mapping[str, Any]) -> dict[str, Any]:
    """What is read or written, whichever version of it."""
    return {**source, "version": None}


@dataclass(frozen=True, slots=True)
class Target:
    """What is written: ``source`` as for reads with ``mode``; ``command`` is Spark's class name."""

    operator: int
    source: Mapping[str, Any]
    command: str
    schema: StructType


@dataclass(frozen=True, slots=True)
class PlanLineage:
    """The lineage of one execution. ``target`` is None for a plan that writes nothing."""

    reads: tuple[Read, ...] = ()
    target: Target | None = None
    fields: tuple[FieldLineage, ...] = ()
    dataset: tuple[InputPath, ...] = ()
    generated: tuple[Generated, ...] = ()
    opaque: tuple[Opaque, ...] = ()
    incomplete: tuple[Gap, ...] = ()
    operators: tuple[Operator, ...] = ()
    functions: tuple[UserFunction, ...] = ()
    conditions: tuple[Condition, ...] = ()
    populations: tuple[Population, ...] = ()
    """All of the output's; none where nothing is certain of the output's rows."""
    access: tuple[Touched, ...] = ()
    returned: tuple[tuple[int, PathSteps], ...] = ()
    """Of a plan that writes nothing: the reads, with their paths, whose values whoever runs it is given."""
    is_handed_over: bool = False
    """Whether these are what functions of the program are given, that nobody has read, and nothing else comes of it."""
    observed: tuple[PlanLineage, ...] = ()
    """The lineage of each group of figures that the program is given besides (``observe``)."""
    states: tuple[PlanLineage, ...] = ()
    """The lineage of what a streaming query keeps for its next micro-batches."""
    assigns: bool = False
    """Whether it sets variables of the session."""

    @property
    def complete(self) -> bool:
        """True when nothing is known to be missing."""
        return not self.incomplete
