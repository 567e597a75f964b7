"""In which countries data may be: countries and groups, where datasets are, and what policies make of it."""

from __future__ import annotations

from typing import Any

import pytest
import pytz  # type: ignore[import-untyped]  # has no stubs here

from headwater_backend.domain.model import DatasetKey, Incomplete
from headwater_backend.privacy.answers.policy_check import Outcome, PolicyCheck, check_policies
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.organisation.countries import COUNTRIES, EU, GROUPS, expanded
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.organisation.residence import Residences
from kit.memory_store import MemoryStore, graph, node

EMAIL = ("data_category", "user.contact.email")
POLICY = "- {policy: p, category: user.contact, countries: [EEA, CH]%s}"
SOURCE = "{datasets: 'ns t', country: DE}"
COURIER = "{name: Courier, datasets: 'ns o', country: %s}"


def check(edges: str, locations: str, recipients: str = "", policy: str = "", **facts: Any) -> PolicyCheck:
    store = MemoryStore(graph(edges), tags=[(node("t:mail"), *EMAIL)], **facts)
    stated = f"locations: [{SOURCE}, {locations}]\nrecipients: [{recipients}]"
    return check_policies(
        store, parse_policies(POLICY % policy), Ruling(), organisation=parse_organisation(stated)
    )


def outside(found: PolicyCheck) -> dict[str, tuple[str, ...]]:
    (verdict,) = found.verdicts
    return {each.node.dataset.name: each.outside for each in verdict.violations}


def gaps(found: PolicyCheck) -> list[tuple[str, str]]:
    return [(gap.reason, gap.dataset.name) for gap in found.verdicts[0].incomplete]


def test_the_codes_are_those_of_the_time_zone_database() -> None:
    assert set(pytz.country_names) == COUNTRIES


def test_the_groups_have_their_members_and_their_territories() -> None:
    assert len(EU - {"AX", "GF", "GP", "MF", "MQ", "RE", "YT"}) == 27
    assert GROUPS["EEA"] - EU == {"IS", "LI", "NO"}
    assert all(group <= COUNTRIES for group in GROUPS.values())
    assert {"GB", "CH", "SJ"}.isdisjoint(GROUPS["EEA"])
    assert expanded(["EEA", "CH"]) == {*GROUPS["EEA"], "CH"}


def test_a_dataset_is_in_the_countries_of_all_its_locations_and_recipients() -> None:
    stated = parse_organisation(
        """
locations: [{datasets: "ns eu*", country: FR}, {datasets: "ns *", country: DE}]
recipients: [{name: Courier, datasets: "ns eu*", country: US}, {name: Other, datasets: "ns x", country: CN}]
"""
    )
    found = Residences(stated).of(DatasetKey("ns", "eu"))
    assert (found.countries, found.unknown) == (("DE", "FR", "US"), ())


@pytest.mark.parametrize(
    ("recipient", "reason", "detail"),
    [
        (COURIER % "USA", "UNCLEAR_COUNTRY", "'USA', the country of the recipient 'Courier', is no code"),
        ("{name: Courier, datasets: 'ns o'}", "UNSTATED_LOCATION", "the recipient 'Courier' is"),
    ],
)
def test_where_a_recipient_is_has_to_be_known(recipient: str, reason: str, detail: str) -> None:
    found = check("t:mail -IDENTITY-> o:x", "{datasets: 'ns o', country: DE}", recipient)
    assert found.outcome is Outcome.UNKNOWN
    assert gaps(found) == [(reason, "o")]
    assert detail in found.verdicts[0].incomplete[0].detail


def test_data_may_be_in_the_countries_of_the_policy_and_in_no_other() -> None:
    edges = "t:mail -IDENTITY-> o:x"
    assert check(edges, "{datasets: 'ns o', country: IS}").outcome is Outcome.SATISFIED
    found = check(edges, "{datasets: 'ns o', country: US}")
    assert (found.outcome, outside(found)) == (Outcome.VIOLATED, {"o": ("US",)})
    copied = check(edges, "{datasets: 'ns o', country: US}, {datasets: 'ns o', country: DE}")
    assert outside(copied) == {"o": ("US",)}


def test_what_is_declared_outside_violates_it() -> None:
    assert outside(check("t:mail -SUM-> o:x", "{datasets: 'ns t', country: US}")) == {"t": ("US",)}


def test_a_recipient_outside_violates_it_and_a_recipient_within_is_no_location() -> None:
    edges = "t:mail -IDENTITY-> o:x"
    assert outside(check(edges, "{datasets: 'ns o', country: DE}", COURIER % "US")) == {"o": ("US",)}
    assert outside(check(edges, SOURCE, COURIER % "US")) == {"o": ("US",)}
    within = check(edges, SOURCE, COURIER % "FR")
    assert (within.outcome, gaps(within)) == (Outcome.UNKNOWN, [("UNSTATED_LOCATION", "o")])


@pytest.mark.parametrize(
    ("way", "there"), [("HASH", True), ("COMPUTE", True), ("SUM", False), ("FILTER", False)]
)
def test_pseudonyms_are_still_personal_data(way: str, there: bool) -> None:
    assert bool(outside(check(f"t:mail -{way}-> o:x", "{datasets: 'ns o', country: US}"))) is there


def test_a_dataset_without_a_location_is_not_known() -> None:
    found = check("t:mail -IDENTITY-> o:x", SOURCE)
    assert (found.outcome, gaps(found)) == (Outcome.UNKNOWN, [("UNSTATED_LOCATION", "o")])
    assert check("t:mail -SUM-> o:x", SOURCE).outcome is Outcome.SATISFIED


def test_incomplete_lineage_is_not_known() -> None:
    gap = Incomplete("PYTHON_UDF", DatasetKey("ns", "o"), ("x",))
    found = check("t:mail -IDENTITY-> o:x", "{datasets: 'ns o', country: DE}", incomplete=[gap])
    assert found.outcome is Outcome.UNKNOWN


def test_a_policy_on_countries_may_be_about_some_places() -> None:
    us = "{datasets: 'ns o', country: US}"
    assert outside(check("t:mail -IDENTITY-> o:x", us, policy=", dataset: 'ns x*'")) == {}
    assert outside(check("t:mail -IDENTITY-> o:x", us, policy=", path: y")) == {}
    assert outside(check("t:mail -IDENTITY-> o:x", us, policy=", path: x")) == {"o": ("US",)}


def test_either_of_purposes_and_countries_violates() -> None:
    both = ", purposes: [essential]"
    found = check("t:mail -IDENTITY-> o:x", "{datasets: 'ns o', country: DE}", policy=both)
    assert [reason for reason, _ in gaps(found)] == ["UNSTATED_PURPOSE"] * 2
    assert outside(check("t:mail -IDENTITY-> o:x", "{datasets: 'ns o', country: US}", policy=both)) == {
        "o": ("US",)
    }


def test_an_attribute_of_which_a_location_is_missing_is_not_certainly_gone() -> None:
    (known,) = check("t:mail -IDENTITY-> o:x", "{datasets: 'ns o', country: DE}").verdicts
    (unknown,) = check("t:mail -IDENTITY-> o:x", SOURCE).verdicts
    assert known.is_certain_of(node("t:mail")) and not unknown.is_certain_of(node("t:mail"))
