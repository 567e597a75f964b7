"""Headwater's five OpenLineage facets, as classes that openlineage-python serialises like its own.

Attribute names are the names on the wire, as in openlineage-python. A list that says nothing when it is
empty is left out of the event, and so is None.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final, TypeAlias, TypedDict

import attr
from openlineage.client.facet_v2 import DatasetFacet, JobFacet
from openlineage.client.utils import RedactMixin

from headwater_facets.schemas import (
    ACCESS,
    CONDITIONS,
    LAYOUT,
    OPERATORS,
    PATH_LINEAGE,
    schema_url,
)

WirePath: TypeAlias = list[str]


def _or_absent(items: Iterable[Any] | None) -> list[Any] | None:
    return list(items or ()) or None


class _Part(RedactMixin):
    """A part of a facet. Names of data are no secrets: an Airflow redactor leaves them alone."""

    _skip_redact: ClassVar[list[str]] = ["namespace", "name", "path", "type", "subtype", "masking"]


@attr.define
class PathTransformation(_Part):
    """How an input path reaches an output path; words are those of ``kinds``."""

    type: str
    subtype: str
    masking: bool = False
    description: str | None = None
    manipulation: list[str] | None = attr.field(default=None, converter=_or_absent)
    access: str | None = None
    at: list[str] | None = attr.field(default=None, converter=_or_absent)
    """The position, map key or JSON path that the program names, in reading order."""
    operators: list[int] | None = attr.field(default=None, converter=_or_absent)
    """Ids of the operators (headwater_operators) at which it happened."""


@attr.define
class PathInput(_Part):
    """An input path; it stands for its whole subtree."""

    namespace: str
    name: str
    path: WirePath
    transformations: list[PathTransformation]


@attr.define
class PathField(_Part):
    """An output path with the input paths it comes from; it stands for its whole subtree."""

    path: WirePath
    inputFields: list[PathInput]  # noqa: N815 - the name on the wire


@attr.define
class Alike(_Part):
    """Many output paths that are made of one input path each, of the same dataset and in the same way.

    It says what as many ``PathField`` say, in a fifth of the bytes.
    """

    namespace: str
    name: str
    transformations: list[PathTransformation]
    pairs: list[PathPair]


PathPair = TypedDict("PathPair", {"from": list[str], "to": list[str]})
"""An input path and the output path that is made of it; a dictionary, since ``from`` is no name in Python."""


@attr.define
class Generated(_Part):
    """An output path with no input: ``how`` is a literal's or a function's text."""

    path: WirePath
    how: str


@attr.define
class Opaque(_Part):
    """An output path made by code that cannot be looked into (``reason`` PYTHON_UDF, SCALA_UDF, RDD, …)."""

    path: WirePath
    reason: str
    name: str | None = None


@attr.define
class IncompleteEntry(_Part):
    """What could not be traced, for the given output paths; without paths, for the whole dataset."""

    reason: str
    paths: list[WirePath] | None = attr.field(default=None, converter=_or_absent)
    detail: str | None = None


@attr.define
class PathLineageDatasetFacet(DatasetFacet):
    """``headwater_pathLineage`` on an output dataset; ``complete`` is the absence of ``incomplete``."""

    fields: list[PathField]
    dataset: list[PathInput] = attr.field(factory=list)
    """Inputs that influence every row: filters, join and grouping keys, sort orders."""
    generated: list[Generated] = attr.field(factory=list)
    opaque: list[Opaque] = attr.field(factory=list)
    complete: bool = True
    incomplete: list[IncompleteEntry] = attr.field(factory=list)
    alike: list[Alike] | None = attr.field(default=None, converter=_or_absent)
    """Further fields of wide outputs, told together."""

    @staticmethod
    def _get_schema() -> str:
        return schema_url(PATH_LINEAGE)


@attr.define
class AccessedPath(_Part):
    """A path that an operator looks at; ``input`` is the one of its ``inputs`` whose rows have the path."""

    input: int
    path: WirePath
    access: str


ManipulatedPath = TypedDict("ManipulatedPath", {"input": int, "from": list[str], "to": list[str]})
"""A pair of the manipulation mapping; a dictionary, since ``from`` is no name in Python."""


@attr.define
class Operator(_Part):
    """A node of the operator graph; ``inputs`` are operators, and have smaller ids.

    ``manipulated`` None means that the mapping is undefined: the operator is opaque.
    """

    id: int
    type: str
    inputs: list[int] = attr.field(factory=list)
    text: str | None = None
    accessed: list[AccessedPath] = attr.field(factory=list)
    manipulated: list[ManipulatedPath] | None = None


@attr.define
class OperatorsJobFacet(JobFacet):
    """``headwater_operators`` on the job: the same program gives the same graph."""

    operators: list[Operator]

    @staticmethod
    def _get_schema() -> str:
        return schema_url(OPERATORS)


@attr.define
class InputPath(_Part):
    """A path of an input dataset."""

    namespace: str
    name: str
    path: WirePath


@attr.define
class PathReference(_Part):
    """A leaf of a condition: the value at a path."""

    path: InputPath


@attr.define
class Literal(_Part):
    """A leaf of a condition: a constant of a Spark type; NULL has no ``literal`` on the wire."""

    literal: str | int | float | bool | None
    type: str


@attr.define
class OpaqueExpression(_Part):
    """A leaf of a condition that says no more than its SQL text and the paths it reads."""

    opaque: str
    paths: list[InputPath] | None = attr.field(default=None, converter=_or_absent)


@attr.define
class Operation(_Part):
    """An inner node of a condition: and, or, not, =, <=>, <, in, between, isnull, like, +, …"""

    op: str
    args: list[Expression]


Expression: TypeAlias = Operation | PathReference | Literal | OpaqueExpression


@attr.define
class Condition(_Part):
    """A predicate: at which operator, as what (FILTER, JOIN, CONDITION), and which output paths it guards.

    Without ``guards`` it guards every row of the output.
    """

    operator: int
    access: str
    sql: str
    expression: Expression
    guards: list[WirePath] | None = attr.field(default=None, converter=_or_absent)


@attr.define
class ConditionsJobFacet(JobFacet):
    """``headwater_conditions`` on the job: what a backend needs to prune paths that contradict each other."""

    conditions: list[Condition]

    @staticmethod
    def _get_schema() -> str:
        return schema_url(CONDITIONS)


@attr.define
class AccessEntry(_Part):
    """A path that the run touched, what for, and whether any of it reached an output."""

    path: WirePath
    access: list[str]
    reachesOutput: bool  # noqa: N815 - the name on the wire


@attr.define
class AccessInputDatasetFacet(DatasetFacet):
    """``headwater_access`` on an input dataset."""

    paths: list[AccessEntry]

    @staticmethod
    def _get_schema() -> str:
        return schema_url(ACCESS)


@attr.define
class LayoutDatasetFacet(DatasetFacet):
    """``headwater_layout`` on a dataset: how the columns of its schema lie in what is stored, for this run.

    ``partitions`` are the columns that are kept in the names of directories, ``separator`` is that of CSV, ``reads``
    are the columns of each read in their order, where several differ.
    """

    partitions: list[str] | None = attr.field(default=None, converter=_or_absent)
    separator: str | None = None
    caseSensitive: bool | None = None  # noqa: N815 - the name on the wire
    reads: list[list[str]] | None = attr.field(default=None, converter=_or_absent)

    @staticmethod
    def _get_schema() -> str:
        return schema_url(LAYOUT)


Facet: TypeAlias = (
    PathLineageDatasetFacet
    | OperatorsJobFacet
    | ConditionsJobFacet
    | AccessInputDatasetFacet
    | LayoutDatasetFacet
)

FACET_CLASSES: Final[dict[str, type[Any]]] = {
    PATH_LINEAGE: PathLineageDatasetFacet,
    OPERATORS: OperatorsJobFacet,
    CONDITIONS: ConditionsJobFacet,
    ACCESS: AccessInputDatasetFacet,
    LAYOUT: LayoutDatasetFacet,
}
