"""The audit log in GraphQL."""

from __future__ import annotations

import json
from datetime import datetime

from headwater_backend.audit.questions import PAGE, newest
from headwater_backend.domain import audit_log
from headwater_backend.domain.moments import moment
from headwater_graphql.context import Info, ask
from headwater_graphql.engine import declare
from headwater_graphql.engine.declare import JSON


@declare.object_type(
    description="Something that somebody did: sent events, asked about personal data, changed a key."
)
class AuditEntry:
    number: int = declare.field(description="Counts from 1, without a gap.")
    time: datetime
    actor: str
    action: str
    result: str
    request: str = declare.field(description="The id of the request, as in the server's log.")
    details: JSON = declare.field(description="Names and counts; never data.")
    previous: str = declare.field(description="The hash of the entry before.")
    hash: str = declare.field(description="SHA-256 over this entry and the hash of the one before.")

    @classmethod
    def of(cls, entry: audit_log.AuditEntry) -> AuditEntry:
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


@declare.object_type()
class AuditQuery:
    @declare.resolver(description="The audit log, newest first; `before` is the number of an entry.")
    def audit_log(
        self, info: Info, first: int = PAGE, before: int | None = declare.UNSET
    ) -> list[AuditEntry]:
        found = ask(info, newest, first, before or None)
        return [AuditEntry.of(entry) for entry in found]
