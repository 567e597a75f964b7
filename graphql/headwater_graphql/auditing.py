"""The audit log in GraphQL."""

from __future__ import annotations

import json
from datetime import datetime

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info

from headwater_backend.audit import entries
from headwater_backend.audit.questions import PAGE, newest
from headwater_backend.moments import moment
from headwater_graphql.context import Context, ask


@strawberry.type(
    description="Something that somebody did: sent events, asked about personal data, changed a key."
)
class AuditEntry:
    number: int = strawberry.field(description="Counts from 1, without a gap.")
    time: datetime
    actor: str
    action: str
    result: str
    request: str = strawberry.field(description="The id of the request, as in the server's log.")
    details: JSON = strawberry.field(description="Names and counts; never data.")
    previous: str = strawberry.field(description="The hash of the entry before.")
    hash: str = strawberry.field(description="SHA-256 over this entry and the hash of the one before.")

    @classmethod
    def of(cls, entry: entries.AuditEntry) -> AuditEntry:
        return cls(
            number=entry.number,
            time=moment(entry.time),
            actor=entry.actor,
            action=entry.action,
            result=entry.result,
            request=entry.request,
            details=JSON(json.loads(entry.details)),
            previous=entry.previous,
            hash=entry.hash,
        )


@strawberry.type
class AuditQuery:
    @strawberry.field(description="The audit log, newest first; `before` is the number of an entry.")
    def audit_log(
        self, info: Info[Context, None], first: int = PAGE, before: int | None = strawberry.UNSET
    ) -> list[AuditEntry]:
        found = ask(info, newest, first, before or None)
        return [AuditEntry.of(entry) for entry in found]
