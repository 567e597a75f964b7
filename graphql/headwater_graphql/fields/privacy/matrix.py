"""The exposure matrix in GraphQL: categories, attributes or subjects against datasets, namespaces or recipients."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.domain.roles import Permission
from headwater_backend.privacy.answers import matrix
from headwater_backend.privacy.answers.matrix_filter import MatrixFilter
from headwater_backend.privacy.forms import Form
from headwater_backend.questions.resolving import labels
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import PageInfo
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.privacy.exposure import (
    Classification,
    FunctionRule,
    PersonalRule,
    exposure_scope,
    ruling_of,
)
from headwater_graphql.fields.privacy.policies.check import stated
from headwater_graphql.fields.types import Incomplete, NodeRef, PathRef

if TYPE_CHECKING:
    from headwater_backend.domain.model import NodeKey

definitions.enum(matrix.Column, name="MatrixColumn", description="What the columns of the matrix are.")
definitions.enum(matrix.Row, name="MatrixRow", description="What the rows of the matrix are.")


@definitions.object_type(
    description="A row that holds something of a column: an attribute, a category, or a subject."
)
class MatrixCell:
    namespace: str | None = definitions.field(description="Null if rows are recipients.")
    name: str | None = definitions.field(description="The dataset; null if rows are not datasets.")
    recipient: str | None = definitions.field(description="Null if none is stated, or rows are others.")
    category: str | None
    attribute: PathRef | None
    subject: str | None = definitions.field(
        description="Whose data they are, as a data subject of the Fides taxonomy; null if none is stated, or columns "
        "are others."
    )
    form: Form = definitions.field(description="The strongest form there.")
    declared: bool = definitions.field(description="Whether an attribute of the column is declared there.")
    column_complete: bool = definitions.field(
        description="Whether rows without a cell of this column hold nothing of it for certain."
    )

    @classmethod
    def of(
        cls, cell: matrix.Cell, row: matrix.Row, labels: Mapping[NodeKey, str], column_complete: bool
    ) -> MatrixCell:
        is_recipient = row is matrix.Row.RECIPIENT
        return cls(
            namespace=None if is_recipient else cell.namespace,
            name=None if is_recipient else cell.name or None,
            recipient=(cell.name or None) if is_recipient else None,
            category=cell.category,
            subject=cell.subject or None,
            attribute=PathRef.of(cell.attribute, labels) if cell.attribute else None,
            form=cell.form,
            declared=cell.declared,
            column_complete=column_complete,
        )


@definitions.object_type(description="What filters may ask for, whatever is filtered now.")
class MatrixChoices:
    categories: list[str]
    subjects: list[str] = definitions.field(description="Those that the organisation states.")
    owners: list[str] = definitions.field(description="Those of datasets that hold personal data.")


@definitions.object_type(
    description="A column: an attribute, a category, or a subject, null if none is stated."
)
class MatrixColumnRef:
    category: str | None
    attribute: PathRef | None
    subject: str | None

    @classmethod
    def of(
        cls, found: NodeKey | str, column: matrix.Column, labels: Mapping[NodeKey, str]
    ) -> MatrixColumnRef:
        if not isinstance(found, str):
            return cls(category=None, attribute=PathRef.of(found, labels), subject=None)
        if column is matrix.Column.SUBJECT:
            return cls(category=None, attribute=None, subject=found or None)
        return cls(category=found, attribute=None, subject=None)


@definitions.object_type(
    description="A row: a namespace, a dataset in it, or a recipient, null if none is stated."
)
class MatrixRowRef:
    namespace: str | None
    name: str | None
    recipient: str | None

    @classmethod
    def of(cls, found: tuple[str, str], row: matrix.Row) -> MatrixRowRef:
        namespace, name = found
        if row is matrix.Row.RECIPIENT:
            return cls(namespace=None, name=None, recipient=name or None)
        return cls(namespace=namespace, name=name or None, recipient=None)


@definitions.object_type(
    description="Columns of which an empty cell may not be empty, in one of these rows: those that data reach from "
    "where something is not known."
)
class MatrixDoubt:
    columns: list[MatrixColumnRef]
    rows: list[MatrixRowRef] | None = definitions.field(description="Null for all rows.")


@definitions.object_type()
class MatrixEdge:
    node: MatrixCell
    cursor: str


@definitions.object_type(description="A page of the cells that are not empty, by row and column.")
class ExposureMatrix:
    edges: list[MatrixEdge]
    page_info: PageInfo
    total_count: int
    complete: bool
    incomplete: list[Incomplete] = definitions.field(
        description="Gaps in the whole matrix, on every page: an empty cell may then not be empty, as its column says."
    )
    as_of: datetime = definitions.field(description="The time of the lineage used for all pages.")
    classification: Classification
    idle_recipients: list[str] = definitions.field(
        description="Stated recipients, if rows are recipients, whose datasets hold nothing that is known as personal."
    )
    choices: MatrixChoices
    doubts: list[MatrixDoubt] = definitions.field(
        description="Of the columns that are not complete, the rows in doubt: on the first page."
    )


@definitions.object_type()
class MatrixQuery:
    @definitions.resolver(
        description="The strongest form in which datasets, namespaces or recipients hold attributes, or categories or "
        "subjects of them. Recipients and subjects are what the organisation states, in its YAML file or that of the "
        "server. `holdings` lists the paths and jobs behind a cell. `special` leaves "
        "the special categories of the GDPR, and broader ones that may hold them; `subject` what is theirs, or not "
        "stated to be anybody's; `owner` their datasets, or with an empty name those without any. Other arguments are "
        "those of `attributeExposure`."
    )
    @needs(Permission.AUDIT, audited_as="exposure")
    def exposure_matrix(
        self,
        info: Info,
        columns: matrix.Column = matrix.Column.CATEGORY,
        rows: matrix.Row = matrix.Row.DATASET,
        node: NodeRef | None = None,
        category: str | None = None,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        influenced: bool = False,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        organisation: str | None = None,
        special: bool = False,
        subject: str | None = None,
        owner: str | None = None,
        first: int | None = 500,
        after: str | None = None,
    ) -> ExposureMatrix:
        info = as_known(info, as_known_at)
        found = run_question(
            info,
            matrix.matrix,
            exposure_scope(info, node, None, category, depth, as_of, influenced),
            ruling_of(info, rules, functions, lenient),
            info.context.snapshots,
            column=columns,
            row=rows,
            organisation=stated(info, organisation),
            wanted=MatrixFilter(special, subject, owner),
            first=first,
            after=after,
        )
        cells = found.cells.items
        in_doubt = (each for doubt in found.doubts for each in doubt.columns if not isinstance(each, str))
        attributes = [*(cell.attribute for _, cell in cells if cell.attribute), *in_doubt]
        named = run_question(info, labels, attributes)
        report, cursors = found.report, [at for at, _ in cells]
        return ExposureMatrix(
            edges=[
                MatrixEdge(
                    node=MatrixCell.of(cell, rows, named, cell.column not in found.doubtful), cursor=at
                )
                for at, cell in cells
            ],
            page_info=PageInfo.of(cursors, found.cells.has_next, after),
            total_count=found.count,
            complete=not found.incomplete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
            as_of=report.as_of,
            classification=Classification.of(report.classification),
            idle_recipients=list(found.idle),
            choices=MatrixChoices(
                categories=list(found.choices.categories),
                subjects=list(found.choices.subjects),
                owners=list(found.choices.owners),
            ),
            doubts=[
                MatrixDoubt(
                    columns=[MatrixColumnRef.of(each, columns, named) for each in doubt.columns],
                    rows=None if doubt.rows is None else [MatrixRowRef.of(each, rows) for each in doubt.rows],
                )
                for doubt in found.doubts
            ],
        )
