"""The question of a report, and what it is answered from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Final

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import NodeKey
from headwater_backend.privacy.answers.crossings import influences_matter
from headwater_backend.privacy.answers.subject import Order
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION, Organisation
from headwater_backend.privacy.policies import Policy
from headwater_backend.questions.resolving import written
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.canonical import digest
from headwater_backend.reports.languages.catalogue import Language

ROWS: Final = 2_000
"""The number of rows of a table that a report lists unless asked for more; it keeps a page below 5 MB."""
MOST_ROWS: Final = 20_000


class Kind(str, Enum):
    """The kinds of reports: articles of the GDPR, the exposure, the review of changes, and what crosses borders."""

    ART30 = "art30"
    ART30_PROCESSOR = "art30-processor"
    ART15 = "art15"
    ART17 = "art17"
    ART33 = "art33"
    EXPOSURE = "exposure"
    REVIEW = "review"
    TRANSFERS = "transfers"


@dataclass(frozen=True, slots=True)
class ReportQuestion:
    """What a report is about.

    ``of`` and ``category`` select attributes; ``leaked`` is for ART33 alone, which needs it, and ``since`` for
    REVIEW alone; without it, that is of the changes since the last signed review. ``influenced`` adds what
    attributes only influence to EXPOSURE; ART15 and ART33 always have it, TRANSFERS where a policy forbids it.
    ``rows`` is the number of rows of a table. ``as_known_at`` is the moment up to which what was received counts, if
    not all does. With ``active``, violations of policies say whether a row can take them.
    """

    kind: Kind
    language: Language = Language.EN
    of: NodeKey | None = None
    category: str | None = None
    leaked: tuple[PlacePattern, ...] = ()
    since: datetime | None = None
    order: Order = Order.SOURCES_FIRST
    policies: tuple[Policy, ...] = ()
    influenced: bool = False
    ruling: Ruling = field(default_factory=Ruling)
    organisation: Organisation = NO_ORGANISATION
    bounds: Bounds = field(default_factory=Bounds)
    rows: int = ROWS
    as_known_at: datetime | None = None
    drawings: bool = False
    active: bool = False

    def __post_init__(self) -> None:
        """Raise ``BadQuestion`` for what does not go together."""
        if bool(self.leaked) != (self.kind is Kind.ART33):
            raise BadQuestion("art33 is about leaked places, and no other report is", "name what leaked")
        if self.since is not None and self.kind is not Kind.REVIEW:
            raise BadQuestion("review is about the changes since a time, and no other report is", "omit it")
        if not 0 < self.rows <= MOST_ROWS:
            raise BadQuestion(f"a table of {self.rows} rows", f"rows is from 1 to {MOST_ROWS:,}")

    @property
    def scope(self) -> Scope:
        """The part of the exposure matrix that the report is about."""
        influenced = self.influenced or self.kind is Kind.ART15
        if self.kind is Kind.TRANSFERS:
            influenced = influences_matter(self.policies)
        return Scope(of=self.of, category=self.category, influenced=influenced, bounds=self.bounds)

    def as_json(self) -> dict[str, Any]:
        """The question as plain data, with the digests of the rules, policies and statements in force."""
        known = {"asKnownAt": self.as_known_at.isoformat()} if self.as_known_at else {}
        return {
            **known,
            **({"active": True} if self.active else {}),
            "kind": self.kind.value,
            "of": self.of and {**self.of.dataset._asdict(), "path": written(self.of.path)},
            "category": self.category,
            "leaked": [_pattern(each) for each in self.leaked],
            "since": self.since and self.since.isoformat(),
            "order": self.order.value,
            "influenced": self.influenced,
            "depth": self.bounds.depth,
            "rows": self.rows,
            "drawings": self.drawings,
            "rules": self._rules_digest(),
            "policies": digest(_policies(self.policies)) if self.policies else None,
            "organisation": self.organisation.digest or None,
        }

    def _rules_digest(self) -> str | None:
        ruling = self.ruling
        paths = [{**_pattern(rule), "category": rule.category} for rule in ruling.paths]
        functions = [[name, form.name] for name, form in ruling.functions]
        return digest({"paths": paths, "functions": functions}) if paths or functions else None


def _pattern(pattern: PlacePattern) -> dict[str, str]:
    namespace, name = pattern.dataset_text
    return {"namespace": namespace, "name": name, "path": pattern.path_text}


def _policies(policies: Iterable[Policy]) -> list[Mapping[str, Any]]:
    return [
        {
            **_pattern(each),
            "policy": each.name,
            "category": each.category,
            "allow": sorted(form.name for form in each.allowed),
            "severity": each.severity.value,
            "purposes": sorted(each.purposes),
            "countries": sorted(each.countries),
            "reidentification": each.forbids_reidentification,
        }
        for each in policies
    ]
