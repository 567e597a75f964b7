"""Where personal data cross from country to country, and what is known of each crossing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion, RulesError
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.crossings import CrossingsPage, CrossingVerdict, crossings
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.questions.traversal import Bounds
from kit.openlineage import at, dataset, event, facet, paths

TAGS = facet(
    tags=[{"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"}]
)
EUROPE = "- {policy: in Europe, category: user, countries: [EEA]}\n"
PLACES = "locations: [{datasets: '* people', country: DE}, {datasets: '* copy', country: %s}]\n"
CLAUSES = "safeguards: [{kind: clauses, countries: [US], since: 2025-06-01, until: 2026-12-31}]\n"


def job(how: str = "IDENTITY", gaps: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """A run that makes a copy of people's mail."""
    more: dict[str, Any] = {"complete": False, "incomplete": list(gaps)} if gaps else {}
    if how == "AGGREGATION":
        more |= {"manipulation": ["AGGREGATE"], "functions": ["sum"]}
    copy = dataset("copy", "mail", headwater_pathLineage=paths((["mail"], "people", ["mail"], how), **more))
    return event("COMPLETE", 1, "run 1", [dataset("people", "mail", tags=TAGS)], [copy], "copies")


def asked(
    store: LineageStore, event: dict[str, Any], stated: str, policies: str = EUROPE, **more: Any
) -> CrossingsPage:
    assert [outcome.error for outcome in ingest(store, [event])] == [None]
    return crossings(
        store,
        Scope(bounds=Bounds(as_of=at(5))),
        Ruling(),
        Snapshots(),
        policies=parse_policies(policies),
        organisation=parse_organisation(stated),
        **more,
    )


def test_a_policy_and_a_place_are_of_a_table_in_any_letter_case(store: LineageStore) -> None:
    policies = "- {policy: in Europe, category: user, dataset: '* COPY', path: Mail, countries: [EEA]}\n"
    stated = "locations: [{datasets: '* People', country: DE}, {datasets: '* Copy', country: US}]\n"
    found = asked(store, job(), stated, policies).items.items
    assert [(each.verdict, each.policies) for _, each in found] == [
        (CrossingVerdict.VIOLATION, ("in Europe",))
    ]


@pytest.mark.parametrize(
    ("how", "stated", "policies", "verdict", "why"),
    [
        ("IDENTITY", PLACES % "US", EUROPE, "VIOLATION", ()),
        ("IDENTITY", PLACES % "FR", EUROPE, "ALLOWED", ()),
        ("AGGREGATION", PLACES % "US", EUROPE, "ALLOWED", ()),
        ("IDENTITY", PLACES % "US" + CLAUSES, EUROPE, "SAFEGUARDED", ()),
        ("IDENTITY", PLACES % "US" + CLAUSES.replace("2026-12-31", "2025-12-31"), EUROPE, "VIOLATION", ()),
        ("IDENTITY", PLACES % "US" + CLAUSES.replace("2025-06-01", "2026-06-01"), EUROPE, "VIOLATION", ()),
        ("IDENTITY", PLACES % "IN" + CLAUSES, EUROPE, "VIOLATION", ()),
        ("IDENTITY", PLACES % "US", "", "UNKNOWN", ("NO_POLICY",)),
        (
            "IDENTITY",
            "locations: [{datasets: '* people', country: DE}]",
            EUROPE,
            "UNKNOWN",
            ("UNSTATED_LOCATION",),
        ),
        (
            "IDENTITY",
            "locations: [{datasets: '* copy', country: FR}]",
            EUROPE,
            "UNKNOWN",
            ("UNSTATED_LOCATION",),
        ),
        (
            "IDENTITY",
            "locations: [{datasets: '* copy', country: US}]",
            EUROPE,
            "VIOLATION",
            ("UNSTATED_LOCATION",),
        ),
    ],
)
def test_each_crossing_has_a_verdict(
    store: LineageStore, how: str, stated: str, policies: str, verdict: str, why: tuple[str, ...]
) -> None:
    found = asked(store, job(how), stated, policies)
    ((_, crossing),) = found.items.items
    assert (crossing.verdict.value, crossing.unknown) == (verdict, why)
    assert [edge.job.name for edge in crossing.witness] == ["copies"]
    assert found.totals[CrossingVerdict(verdict)] == 1 == sum(each.crossings for each in found.flows)


def test_what_stays_in_its_country_does_not_cross(store: LineageStore) -> None:
    found = asked(store, job(), PLACES % "DE")
    assert not found.items.items and not found.flows


def test_a_lapsed_safeguard_is_named_with_the_violation(store: LineageStore) -> None:
    found = asked(store, job(), PLACES % "US" + CLAUSES.replace("2026-12-31", "2025-12-31"))
    ((_, crossing),) = found.items.items
    assert [(each.kind, str(each.until)) for each in crossing.lapsed] == [("clauses", "2025-12-31")]
    assert crossing.outside == ("US",) and crossing.policies == ("in Europe",)


def test_an_allowed_form_is_not_known_to_be_the_only_one_where_lineage_is_incomplete(
    store: LineageStore,
) -> None:
    gap = {"path": ["mail"], "reason": "PYTHON_UDF", "detail": "f"}
    found = asked(store, job("AGGREGATION", [gap]), PLACES % "US")
    ((_, crossing),) = found.items.items
    assert (crossing.verdict, crossing.unknown) == (CrossingVerdict.UNKNOWN, ("INCOMPLETE",))
    assert found.incomplete


def test_flows_are_counted_by_countries(store: LineageStore) -> None:
    (flow,) = asked(store, job(), PLACES % "US").flows
    assert (flow.origin, flow.to, flow.verdict.value, flow.crossings) == (("DE",), "US", "VIOLATION", 1)


def test_a_cursor_of_another_question_is_refused(store: LineageStore) -> None:
    found = asked(store, job(), PLACES % "US")
    ((after, _),) = found.items.items
    assert not asked(store, job(), PLACES % "US", after=after).items.items
    with pytest.raises(BadQuestion, match="another question"):
        asked(store, job(), PLACES % "FR", after=after)


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("kind: hope, countries: [US]", "'hope' is no safeguard"),
        ("kind: clauses, countries: [UK]", "'UK' is no country or group"),
        ("kind: clauses, countries: []", "the list of countries is empty"),
        ("kind: clauses, countries: [US], until: soon", "'soon' is no day"),
        ("kind: clauses, countries: [US], since: 2026-02-01, until: 2026-01-01", "before it begins"),
    ],
)
def test_a_wrong_safeguard_is_refused_with_its_line(text: str, detail: str) -> None:
    with pytest.raises(RulesError) as raised:
        parse_organisation(f"safeguards:\n  - {{{text}}}")
    assert raised.value.line == 2 and detail in raised.value.detail
