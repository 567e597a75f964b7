"""Explanations in GraphQL: where a path comes from, in sentences."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.domain.roles import Permission
from headwater_backend.questions import lineage
from headwater_backend.questions.traversal import DEFAULT_DEPTH, DIRECT_ONLY
from headwater_backend.reports import explanation
from headwater_backend.reports.languages.catalogue import Language
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.lineage import LineageFilter, bounds
from headwater_graphql.fields.types import ConcernedRows, Incomplete, JobRef, NodeRef

definitions.enum(
    explanation.Sort,
    name="SentenceSort",
    description="STEP: what a job makes of what. CODE: a function that was read from code. SOURCE: where the data "
    "begin, and in which rows. PRUNED: a way that no row can take. GAP: what is not known.",
)


@definitions.object_type(description="A sentence of an explanation.")
class Sentence:
    sort: explanation.Sort
    text: str
    job: JobRef | None

    @classmethod
    def of(cls, found: explanation.Sentence) -> Sentence:
        return cls(sort=found.sort, text=found.text, job=JobRef.of(found.job) if found.job else None)


@definitions.object_type(description="Where a path comes from, in sentences.")
class Explanation:
    sentences: list[Sentence]
    sources: list[ConcernedRows] = definitions.field(
        description="Where the data begin, and the rows that are concerned."
    )
    complete: bool
    incomplete: list[Incomplete]

    @classmethod
    def of(cls, found: explanation.Explanation) -> Explanation:
        return cls(
            sentences=[Sentence.of(each) for each in found.sentences],
            sources=[ConcernedRows.of(each) for each in found.graph.fetches],
            complete=found.graph.complete,
            incomplete=[Incomplete.of(each) for each in found.graph.incomplete],
        )


@definitions.object_type(
    description="Lineage in the language of business mappings; comments say what it has no words for."
)
class MappingText:
    text: str = definitions.field(
        description="Mappings, those next to the node first, each behind a comment with its job."
    )
    complete: bool
    incomplete: list[Incomplete]


@definitions.object_type()
class ExplanationQuery:
    @definitions.resolver(
        description="Where the values of a path come from by active lineage, in sentences for business readers. "
        "`where` asks about some rows, as in `backwardLineage`."
    )
    @needs(Permission.ASK)
    def explanation(
        self,
        info: Info,
        node: NodeRef,
        language: Language = Language.EN,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002, the usual name of the argument
        where: str | None = None,
    ) -> Explanation:
        info = as_known(info, as_known_at)
        scope = lineage.Scope(DIRECT_ONLY, bounds(info, depth, as_of, filter))
        return Explanation.of(
            run_question(info, explanation.explain, node.key(), scope, language, where=where)
        )

    @definitions.resolver(
        description="Where the values of a path come from by active lineage, in the language of business mappings. "
        "`where` asks about some rows, as in `backwardLineage`."
    )
    @needs(Permission.ASK)
    def mapping_text(
        self,
        info: Info,
        node: NodeRef,
        language: Language = Language.EN,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        filter: LineageFilter | None = None,  # noqa: A002, the usual name of the argument
        where: str | None = None,
    ) -> MappingText:
        from headwater_backend.reports.mapped.question import mapped  # noqa: PLC0415 - loads a parser

        info = as_known(info, as_known_at)
        scope = lineage.Scope(DIRECT_ONLY, bounds(info, depth, as_of, filter))
        found = run_question(info, mapped, node.key(), scope, language, where=where)
        missing = [Incomplete.of(each) for each in found.graph.incomplete]
        return MappingText(text=found.text, complete=found.graph.complete, incomplete=missing)
