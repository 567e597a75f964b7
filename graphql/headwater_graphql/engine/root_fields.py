"""Root fields that take a permission of their own, and those that are written into the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.roles import Permission
from headwater_graphql.context import Context

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
"""Root fields that take something else than their kind of operation."""

AUDITED: Mapping[str, str] = {
    "attributeExposure": "exposure",
    "auditLog": "audit log",
    "holdings": "exposure",
    "replayDeadLetters": "replay",
    "addNames": "add names",
    "removeNames": "remove names",
}
"""Root fields that are noted, and as what."""

NOTED_BY_STORES: Final = frozenset({"addNames", "removeNames"})
"""What they do is noted in the transaction that does it; only what they do not do is noted beside it."""

MAX_DETAILS: Final = 20_000
"""Characters of a note, which stays for ever, also that of a question that was refused; no name is nearly as long."""


def note(context: Context, field: str, arguments: Mapping[str, Any], result: str) -> AuditNote:
    """What the audit log is told of a question: who asked, for what, and how it ended."""
    details = {name: value for name, value in arguments.items() if value is not None}
    found = AuditNote(context.caller.name, AUDITED[field], result, context.request_id, details)
    length = len(found.details_text())
    if length <= MAX_DETAILS:
        return found
    return replace(found, details={"tooLong": sorted(details), "length": length})
