"""What has changed in the exposure of personal data between two moments.

Both are exposures by the lineage of their moment; the classification is that of the later one for both, so that a path
that was classified or declassified meanwhile is no change. If lineage is incomplete at one of the two moments, what
looks new may have been there before, and what looks gone may still be there.

The earlier moment may be that of a signed review. If what is known of that moment now is not what the reviewer signed,
because lineage came late or something was classified since, it is no change and yet was never reviewed: a gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from enum import Enum

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, Edge, Incomplete, NodeKey
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.classification.decided import Decided, decided
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.exposure import (
    AttributeExposure,
    Classification,
    ExposedOutput,
    ExposureReport,
    Ruling,
    exposed,
)
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.reviews.last_review import holdings_digest, last_review, review_until
from headwater_backend.privacy.reviews.sign_off import SignOff

NOT_AS_SIGNED = "NOT_AS_SIGNED"
"""The reason of the gap where more, or something else, is known of a reviewed moment than was signed."""


class ChangeKind(str, Enum):
    """What happened to a path that holds, or held, an attribute; by the strongest form there."""

    NEW = "NEW"
    STRONGER = "STRONGER"
    OTHER_FORMS = "OTHER_FORMS"
    WEAKER = "WEAKER"
    GONE = "GONE"


@dataclass(frozen=True, slots=True)
class ExposureChange:
    """A change at a path: the forms before and after, the strongest first, and empty where there are none.

    ``witness`` is a shortest route for the strongest form after the change, and of what is gone, before it.
    """

    kind: ChangeKind
    attribute: Attribute
    node: NodeKey
    before: tuple[Form, ...]
    after: tuple[Form, ...]
    witness: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class ExposureChanges:
    """All changes from ``since`` to ``as_of``, by attribute, kind and path, with the gaps at both moments.

    ``review`` is the signed review until ``since``, if there is one.
    """

    since: datetime
    as_of: datetime
    changes: tuple[ExposureChange, ...]
    incomplete_before: tuple[Incomplete, ...]
    incomplete: tuple[Incomplete, ...]
    classification: Classification
    review: SignOff | None = None

    @property
    def complete(self) -> bool:
        """Whether the lineage was complete at both moments."""
        return not (self.incomplete_before or self.incomplete)


def exposure_changes(
    store: CataloguedGraph,
    scope: Scope,
    since: datetime | None,
    ruling: Ruling,
    after: ExposureReport | None = None,
) -> ExposureChanges:
    """What has changed since that moment, or since the last signed review, up to the scope's moment.

    ``after`` is the exposure at the scope's moment, if it is known. Raises ``BadQuestion``, and what ``exposed``
    raises.
    """
    moment = scope.bounds.as_of or datetime.now(timezone.utc)
    since = last_review(store, scope, moment).report.as_of if since is None else since
    decisions = decided(store, moment)
    after = after or exposed(store, scope, ruling, decisions)
    if since >= after.as_of:
        raise BadQuestion(
            f"since {since.isoformat()} is not before {after.as_of.isoformat()}", "swap the two moments"
        )
    before = exposed(store, _at(scope, since), ruling, decisions)
    review = review_until(store, scope, since, moment)
    otherwise = () if review is None else _not_as_signed(store, review, before, ruling, decisions)
    return ExposureChanges(
        since=since,
        as_of=after.as_of,
        changes=tuple(sorted(_changes(before, after), key=_order)),
        incomplete_before=(*before.incomplete, *otherwise),
        incomplete=after.incomplete,
        classification=after.classification,
        review=review,
    )


def _at(scope: Scope, moment: datetime) -> Scope:
    return replace(scope, bounds=replace(scope.bounds, as_of=moment))


def _not_as_signed(
    store: CataloguedGraph, review: SignOff, before: ExposureReport, ruling: Ruling, decisions: Decided
) -> tuple[Incomplete, ...]:
    """A gap if the moment of the review is not known as it was when it was signed."""
    signed = review.report
    bounds = replace(before.scope.bounds, depth=signed.depth)
    scope = Scope(of=signed.of, category=signed.category, influenced=signed.influenced, bounds=bounds)
    known = before if scope == before.scope else exposed(store, scope, ruling, decisions)
    if holdings_digest(known) == signed.holdings:
        return ()
    detail = (
        f"what is known of that moment is not what {review.by} signed: lineage came late, or something is classified "
        "in another way since; what is known more is not listed as a change"
    )
    return (Incomplete(NOT_AS_SIGNED, DatasetKey("", ""), detail=detail),)


def _changes(before: ExposureReport, after: ExposureReport) -> Iterator[ExposureChange]:
    earlier, later = ({each.attribute: each for each in report.attributes} for report in (before, after))
    for attribute in later | earlier:
        held, holds = _outputs(earlier.get(attribute)), _outputs(later.get(attribute))
        for place in held.keys() | holds.keys():
            yield from _change(attribute, held.get(place), holds.get(place))


def _outputs(exposure: AttributeExposure | None) -> Mapping[NodeKey, ExposedOutput]:
    return {output.node: output for output in exposure.outputs} if exposure else {}


def _change(
    attribute: Attribute, before: ExposedOutput | None, after: ExposedOutput | None
) -> Iterator[ExposureChange]:
    earlier, later = before.forms if before else (), after.forms if after else ()
    shown = after or before
    if earlier != later and shown is not None:
        kind = _kind(earlier, later)
        yield ExposureChange(kind, attribute, shown.node, earlier, later, shown.witness)


def _kind(before: tuple[Form, ...], after: tuple[Form, ...]) -> ChangeKind:
    if not before:
        return ChangeKind.NEW
    if not after:
        return ChangeKind.GONE
    if before[0] == after[0]:
        return ChangeKind.OTHER_FORMS
    return ChangeKind.STRONGER if after[0] < before[0] else ChangeKind.WEAKER


_KINDS = list(ChangeKind)


def _order(change: ExposureChange) -> tuple[object, ...]:
    return change.attribute.node, _KINDS.index(change.kind), change.after or change.before, change.node
