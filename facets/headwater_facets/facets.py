"""Headwater's OpenLineage facets, as classes that openlineage-python serialises like its own.

Attributes have the names on the wire, as in openlineage-python. Optional lists that are empty, and None, are omitted
from events.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final, TypeAlias, TypedDict

import attr
from openlineage.client.facet_v2 import DatasetFacet, JobFacet, RunFacet
from openlineage.client.utils import RedactMixin

from headwater_facets.schemas import (
    ACCESS,
    CONDITIONS,
    EXTENT,
    FUNCTIONS,
    LAYOUT,
    OPERATORS,
    PATH_LINEAGE,
    RECORDS,
    SPLIT,
    schema_url,
)

WirePath: TypeAlias = list[str]


def _or_absent(items: Iterable[Any] | None) -> list[Any] | None:
    return list(items or ()) or None


class _Part(RedactMixin):
    """A part of a facet. Names of data are not secret, so Airflow's redactor must not change them."""

    _skip_redact: ClassVar[list[str]] = ["namespace", "name", "path", "type", "subtype", "masking", "retains"]


@attr.define
class PathTransformation(_Part):
    """A transformation of an input path into an output path; its words are those of ``kinds``."""

    type: str
    subtype: str
    masking: bool = False
    description: str | None = None
    manipulation: list[str] | None = attr.field(default=None, converter=_or_absent)
    access: str | None = None
    at: list[str] | None = attr.field(default=None, converter=_or_absent)
    """Positions, map keys or JSON paths that the program names, in reading order."""
    functions: list[str] | None = attr.field(default=None, converter=_or_absent)
    """Names of the functions that changed the value, in the order of the program."""
    operators: list[int] | None = attr.field(default=None, converter=_or_absent)
    """Ids of the operators (headwater_operators) that perform it."""
    retains: str | None = None
    """What of the value can be read back; omitted where it is only copied, and for INDIRECT."""
    unpacked: list[str] | None = attr.field(default=None, converter=_or_absent)
    """Names that lead, in the text at the input path, to the part that is taken; without them, all may be."""
    packed: list[str] | None = attr.field(default=None, converter=_or_absent)
    """Names that lead, in the text at the output path, to where it is packed; without them, it may be anywhere."""


@attr.define
class PathInput(_Part):
    """An input path, including its subtree."""

    namespace: str
    name: str
    path: WirePath
    transformations: list[PathTransformation]


@attr.define
class PathField(_Part):
    """An output path, including its subtree, and the input paths that it is derived from."""

    path: WirePath
    inputFields: list[PathInput]  # noqa: N815 - the name on the wire


@attr.define
class Alike(_Part):
    """Output paths that each have one input path, all in the same dataset and with the same transformations.

    Equivalent to one ``PathField`` per output path, in a fifth of the bytes.
    """

    namespace: str
    name: str
    transformations: list[PathTransformation]
    pairs: list[PathPair]


PathPair = TypedDict("PathPair", {"from": list[str], "to": list[str]})
"""An input path and its output path; a dictionary, since ``from`` is a keyword in Python."""


@attr.define
class Generated(_Part):
    """An output path without input; ``how`` is the text of a literal or function."""

    path: WirePath
    how: str


@attr.define
class Opaque(_Part):
    """An output path computed by code that cannot be analysed (``reason`` PYTHON_UDF, SCALA_UDF, RDD, …)."""

    path: WirePath
    reason: str
    name: str | None = None


@attr.define
class IncompleteEntry(_Part):
    """A gap in the lineage of the given output paths, or of the whole dataset if there are none."""

    reason: str
    paths: list[WirePath] | None = attr.field(default=None, converter=_or_absent)
    detail: str | None = None


@attr.define
class PathLineageDatasetFacet(DatasetFacet):
    """``headwater_pathLineage`` of an output dataset; lineage is complete if ``incomplete`` is missing."""

    fields: list[PathField]
    dataset: list[PathInput] = attr.field(factory=list)
    """Inputs that influence all rows: filters, join and grouping keys, sort orders."""
    generated: list[Generated] = attr.field(factory=list)
    opaque: list[Opaque] = attr.field(factory=list)
    complete: bool = True
    incomplete: list[IncompleteEntry] = attr.field(factory=list)
    alike: list[Alike] | None = attr.field(default=None, converter=_or_absent)
    """Additional fields of wide outputs, in compact form."""

    @staticmethod
    def _get_schema() -> str:
        return schema_url(PATH_LINEAGE)


@attr.define
class AccessedPath(_Part):
    """A path that an operator reads; ``input`` is the one of its ``inputs`` whose rows have the path."""

    input: int
    path: WirePath
    access: str


ManipulatedPath = TypedDict("ManipulatedPath", {"input": int, "from": list[str], "to": list[str]})
"""A pair of the manipulation mapping; a dictionary, since ``from`` is a keyword in Python."""


