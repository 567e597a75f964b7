"""A sign-off: that somebody has read a report, and stands for it.

It is a record like all that people decide (``domain.records.DecisionMade``), and never changed or deleted: its subject
is the hash of the report's canonical JSON, so the file that was read proves itself. Signing is never taken back;
another review is signed instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from headwater_backend.domain.model import NodeKey
from headwater_backend.domain.moments import maybe_moment, micros, moment
from headwater_backend.domain.node_keys import node_of, node_text
from headwater_backend.domain.pages import Page, numbered
from headwater_backend.domain.records import DecisionMade
from headwater_backend.ports import StewardDecisions
from headwater_facets.canonical_json import canonical

SIGNED: Final = "signed "


@dataclass(frozen=True, slots=True)
class SignedReport:
    """The report that is signed: its kind, its moments, its hash, and what it is about.

    ``since`` is for reviews alone, and so is ``holdings``, the digest of what was known to hold personal data at
    ``as_of`` (``holdings_digest``).
    """

    kind: str
    as_of: datetime
    hash: str
    complete: bool
    version: str
    since: datetime | None = None
    of: NodeKey | None = None
    category: str | None = None
    depth: int | None = None
    influenced: bool = False
    holdings: str = ""

    @property
    def subject(self) -> str:
        return SIGNED + self.hash

    def content(self) -> str:
        """The content of the record."""
        return canonical(
            {
                "kind": self.kind,
                "asOf": micros(self.as_of),
                "complete": self.complete,
                "version": self.version,
                "since": self.since and micros(self.since),
                "of": self.of and node_text(self.of),
                "category": self.category,
                "depth": self.depth,
                "influenced": self.influenced,
                "holdings": self.holdings,
            }
        )


@dataclass(frozen=True, slots=True)
class SignOff:
    """A signed report, with who signed it, when and why."""

    report: SignedReport
    by: str
    at: datetime
    reason: str

    @classmethod
    def of(cls, made: DecisionMade) -> SignOff:
        """The sign-off that is recorded there."""
        return cls(_parse(made), made.actor, moment(made.time), made.reason)


def sign_offs(records: Iterable[DecisionMade], as_of: datetime | None = None) -> list[SignOff]:
    """All sign-offs among the records, or those until a moment, oldest first."""
    until = micros(as_of) if as_of else None
    found = [
        each for each in records if each.subject.startswith(SIGNED) and (until is None or each.time <= until)
    ]
    return [SignOff.of(each) for each in sorted(found, key=lambda each: (each.time, each.subject))]


def listed(
    store: StewardDecisions,
    first: int | None = None,
    after: str | None = None,
    *,
    kind: str | None = None,
    as_of: datetime | None = None,
) -> Page[tuple[str, SignOff]]:
    """The sign-offs, of all kinds of reports or of one, newest first."""
    found = [each for each in sign_offs(store.decisions(), as_of) if kind in (None, each.report.kind)]
    return numbered(found[::-1], first, after, "sign-offs")


def _parse(made: DecisionMade) -> SignedReport:
    content: dict[str, Any] = json.loads(made.content)
    of = content["of"]
    return SignedReport(
        kind=content["kind"],
        as_of=moment(content["asOf"]),
        hash=made.subject.removeprefix(SIGNED),
        complete=content["complete"],
        version=content["version"],
        since=maybe_moment(content["since"]),
        of=None if of is None else node_of(of),
        category=content["category"],
        depth=content["depth"],
        influenced=content["influenced"],
        holdings=content["holdings"],
    )
