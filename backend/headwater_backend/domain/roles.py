"""Roles, what each may do, and the caller who has them.

========  =========================================================================
role      may
========  =========================================================================
producer  send events, about its own namespaces only
reader    ask about lineage, datasets, jobs and runs
steward   what a reader may, see dead letters, retry those of its namespaces,
          decide which names of its namespaces are one dataset's,
          which paths there are personal data, and what functions of its jobs do
auditor   what a reader may, ask who is exposed, write and sign reports, decide on
          findings, read the audit log
admin     everything, in every namespace
========  =========================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from headwater_backend.domain.errors import Forbidden
from headwater_backend.domain.model import DRIVER_NAMESPACE
from headwater_backend.domain.patterns import Pattern, wildcards


class Role(str, Enum):
    """A named set of permissions."""

    PRODUCER = "producer"
    READER = "reader"
    STEWARD = "steward"
    AUDITOR = "auditor"
    ADMIN = "admin"


class Permission(Enum):
    """One thing that a caller may or may not do; the value is its text in an error."""

    WRITE_EVENTS = "send events"
    ASK = "ask about lineage"
    MEND = "look after dead letters"
    NAME = "decide about names of datasets"
    CLASSIFY = "decide what is personal data"
    SEE_CLASSES = "see what is classified as personal data"
    AUDIT = "ask who is exposed, or read the audit log"
    ADMINISTER = "administer the server"


PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.PRODUCER: frozenset({Permission.WRITE_EVENTS}),
    Role.READER: frozenset({Permission.ASK}),
    Role.STEWARD: frozenset(
        {
            Permission.ASK,
            Permission.MEND,
            Permission.NAME,
            Permission.CLASSIFY,
            Permission.SEE_CLASSES,
        }
    ),
    Role.AUDITOR: frozenset({Permission.ASK, Permission.AUDIT, Permission.SEE_CLASSES}),
    Role.ADMIN: frozenset(Permission),
}


@dataclass(frozen=True, slots=True)
class Caller:
    """The one who sends a request. ``name`` goes into the audit log; ``namespaces`` are patterns, where ``*`` is any
    text.
    """

    name: str
    roles: frozenset[Role]
    namespaces: tuple[str, ...] = ()

    @classmethod
    def of_text(cls, text: str) -> Caller:
        """The inverse of ``text``."""
        known = json.loads(text)
        return cls(known["name"], roles_named(known["roles"]), tuple(known["namespaces"]))

    def text(self) -> str:
        """The name and the rights, as JSON."""
        roles = sorted(role.value for role in self.roles)
        return json.dumps({"name": self.name, "roles": roles, "namespaces": self.namespaces})

    def may(self, permission: Permission) -> bool:
        return any(permission in PERMISSIONS[role] for role in self.roles)

    def require(self, permission: Permission) -> None:
        """Raise ``Forbidden`` unless one of the roles has the permission."""
        if not self.may(permission):
            raise forbidden(permission)

    def may_write(self, namespace: str) -> bool:
        """Whether the caller may describe jobs and datasets of that namespace, in events that it sends or retries."""
        return Role.ADMIN in self.roles or self.has_namespace(namespace)

    def has_namespace(self, namespace: str) -> bool:
        """Whether one of the caller's patterns matches the namespace, or that of the application whose driver it is."""
        names = {namespace, namespace.removeprefix(DRIVER_NAMESPACE)}
        return any(_pattern(pattern).fullmatch(name) for pattern in self.namespaces for name in names)

    @property
    def only_reads(self) -> bool:
        """Whether the caller may ask about lineage, and nothing else of those who ask."""
        asks = self.may(Permission.ASK)
        return asks and not (self.may(Permission.SEE_CLASSES) or self.may(Permission.AUDIT))


def roles_with(permission: Permission) -> list[Role]:
    """The roles that have the permission, the least powerful first."""
    return [role for role in Role if permission in PERMISSIONS[role]]


def forbidden(permission: Permission) -> Forbidden:
    """The error for a caller without the permission."""
    needed = " or ".join(role.value for role in roles_with(permission))
    return Forbidden(f"you may not {permission.value}", f"that takes the role {needed}")


def roles_named(names: Iterable[str]) -> frozenset[Role]:
    """The roles among the names; unknown names are ignored, as they may belong to other systems."""
    known = {role.value: role for role in Role}
    return frozenset(known[name] for name in names if name in known)


def everything(name: str) -> Caller:
    """A caller who may do everything: the person at the machine itself."""
    return Caller(name, frozenset({Role.ADMIN}))


def _pattern(text: str) -> Pattern:
    return wildcards(text, r"\*", (("*", ".*"),))
