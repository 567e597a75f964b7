"""Names of datasets in GraphQL: aliases, namespace rules, and who decided what when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from headwater_backend.domain import model
from headwater_backend.domain.moments import moment
from headwater_backend.domain.pages import Page
from headwater_backend.domain.records import DecisionMade
from headwater_backend.names import decisions, listing, proposals, stewardship
from headwater_backend.names import namespaces as ruling
from headwater_backend.names.namespaces import RuleKind
from headwater_graphql.context import Info, ask
from headwater_graphql.engine import declare
from headwater_graphql.engine.connections import Connection, connection
from headwater_graphql.fields.types import DatasetRef

T = TypeVar("T")
N = TypeVar("N")

SHOWN = 1_000
"""Names that an answer lists; it always says how many there are."""

declare.enum(
    RuleKind,
    name="NamespaceRuleKind",
    description="How a namespace rule looks at a namespace, as the resolvers of OpenLineage's Spark agent do.",
)


@declare.input_type(description="The full name of a dataset.")
class DatasetName:
    namespace: str
    name: str

    def key(self) -> model.DatasetKey:
        return model.DatasetKey(self.namespace, self.name)


@declare.input_type(description="`name` is another name of `dataset`.")
class AliasInput:
    name: DatasetName
    dataset: DatasetName

    def alias(self) -> decisions.Alias:
        return decisions.Alias(self.name.key(), self.dataset.key())


@declare.input_type(
    description="Two names that are not one dataset's, whatever events say; in whichever order."
)
class SeparationInput:
    one: DatasetName
    other: DatasetName

    def separation(self) -> decisions.Separation:
        return decisions.Separation.of(self.one.key(), self.other.key())


@declare.input_type(
    description="EXACT takes `namespaces` and `to`, HOST_LIST `hosts` and `to`, PATTERN `regex` and `to`, and "
    "PATTERN_GROUP `regex` and `matchingGroup`. With `schema`, only namespaces that begin with it and :// count."
)
class NamespaceRuleInput:
    name: str
    kind: RuleKind
    to: str = ""
    namespaces: list[str] | None = None
    hosts: list[str] | None = None
    regex: str = ""
    matching_group: str = ""
    schema: str = ""

    def rule(self) -> ruling.NamespaceRule:
        return ruling.NamespaceRule(
            name=self.name,
            kind=self.kind,
            to=self.to,
            namespaces=tuple(self.namespaces or ()),
            hosts=tuple(self.hosts or ()),
            regex=self.regex,
            matching_group=self.matching_group,
            schema=self.schema,
        )


@declare.object_type(description="Another name of a dataset, by the decision of a steward.")
class DatasetAlias:
    name: DatasetRef
    dataset: DatasetRef
    at: datetime
    by: str
    reason: str

    @classmethod
    def of(cls, alias: decisions.Alias, made: DecisionMade) -> DatasetAlias:
        return cls(
            name=DatasetRef.of(alias.name),
            dataset=DatasetRef.of(alias.dataset),
            at=moment(made.time),
            by=made.actor,
            reason=made.reason,
        )


@declare.object_type(description="Two names that are not one dataset's, by the decision of a steward.")
class DatasetSeparation:
    one: DatasetRef
    other: DatasetRef
    at: datetime
    by: str
    reason: str

    @classmethod
    def of(cls, separation: decisions.Separation, made: DecisionMade) -> DatasetSeparation:
        return cls(
            one=DatasetRef.of(separation.one),
            other=DatasetRef.of(separation.other),
            at=moment(made.time),
            by=made.actor,
            reason=made.reason,
        )


@declare.object_type(description="Which namespace others stand for, by the decision of a steward.")
class NamespaceRule:
    name: str
    kind: RuleKind
    to: str
    namespaces: list[str]
    hosts: list[str]
    regex: str
    matching_group: str
    schema: str
    text: str = declare.field(description="The rule in one line, for people.")
    at: datetime
    by: str
    reason: str

    @classmethod
    def of(cls, rule: ruling.NamespaceRule, made: DecisionMade) -> NamespaceRule:
        return cls(
            name=rule.name,
            kind=rule.kind,
            to=rule.to,
            namespaces=list(rule.namespaces),
            hosts=list(rule.hosts),
            regex=rule.regex,
            matching_group=rule.matching_group,
            schema=rule.schema,
            text=listing.written(rule),
            at=moment(made.time),
            by=made.actor,
            reason=made.reason,
        )


@declare.object_type(
    description="That a steward put an alias, a separation or a namespace rule in force, or took it back."
)
class NameDecision:
    at: datetime
    by: str
    reason: str
    added: bool = declare.field(description="False where it was taken back.")
    alias: DatasetRef | None = declare.field(description="The dataset that has another name.")
    dataset: DatasetRef | None = declare.field(description="Whose name it was from then on.")
    separated: list[DatasetRef] = declare.field(description="The two names that are not one dataset's.")
    rule: str | None = declare.field(description="The namespace rule's name.")
    text: str = declare.field(description="The whole of it, for people.")

    @classmethod
    def of(cls, made: DecisionMade) -> NameDecision:
        said = listing.described(made)
        return cls(
            at=moment(made.time),
            by=made.actor,
            reason=made.reason,
            added=bool(made.content),
            alias=DatasetRef.of(said.alias) if said.alias else None,
            dataset=DatasetRef.of(said.dataset) if said.dataset else None,
            separated=[DatasetRef.of(key) for key in said.separated],
            rule=said.rule,
            text=said.text,
        )


@declare.object_type(
    description="A name that is another dataset's than before; both by their canonical names."
)
class RenamedDataset:
    name: DatasetRef
    before: DatasetRef
    after: DatasetRef

    @classmethod
    def of(cls, renamed: model.Renamed) -> RenamedDataset:
        return cls(**{part: DatasetRef.of(key) for part, key in renamed._asdict().items()})


@declare.object_type(description="What decisions about names changed, or would change.")
class NamesDecided:
    decisions: list[NameDecision] = declare.field(description="What was not in force before.")
    renamed: list[RenamedDataset] = declare.field(
        description=f"The names that are another dataset's now; {SHOWN:,} at most."
    )
    renamed_count: int
    dataset_count: int = declare.field(description="The datasets that become one, or come apart.")
    unknown: list[DatasetRef] = declare.field(description="Datasets of aliases that no event named so far.")
    paths: int | None = declare.field(
        description="The paths of the datasets concerned; null where there are too many to count."
    )
    edges: int | None = declare.field(description="The current edges at them, likewise.")

    @classmethod
    def of(cls, decided: stewardship.Decided) -> NamesDecided:
        return cls(
            decisions=[NameDecision.of(made) for made in decided.decisions[:SHOWN]],
            renamed=[RenamedDataset.of(each) for each in decided.renamed[:SHOWN]],
            renamed_count=len(decided.renamed),
            dataset_count=len(decided.datasets),
            unknown=[DatasetRef.of(key) for key in decided.unknown[:SHOWN]],
            paths=decided.paths,
            edges=decided.edges,
        )


@declare.object_type(
    description="Two datasets that may be one. Nothing takes them for one until a steward says so."
)
class NameProposal:
    name: DatasetRef
    dataset: DatasetRef
    why: str

    @classmethod
    def of(cls, proposal: proposals.Proposal) -> NameProposal:
        return cls(
            name=DatasetRef.of(proposal.name), dataset=DatasetRef.of(proposal.dataset), why=proposal.why
        )


@declare.object_type()
class NamingQuery:
    @declare.resolver(description="The aliases in force, by name.")
    def dataset_aliases(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[DatasetAlias]:
        return _page(ask(info, listing.aliases, first, after), lambda each: DatasetAlias.of(*each), after)

    @declare.resolver(description="The names that are kept apart, by name.")
    def dataset_separations(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[DatasetSeparation]:
        page = ask(info, listing.separations, first, after)
        return _page(page, lambda each: DatasetSeparation.of(*each), after)

    @declare.resolver(description="The namespace rules in force, in the order in which they count.")
    def namespace_rules(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[NamespaceRule]:
        return _page(ask(info, listing.rules, first, after), lambda each: NamespaceRule.of(*each), after)

    @declare.resolver(description="All that was ever decided about names, newest first.")
    def name_decisions(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[NameDecision]:
        return _page(ask(info, listing.history, first, after), NameDecision.of, after)

    @declare.resolver(
        description="Datasets of one name and schema whose namespaces may be one: hosts that mean the machine itself, "
        "a default port, a scheme's other spelling."
    )
    def name_proposals(self, info: Info, first: int | None = 50) -> list[NameProposal]:
        return [NameProposal.of(each) for each in ask(info, proposals.proposals, first)]


@declare.object_type()
class NamingMutation:
    @declare.resolver(
        description="Put aliases, separations and namespace rules in force, all or none, for what is stored and what "
        "comes. With `dryRun`, only say what that would change. A steward does so for its namespaces."
    )
    def add_names(
        self,
        info: Info,
        reason: str,
        aliases: list[AliasInput] | None = None,
        rules: list[NamespaceRuleInput] | None = None,
        separations: list[SeparationInput] | None = None,
        dry_run: bool = False,
    ) -> NamesDecided:
        wanted = stewardship.Wanted(
            tuple(each.alias() for each in aliases or ()),
            tuple(each.rule() for each in rules or ()),
            tuple(each.separation() for each in separations or ()),
        )
        return _decided(info, wanted, reason, dry_run)

    @declare.resolver(
        description="Take aliases, separations and namespace rules back, all or none: what they did is undone."
    )
    def remove_names(
        self,
        info: Info,
        reason: str,
        aliases: list[DatasetName] | None = None,
        rules: list[str] | None = None,
        separations: list[SeparationInput] | None = None,
        dry_run: bool = False,
    ) -> NamesDecided:
        wanted = stewardship.Wanted(
            dropped_aliases=tuple(each.key() for each in aliases or ()),
            dropped_rules=tuple(rules or ()),
            dropped_separations=tuple(each.separation() for each in separations or ()),
        )
        return _decided(info, wanted, reason, dry_run)


def _decided(info: Info, wanted: stewardship.Wanted, reason: str, dry_run: bool) -> NamesDecided:
    steward = stewardship.Steward(info.context.caller, reason, info.context.request_id)
    return NamesDecided.of(ask(info, stewardship.decide, wanted, steward, dry_run=dry_run))


def _page(page: Page[tuple[str, T]], node: Callable[[T], N], after: str | None) -> Connection[N]:
    """The page, whose items come with their cursors."""
    cursors: Sequence[str] = [cursor for cursor, _ in page.items]
    return connection([node(each) for _, each in page.items], cursors, page.has_next, after)
