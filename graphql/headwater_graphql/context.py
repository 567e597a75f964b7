"""Request context of resolvers: store, rules, limits and caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from headwater_backend.access.refusing_store import RefusingStore, refuse
from headwater_backend.domain import deadline
from headwater_backend.domain.errors import Forbidden
from headwater_backend.domain.roles import Caller, Permission, everything
from headwater_backend.ingest.decoding.limits import DEFAULT_LIMITS, Limits
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.rules import NO_RULES, Rules
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION, Organisation
from headwater_backend.privacy.policies import Policy
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.questions.traversal import DEFAULT_NODE_LIMIT

if TYPE_CHECKING:
    from headwater_backend.server.run_feed import RunFeed

P = ParamSpec("P")
T = TypeVar("T")


class TextsByName(Protocol):
    """Lookup of operations by name or hash, implemented by ``kept_operations.Operations``."""

    def text(self, query: str | None, name: str | None, extensions: Mapping[str, Any] | None) -> str | None:
        """Return the requested operation's text; None if the request has neither a text nor a reference."""
        ...


@dataclass
class RequestContext:
    """Context of one request."""

    store: LineageStore
    rules: Rules = NO_RULES
    organisation: Organisation = NO_ORGANISATION
    policies: Sequence[Policy] = ()
    source: str = ""
    """The store, as reports name it."""
    max_nodes: int = DEFAULT_NODE_LIMIT
    event_limits: Limits = DEFAULT_LIMITS
    caller: Caller = field(default_factory=lambda: everything("local"))
    caller_now: Callable[[], Caller] | None = None
    """Returns the current caller, since a subscription may outlive a key or a token; None if it cannot change."""
    request_id: str = ""
    operations: TextsByName | None = None
    """Operations that requests can refer to; None if requests always contain the text."""
    feed: RunFeed | None = None
    snapshots: Snapshots = field(default_factory=Snapshots)
    answer_seconds: float | None = None
    """Time limit for an answer; None means unlimited."""
    served: bool = False
    """Whether answers are sent to clients rather than used in this process."""

    def require_all_names(self) -> None:
        """Raise ``Forbidden`` if the caller sees the names of some namespaces only."""
        if isinstance(self.store, RefusingStore):
            refuse()

    def require_still(self, permission: Permission) -> None:
        """Raise ``NotAuthenticated`` or ``Forbidden`` if the caller has lost the permission, or has other rights.

        What the caller sees was decided by its rights when it came.
        """
        if self.caller_now:
            now = self.caller_now()
            now.require(permission)
            if (now.roles, now.namespaces) != (self.caller.roles, self.caller.namespaces):
                raise Forbidden("the rights of these credentials have changed", "connect again")


class Info(Protocol):
    """The part of a GraphQL engine's ``info`` that resolvers use."""

    @property
    def context(self) -> RequestContext: ...


class _Known:
    """The ``info`` of an engine with another context."""

    def __init__(self, info: Info, context: RequestContext) -> None:
        self._info = info
        self.context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._info, name)


def as_known(info: Info, moment: datetime | None) -> Info:
    """Return the info with the request's store as it was known at the moment, by when events were received."""
    if moment is None:
        return info
    context = info.context
    # Reports that are kept for further pages are of what is known now.
    return _Known(info, replace(context, store=context.store.known_at(moment), snapshots=Snapshots()))


def run_question(
    info: Info,
    question: Callable[Concatenate[LineageStore, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Run a question on the request's store and return its result.

    It blocks, and so must not run in the event loop. Raises ``OutOfTime`` and the errors of the question.
    """
    deadline.check()
    return question(info.context.store, *args, **kwargs)
