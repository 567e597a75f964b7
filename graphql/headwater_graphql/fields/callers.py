"""Who asks, and what they may ask: a page offers no question that would be refused."""

from __future__ import annotations

from headwater_backend.domain.roles import Permission
from headwater_graphql.context import Info
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import DECLARED, needs


@definitions.object_type(description="The one who sends the request.")
class Caller:
    name: str = definitions.field(description="The name in the audit log.")
    roles: list[str] = definitions.field(description="The names of the roles, sorted.")
    fields: list[str] = definitions.field(description="The root fields that the caller may ask for, sorted.")


@definitions.object_type()
class CallerQuery:
    @definitions.resolver(description="Who asks, with which roles, and what they may ask.")
    @needs(Permission.ASK, one_thing=True)
    def caller(self, info: Info) -> Caller:
        caller = info.context.caller
        allowed = sorted(name for name, access in DECLARED.items() if caller.may(access.permission))
        roles = sorted(role.value for role in caller.roles)
        return Caller(name=caller.name, roles=roles, fields=allowed)
