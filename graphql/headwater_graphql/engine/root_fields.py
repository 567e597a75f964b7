"""Permissions of root fields and their audit, declared at each field.

A field that declares nothing is the administrator's: a forgotten declaration refuses, it does not open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.roles import Permission
from headwater_graphql.context import RequestContext

F = TypeVar("F", bound=Callable[..., Any])

MAX_DETAILS: Final = 20_000
"""Maximum characters of a note's details; notes are permanent, even for refused queries, and no name is as long."""


@dataclass(frozen=True, slots=True)
class FieldAccess:
    """Permission that a root field needs, and its action in the audit log, or None if it is not audited.

    With ``audited_by_store``, the store writes the note in the transaction of the change; only refusals and failures
    are recorded separately.
    """

    permission: Permission
    action: str | None = None
    audited_by_store: bool = False


DECLARED: Final[dict[str, FieldAccess]] = {}
"""What root fields declare, by their GraphQL names."""
_UNDECLARED: Final = FieldAccess(Permission.ADMINISTER)
_INTROSPECTION: Final = FieldAccess(Permission.ASK)


def needs(
    permission: Permission, *, audited_as: str | None = None, audited_by_store: bool = False
) -> Callable[[F], F]:
    """Declare the permission and the audit of the root field that the method resolves."""

    def declared(method: F) -> F:
        first, *rest = method.__name__.split("_")
        name = first + "".join(part.capitalize() for part in rest)
        DECLARED[name] = FieldAccess(permission, audited_as, audited_by_store)
        return method

    return declared


def access_of(field: str) -> FieldAccess:
    """Return what was declared of the root field of that GraphQL name."""
    return _INTROSPECTION if field.startswith("__") else DECLARED.get(field, _UNDECLARED)


def note(context: RequestContext, field: str, arguments: Mapping[str, Any], result: str) -> AuditNote:
    """Return the audit note of a query: caller, arguments and result."""
    details = {name: value for name, value in arguments.items() if value is not None}
    action = access_of(field).action or field
    found = AuditNote(context.caller.name, action, result, context.request_id, details)
    length = len(found.details_text())
    if length <= MAX_DETAILS:
        return found
    return replace(found, details={"tooLong": sorted(details), "length": length})
