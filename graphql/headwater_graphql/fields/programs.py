"""What the programs of jobs decide by, and which functions of the user's they call, in GraphQL."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.domain import model
from headwater_backend.domain.roles import Permission
from headwater_backend.questions import arrivals
from headwater_backend.questions.catalog import user_functions as question
from headwater_facets import kinds
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, connection
from headwater_graphql.engine.definitions import JSON
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.types import JobName, JobRef, NodeRef

if TYPE_CHECKING:
    from headwater_facets import facets
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
        predicates = known.predicates if known else None
        return cls(
            predicates=None if predicates is None else list(map(Predicate.of, predicates)),
            producer=known.producer if known else None,
            by=list(found.by),
            left=found.left,
        )


@definitions.object_type(description="A column that crosses the boundary, with the reason why it may.")
class SplitColumn:
    name: str
    type: str = definitions.field(description="Spark's name of its type.")
    why: str


@definitions.object_type(description="A statement of a job that is split, or rows that cross the boundary.")
class SplitStatement:
    key: str
    label: str
    side: str = definitions.field(description="`inside`, `boundary`, `outside` or `anywhere`.")
    stage: int
    line: str | None
    why: list[str] = definitions.field(description="Why it is computed there.")
    inputs: list[str] = definitions.field(description="The keys of the statements that it is made of.")
    columns: list[SplitColumn] = definitions.field(description="What crosses the boundary.")
    back: bool = definitions.field(description="Whether it crosses into the regions.")

    @classmethod
    def of(cls, found: facets.SplitStatement) -> SplitStatement:
        return cls(
            key=found.key,
            label=found.label,
            side=found.side,
            stage=found.stage,
            line=found.line,
            why=found.why or [],
            inputs=found.inputs or [],
            columns=[SplitColumn(name=c.name, type=c.type, why=c.why) for c in found.columns or ()],
            back=bool(found.back),
        )


@definitions.object_type(
    description="What of a job is computed inside each region and outside, and what crosses."
)
class JobSplit:
    least_group: int = definitions.field(description="The rows, or persons, of a group that leaves a region.")
    statements: list[SplitStatement] = definitions.field(description="Each after those that it is made of.")

    @classmethod
    def of(cls, found: facets.SplitJobFacet) -> JobSplit:
        return cls(
            least_group=found.leastGroup, statements=[SplitStatement.of(each) for each in found.statements]
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


definitions.enum(
    kinds.Known,
    name="KnownFrom",
    description="From where it is known what a function does. ANALYSED: from its code. DECLARED: somebody has stated "
    "it. OPAQUE: it is not known.",
)


@definitions.object_type(description="Where code stands that was read.")
class CodePlace:
    function: str = definitions.field(description="The function's own name.")
    file: str = definitions.field(description="The file's name, without folders.")
    line: int


@definitions.object_type(description="Why code is opaque.")
class WhyOpaque:
    code: str
    reason: str
    hint: str | None = definitions.field(description="The change that would make it readable.")
    line: int | None = definitions.field(description="The line that is in the way.")


@definitions.object_type(
    description="A way from a path of an argument to one of the result, of which declaration and code say different "
    "things."
)
class FunctionDifference:
    difference: str = definitions.field(
        description="UNDECLARED: the code does it, and no declaration says so. NOT_DONE: the code does not do what is "
        "declared. READABLE: what is declared as hidden can be read back."
    )
    argument: int = definitions.field(description="The argument's position, from 0.")
    source: list[str]
    target: list[str]


@definitions.object_type(description="A function of the user's that a job calls.")
class UserFunction:
    name: str = definitions.field(description="As the plan has it.")
    sort: str = definitions.field(description="PYTHON_UDF, SCALA_UDF …, as in the reasons of gaps.")
    known: str = definitions.field(description="A word of `KnownFrom`, or one of a newer producer.")
    declared_by: str | None = definitions.field(
        description="The steward who accepted what is declared, where it was a proposal."
    )
    operators: list[int] = definitions.field(description="The operators that call it, as in edges.")
    code: CodePlace | None = definitions.field(description="Null if its code was not read.")
    why: list[WhyOpaque]
    differences: list[FunctionDifference]

    @classmethod
    def of(cls, found: facets.UserFunction) -> UserFunction:
        place = found.code
        return cls(
            name=found.name,
            sort=found.sort,
            known=str(found.known),
            declared_by=found.declaredBy,
            operators=list(found.operators),
            code=CodePlace(function=place.function, file=place.file, line=place.line) if place else None,
            why=[
                WhyOpaque(code=each.code, reason=each.reason, hint=each.hint, line=each.line)
                for each in found.why or ()
            ],
            differences=[
                FunctionDifference(
                    difference=str(each["difference"]),
                    argument=each["argument"],
                    source=each["from"],
                    target=each["to"],
                )
                for each in found.differences or ()
            ],
        )


@definitions.object_type(description="A user function with the job that calls it.")
class FunctionOfJob:
    job: JobRef
    function: UserFunction

    @classmethod
    def of(cls, found: question.FunctionOfJob) -> FunctionOfJob:
        return cls(job=JobRef.of(found.job), function=UserFunction.of(found.function))


@definitions.object_type()
class UserFunctionQuery:
    @definitions.resolver(
        description="The user functions of jobs whose namespace or name contains the text, by job. With `differing`, "
        "those alone whose code does something else than is declared of them."
    )
    @needs(Permission.ASK)
    def user_functions(
        self,
        info: Info,
        search: str | None = None,
        known: list[kinds.Known] | None = None,
        differing: bool = False,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[FunctionOfJob]:
        page = run_question(
            info,
            question.user_functions,
            search,
            None if known is None else [str(each) for each in known],
            differing=differing,
            first=first,
            after=after,
        )
        nodes = [FunctionOfJob.of(each) for each in page.items]
        return connection(nodes, [question.cursor(each) for each in page.items], page.has_next, after)
