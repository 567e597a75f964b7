"""Permissions of root fields, their audit and their cost, declared at each field.

A field that declares nothing is the administrator's, and costs as much as a search of the graph: a forgotten
declaration refuses, it does not open.
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
    are recorded separately. ``one_thing`` is whether a query answers with what was named and no more, or with one
    document, so that its cost is not that of a search.
    """

    permission: Permission
    action: str | None = None
    audited_by_store: bool = False
    one_thing: bool = False

    @property
    def is_public(self) -> bool:
        """Return whether everybody who may ask may ask for it, without a trace in the audit log."""
        return self.permission is Permission.ASK and self.action is None


DECLARED: Final[dict[str, FieldAccess]] = {}
"""What root fields declare, by their GraphQL names."""
_UNDECLARED: Final = FieldAccess(Permission.ADMINISTER)
_INTROSPECTION: Final = FieldAccess(Permission.ASK, one_thing=True)


def needs(
    permission: Permission,
    *,
    audited_as: str | None = None,
    audited_by_store: bool = False,
    one_thing: bool = False,
) -> Callable[[F], F]:
    """Declare the permission, the audit and the cost of the root field that the method resolves."""

    def declared(method: F) -> F:
        first, *rest = method.__name__.split("_")
        name = first + "".join(part.capitalize() for part in rest)
        DECLARED[name] = FieldAccess(permission, audited_as, audited_by_store, one_thing)
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
