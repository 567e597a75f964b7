"""Permissions of root fields, and the root fields that are audited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.roles import Permission
from headwater_graphql.context import RequestContext

FIELDS: Mapping[str, Permission] = {
    "attributeExposure": Permission.AUDIT,
    "auditLog": Permission.AUDIT,
    "deadLetter": Permission.MEND,
    "deadLetters": Permission.MEND,
    "holdings": Permission.AUDIT,
    "replayDeadLetters": Permission.MEND,
    "addNames": Permission.NAME,
    "removeNames": Permission.NAME,
}
"""Root fields that need another permission than their kind of operation."""

AUDITED: Mapping[str, str] = {
    "attributeExposure": "exposure",
    "auditLog": "audit log",
    "holdings": "exposure",
    "replayDeadLetters": "replay",
    "addNames": "add names",
    "removeNames": "remove names",
}
"""Audited root fields, with their action in the audit log."""

NOTED_BY_STORES: Final = frozenset({"addNames", "removeNames"})
"""Audited by the store in the transaction of the change; only refusals and failures are recorded separately."""

MAX_DETAILS: Final = 20_000
"""Maximum characters of a note's details; notes are permanent, even for refused queries, and no name is as long."""


def note(context: RequestContext, field: str, arguments: Mapping[str, Any], result: str) -> AuditNote:
    """Return the audit note of a query: caller, arguments and result."""
    details = {name: value for name, value in arguments.items() if value is not None}
    found = AuditNote(context.caller.name, AUDITED[field], result, context.request_id, details)
    length = len(found.details_text())
    if length <= MAX_DETAILS:
        return found
    return replace(found, details={"tooLong": sorted(details), "length": length})
