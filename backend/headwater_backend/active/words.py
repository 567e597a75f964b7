"""Why a way is excluded, in a sentence for people."""

from __future__ import annotations

from headwater_backend.active.carrying import Reason
from headwater_backend.active.ways import Exclusion
from headwater_facets.job_titles import title_of


def because(exclusion: Exclusion) -> str:
    """``No row passes: shop requires region = 'EU', and import requires region = 'US'.``"""
    reasons = dict.fromkeys(reason for fact in exclusion.facts for reason in fact.reasons)
    stated = [_stated(reason) for reason in reasons]
    return f"No row can pass: {', and '.join(stated)}." if stated else "No row can pass."


def _stated(reason: Reason) -> str:
    if reason.job is None:
        return f"the question asks for {reason.sql}"
    return f"in {title_of(reason.job.name)}, {reason.sql}"
