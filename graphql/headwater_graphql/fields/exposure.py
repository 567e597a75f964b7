"""The exposure of personal data in GraphQL: attribute by attribute, or as a list of holdings, page by page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.domain import model
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.privacy import exposure, holdings, personal
from headwater_backend.privacy.forms import Form
from headwater_backend.questions.search import DEFAULT_DEPTH
from headwater_graphql.context import Info, ask
from headwater_graphql.engine import declare
from headwater_graphql.engine.connections import PageInfo
from headwater_graphql.fields.lineage import bounds
from headwater_graphql.fields.types import Incomplete, NodeRef, PathRef, WitnessStep

if TYPE_CHECKING:
    from headwater_backend.privacy.rules import Rule

MOST_OUTPUTS = 10_000
"""Of an answer that has no pages."""
MOST_RULES = 2_000
"""That may come with a question."""
NODES_SEARCHED = 10
"""Times the largest lineage answer: of what the search finds, only a page is sent."""

declare.enum(
    Form,
    name="ExposureForm",
    description="In which form a personal value arrives, the strongest first. POSSIBLE: a program collected it before "
    "it made this. INFLUENCED: it is not there, but decided on it.",
)


@declare.input_type(
    description="Names paths as personal, as a rule of a rules file does: `*` is any text within a step or a name, "
    "`**.` any leading steps. Without a namespace, `name` is a pattern on both names, with a blank between them."
)
class PersonalRule:
    name: str
    path: str
    category: str = declare.field(description="A key of fideslang's taxonomy: `user` or a kind of it.")
    namespace: str | None = None
    line: int | None = declare.field(default=None, description="Where a file says so; errors name it.")


@declare.object_type(description="A path that holds a personal attribute, or is influenced by it.")
class ExposedOutput:
    node: PathRef
    form: Form = declare.field(description="The strongest form in which it arrives.")
    forms: list[Form] = declare.field(description="All forms, the strongest first.")
    kinds: list[str] = declare.field(description="How it is influenced: FILTER, JOIN, GROUP_BY, …")
    distance: int = declare.field(description="The least number of edges from the attribute.")
    witness: list[WitnessStep] = declare.field(description="A shortest route of the strongest form.")

    @classmethod
    def of(cls, output: exposure.ExposedOutput, labels: Mapping[model.NodeKey, str]) -> ExposedOutput:
        return cls(
            node=PathRef.of(output.node, labels),
            form=output.form,
            forms=list(output.forms),
            kinds=list(output.kinds),
            distance=output.distance,
            witness=[WitnessStep.of(edge, labels) for edge in output.witness],
        )


@declare.object_type(description="A personal attribute.")
class PersonalAttribute:
    node: PathRef
    categories: list[str] = declare.field(description="Keys of fideslang's taxonomy.")
    said_by: list[str] = declare.field(description="The tags and rules that name it personal.")

    @classmethod
    def of(cls, attribute: personal.Attribute, labels: Mapping[model.NodeKey, str]) -> PersonalAttribute:
        return cls(
            node=PathRef.of(attribute.node, labels),
            categories=list(attribute.categories),
            said_by=list(attribute.said_by),
        )


@declare.object_type(description="What became of one personal attribute.")
class AttributeExposure(PersonalAttribute):
    outputs: list[ExposedOutput]
    complete: bool
    incomplete: list[Incomplete]

    @classmethod
    def whole(
        cls, each: exposure.AttributeExposure, labels: Mapping[model.NodeKey, str]
    ) -> AttributeExposure:
        return cls(
            node=PathRef.of(each.attribute.node, labels),
            categories=list(each.attribute.categories),
            said_by=list(each.attribute.said_by),
            outputs=[ExposedOutput.of(output, labels) for output in each.outputs],
            complete=each.complete,
            incomplete=[Incomplete.of(entry) for entry in each.incomplete],
        )


@declare.object_type(description="A rule that fits no known path.")
class UnmatchedRule:
    line: int
    dataset: str
    path: str
    category: str
    detail: str
    hint: str | None = declare.field(description="What is written most alike.")

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


@declare.object_type(
    description="What the answer took for personal. Without any attribute, nobody knows who holds personal data."
)
class Classification:
    attributes: int = declare.field(description="Paths that tags and rules name personal.")
    classified_datasets: int = declare.field(description="Datasets that have such paths.")
    datasets: int = declare.field(description="All known datasets.")
    rules: int = declare.field(description="Rules in force: the server's, and those of the question.")
    unmatched_rules: list[UnmatchedRule]

    @classmethod
    def of(cls, found: exposure.Classification) -> Classification:
        return cls(
            attributes=found.attributes,
            classified_datasets=found.classified,
            datasets=found.datasets,
            rules=found.rules,
            unmatched_rules=[UnmatchedRule.of(each) for each in found.idle],
        )


@declare.object_type(
    description="Who holds the personal attributes asked for, in which form, and by which jobs."
)
class ExposureReport:
    attributes: list[AttributeExposure]
    complete: bool
    incomplete: list[Incomplete]
    as_of: datetime = declare.field(description="The moment by whose lineage it is true.")
    classification: Classification

    @classmethod
    def of(cls, report: exposure.ExposureReport, labels: Mapping[model.NodeKey, str]) -> ExposureReport:
        return cls(
            attributes=[AttributeExposure.whole(each, labels) for each in report.attributes],
            complete=report.complete,
            incomplete=[Incomplete.of(entry) for entry in report.incomplete],
            as_of=report.as_of,
            classification=Classification.of(report.classification),
        )


@declare.object_type(description="A personal attribute, and a path that holds it.")
class Holding:
    attribute: PersonalAttribute
    output: ExposedOutput


@declare.object_type()
class HoldingEdge:
    node: Holding
    cursor: str


@declare.object_type(description="How many paths hold an attribute in this form, and in no stronger one.")
class FormCount:
    form: Form
    count: int


@declare.object_type(description="A page of holdings: by attribute, then by strength, then by name.")
class HoldingConnection:
    edges: list[HoldingEdge]
    page_info: PageInfo
    total_count: int
    totals: list[FormCount]
    attributes: int = declare.field(description="How many attributes were looked for, or did arrive.")
    datasets: int = declare.field(description="How many datasets hold one.")
    complete: bool
    incomplete: list[Incomplete] = declare.field(description="Of the whole list, on every page.")
    as_of: datetime = declare.field(description="The moment by whose lineage all pages are true.")
    classification: Classification

    @classmethod
    def of(
        cls, page: holdings.HoldingsPage, labels: Mapping[model.NodeKey, str], after: str | None
    ) -> HoldingConnection:
        report, cursors = page.report, [each.cursor for each in page.items]
        nodes = [
            Holding(
                attribute=PersonalAttribute.of(each.exposure.attribute, labels),
                output=ExposedOutput.of(each.output, labels),
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


@declare.object_type()
class ExposureQuery:
    @declare.resolver(
        description="Who holds personal attributes: all, a node's, or those of a category. `asOf` is about lineage: "
        "what is personal is asked of the present. What an attribute merely decides on is listed where `influenced` "
        "asks for it. `rules` are in force beside the server's; one that fits nothing is an error, unless `lenient`. "
        "Long answers are refused: `holdings` lists them page by page."
    )
    def attribute_exposure(
        self,
        info: Info,
        node: NodeRef | None = declare.UNSET,
        category: str | None = declare.UNSET,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        influenced: bool = False,
        rules: list[PersonalRule] | None = None,
        lenient: bool = False,
    ) -> ExposureReport:
        scope = _scope(info, node or None, None, category or None, depth, as_of, influenced)
        report = ask(info, exposure.exposed, scope, _ruling(info, rules, lenient))
        if report.count > MOST_OUTPUTS:
            raise BadQuestion(
                f"the answer has {report.count:,} outputs, and one without pages at most {MOST_OUTPUTS:,}",
                "ask for `holdings`, page by page, or for a node or a category",
            )
        outputs = [output for each in report.attributes for output in each.outputs]
        labels = ask(info, exposure.labels_of, outputs, [each.attribute for each in report.attributes])
        return ExposureReport.of(report, labels)

    @declare.resolver(
        description="The paths that hold personal attributes, page by page: of the attributes at or under `of`, and "
        "`at` a node, whatever is classified there; all without either. The rest is as in `attributeExposure`."
    )
    def holdings(
        self,
        info: Info,
        of: NodeRef | None = None,
        at: NodeRef | None = None,
        category: str | None = None,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        influenced: bool = False,
        rules: list[PersonalRule] | None = None,
        lenient: bool = False,
        first: int | None = 50,
        after: str | None = None,
    ) -> HoldingConnection:
        scope = _scope(info, of, at, category, depth, as_of, influenced)
        ruling = _ruling(info, rules, lenient)
        page = ask(info, holdings.holdings, scope, ruling, info.context.snapshots, first=first, after=after)
        shown = [each.output for each in page.items]
        labels = ask(info, exposure.labels_of, shown, [each.exposure.attribute for each in page.items])
        return HoldingConnection.of(page, labels, after)


def _scope(
    info: Info,
    of: NodeRef | None,
    at: NodeRef | None,
    category: str | None,
    depth: int | None,
    as_of: datetime | None,
    influenced: bool,
) -> exposure.Scope:
    within = bounds(info, depth, as_of)
    return exposure.Scope(
        of=of.key() if of else None,
        at=at.key() if at else None,
        category=category,
        influenced=influenced,
        bounds=replace(within, nodes=within.nodes * NODES_SEARCHED),
    )


def _ruling(info: Info, rules: Sequence[PersonalRule] | None, lenient: bool) -> exposure.Ruling:
    asked = list(rules or ())
    if len(asked) > MOST_RULES:
        raise BadQuestion(
            f"{len(asked):,} rules came with the question, and {MOST_RULES:,} may",
            "give them to the server: headwater serve --rules",
        )
    return exposure.Ruling(info.context.rules, tuple(_rules(asked)), lenient)


def _rules(asked: Iterable[PersonalRule]) -> Iterable[Rule]:
    from headwater_backend.privacy.rules import Rule  # noqa: PLC0415, most questions bring none, and it takes a while

    for number, rule in enumerate(asked, 1):
        line = number if rule.line is None else rule.line
        yield Rule.of(rule.namespace, rule.name, rule.path, rule.category, line)
