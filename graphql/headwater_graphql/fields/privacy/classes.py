"""What is classified as personal data in GraphQL: classes, declassifications, proposals, and decisions about them."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.domain.moments import micros, moment
from headwater_backend.domain.records import DecisionMade
from headwater_backend.domain.roles import Permission
from headwater_backend.names.stewardship import Steward
from headwater_backend.privacy.classification import class_lists, decided, deciding
from headwater_backend.privacy.classification.deciding import Wanted
from headwater_backend.privacy.classification.personal import Source
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.classification.suggestions import Confidence, Proposal
from headwater_backend.privacy.classification.vocabulary import special_category
from headwater_backend.privacy.policies import EVERY_PATH
from headwater_backend.privacy.proposals import effect as effects
from headwater_backend.privacy.proposals import listing as proposals
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, of_page
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.privacy.declassifications import Declassification, path_ref
from headwater_graphql.fields.privacy.exposure import PersonalRule, ruling_of
from headwater_graphql.fields.types import JobName, JobRef, NodeRef, PathRef

SHOWN = 1_000
"""Maximum number of decisions in an answer; the total count is always returned."""

definitions.enum(Source, name="ClassSource", description="What classifies a path, by authority.")
definitions.enum(
    Confidence,
    name="ProposalConfidence",
    description="LIKELY: the whole name suggests it. POSSIBLE: a part of the name, the type or a join does.",
)


@definitions.input_type(
    description="The categories of a path, keys of fideslang's taxonomy; none if the path is not personal data."
)
class ClassInput:
    node: NodeRef
    categories: list[str]

    def value(self) -> decided.PathClass:
        return decided.PathClass(self.node.key(), tuple(self.categories))


@definitions.input_type(
    description="Paths of datasets, as patterns like those of `PersonalRule`; without `path`, all paths."
)
class ProposalPlace:
    name: str
    namespace: str | None = None
    path: str = EVERY_PATH

    def value(self, number: int) -> PlacePattern:
        return PlacePattern((self.namespace or "", self.name), self.path, number)


@definitions.input_type(
    description="Proposals at one of the places, of the category or a kind of it, and of that confidence."
)
class ProposalSelection:
    places: list[ProposalPlace] | None = None
    category: str | None = None
    confidence: Confidence | None = None

    def value(self) -> proposals.Selection:
        places = tuple(each.value(number) for number, each in enumerate(self.places or (), 1))
        return proposals.Selection(places, self.category, self.confidence)


@definitions.input_type(
    description="A path at which data from upstream, of all jobs or of one, are not personal any more; for good, or "
    "until a time."
)
class DeclassificationInput:
    node: NodeRef
    job: JobName | None = None
    until: datetime | None = None

    def value(self) -> decided.Declassification:
        until = moment(micros(self.until)) if self.until else None
        return decided.Declassification(self.node.key(), self.job.key() if self.job else None, until)


@definitions.object_type(description="What one source says of a path.")
class PathClass:
    node: PathRef
    categories: list[str] = definitions.field(
        description="Keys of fideslang's taxonomy; none if a steward says that it is not personal data."
    )
    articles: list[str] = definitions.field(
        description="Articles of the GDPR that make one of the categories special: Art. 9, Art. 10."
    )
    source: Source
    by: str | None = definitions.field(description="The steward.")
    at: datetime | None
    reason: str = definitions.field(description="The steward's reason, or the tag or rule.")
    overruled: bool = definitions.field(description="Whether a steward decided otherwise.")

    @classmethod
    def of(cls, each: class_lists.ListedClass) -> PathClass:
        special = {found.value for key in each.categories if (found := special_category(key))}
        return cls(
            node=path_ref(each.node),
            categories=list(each.categories),
            articles=sorted(special),
            source=each.source,
            by=each.author,
            at=each.at,
            reason=each.reason,
            overruled=each.overruled,
        )


@definitions.object_type(description="A steward's decision about personal data.")
class ClassDecision:
    node: PathRef
    job: JobRef | None
    at: datetime
    by: str
    reason: str
    revoked: bool = definitions.field(description="Whether it ends an earlier decision.")
    text: str = definitions.field(description="The decision as text.")

    @classmethod
    def of(cls, each: class_lists.ListedDecision) -> ClassDecision:
        return cls(
            node=path_ref(each.node),
            job=JobRef.of(each.job) if each.job else None,
            at=moment(each.made.time),
            by=each.made.actor,
            reason=each.made.reason,
            revoked=each.revoked,
            text=each.text,
        )


@definitions.object_type(
    description="A path that looks personal and has no class. It only has one when a steward confirms it."
)
class ClassProposal:
    node: PathRef
    categories: list[str]
    why: str
    confidence: Confidence

    @classmethod
    def of(cls, each: Proposal) -> ClassProposal:
        return cls(
            node=path_ref(each.node),
            categories=list(each.categories),
            why=each.why,
            confidence=each.confidence,
        )


@definitions.object_type(
    description="The number of paths of a dataset at which data of a category are known."
)
class ClassHolding:
    namespace: str
    name: str
    category: str
    paths: int

    @classmethod
    def of(cls, found: effects.Holding) -> ClassHolding:
        return cls(
            namespace=found.dataset.namespace,
            name=found.dataset.name,
            category=found.category,
            paths=found.paths,
        )


@definitions.object_type(
    description="What decisions would change in answers: where values of a category would be known, and where no "
    f"longer. At most {SHOWN:,} datasets and categories of each, by name."
)
class ClassEffect:
    gained: list[ClassHolding]
    gained_count: int
    lost: list[ClassHolding]
    lost_count: int
    complete: bool = definitions.field(description="Whether all is known that they lead to.")

    @classmethod
    def of(cls, found: effects.Effect) -> ClassEffect:
        return cls(
            gained=[ClassHolding.of(each) for each in found.gained[:SHOWN]],
            gained_count=len(found.gained),
            lost=[ClassHolding.of(each) for each in found.lost[:SHOWN]],
            lost_count=len(found.lost),
            complete=found.complete,
        )


@definitions.object_type(description="The decisions made, or to be made, that were not in force before.")
class ClassesDecided:
    decisions: list[ClassDecision] = definitions.field(description=f"At most {SHOWN:,} of them.")
    decision_count: int
    effect: ClassEffect | None = definitions.field(
        description="Where personal data would be known by them, and where no longer; with `dryRun` alone."
    )

    @classmethod
    def of(cls, made: tuple[DecisionMade, ...], found: effects.Effect | None) -> ClassesDecided:
        shown = [ClassDecision.of(class_lists.listed(each)) for each in made[:SHOWN]]
        effect = ClassEffect.of(found) if found else None
        return cls(decisions=shown, decision_count=len(made), effect=effect)


@definitions.object_type()
class ClassQuery:
    @definitions.resolver(
        description="What stewards, rules and tags say of paths, by path and authority; of all, or of those at or "
        "below `node`. `asOf` selects the decisions of stewards; rules and tags are the current ones."
    )
    @needs(Permission.SEE_CLASSES)
    def classes(
        self,
        info: Info,
        node: NodeRef | None = None,
        as_of: datetime | None = None,
        rules: list[PersonalRule] | None = None,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[PathClass]:
        paths = ruling_of(info, rules, None, lenient=True).paths
        at = node.key() if node else None
        page = run_question(info, class_lists.classes, paths, at, as_of, first=first, after=after)
        return of_page(page, PathClass.of, after)

    @definitions.resolver(description="The declassifications in force, by path and job.")
    @needs(Permission.SEE_CLASSES)
    def declassifications(
        self, info: Info, as_of: datetime | None = None, first: int | None = 50, after: str | None = None
    ) -> Connection[Declassification]:
        page = run_question(info, class_lists.declassifications, as_of, first=first, after=after)
        return of_page(page, Declassification.of, after)

    @definitions.resolver(
        description="All decisions of stewards about personal data, up to `asOf`, newest first."
    )
    @needs(Permission.SEE_CLASSES)
    def class_decisions(
        self, info: Info, as_of: datetime | None = None, first: int | None = 50, after: str | None = None
    ) -> Connection[ClassDecision]:
        page = run_question(info, class_lists.history, as_of, first=first, after=after)
        return of_page(page, ClassDecision.of, after)

    @definitions.resolver(
        description="Paths without a class that look personal by name, by type, or by a join on an identifying path; "
        "likely ones first; with `selection`, those alone."
    )
    @needs(Permission.SEE_CLASSES)
    def class_proposals(
        self,
        info: Info,
        rules: list[PersonalRule] | None = None,
        selection: ProposalSelection | None = None,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[ClassProposal]:
        ruling = ruling_of(info, rules, None, lenient=True)
        selected = selection.value() if selection else proposals.EVERY_PROPOSAL
        page = run_question(info, proposals.proposals, ruling, selected, first=first, after=after)
        return of_page(page, ClassProposal.of, after)


@definitions.object_type()
class ClassMutation:
    @definitions.resolver(
        description="Classify paths, all or none: those listed, and all known paths that `rules` match. A steward's "
        "class replaces what rules and tags say of the path. With `dryRun`, only report the decisions. Stewards only "
        "for their namespaces."
    )
    @needs(Permission.CLASSIFY, audited_as="classify", audited_by_store=True)
    def classify(
        self,
        info: Info,
        reason: str,
        classes: list[ClassInput] | None = None,
        rules: list[PersonalRule] | None = None,
        dry_run: bool = False,
    ) -> ClassesDecided:
        named = ruling_of(info, rules, None, lenient=False).asked.paths
        by_rules = run_question(info, deciding.classes_by_rules, named)
        wanted = Wanted(classes=(*(each.value() for each in classes or ()), *by_rules))
        return _decide(info, wanted, reason, dry_run)

    @definitions.resolver(
        description="Declassify paths, all or none: personal data end there on their way from upstream. What is "
        "declared at the path itself stays personal. Every answer lists the declassifications that it met."
    )
    @needs(Permission.CLASSIFY, audited_as="declassify", audited_by_store=True)
    def declassify(
        self, info: Info, reason: str, paths: list[DeclassificationInput], dry_run: bool = False
    ) -> ClassesDecided:
        wanted = Wanted(declassified=tuple(each.value() for each in paths))
        return _decide(info, wanted, reason, dry_run)

    @definitions.resolver(
        description="Revoke decisions, all or none: the classes and rejections of `nodes`, and `declassifications`, "
        "whose `until` does not matter."
    )
    @needs(Permission.CLASSIFY, audited_as="revoke classes", audited_by_store=True)
    def revoke_classes(
        self,
        info: Info,
        reason: str,
        nodes: list[NodeRef] | None = None,
        declassifications: list[DeclassificationInput] | None = None,
        dry_run: bool = False,
    ) -> ClassesDecided:
        ended = (each.value() for each in declassifications or ())
        wanted = Wanted(
            revoked=tuple(node.key() for node in nodes or ()),
            reinstated=tuple((each.node, each.job) for each in ended),
        )
        return _decide(info, wanted, reason, dry_run)

    @definitions.resolver(
        description="Decide on proposals, all or none: `confirm` classifies the paths as proposed, `reject` ends the "
        "proposals for them."
    )
    @needs(Permission.CLASSIFY, audited_as="decide proposals", audited_by_store=True)
    def decide_proposals(
        self,
        info: Info,
        reason: str,
        confirm: list[NodeRef] | None = None,
        reject: list[NodeRef] | None = None,
        rules: list[PersonalRule] | None = None,
        dry_run: bool = False,
    ) -> ClassesDecided:
        ruling = ruling_of(info, rules, None, lenient=True)
        nodes = [node.key() for node in confirm or ()]
        confirmed = run_question(info, proposals.confirmed, ruling, nodes) if nodes else ()
        wanted = Wanted(classes=confirmed, rejected=tuple(node.key() for node in reject or ()))
        return _decide(info, wanted, reason, dry_run, rules)


def _decide(
    info: Info, wanted: Wanted, reason: str, dry_run: bool, rules: list[PersonalRule] | None = None
) -> ClassesDecided:
    steward = Steward(info.context.caller, reason, info.context.request_id)
    made = run_question(info, deciding.decide, wanted, steward, dry_run=dry_run)
    if not dry_run:
        return ClassesDecided.of(made, None)
    ruling = ruling_of(info, rules, None, lenient=True)
    return ClassesDecided.of(made, run_question(info, effects.effect, made, ruling))
