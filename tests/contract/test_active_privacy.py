"""Violations that no row can take: shown with their proofs, and accepted for what the jobs do."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.policy_check import Outcome, PolicyCheck, check_policies
from headwater_backend.privacy.answers.residency import residency
from headwater_backend.privacy.exposure import Ruling, exposed, passing
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.findings import listing, recording
from headwater_backend.privacy.findings.acceptance import check_with_acceptances
from headwater_backend.privacy.findings.finding import Change, State
from headwater_backend.privacy.findings.watch import PolicyWatch
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from kit.filtered import BOTH, REGIONS, copied
from kit.openlineage import NAMESPACE, REPLACED, dataset, event, facet, paths

TAGS = facet(tags=[{"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "x"}])
POLICIES = parse_policies(
    """
- policy: no contact data in a1
  category: user.contact
  dataset: {namespace: "*", name: "*a1"}
  allow: [masked]
"""
)
ADA = Steward(everything("Ada"), "M1 keeps Americas alone")


def tagged(found: dict[str, Any]) -> dict[str, Any]:
    """The event, with the values of ``x`` of ``a9`` as personal data."""
    found = deepcopy(found)
    for each in found["inputs"]:
        if each["name"] == "a9":
            each["facets"]["tags"] = TAGS
    return found


def take(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [each.error for each in ingest(store, events)] == [None] * len(events)


def checked(store: LineageStore, *, active: bool = True, **more: Any) -> PolicyCheck:
    return check_with_acceptances(store, POLICIES, Ruling(), active=active, **more)


def watched(store: LineageStore) -> Change:
    """The finding after a check of the server."""
    PolicyWatch(store, POLICIES, Ruling(), seconds=0.01, active=True).check()
    ((_, change),) = listing.findings(store).items
    return change


@pytest.fixture
def regions(store: LineageStore) -> LineageStore:
    take(store, *map(tagged, REGIONS))
    return store


def test_a_violation_that_no_row_can_take_is_listed_with_its_proof(regions: LineageStore) -> None:
    (verdict,) = checked(regions).verdicts
    (violation,) = verdict.violations
    assert verdict.outcome is Outcome.VIOLATED
    assert violation.barred is not None
    (why,) = violation.barred.because
    assert "Europe" in why and "Americas" in why and "a5 to a3" in why
    ((passive,),) = [each.violations for each in checked(regions, active=False).verdicts]
    assert (passive.node, passive.barred) == (violation.node, None)


def test_a_violation_that_a_row_can_take_has_none(regions: LineageStore) -> None:
    take(regions, copied(20, "a5", "a3", *BOTH))
    (violation,) = checked(regions).verdicts[0].violations
    assert violation.barred is None


def concerned(store: LineageStore) -> list[tuple[Any, ...]]:
    """What a report on these policies says of the rows of the sources behind violations."""
    document = build(store, ReportQuestion(Kind.EXPOSURE, policies=tuple(POLICIES), active=True))
    return [row for _, table in document.tables() if table.key == "concerned_rows" for row in table.rows]


def test_a_report_names_the_rows_that_a_violation_comes_from(regions: LineageStore) -> None:
    assert concerned(regions) == []  # no row can take it
    take(regions, copied(20, "a5", "a3", *BOTH))
    (row,) = [row for row in concerned(regions) if row[3] == "a9"]
    assert row[:3] == (NAMESPACE, "a1", "x") and row[4] == "x"
    assert "region" in row[5] and "Europe" in row[5] and row[6].endswith(f"WHERE {row[5]}")


def test_what_only_influences_bars_nothing(regions: LineageStore) -> None:
    policies = parse_policies(
        """
- policy: nothing of contact data in a1
  category: user.contact
  dataset: {namespace: "*", name: "*a1"}
  allow: []
