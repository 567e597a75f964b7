"""What a resolver is given: the store, the rules and the bounds of the server, and who asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from headwater_backend.domain import deadline
from headwater_backend.domain.roles import Caller, Permission, everything
from headwater_backend.ingest.decoding.limits import DEFAULT_LIMITS, Limits
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.holdings import Snapshots
from headwater_backend.questions.search import DEFAULT_NODE_LIMIT

if TYPE_CHECKING:
    from headwater_backend.privacy.rules import Rule
    from headwater_backend.server.feed import Feed

P = ParamSpec("P")
T = TypeVar("T")


class TextsByName(Protocol):
    """The operations that requests may ask for by name or hash, as ``kept_operations.Operations`` keeps them."""

    def text(self, query: str | None, name: str | None, extensions: Mapping[str, Any] | None) -> str | None:
        """What a request asks for; None when it says neither a text nor a kept operation."""
        ...


@dataclass
class Context:
    """The context of one request."""

    store: LineageStore
    rules: Sequence[Rule] = ()
    max_nodes: int = DEFAULT_NODE_LIMIT
    event_limits: Limits = DEFAULT_LIMITS
    caller: Caller = field(default_factory=lambda: everything("local"))
    caller_now: Callable[[], Caller] | None = None
    """Who that is by now: a subscription may outlive a key or a token. None where that is always the same."""
    request_id: str = ""
    operations: TextsByName | None = None
    """The operations that may be asked for by name; None where all come as texts."""
    feed: Feed | None = None
    snapshots: Snapshots = field(default_factory=Snapshots)
    answer_seconds: float | None = None
    """How long an answer may take; None is any time."""
    served: bool = False
    """Whether the answer goes to others than who runs this process."""

    def require_still(self, permission: Permission) -> None:
        """Raise ``NotAuthenticated`` or ``Forbidden`` where the caller has lost the permission meanwhile."""
        if self.caller_now:
            self.caller_now().require(permission)


class Info(Protocol):
    """What a resolver needs of the request that it is a part of."""

    @property
    def context(self) -> Context: ...


def ask(
    info: Info,
    question: Callable[Concatenate[LineageStore, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Put the question to the request's store; it blocks, and so does not run in the event loop. Raises ``OutOfTime``,
    too.
    """
    deadline.check()
    return question(info.context.store, *args, **kwargs)
