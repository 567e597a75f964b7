"""In which countries personal data are, and whether they may be there.

The answer lists the categories in each dataset, with the stated countries of the dataset (``organisation.residence``),
and judges each by the policies with countries that concern it (``residency_verdicts``):

OUTSIDE
    the dataset is in a country that one of them does not permit, and holds the data in a form that it does not allow;
NOT_KNOWN
    no policy says where the data may be, or it is not stated where they are, or the report is incomplete;
WITHIN
    none of these.

Where lineage, or what is personal, is not known completely, other data than those that are known may be in a dataset,
in other forms and at other paths. Then data are only WITHIN where that would change nothing: where the stated countries
of the dataset are permitted by all policies that cover it, and one of these is about all personal data.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import Incomplete
from headwater_backend.domain.pages import Page, cursor, page, read_cursor, size
from headwater_backend.privacy.answers.policy_check import unmatched
from headwater_backend.privacy.answers.residency_verdicts import Residency, ResidentCategory, Verdicts
from headwater_backend.privacy.classification.known_data import covering_no_data, places_with_data
from headwater_backend.privacy.exposure import ExposureReport, Ruling, passing
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.coverage import unmatched_locations, unmatched_recipients
from headwater_backend.privacy.organisation.residence import Residences
from headwater_backend.privacy.organisation.statements import Organisation
from headwater_backend.privacy.policies import Policy
from headwater_backend.privacy.snapshots import Snapshots, question_digest
from headwater_backend.questions.active.steps import ActiveGraph


@dataclass(frozen=True, slots=True)
class ResidencyPage:
    """A part of the categories in datasets, each with its cursor, by dataset; ``totals`` are of all, by verdict.

    ``incomplete`` is what is not known of lineage, of what is personal, of countries, and of policies.
    """

    report: ExposureReport
    items: Page[tuple[str, ResidentCategory]]
    totals: Mapping[Residency, int]
    incomplete: tuple[Incomplete, ...]


def residency(
    store: ActiveGraph,
    scope: Scope,
    ruling: Ruling,
    snapshots: Snapshots,
    *,
    policies: Sequence[Policy],
    organisation: Organisation,
    first: int | None = None,
    after: str | None = None,
    active: bool = False,
) -> ResidencyPage:
    """A page of the categories of that part of the matrix; with ``active``, it says of those that are OUTSIDE whether a
    row can bring them there. Raises what ``exposed`` raises, and ``BadQuestion``."""
    wanted = size(first, "categories")
    policies = tuple(each for each in policies if each.countries)
    scope = replace(scope, influenced=any(each.forbids(Form.INFLUENCED) for each in policies))
    question = " ".join((question_digest(scope, ruling), _digest(policies), organisation.digest))
    asked, name, *last = read_cursor(after, (str,) * 5) if after else (question, None)
    if asked != question:
        raise BadQuestion("the cursor belongs to another question", "continue with the same arguments")
    report, name = snapshots.report(store, scope, ruling, name)
    places = places_with_data(store, [each for each in policies if not each.is_whole])
    idle = {**places.idle, **covering_no_data(store, [each for each in policies if each.is_whole])}
    known = dict.fromkeys(report.incomplete)
    known.update(dict.fromkeys(gap for each in policies for gap in unmatched(each, idle)))
    known.update(dict.fromkeys(unmatched_locations(store, organisation)))
    known.update(dict.fromkeys(unmatched_recipients(store, organisation)))
    verdicts = Verdicts(report, policies, places, Residences(organisation), complete=report.complete)
    found = list(verdicts.all())
    start = bisect_right(found, tuple(last), key=_order) if last else 0
    ways = passing(store, report) if active else None
    items = [
        (cursor(question, name, *_order(each)), verdicts.judged(each, ways))
        for each in found[start : start + wanted + 1]
    ]
    totals = Counter(dict.fromkeys(Residency, 0))
    totals.update(each.residency for each in found)
    return ResidencyPage(report, page(items, wanted), totals, (*known, *verdicts.gaps))


def _digest(policies: Sequence[Policy]) -> str:
    return hashlib.sha256(repr(policies).encode(errors="surrogatepass")).hexdigest()[:16]


def _order(each: ResidentCategory) -> tuple[str, str, str]:
    return (*each.dataset, each.category)