@attr.define
class Operator(_Part):
    """A node of the operator graph; ``inputs`` are ids of operators, which are smaller than its own.

    ``manipulated`` None means that the mapping is unknown: the operator is opaque.
    """

    id: int
    type: str
    inputs: list[int] = attr.field(factory=list)
    text: str | None = None
    accessed: list[AccessedPath] = attr.field(factory=list)
    manipulated: list[ManipulatedPath] | None = None


@attr.define
class OperatorsJobFacet(JobFacet):
    """``headwater_operators`` of a job; the same program has the same graph."""

    operators: list[Operator]

    @staticmethod
    def _get_schema() -> str:
        return schema_url(OPERATORS)


@attr.define
class CodePlace(_Part):
    """Where code stands that was read: the function's own name, the file's name without folders, its first line."""

    function: str
    file: str
    line: int


@attr.define
class Why(_Part):
    """Why code is opaque: a stable code, a sentence, the change that would make it readable, the line in the way."""

    code: str
    reason: str
    hint: str | None = None
    line: int | None = None


FunctionDifference = TypedDict(
    "FunctionDifference", {"difference": str, "argument": int, "from": list[str], "to": list[str]}
)
"""A way from a path of an argument (counted from 0) to one of the result, of which declaration and code say different
things; a dictionary, since ``from`` is a keyword in Python."""


@attr.define
class UserFunction(_Part):
    """A function of the user's, and from where it is known what it does: ANALYSED, DECLARED or OPAQUE.

    ``sort`` is what it is (PYTHON_UDF, SCALA_UDF, RDD, …), ``operators`` are the ids of those that call it,
    ``declaredBy`` is the steward who accepted what is declared.
    """

    _skip_redact: ClassVar[list[str]] = ["name", "sort", "known", "operators", "differences"]

    name: str
    sort: str
    known: str
    operators: list[int] = attr.field(factory=list)
    code: CodePlace | None = None
    why: list[Why] | None = attr.field(default=None, converter=_or_absent)
    differences: list[FunctionDifference] | None = attr.field(default=None, converter=_or_absent)
    declaredBy: str | None = None  # noqa: N815 - the name on the wire


@attr.define
class FunctionsJobFacet(JobFacet):
    """``headwater_functions`` of a job: its user functions, and from where it is known what each of them does."""

    functions: list[UserFunction]

    @staticmethod
    def _get_schema() -> str:
        return schema_url(FUNCTIONS)


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
    """A leaf of a condition: a constant of a Spark type; NULL is represented by a missing ``literal``."""

    literal: str | int | float | bool | None
    type: str


@attr.define
class OpaqueExpression(_Part):
    """A leaf of a condition of which only the SQL text and the paths it reads are known."""

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
    """A predicate: its operator, its role (FILTER, JOIN, CONDITION), and the output paths that it guards.

    Without ``guards``, it guards all rows of the output.
    """

    operator: int
    access: str
    sql: str
    expression: Expression
    guards: list[WirePath] | None = attr.field(default=None, converter=_or_absent)


@attr.define
class PopulationRow(_Part):
    """A row that the output's rows are made of: of one of the datasets, by its number in the population.

    ``kept``: each value is read as it was written, and found by its name; but that an empty text in a column of
    ``folders`` is read as NULL.
    """

    row: int
    datasets: list[dict[str, str]]
    kept: bool = False
    folders: list[str] | None = attr.field(default=None, converter=_or_absent)


RowExpression: TypeAlias = dict[str, Any]
"""An expression over the rows of a population: an operation, a column of a row, a constant, or opaque."""


@attr.define
class Passed(_Part):
    """A condition that all rows of a population have passed."""

    operator: int
    sql: str
    expression: RowExpression


@attr.define
class PopulationValue(_Part):
    """What a written column is in a population, with its type where that is compared by value."""

    path: WirePath
    expression: RowExpression
    type: str | None = None


@attr.define
class Population(_Part):
    """Rows of the output that were made in one way, of the same reads and through the same conditions."""

    rows: list[PopulationRow]
    conditions: list[Passed]
    values: list[PopulationValue]


@attr.define
class ConditionsJobFacet(JobFacet):
    """``headwater_conditions`` of a job, which a backend uses to prune ways with contradicting conditions.

    ``populations`` are all that the output has; without them, nothing is known of it.
    """

    conditions: list[Condition]
    populations: list[Population] | None = attr.field(default=None, converter=_or_absent)

    @staticmethod
    def _get_schema() -> str:
        return schema_url(CONDITIONS)


@attr.define
class AccessEntry(_Part):
    """A path that the run read, in which roles, and whether it contributes to an output."""

    path: WirePath
    access: list[str]
    reachesOutput: bool  # noqa: N815 - the name on the wire


@attr.define
class AccessInputDatasetFacet(DatasetFacet):
    """``headwater_access`` of an input dataset.

    ``readAt`` is when its rows were read, if they were kept since; without it, the run has read them.
    """

    paths: list[AccessEntry]
    readAt: str | None = None  # noqa: N815 - the name on the wire

    @staticmethod
    def _get_schema() -> str:
        return schema_url(ACCESS)


