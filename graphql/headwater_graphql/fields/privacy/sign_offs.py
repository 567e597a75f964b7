"""Sign-offs in GraphQL: signed reports, and the reviews among them."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.domain.roles import Permission
from headwater_backend.privacy.reviews import sign_off
from headwater_backend.questions.resolving import written
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, connection
from headwater_graphql.engine.root_fields import needs


@definitions.object_type(description="A signed report; it is never changed or taken back.")
class SignOff:
    kind: str = definitions.field(description="The kind of the report, such as `review`.")
    hash: str = definitions.field(description="SHA-256 of the canonical JSON of the report.")
    as_of: datetime = definitions.field(description="The time of the lineage in the report.")
    since: datetime | None = definitions.field(description="The time since which a review lists changes.")
    namespace: str | None = definitions.field(
        description="The dataset that the report is about, if it is one."
    )
    name: str | None
    path: str | None
    category: str | None
    complete: bool = definitions.field(description="Whether the report was.")
    version: str = definitions.field(description="The version of Headwater that made it.")
    by: str
    at: datetime
    reason: str

    @classmethod
    def of(cls, signed: sign_off.SignOff) -> SignOff:
        report = signed.report
        return cls(
            kind=report.kind,
            hash=report.hash,
            as_of=report.as_of,
            since=report.since,
            namespace=report.of.dataset.namespace if report.of else None,
            name=report.of.dataset.name if report.of else None,
            path=(written(report.of.path) or None) if report.of else None,
            category=report.category,
            complete=report.complete,
            version=report.version,
            by=signed.by,
            at=signed.at,
            reason=signed.reason,
        )


@definitions.object_type()
class SignOffQuery:
    @definitions.resolver(
        description="Signed reports, of all kinds or of one such as `review`, the last signed first; with `asOf`, "
        "those that were signed by then."
    )
    @needs(Permission.AUDIT, audited_as="list sign-offs")
    def sign_offs(
        self,
        info: Info,
        kind: str | None = None,
        as_of: datetime | None = None,
        first: int | None = 50,
        after: str | None = None,
    ) -> Connection[SignOff]:
        page = run_question(info, sign_off.listed, first, after, kind=kind, as_of=as_of)
        cursors = [cursor for cursor, _ in page.items]
        return connection((SignOff.of(each) for _, each in page.items), cursors, page.has_next, after)
