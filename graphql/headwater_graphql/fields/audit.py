"""Audit log in GraphQL."""

from __future__ import annotations

import json
from datetime import datetime

from headwater_backend.audit.questions import PAGE, newest
from headwater_backend.domain import audit_log
from headwater_backend.domain.moments import moment
from headwater_backend.domain.roles import Permission
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.definitions import JSON
from headwater_graphql.engine.root_fields import needs


@definitions.object_type(
    description="An audited action: sending events, querying personal data, changing a key."
)
class AuditEntry:
    number: int = definitions.field(description="Sequence number, from 1 without gaps.")
    time: datetime
    actor: str
    action: str
    result: str
    request: str = definitions.field(description="The request id, as in the server's log.")
    details: JSON = definitions.field(description="Names and counts, never data.")
    previous: str = definitions.field(description="The hash of the previous entry.")
    hash: str = definitions.field(description="SHA-256 of this entry and the previous hash.")

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


@definitions.object_type()
class AuditQuery:
    @definitions.resolver(description="The audit log, newest first; `before` is an entry's number.")
    @needs(Permission.AUDIT, audited_as="audit log")
    def audit_log(
        self, info: Info, first: int = PAGE, before: int | None = definitions.UNSET
    ) -> list[AuditEntry]:
        found = run_question(info, newest, first, before or None)
        return [AuditEntry.of(entry) for entry in found]