@attr.define
class FieldId(_Part):
    """A column or member and the identifier that the format gives it, which it keeps when it is renamed; None where the
    format gives it none.
    """

    name: str
    id: str | None = None
    fields: list[FieldId] | None = attr.field(default=None, converter=_or_absent)


@attr.define
class LayoutDatasetFacet(DatasetFacet):
    """``headwater_layout`` of a dataset: how the columns of its schema are stored, for this run.

    ``partitions`` are the columns encoded in directory names, ``separator`` is the CSV separator, ``reads`` are
    the columns of each read in order, if reads differ. ``matching`` is ``position`` or ``id`` where the run finds
    columns so, and not by name. ``fieldIds`` are the identifiers of a table's columns, if its format has them.
    """

    partitions: list[str] | None = attr.field(default=None, converter=_or_absent)
    separator: str | None = None
    caseSensitive: bool | None = None  # noqa: N815 - the name on the wire
    reads: list[list[str]] | None = attr.field(default=None, converter=_or_absent)
    matching: str | None = None
    fieldIds: list[FieldId] | None = attr.field(default=None, converter=_or_absent)  # noqa: N815 - the name on the wire

    @staticmethod
    def _get_schema() -> str:
        return schema_url(LAYOUT)


@attr.frozen
class ContentState(_Part):
    """The state of a dataset's content: its version, the number of its files and their bytes, or of its rows; none of
    these: nothing.
    """

    version: str | None = None
    files: int | None = None
    size: int | None = None
    rows: int | None = None


@attr.define
class ExtentDatasetFacet(DatasetFacet):
    """``headwater_extent`` of an output dataset: how much of its content a write replaced, and whether
    data of before are left that the application had not written. ``base`` is the state of what the write found and
    left, ``state`` that in which it left the dataset. Of an input, ``bases`` are the states in which it was read.
    """

    replaced: str | None = None
    found: bool | None = None
    base: ContentState | None = None
    state: ContentState | None = None
    bases: list[ContentState] | None = attr.field(default=None, converter=_or_absent)

    @staticmethod
    def _get_schema() -> str:
        return schema_url(EXTENT)


@attr.define
class KeptOperator(_Part):
    """An operator of which records were kept: its number among these, what it is, and how many records it gave."""

    id: int
    type: str
    rows: int | None = None


@attr.define
class RecordsRunFacet(RunFacet):
    """``headwater_records`` of a run: where it is kept, beside the data, which records made what it wrote.

    ``mode`` is demand, ends or full, ``entry`` the run's own folder in ``folder``. ``refused`` is a code: nothing was
    kept that can be asked about, because of ``operator`` if there is one.
    """

    _skip_redact: ClassVar[list[str]] = ["mode", "folder", "entry", "refused", "operator"]

    mode: str
    folder: str
    entry: str
    carried: bool | None = None
    files: int | None = None
    rows: int | None = None
    operators: list[KeptOperator] | None = attr.field(default=None, converter=_or_absent)
    refused: str | None = None
    operator: str | None = None

    @staticmethod
    def _get_schema() -> str:
        return schema_url(RECORDS)


@attr.frozen
class SplitColumn(_Part):
    """A column that crosses the boundary, with Spark's type and the reason why it may."""

    name: str
    type: str
    why: str


@attr.define
class SplitStatement(_Part):
    """A statement of the job on the side where it is computed, or rows that cross the boundary (``side``).

    ``inputs`` are the keys of what it is made of.
    """

    _skip_redact: ClassVar[list[str]] = ["key", "label", "side", "line"]

    key: str
    label: str
    side: str
    stage: int
    line: str | None = None
    why: list[str] | None = attr.field(default=None, converter=_or_absent)
    inputs: list[str] | None = attr.field(default=None, converter=_or_absent)
    columns: list[SplitColumn] | None = attr.field(default=None, converter=_or_absent)
    back: bool | None = None


@attr.define
class SplitJobFacet(JobFacet):
    """``headwater_split`` of a job: what of it is computed inside each region and outside, and what crosses between."""

    leastGroup: int  # noqa: N815 - the name on the wire
    statements: list[SplitStatement]

    @staticmethod
    def _get_schema() -> str:
        return schema_url(SPLIT)


Facet: TypeAlias = (
    PathLineageDatasetFacet
    | OperatorsJobFacet
    | FunctionsJobFacet
    | ConditionsJobFacet
    | AccessInputDatasetFacet
    | LayoutDatasetFacet
    | ExtentDatasetFacet
    | RecordsRunFacet
    | SplitJobFacet
)

FACET_CLASSES: Final[dict[str, type[Any]]] = {
    PATH_LINEAGE: PathLineageDatasetFacet,
    OPERATORS: OperatorsJobFacet,
    FUNCTIONS: FunctionsJobFacet,
    CONDITIONS: ConditionsJobFacet,
    ACCESS: AccessInputDatasetFacet,
    LAYOUT: LayoutDatasetFacet,
    EXTENT: ExtentDatasetFacet,
    RECORDS: RecordsRunFacet,
    SPLIT: SplitJobFacet,
}
