"""Exposure of personal data in GraphQL: by attribute, or as a paginated list of holdings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from headwater_backend.domain import model
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.roles import Permission
from headwater_backend.privacy import exposure, holdings
from headwater_backend.privacy.classification import personal
from headwater_backend.privacy.classification import rules as classification
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.questions.traversal import DEFAULT_DEPTH, Bounds
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import PageInfo
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.lineage import bounds
from headwater_graphql.fields.privacy.declassifications import Declassification
from headwater_graphql.fields.types import Incomplete, NodeRef, PathRef, WitnessStep

Why = Callable[[model.NodeKey, model.NodeKey], Sequence[str]]

MOST_OUTPUTS = 10_000
"""Maximum number of outputs in an answer without pagination."""
MOST_RULES = 2_000
"""Maximum number of rules in a query."""
NODES_SEARCHED = 10
"""Factor on the size of the largest lineage answer, because only a page of the result is sent."""

definitions.enum(
    Form,
    name="ExposureForm",
    description="The form in which a personal value occurs, strongest first. DERIVED: decided by "
    "the value for each record, such as the branch of a CASE, compared with it, or revealed by which records there "
    "are. PSEUDONYMISED: hashed or encrypted, still personal data. POSSIBLE: a program collected the value "
    "before it created this, or a join found this by an identifier of the person. INFLUENCED: the value does not "
    "occur, but decided on this.",
)


@definitions.input_type(
    description="Classifies paths as personal, like a rule of a rules file: `*` matches any text within a step or "
    "name, `**.` any leading steps. Without a namespace, `name` matches namespace and name, separated by a space."
)
class PersonalRule:
    name: str
    path: str
    category: str = definitions.field(description="A key of fideslang's taxonomy: `user` or a subcategory.")
    namespace: str | None = None
    line: int | None = definitions.field(
        default=None, description="Line in a rules file, for error messages."
    )


@definitions.input_type(
    description="What a function, by its name, makes of a value. A form stronger than PSEUDONYMISED makes a pseudonym "
    "readable again."
)
class FunctionRule:
    function: str
    form: Form


@definitions.object_type(description="What a rule says of a function.")
class FunctionForm:
    function: str
    form: Form


@definitions.object_type(description="A path that holds a personal attribute, or is influenced by it.")
class ExposedOutput:
    node: PathRef
    form: Form = definitions.field(description="The strongest form in which the attribute occurs.")
    forms: list[Form] = definitions.field(description="All forms, strongest first.")
    kinds: list[str] = definitions.field(description="Kinds of influence: FILTER, JOIN, GROUP_BY, …")
    distance: int = definitions.field(description="The least number of edges from the attribute.")
    witness: list[WitnessStep] = definitions.field(description="A shortest route for the strongest form.")
    because: list[str] = definitions.field(
        description="With `active`: why no row takes any of the known ways there. Empty where one may."
    )

    @classmethod
    def of(
        cls, output: exposure.ExposedOutput, labels: Mapping[model.NodeKey, str], because: Sequence[str] = ()
    ) -> ExposedOutput:
        return cls(
            node=PathRef.of(output.node, labels),
            form=output.form,
            forms=list(output.forms),
            kinds=list(output.kinds),
            distance=output.distance,
            witness=[WitnessStep.of(edge, labels) for edge in output.witness],
            because=list(because),
        )


@definitions.object_type(description="A personal attribute.")
class PersonalAttribute:
    node: PathRef
    categories: list[str] = definitions.field(description="Keys of fideslang's taxonomy.")
    said_by: list[str] = definitions.field(
        description="The steward's decision, or the tags and rules, that classify it."
    )

    @classmethod
    def of(cls, attribute: personal.Attribute, labels: Mapping[model.NodeKey, str]) -> PersonalAttribute:
        return cls(
            node=PathRef.of(attribute.node, labels),
            categories=list(attribute.categories),
            said_by=list(attribute.named_by),
        )


@definitions.object_type(description="A personal attribute, and the paths that hold it.")
class AttributeExposure(PersonalAttribute):
    outputs: list[ExposedOutput]
    complete: bool
    incomplete: list[Incomplete]

    @classmethod
    def whole(
        cls, each: exposure.AttributeExposure, labels: Mapping[model.NodeKey, str], why: Why
    ) -> AttributeExposure:
        start = each.attribute.node
        return cls(
            node=PathRef.of(each.attribute.node, labels),
            categories=list(each.attribute.categories),
            said_by=list(each.attribute.named_by),
            outputs=[ExposedOutput.of(one, labels, why(start, one.node)) for one in each.outputs],
            complete=each.complete,
            incomplete=[Incomplete.of(entry) for entry in each.incomplete],
        )


@definitions.object_type(description="A rule that matches no known path.")
class UnmatchedRule:
    line: int
    dataset: str
    path: str
    category: str
    detail: str
    hint: str | None = definitions.field(description="The most similar known name.")

    @classmethod
    def of(cls, idle: personal.IdleRule) -> UnmatchedRule:
        return cls(
            line=idle.rule.line,
            dataset=" ".join(idle.rule.dataset_text).strip(),
            path=idle.rule.path_text,
            category=idle.rule.category,
            detail=idle.detail,
            hint=idle.hint,
        )


@definitions.object_type(
    description="The personal data of the answer. Without attributes, holders of personal data cannot be determined."
)
class Classification:
    attributes: int = definitions.field(description="Paths that are classified as personal.")
    classified_datasets: int = definitions.field(description="Datasets with such paths.")
    datasets: int = definitions.field(description="All known datasets.")
    rules: int = definitions.field(description="Rules in force: the server's and the query's.")
    unmatched_rules: list[UnmatchedRule]
    functions: list[FunctionForm] = definitions.field(description="What rules say of functions, by name.")
    decided: int = definitions.field(description="Paths on which stewards decided.")
    not_personal: int = definitions.field(description="Those of them that are not personal data.")
    declassifications: list[Declassification] = definitions.field(
        description="The declassified paths in force at which personal data ended."
    )

    @classmethod
    def of(cls, found: exposure.Classification) -> Classification:
        return cls(
            attributes=found.attributes,
            classified_datasets=found.classified,
            datasets=found.datasets,
            rules=found.rules,
            unmatched_rules=[UnmatchedRule.of(each) for each in found.idle],
            functions=[FunctionForm(function=name, form=form) for name, form in found.functions],
            decided=found.decided,
            not_personal=found.denied,
            declassifications=[Declassification.of(stop) for stop in found.stops],
        )


@definitions.object_type(description="Holders of the selected personal attributes, with form and jobs.")
class ExposureReport:
    attributes: list[AttributeExposure]
    complete: bool
    incomplete: list[Incomplete]
    as_of: datetime = definitions.field(description="The time of the lineage used.")
    classification: Classification

    @classmethod
    def of(
        cls, report: exposure.ExposureReport, labels: Mapping[model.NodeKey, str], why: Why
    ) -> ExposureReport:
        return cls(
            attributes=[AttributeExposure.whole(each, labels, why) for each in report.attributes],
            complete=report.complete,
            incomplete=[Incomplete.of(entry) for entry in report.incomplete],
            as_of=report.as_of,
            classification=Classification.of(report.classification),
        )


@definitions.object_type(description="A personal attribute, and a path that holds it.")
class Holding:
    attribute: PersonalAttribute
    output: ExposedOutput


@definitions.object_type()
class HoldingEdge:
    node: Holding
    cursor: str


@definitions.object_type(
    description="Number of paths that hold an attribute in this form, and in no stronger one."
)
class FormCount:
    form: Form
    count: int


@definitions.object_type(description="A page of holdings: sorted by attribute, strength and name.")
class HoldingConnection:
    edges: list[HoldingEdge]
    page_info: PageInfo
    total_count: int
    totals: list[FormCount]
    attributes: int = definitions.field(description="Number of attributes searched for, or held at the node.")
    datasets: int = definitions.field(description="Number of datasets that hold one.")
    complete: bool
    incomplete: list[Incomplete] = definitions.field(description="Gaps in the whole list, on every page.")
    as_of: datetime = definitions.field(description="The time of the lineage used for all pages.")
    classification: Classification

    @classmethod
    def of(
        cls, page: holdings.HoldingsPage, labels: Mapping[model.NodeKey, str], after: str | None, why: Why
    ) -> HoldingConnection:
        report, cursors = page.report, [each.cursor for each in page.items]
        nodes = [
            Holding(
                attribute=PersonalAttribute.of(each.exposure.attribute, labels),
                output=ExposedOutput.of(
                    each.output, labels, why(each.exposure.attribute.node, each.output.node)
                ),
            )
            for each in page.items
        ]
        return cls(
            edges=[HoldingEdge(node=node, cursor=at) for node, at in zip(nodes, cursors, strict=True)],
            page_info=PageInfo.of(cursors, page.has_next, after),
            total_count=report.count,
            totals=[FormCount(form=form, count=count) for form, count in report.totals.items()],
            attributes=len(report.attributes),
            datasets=report.datasets,
            complete=report.complete,
            incomplete=[Incomplete.of(entry) for entry in report.incomplete],
            as_of=report.as_of,
            classification=Classification.of(report.classification),
        )


@definitions.object_type()
class ExposureQuery:
    @definitions.resolver(
        description="Holders of personal attributes: all, a node's, or those of a category. `asOf` selects the "
        "lineage and the decisions of stewards; tags and rules are always current. `influenced` also lists paths that "
        "an attribute only influences. With `active`, an output says why no row can take the ways there. "
        "`rules` and `functions` are added to the server's; a rule that matches nothing is an error, unless `lenient`. "
        "Long answers are refused: use `holdings`, which is paginated."
    )
    @needs(Permission.AUDIT, audited_as="exposure")
    def attribute_exposure(
        self,
        info: Info,
        node: NodeRef | None = definitions.UNSET,
        category: str | None = definitions.UNSET,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        influenced: bool = False,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        active: bool = False,
    ) -> ExposureReport:
        info = as_known(info, as_known_at)
        scope = exposure_scope(info, node or None, None, category or None, depth, as_of, influenced)
        report = run_question(info, exposure.exposed, scope, ruling_of(info, rules, functions, lenient))
        if report.count > MOST_OUTPUTS:
            raise BadQuestion(
                f"the answer has {report.count:,} outputs, more than the maximum {MOST_OUTPUTS:,}",
                "use the paginated `holdings`, or select a node or a category",
            )
        outputs = [output for each in report.attributes for output in each.outputs]
        labels = run_question(
            info, exposure.labels_of, outputs, [each.attribute for each in report.attributes]
        )
        return ExposureReport.of(report, labels, _why(info, report, active))

    @definitions.resolver(
        description="Paths that hold personal attributes, paginated: attributes at or below `of`, attributes held "
        "`at` a node, or all. Other arguments are those of `attributeExposure`."
    )
    @needs(Permission.AUDIT, audited_as="exposure")
    def holdings(
        self,
        info: Info,
        of: NodeRef | None = None,
        at: NodeRef | None = None,
        category: str | None = None,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        influenced: bool = False,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        first: int | None = 50,
        after: str | None = None,
        active: bool = False,
    ) -> HoldingConnection:
        info = as_known(info, as_known_at)
        scope = exposure_scope(info, of, at, category, depth, as_of, influenced)
        ruling = ruling_of(info, rules, functions, lenient)
        page = run_question(
            info, holdings.holdings, scope, ruling, info.context.snapshots, first=first, after=after
        )
        shown = [each.output for each in page.items]
        labels = run_question(
            info, exposure.labels_of, shown, [each.exposure.attribute for each in page.items]
        )
        return HoldingConnection.of(page, labels, after, _why(info, page.report, active))


def _why(info: Info, report: exposure.ExposureReport, active: bool) -> Why:
    """From an attribute and a path that holds it to why no row can bring it there; nothing unless ``active``."""
    ways = run_question(info, exposure.passing, report) if active else None

    def because(start: model.NodeKey, end: model.NodeKey) -> Sequence[str]:
        barred = ways.barred(start, end) if ways else None
        return barred.because if barred else ()

    return because


def exposure_scope(
    info: Info,
    of: NodeRef | None,
    at: NodeRef | None,
    category: str | None,
    depth: int | None,
    as_of: datetime | None,
    influenced: bool,
) -> Scope:
    return Scope(
        of=of.key() if of else None,
        at=at.key() if at else None,
        category=category,
        influenced=influenced,
        bounds=exposure_bounds(info, depth, as_of),
    )


def exposure_bounds(info: Info, depth: int | None, as_of: datetime | None) -> Bounds:
    """The bounds of a search from all personal attributes, which is wider than that from one node."""
    within = bounds(info, depth, as_of)
    return replace(within, nodes=within.nodes * NODES_SEARCHED)


def ruling_of(
    info: Info,
    rules: Sequence[PersonalRule] | None,
    functions: Sequence[FunctionRule] | None,
    lenient: bool,
) -> exposure.Ruling:
    """The rules in force for a query; raises ``BadQuestion`` if it brings too many."""
    given, named = list(rules or ()), list(functions or ())
    if len(given) + len(named) > MOST_RULES:
        raise BadQuestion(
            f"{len(given) + len(named):,} rules in the query, more than the maximum {MOST_RULES:,}",
            "configure them on the server: headwater serve --rules",
        )
    of_functions = (
        classification.FunctionRule(each.function, each.form, at) for at, each in enumerate(named, 1)
    )
    asked = classification.Rules(tuple(_rules(given)), tuple(of_functions))
    return exposure.Ruling(info.context.rules, asked, lenient)


def _rules(given: Iterable[PersonalRule]) -> Iterable[classification.Rule]:
    for number, rule in enumerate(given, 1):
        line = number if rule.line is None else rule.line
        yield classification.Rule.of(rule.namespace, rule.name, rule.path, rule.category, line)
