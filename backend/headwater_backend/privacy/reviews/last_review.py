"""The last signed review: the moment until which somebody has reviewed all changes of exposure.

A review is of the changes between two moments, of all personal attributes or of some. It *covers* a question about the
same attributes, or fewer, over as many edges, or fewer. Reviews count as far as they follow each other without a gap:
what changed between two of them has been reviewed by nobody, so that the last one before the gap is the last review.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Final

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import NodeKey
from headwater_backend.domain.node_keys import node_text
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.classification.decided import present_names
from headwater_backend.privacy.exposure import ExposureReport
from headwater_backend.privacy.exposure_search import Scope, holds
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.reviews.sign_off import SignedReport, SignOff, sign_offs
from headwater_backend.questions.resolving import resolve_node

REVIEW: Final = "review"


def last_review(store: CataloguedGraph, scope: Scope, as_of: datetime) -> SignOff:
    """The last signed review that covers the question, as was known at that moment.

    Raises ``BadQuestion`` where there is none.
    """
    covering = _covering(store, scope, as_of)
    if not covering:
        raise BadQuestion(
            "no signed review covers this question",
            "name a time since which changes are listed; `headwater report sign` signs a review of them",
        )
    last, *later = sorted(covering, key=lambda each: _period(each.report))
    for each in later:
        since, until = _period(each.report)
        if since <= last.report.as_of < until:
            last = each
    return last


def review_until(store: CataloguedGraph, scope: Scope, moment: datetime, as_of: datetime) -> SignOff | None:
    """The newest signed review until exactly that moment that covers the question; None without any."""
    found = [each for each in _covering(store, scope, as_of) if each.report.as_of == moment]
    return found[-1] if found else None


def holdings_digest(report: ExposureReport) -> str:
    """The SHA-256 of all attributes, the paths that hold each, and the forms in which they do.

    It differs if lineage of that moment was stored later, or if something is classified in another way.
    """
    digest = hashlib.sha256()
    for each in report.attributes:
        digest.update(f"{node_text(each.attribute.node)}\n".encode("utf-8", "surrogatepass"))
    if report.attributes:
        propagation = report.attributes[0].propagation
        for node in sorted(propagation.nodes()):
            reached = propagation.reached(node)
            forms = [f"{form.name} {reached[form]:x}" for form in Form if reached.get(form)]
            digest.update(f"{node_text(node)} {' '.join(forms)}\n".encode("utf-8", "surrogatepass"))
    return "sha256:" + digest.hexdigest()


def _covering(store: CataloguedGraph, scope: Scope, as_of: datetime) -> list[SignOff]:
    """The signed reviews up to a moment before this one that cover the question, oldest first."""
    signed = [each for each in sign_offs(store.decisions(), as_of) if each.report.kind == REVIEW]
    signed = [each for each in signed if each.report.as_of < as_of]
    if not signed:
        return []
    of = scope.of and resolve_node(store, scope.of)
    datasets = {each.report.of.dataset for each in signed if each.report.of}
    names = present_names(store, datasets) if datasets else {}

    def covers(report: SignedReport) -> bool:
        if report.of and not (
            of and holds(NodeKey(names.get(report.of.dataset, report.of.dataset), report.of.path), of)
        ):
            return False
        return (
            _includes(report.category, scope.category)
            and (report.influenced or not scope.influenced)
            and (
                report.depth is None
                or (scope.bounds.depth is not None and scope.bounds.depth <= report.depth)
            )
        )

    return [each for each in signed if covers(each.report)]


def _includes(signed: str | None, asked: str | None) -> bool:
    """Whether the category of a review is that of the question, or one above it."""
    return signed is None or (asked is not None and f"{asked}.".startswith(f"{signed}."))


def _period(report: SignedReport) -> tuple[datetime, datetime]:
    """The moments between which a review is of changes."""
    return report.since or report.as_of, report.as_of
