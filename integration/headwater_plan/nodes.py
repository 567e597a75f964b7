"""The closed intermediate representation between Spark's open plans and the analysis.

Catalyst's classes are open and differ between versions; here are all the relations and expressions that the
analysis knows, and no others. Nodes are compared by identity (a plan is a graph with shared parts, and comparing
by value would walk it again and again). Every relation has ``outputs``: its attributes in order, named by the
expression ids that Spark gave them. Relations refer only to relations decoded before them, so a list of them in
decoding order is a topological order.

    Relation   Read | Local | Previous | Recursion | Project | Filter | Join | Union | SetOperation | Aggregate
               | Generate | Window | Expand | Sort | Distinct | Limit | Rename | OpaqueRelation | UnknownRelation
    Expression Column | Literal | Member | Element | Construct | Update | Case | Cast | Call | Lambda
               | AggregateCall | Windowed | Subquery | OpaqueCall | DeclaredCall | ReadCall
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from headwater_plan.declarations import Declaration
from headwater_plan.readings import Reading, Why
from headwater_plan.types import DataType, StructType

INFLUENCES = -1
"""In place of an expression id: what influences an operator's output as a whole."""


class Shown(Enum):
    """What of a constant leaves in a predicate: itself, a token that keeps equality, or only its type."""

    VALUE = "value"
    TOKEN = "token"  # noqa: S105 - what it is, not one
    TYPE = "type"


class Form(Enum):
    """How a CASE chooses: the value of the first predicate that holds, the first value that is not null, otherwise."""

    WHEN = "when"
    COALESCE = "coalesce"
    OTHER = "other"


class Rows(Enum):
    """What the rows of a leaf without a dataset are: of the query's text or of the engine, data that the program holds,
    or numbers from 0 or 1 on, of which the program gave how many there are.
    """

    TEXT = "text"
    DATA = "data"
    RANGE = "range"


ROW = -2
"""In place of an expression id: all of an operator's output, where its columns are not known or too many."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column of a relation's output: Spark's expression id, its name and type."""

    id: int
    name: str
    type: DataType


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A reference to an attribute, of the operator's input or, in a subquery, of an outer one."""

    id: int
    name: str
    type: DataType | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    """A constant of the program, and what leaves of it where it stands (see ``constants``).

    ``text`` is what stands for it in a predicate and as a selector, ``as_value`` in a value position: itself as SQL,
    cut to a length, a placeholder or a token. ``value`` never leaves unless ``shown``.
    """

    value: Any
    type: DataType | None
    text: str
    as_value: str
    shown: Shown = Shown.VALUE


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A struct's member; ``each`` when it is taken of every element of an array of structs."""

    child: Expression
    name: str
    each: bool = False
    type: DataType | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """An array's element or a map's value, at a position or key that is itself an expression.

    ``first`` is the position of an array's first element; from 1 on, those below 0 count from the end.
    """

    child: Expression
    key: Expression
    type: DataType | None = None
    first: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Construct:
    """A new struct, array or map: (step, value) pairs; several pairs may share the step ``_element``."""

    parts: tuple[tuple[str, Expression], ...]
    type: DataType | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """A struct with members replaced or added (an expression) or dropped (None), in order."""

    child: Expression
    changes: tuple[tuple[str, Expression | None], ...]
    type: DataType | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """CASE, IF, COALESCE …: ``values`` may become the result, ``predicates`` decide which; ``nulls`` if they do so only
    by being null or not.
    """

    predicates: tuple[Expression, ...]
    values: tuple[Expression, ...]
    type: DataType | None = None
    nulls: bool = False
    form: Form = Form.OTHER


@dataclass(frozen=True, slots=True, eq=False)
class Cast:
    """A change of type."""

    child: Expression
    to: DataType
    type: DataType | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """Any other built-in function or operator, by its name (see ``functions``); ``pretty`` is how it was called."""

    function: str
    args: tuple[Expression, ...]
    type: DataType | None = None
    pretty: str = ""
    whole: tuple[str, ...] = ()
    """Of what parses a text: the members of the result that hold all of the text."""
    options: tuple[tuple[str, str], ...] = ()
    """Of what packs and parses JSON, CSV and XML: its options, their names in small letters."""