"""
    )
    influence = {"namespace": NAMESPACE, "name": "a9", "path": ["x"]}
    kind = {"type": "INDIRECT", "subtype": "FILTER", "masking": False}
    changed = copied(20, "a9", "a3", "Asia")
    changed["outputs"][0]["facets"]["headwater_pathLineage"]["dataset"] = [
        {**influence, "transformations": [kind]}
    ]
    take(regions, changed)
    (verdict,) = check_policies(regions, policies, Ruling(), active=True).verdicts
    assert {each.barred for each in verdict.violations} == {None}


def test_where_the_search_did_not_end_nothing_is_barred(regions: LineageStore) -> None:
    take(regions, copied(20, "a1", "b"))
    (violation,) = checked(regions, bounds=Bounds(depth=4)).verdicts[0].violations
    assert violation.barred is None


def test_an_acknowledged_one_does_not_count_until_a_job_on_its_ways_does_something_else(
    regions: LineageStore,
) -> None:
    opened = watched(regions)
    assert opened.finding.barred is not None
    recording.decide(regions, [opened.finding.id], State.ACKNOWLEDGED, ADA)
    found = checked(regions)
    (verdict,) = found.verdicts
    assert found.outcome is not Outcome.VIOLATED
    assert [each.by for each in verdict.accepted.values()] == ["Ada"]
    assert len(verdict.violations) == 1
    assert checked(regions, active=False).outcome is Outcome.VIOLATED

    take(regions, copied(21, "a2", "a0", "Europe"))
    assert watched(regions).finding.state is State.ACKNOWLEDGED

    take(regions, copied(22, "a5", "a3", "Asia"))
    assert checked(regions).outcome is Outcome.VIOLATED
    again = watched(regions)
    assert (again.finding.state, again.reason) == (State.OPEN, "a job on its ways is another one")
    assert again.finding.barred is not None

    recording.decide(regions, [again.finding.id], State.ACKNOWLEDGED, ADA)
    take(regions, copied(23, "a5", "a3", "Europe"))
    last = watched(regions)
    assert (last.finding.state, last.finding.barred) == (State.OPEN, None)


def test_one_that_was_acknowledged_without_proof_counts(regions: LineageStore) -> None:
    PolicyWatch(regions, POLICIES, Ruling(), seconds=0.01).check()
    ((_, change),) = listing.findings(regions).items
    recording.decide(regions, [change.finding.id], State.ACKNOWLEDGED, ADA)
    assert checked(regions).outcome is Outcome.VIOLATED


def test_a_holder_that_no_row_can_reach_stays_in_the_exposure(regions: LineageStore) -> None:
    report = exposed(regions, Scope(), Ruling())
    ways = passing(regions, report)
    assert ways is not None
    (found,) = report.attributes
    barred = {each.dataset.name for each in found.holders if ways.barred(found.attribute.node, each)}
    assert {each.dataset.name for each in found.holders} == {"a7", "a5", "a3", "a1"}
    assert barred == {"a3", "a1"}


def test_data_that_no_row_can_bring_into_a_country_are_outside_with_the_proof(regions: LineageStore) -> None:
    policies = parse_policies("- {policy: in Europe, category: user, countries: [EEA]}\n")
    organisation = parse_organisation(
        'locations: [{datasets: "* a5", country: US}, {datasets: "* a1", country: US},'
        ' {datasets: "* a3", country: DE}, {datasets: "* a7", country: DE}, {datasets: "* a9", country: DE}]'
    )
    found = residency(
        regions, Scope(), Ruling(), Snapshots(), policies=policies, organisation=organisation, active=True
    )
    why = {each.dataset.name: each.because for _, each in found.items.items if each.outside}
    assert why.keys() == {"a5", "a1"}
    assert why["a5"] == () and "Europe" in why["a1"][0]


def test_one_path_of_two_that_a_row_can_take_bars_nothing_of_the_category(regions: LineageStore) -> None:
    """The category is in a dataset that one of its attributes can reach, and the other one can not."""
    other = dataset("a1", "y", headwater_pathLineage=paths((["y"], "a5", ["x"], "IDENTITY")), **REPLACED)
    take(regions, event("COMPLETE", 30, "y", [dataset("a5", "x")], [other], "y"))
    policies = parse_policies("- {policy: in Europe, category: user, countries: [EEA]}\n")
    organisation = parse_organisation('locations: [{datasets: "* a1", country: US}]')
    found = residency(
        regions, Scope(), Ruling(), Snapshots(), policies=policies, organisation=organisation, active=True
    )
    ((_, only),) = [each for each in found.items.items if each[1].outside]
    assert only.because == ()
