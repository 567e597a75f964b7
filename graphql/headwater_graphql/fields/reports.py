"""Reports in GraphQL: the document of a kind, in a format, and signing one."""

from __future__ import annotations

import base64
from dataclasses import replace
from datetime import datetime, timezone

from headwater_backend.domain.roles import Permission
from headwater_backend.names.stewardship import Steward
from headwater_backend.privacy.answers import subject
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_backend.reports import signing
from headwater_backend.reports.document import canonical
from headwater_backend.reports.document.model import Imprint
from headwater_backend.reports.formats.render import RENDERERS, Format, render
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import ROWS, Kind, ReportQuestion
from headwater_backend.reports.languages.catalogue import Language
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.privacy.breach import LeakedPlace
from headwater_graphql.fields.privacy.exposure import FunctionRule, PersonalRule, exposure_bounds, ruling_of
from headwater_graphql.fields.privacy.policies.check import Policy, stated
from headwater_graphql.fields.privacy.sign_offs import SignOff
from headwater_graphql.fields.types import NodeRef

definitions.enum(
    Kind,
    name="ReportKind",
    description="Articles of the GDPR, the exposure of personal data, and the review of its changes.",
)
definitions.enum(
    Format,
    name="ReportFormat",
    description="JSON is canonical: the same question and `asOf` have the same bytes.",
)
definitions.enum(Language, name="ReportLanguage")


@definitions.object_type(description="A report: what the law asks for, and what lineage knows of it.")
class Report:
    kind: Kind
    format: Format
    title: str
    as_of: datetime = definitions.field(description="The time of the lineage used.")
    hash: str = definitions.field(description="SHA-256 of the canonical JSON of the report.")
    complete: bool
    classified: bool = definitions.field(description="Whether anything is classified as personal.")
    suffix: str = definitions.field(description="The end of a file's name for this format.")
    media_type: str
    text: str | None = definitions.field(description="The file, if the format is text.")
    base64: str | None = definitions.field(description="The file, if the format is not text.")


@definitions.object_type()
class ReportQuery:
    @definitions.resolver(
        description="A report. `leaked` is for ART33, `since` for REVIEW (without it, since the last signed review), "
        "`order` for ART17. `organisation` is the "
        "YAML of statements on the organisation, instead of the server's. `rows` limits the rows of each table, of "
        "which all are counted; with `drawings`, a PDF has the lineage of findings as pictures. The other arguments "
        "are those of `attributeExposure` and `policyCheck`."
    )
    @needs(Permission.AUDIT, audited_as="report", one_thing=True)
    def report(
        self,
        info: Info,
        kind: Kind,
        format: Format = Format.JSON,  # noqa: A002 - the name in the schema
        language: Language = Language.EN,
        node: NodeRef | None = None,
        category: str | None = None,
        leaked: list[LeakedPlace] | None = None,
        since: datetime | None = None,
        order: subject.Order = subject.Order.SOURCES_FIRST,
        influenced: bool = False,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        policies: list[Policy] | None = None,
        organisation: str | None = None,
        rows: int | None = ROWS,
        drawings: bool = False,
        active: bool = False,
    ) -> Report:
        info = as_known(info, as_known_at)
        asked = question_of(
            info,
            kind=kind,
            language=language,
            node=node,
            category=category,
            leaked=leaked,
            since=since,
            order=order,
            influenced=influenced,
            depth=depth,
            as_of=as_of,
            rules=rules,
            functions=functions,
            lenient=lenient,
            policies=policies,
            organisation=organisation,
            rows=rows,
            drawings=drawings,
            active=active,
        )
        question = replace(asked, as_known_at=as_known_at)
        document = run_question(info, build, question)
        made_at = datetime.now(timezone.utc).replace(microsecond=0)
        imprint = Imprint(made_at, info.context.source)
        renderer, content = RENDERERS[format], render(document, imprint, format)
        return Report(
            kind=kind,
            format=format,
            title=document.title,
            as_of=document.as_of,
            hash=canonical.digest(canonical.as_json(document)),
            complete=document.complete,
            classified=document.classified,
            suffix=renderer.suffix,
            media_type=renderer.media_type,
            text=content.decode() if renderer.is_text else None,
            base64=None if renderer.is_text else base64.b64encode(content).decode(),
        )


@definitions.object_type()
class ReportMutation:
    @definitions.resolver(
        description="Sign the report with that `hash`, which answered the same question at `asOf`. It is asked again, "
        "and refused if the answer is another one now. The other arguments are those of `report`."
    )
    @needs(Permission.AUDIT, audited_as="sign-offs", audited_by_store=True)
    def sign_report(
        self,
        info: Info,
        kind: Kind,
        hash: str,  # noqa: A002 - the name in the schema
        reason: str,
        as_of: datetime,
        language: Language = Language.EN,
        node: NodeRef | None = None,
        category: str | None = None,
        leaked: list[LeakedPlace] | None = None,
        since: datetime | None = None,
        order: subject.Order = subject.Order.SOURCES_FIRST,
        influenced: bool = False,
        depth: int | None = DEFAULT_DEPTH,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        policies: list[Policy] | None = None,
        organisation: str | None = None,
        rows: int | None = ROWS,
        drawings: bool = False,
        active: bool = False,
    ) -> SignOff:
        question = question_of(
            info,
            kind=kind,
            language=language,
            node=node,
            category=category,
            leaked=leaked,
            since=since,
            order=order,
            influenced=influenced,
            depth=depth,
            as_of=as_of,
            rules=rules,
            functions=functions,
            lenient=lenient,
            policies=policies,
            organisation=organisation,
            rows=rows,
            drawings=drawings,
            active=active,
        )
        steward = Steward(info.context.caller, reason, info.context.request_id)
        return SignOff.of(run_question(info, signing.sign, question, hash, steward))


def question_of(
    info: Info,
    *,
    kind: Kind,
    language: Language,
    node: NodeRef | None,
    category: str | None,
    leaked: list[LeakedPlace] | None,
    since: datetime | None,
    order: subject.Order,
    influenced: bool,
    depth: int | None,
    as_of: datetime | None,
    rules: list[PersonalRule] | None,
    functions: list[FunctionRule] | None,
    lenient: bool,
    policies: list[Policy] | None,
    organisation: str | None,
    rows: int | None,
    drawings: bool,
    active: bool,
) -> ReportQuestion:
    """Return the question of a report by the arguments of its field."""
    return ReportQuestion(
        kind=kind,
        language=language,
        of=node.key() if node else None,
        category=category,
        leaked=tuple(place.value(number) for number, place in enumerate(leaked or (), 1)),
        since=since,
        order=order,
        policies=tuple(policy.value(number) for number, policy in enumerate(policies or (), 1)),
        influenced=influenced,
        ruling=ruling_of(info, rules, functions, lenient),
        organisation=stated(info, organisation),
        bounds=exposure_bounds(info, depth, as_of),
        rows=ROWS if rows is None else rows,
        drawings=drawings,
        active=active,
    )