@dataclass(frozen=True, slots=True, eq=False)
class Lambda:
    """A lambda function; its parameters are columns that only its body sees."""

    parameters: tuple[Column, ...]
    body: Expression
    type: DataType | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AggregateCall:
    """An aggregate function with its FILTER clause."""

    call: Expression
    filter: Expression | None
    distinct: bool = False
    type: DataType | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Windowed:
    """A function over a window."""

    function: Expression
    partition: tuple[Expression, ...]
    order: tuple[Expression, ...]
    type: DataType | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Subquery:
    """A subquery as an expression. ``kind``: SCALAR (its one column is the value), EXISTS, or IN.

    ``compared`` are the values of IN. What a correlated subquery takes of its outer query stands in its relation.
    """

    kind: str
    relation: Relation
    compared: tuple[Expression, ...] = ()
    type: DataType | None = None


@dataclass(frozen=True, slots=True, eq=False)
class OpaqueCall:
    """Code that cannot be looked into: a UDF, UDAF or UDTF. ``reason`` says which sort, ``why`` what is in the way."""

    name: str
    reason: str
    args: tuple[Expression, ...]
    type: DataType | None = None
    why: tuple[Why, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredCall:
    """Code of which somebody has declared what it does. ``reason`` says which sort, ``reading`` what was read of it."""

    declaration: Declaration
    reason: str
    args: tuple[Expression, ...]
    type: DataType | None = None
    reading: Reading | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ReadCall:
    """User code that was read: what it does to its arguments. ``reason`` says which sort it is."""

    reading: Reading
    name: str
    reason: str
    args: tuple[Expression, ...]
    type: DataType | None = None


Expression: TypeAlias = (
    Column
    | Literal
    | Member
    | Element
    | Construct
    | Update
    | Case
    | Cast
    | Call
    | Lambda
    | AggregateCall
    | Windowed
    | Subquery
    | OpaqueCall
    | DeclaredCall
    | ReadCall
)


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """An attribute and the expression that defines it."""

    attribute: Attribute
    expression: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A leaf with a dataset behind it; ``source`` is the plan document's description of it.

    ``at`` is when the execution began that reads it, in epoch milliseconds; None where that is not known. Of files,
    ``names`` is Spark's column that has their names, and ``folders`` are the columns whose values stand in these; None
    where the folders' columns are not known.
    """

    outputs: tuple[Attribute, ...]
    source: Mapping[str, Any]
    at: int | None = None
    names: Attribute | None = None
    folders: tuple[Attribute, ...] | None = ()


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """A leaf without a dataset: values of the program, a range, one row.

    ``handed_in``: rows that the program made as values of its own language, and not as text of a query.
    """

    outputs: tuple[Attribute, ...]
    text: str
    handed_in: bool = False
    rows: Rows = Rows.TEXT


@dataclass(frozen=True, slots=True, eq=False)
class Previous:
    """Inside the step of a recursion: the rows of the round before."""

    outputs: tuple[Attribute, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Recursion:
    """A recursive CTE: the anchor's rows and, round by round, what ``step`` makes of the ``previous`` ones."""

    outputs: tuple[Attribute, ...]
    anchor: Relation
    step: Relation
    previous: Previous


@dataclass(frozen=True, slots=True, eq=False)
class Project:
    """SELECT without aggregates; window functions may stand in it."""

    outputs: tuple[Attribute, ...]
    child: Relation
    definitions: tuple[Definition, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Filter:
    """WHERE and HAVING."""

    outputs: tuple[Attribute, ...]
    child: Relation
    condition: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """A join; ``kind`` is Spark's (Inner, LeftOuter, LeftSemi, LeftAnti, Cross …)."""

    outputs: tuple[Attribute, ...]
    left: Relation
    right: Relation
    kind: str
    condition: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """UNION ALL by position; all inputs have as many attributes as the output."""

    outputs: tuple[Attribute, ...]
    inputs: tuple[Relation, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SetOperation:
    """INTERSECT and EXCEPT: the left side's rows, decided by both sides."""

    outputs: tuple[Attribute, ...]
    left: Relation
    right: Relation
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate:
    """GROUP BY with its keys and output definitions."""

    outputs: tuple[Attribute, ...]
    child: Relation
    keys: tuple[Expression, ...]
    definitions: tuple[Definition, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Generate:
    """A generator (explode …) beside its input's columns; ``generated`` are its own, in order."""

    outputs: tuple[Attribute, ...]
    child: Relation
    generator: Expression
    generated: tuple[Attribute, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Window functions beside the input's columns."""

    outputs: tuple[Attribute, ...]
    child: Relation
    definitions: tuple[Definition, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Expand:
    """Several projections of one input, one after the other (grouping sets, unpivot)."""

    outputs: tuple[Attribute, ...]
    child: Relation
    projections: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sort:
    """ORDER BY, SORT BY."""

    outputs: tuple[Attribute, ...]
    child: Relation
    orders: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """DISTINCT and dropDuplicates: ``keys`` decide which rows stay."""

    outputs: tuple[Attribute, ...]
    child: Relation
    keys: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """LIMIT, OFFSET, SAMPLE: fewer rows. ``keys`` have spread them over partitions, and so decide which come first."""

    outputs: tuple[Attribute, ...]
    child: Relation
    text: str
    keys: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Rename:
    """The same columns under other expression ids, by position (a CTE's reference, a view)."""

    outputs: tuple[Attribute, ...]
    child: Relation


@dataclass(frozen=True, slots=True, eq=False)
class OpaqueRelation:
    """An operator that runs code over whole rows: any input column may be in any new output column.

    ``name`` is the code's, empty where it is none of the user's; ``text`` is the operator's. Unless ``row_by_row``,
    the code decides as well which rows there are. ``keys`` group the rows that it gets at a time. ``function`` is the
    user's code, if it has any of its own.
    """

    outputs: tuple[Attribute, ...]
    inputs: tuple[Relation, ...]
    name: str
    reason: str
    text: str
    row_by_row: bool = False
    keys: tuple[Expression, ...] = ()
    function: OpaqueCall | DeclaredCall | ReadCall | None = None

    @property
    def declaration(self) -> Declaration | None:
        """What somebody says of the function; the arguments are then the inputs as structs."""
        return self.function.declaration if isinstance(self.function, DeclaredCall) else None

    @property
    def is_opaque(self) -> bool:
        """Whether it is not known what the code does: it was neither declared nor read."""
        return not isinstance(self.function, DeclaredCall | ReadCall)


@dataclass(frozen=True, slots=True, eq=False)
class UnknownRelation:
    """An operator that the decoder does not know: traced like an opaque one, and reported."""

    outputs: tuple[Attribute, ...]
    inputs: tuple[Relation, ...]
    name: str


Relation: TypeAlias = (
    Read
    | Local
    | Previous
    | Recursion
    | Project
    | Filter
    | Join
    | Union
    | SetOperation
    | Aggregate
    | Generate
    | Window
    | Expand
    | Sort
    | Distinct
    | Limit
    | Rename
    | OpaqueRelation
    | UnknownRelation
)


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """The root of a plan that writes: ``columns`` are the target's, in the order of the child's outputs. ``options``
    have their names in small letters.
    """

    child: Relation
    target: Mapping[str, Any]
    command: str
    columns: StructType
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that decoding could not understand; it becomes an ``incomplete`` entry."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True, eq=False)
class DecodedPlan:
    """A plan in the closed form. ``write`` is None for a plan that only reads."""

    relation: Relation | None
    write: Write | None = None
    problems: tuple[Problem, ...] = field(default=())
    assigned: tuple[str, ...] = ()
    """The session's variables that are set to the relation's columns, in their order."""
    observed: tuple[Relation, ...] = ()
    """The figures that the program is given of rows on their way (``observe``)."""
    states: tuple[Write, ...] = ()
    """What a streaming query keeps of the rows for its next micro-batches."""
