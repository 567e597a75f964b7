"""Names of datasets in GraphQL: aliases, separations, namespace rules, and their history."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

from headwater_backend.domain import model
from headwater_backend.domain.moments import moment
from headwater_backend.domain.records import DecisionMade
from headwater_backend.domain.roles import Permission
from headwater_backend.names import decisions, listing, proposals, stewardship
from headwater_backend.names import namespaces as ruling
from headwater_backend.names.namespaces import RuleKind
from headwater_backend.ports import LineageStore
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, of_list, of_page
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.types import DatasetRef

P = ParamSpec("P")
T = TypeVar("T")

SHOWN = 1_000
"""Maximum number of names in an answer; the total count is always returned."""

definitions.enum(
    RuleKind,
    name="NamespaceRuleKind",
    description="How a namespace rule matches, like the namespace resolvers of OpenLineage's Spark agent.",
)


@definitions.input_type(description="The full name of a dataset.")
class DatasetName:
    namespace: str
    name: str

    def key(self) -> model.DatasetKey:
        return model.DatasetKey(self.namespace, self.name)


@definitions.input_type(description="Makes `name` another name of `dataset`.")
class AliasInput:
    name: DatasetName
    dataset: DatasetName

    def alias(self) -> decisions.Alias:
        return decisions.Alias(self.name.key(), self.dataset.key())


@definitions.input_type(description="Two names of different datasets, whatever events claim; in any order.")
class SeparationInput:
    one: DatasetName
    other: DatasetName

    def separation(self) -> decisions.Separation:
        return decisions.Separation.of(self.one.key(), self.other.key())


@definitions.input_type(
    description="EXACT uses `namespaces` and `to`, HOST_LIST `hosts` and `to`, PATTERN `regex` and `to`, and "
    "PATTERN_GROUP `regex` and `matchingGroup`. With `schema`, the rule applies to namespaces that start with it and ://."
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


@definitions.object_type(description="Another name of a dataset, as decided by a steward.")
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


@definitions.object_type(description="Two names of different datasets, as decided by a steward.")
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


@definitions.object_type(description="A rule that maps namespaces to another, as decided by a steward.")
class NamespaceRule:
    name: str
    kind: RuleKind
    to: str
    namespaces: list[str]
    hosts: list[str]
    regex: str
    matching_group: str
    schema: str
    text: str = definitions.field(description="The rule as text.")
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


@definitions.object_type(
    description="A steward's decision to add or remove an alias, a separation or a namespace rule."
)
class NameDecision:
    at: datetime
    by: str
    reason: str
    added: bool = definitions.field(description="False if it was removed.")
    alias: DatasetRef | None = definitions.field(description="The additional name of the dataset.")
    dataset: DatasetRef | None = definitions.field(description="The dataset that the alias belongs to.")
    separated: list[DatasetRef] = definitions.field(description="The two names of different datasets.")
    rule: str | None = definitions.field(description="The namespace rule's name.")
    text: str = definitions.field(description="The decision as text.")

    @classmethod
    def of(cls, made: DecisionMade) -> NameDecision:
        entry = listing.parts_of(made)
        return cls(
            at=moment(made.time),
            by=made.actor,
            reason=made.reason,
            added=bool(made.content),
            alias=DatasetRef.of(entry.alias) if entry.alias else None,
            dataset=DatasetRef.of(entry.dataset) if entry.dataset else None,
            separated=[DatasetRef.of(key) for key in entry.separated],
            rule=entry.rule,
            text=entry.text,
        )


@definitions.object_type(
    description="A name that moves to another dataset, with the canonical names before and after."
)
class RenamedDataset:
    name: DatasetRef
    before: DatasetRef
    after: DatasetRef

    @classmethod
    def of(cls, renamed: model.Renamed) -> RenamedDataset:
        return cls(**{part: DatasetRef.of(key) for part, key in renamed._asdict().items()})


@definitions.object_type(description="The changes made by decisions about names, or to be made by them.")
class NamesDecided:
    decisions: list[NameDecision] = definitions.field(
        description=f"The decisions that were not in force before; at most {SHOWN:,}."
    )
    decision_count: int
    renamed: list[RenamedDataset] = definitions.field(
        description=f"The names that move to another dataset; at most {SHOWN:,}."
    )
    renamed_count: int
    dataset_count: int = definitions.field(description="Number of datasets that are joined or separated.")
    unknown: list[DatasetRef] = definitions.field(
        description=f"Datasets of aliases that no event has named yet; at most {SHOWN:,}."
    )
    unknown_count: int
    paths: int | None = definitions.field(
        description="Number of paths of the affected datasets; null if there are too many to count."
    )
    edges: int | None = definitions.field(description="Number of current edges at these paths, likewise.")

    @classmethod
    def of(cls, decided: stewardship.Decided) -> NamesDecided:
        return cls(
            decisions=[NameDecision.of(made) for made in decided.decisions[:SHOWN]],
            decision_count=len(decided.decisions),
            renamed=[RenamedDataset.of(each) for each in decided.renamed[:SHOWN]],
            renamed_count=len(decided.renamed),
            dataset_count=len(decided.datasets),
            unknown=[DatasetRef.of(key) for key in decided.unknown[:SHOWN]],
            unknown_count=len(decided.unknown),
            paths=decided.paths,
            edges=decided.edges,
        )


@definitions.object_type(
    description="Two datasets that may be the same. They are only joined when a steward decides so."
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


@definitions.object_type()
class NamingQuery:
    @definitions.resolver(description="The aliases in force, by name.")
    @needs(Permission.ASK)
    def dataset_aliases(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[DatasetAlias]:
        return of_page(_ask(info, listing.aliases, first, after), lambda each: DatasetAlias.of(*each), after)

    @definitions.resolver(description="The separated names, by name.")
    @needs(Permission.ASK)
    def dataset_separations(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[DatasetSeparation]:
        page = _ask(info, listing.separations, first, after)
        return of_page(page, lambda each: DatasetSeparation.of(*each), after)

    @definitions.resolver(description="The namespace rules in force, in the order in which they apply.")
    @needs(Permission.ASK)
    def namespace_rules(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[NamespaceRule]:
        return of_page(_ask(info, listing.rules, first, after), lambda each: NamespaceRule.of(*each), after)

    @definitions.resolver(description="All decisions about names, newest first.")
    @needs(Permission.ASK)
    def name_decisions(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[NameDecision]:
        return of_page(_ask(info, listing.history, first, after), NameDecision.of, after)

    @definitions.resolver(
        description="Datasets with the same name and schema whose namespaces may be the same: local host names, an "
        "implicit default port, another spelling of a scheme."
    )
    @needs(Permission.ASK)
    def name_proposals(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[NameProposal]:
        return of_list(_ask(info, proposals.proposals), NameProposal.of, first, after, "proposals")


def _ask(
    info: Info, question: Callable[Concatenate[LineageStore, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Return the answer to a question about all names; raises ``Forbidden`` for callers who see some only."""
    info.context.require_all_names()
    return run_question(info, question, *args, **kwargs)


@definitions.object_type()
class NamingMutation:
    @definitions.resolver(
        description="Add aliases, separations and namespace rules, all or none, for stored and new lineage. With "
        "`dryRun`, only report the changes. Stewards only for their namespaces."
    )
    @needs(Permission.NAME, audited_as="add names", audited_by_store=True)
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
        return _decide(info, wanted, reason, dry_run)

    @definitions.resolver(
        description="Remove aliases, separations and namespace rules, all or none; their effects are undone."
    )
    @needs(Permission.NAME, audited_as="remove names", audited_by_store=True)
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
        return _decide(info, wanted, reason, dry_run)


def _decide(info: Info, wanted: stewardship.Wanted, reason: str, dry_run: bool) -> NamesDecided:
    steward = stewardship.Steward(info.context.caller, reason, info.context.request_id)
    return NamesDecided.of(run_question(info, stewardship.decide, wanted, steward, dry_run=dry_run))
