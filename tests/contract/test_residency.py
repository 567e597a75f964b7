"""In which countries personal data are, and whether they may be there."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.residency import ResidencyPage, residency
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.questions.traversal import Bounds
from kit.openlineage import at, dataset, event, facet, paths

TAGS = facet(
    tags=[
        {"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"},
        {"key": "data_category", "value": "user.name", "source": "CONFIG", "field": "name"},
    ]
)
EUROPE = "- {policy: in Europe, category: user, countries: [EEA]}\n"
CONTACT = "- {policy: mail in Europe, category: user.contact, countries: [EEA]}\n"
AT_HOME = 'locations: [{datasets: "* people", country: DE}, %s]'
WHOLE = Scope()
EVERYWHERE = AT_HOME % '{datasets: "* mailing", country: US}, {datasets: "* counts", country: US}'


def job(minute: int, name: str, *entries: Any, gaps: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """A run that makes a dataset of people: its columns, from which, and how."""
    more: dict[str, Any] = {"complete": False, "incomplete": gaps} if gaps else {}
    if entries[0][2] == "AGGREGATION":
        more |= {"manipulation": ["AGGREGATE"], "functions": ["sum"]}
    traced = paths(*(([column], "people", [source], how) for column, source, how in entries), **more)
    output = dataset(name, *(column for column, *_ in entries), headwater_pathLineage=traced)
    people = dataset("people", "mail", "name", tags=TAGS)
    return event("COMPLETE", minute, f"run {minute}", [people], [output], f"makes {name}")


MAILING = job(1, "mailing", ("to", "mail", "IDENTITY"), ("who", "name", "IDENTITY"))
COUNTS = job(2, "counts", ("n", "mail", "AGGREGATION"))


def stored(store: LineageStore, *events: dict[str, Any]) -> LineageStore:
    assert [outcome.error for outcome in ingest(store, events)] == [None] * len(events)
    return store


def ask(
    store: LineageStore, policies: str = EUROPE, stated: str = EVERYWHERE, scope: Scope = WHOLE, **more: Any
) -> ResidencyPage:
    return residency(
        store,
        scope,
        Ruling(),
        more.pop("snapshots", Snapshots()),
        policies=parse_policies(policies),
        organisation=parse_organisation(stated),
        **more,
    )


def verdicts(found: ResidencyPage) -> dict[tuple[str, str], tuple[str, tuple[str, ...]]]:
    """The verdict on each category in a dataset, with the countries outside, or with what is not known."""
    return {
        (each.dataset.name, each.category): (each.residency.value, each.outside + each.unknown)
        for _, each in found.items.items
    }


def test_each_category_in_a_dataset_has_its_countries_and_its_verdict(store: LineageStore) -> None:
    found = ask(stored(store, MAILING, COUNTS))
    assert verdicts(found) == {
        ("counts", "user.contact.email"): ("WITHIN", ()),
        ("mailing", "user.contact.email"): ("OUTSIDE", ("US",)),
        ("mailing", "user.name"): ("OUTSIDE", ("US",)),
        ("people", "user.contact.email"): ("WITHIN", ()),
        ("people", "user.name"): ("WITHIN", ()),
    }
    assert found.incomplete == ()
    assert {each.value: count for each, count in found.totals.items()} == {
        "WITHIN": 3,
        "OUTSIDE": 2,
        "NOT_KNOWN": 0,
    }
    mailing = found.items.items[1][1]
    assert (mailing.countries, mailing.policies) == (("US",), ("in Europe",))
    assert [form.name for form in mailing.forms] == ["IDENTITY"]


def test_what_no_policy_is_about_is_not_known(store: LineageStore) -> None:
    stored(store, MAILING)
    found = ask(store, CONTACT, AT_HOME % '{datasets: "* mailing", country: US}')
    assert verdicts(found)["people", "user.name"] == ("NOT_KNOWN", ("NO_POLICY",))
    assert verdicts(found)["people", "user.contact.email"] == ("WITHIN", ())
    assert [(gap.reason, gap.detail) for gap in found.incomplete] == [
        ("NO_POLICY", "no policy says in which countries user.name may be")
    ]
    purposes = "- {policy: p, category: user, purposes: [essential]}"
    assert {each for each, _ in verdicts(ask(store, purposes)).values()} == {"NOT_KNOWN"}


def test_what_lies_nowhere_is_not_known(store: LineageStore) -> None:
    stated = AT_HOME % '{datasets: "* mialing", country: US}'
    found = ask(stored(store, MAILING, COUNTS), stated=stated)
    assert verdicts(found)["mailing", "user.name"] == ("NOT_KNOWN", ("UNSTATED_LOCATION",))
    assert verdicts(found)["counts", "user.contact.email"] == ("WITHIN", ())
    reasons = [(gap.reason, gap.dataset.name) for gap in found.incomplete]
    assert reasons == [("UNMATCHED_STATEMENT", "* mialing"), ("UNSTATED_LOCATION", "mailing")]
    assert "did you mean" in found.incomplete[0].detail


def test_a_recipient_outside_counts_and_one_without_a_country_is_not_known(store: LineageStore) -> None:
    stored(store, MAILING)
    stated = AT_HOME % '{datasets: "* mailing", country: DE}'
    abroad = stated + '\nrecipients: [{name: A, datasets: "* mailing", country: IN}]'
    assert verdicts(ask(store, stated=abroad))["mailing", "user.name"] == ("OUTSIDE", ("IN",))
    somewhere = stated + '\nrecipients: [{name: A, datasets: "* mailing"}]'
    found = verdicts(ask(store, stated=somewhere))["mailing", "user.name"]
    assert found == ("NOT_KNOWN", ("UNSTATED_LOCATION",))


def test_incomplete_lineage_is_not_known_unless_any_data_may_be_there(store: LineageStore) -> None:
    gap = [{"reason": "PYTHON_UDF", "path": ["n"], "detail": "f"}]
    stored(store, MAILING, job(2, "counts", ("n", "mail", "AGGREGATION"), gaps=gap))
    found = verdicts(ask(store))
    assert found["counts", "user.contact.email"] == ("NOT_KNOWN", ("INCOMPLETE",))
    assert found["mailing", "user.name"] == ("OUTSIDE", ("US",))
    assert found["people", "user.name"] == ("WITHIN", ())
    only_mail = verdicts(ask(store, CONTACT))
    assert only_mail["people", "user.contact.email"] == ("NOT_KNOWN", ("INCOMPLETE",))
    stricter = EUROPE + "- {policy: health in France, category: user.health_and_medical, countries: [FR]}\n"
    assert verdicts(ask(store, stricter))["people", "user.name"] == ("NOT_KNOWN", ("INCOMPLETE",))
    some_paths = "- {policy: p, category: user, path: mail, countries: [EEA]}\n" + CONTACT
    assert verdicts(ask(store, some_paths))["people", "user.contact.email"][0] == "NOT_KNOWN"


def test_a_policy_is_about_its_places_alone(store: LineageStore) -> None:
    stored(store, MAILING)
    policies = EUROPE.replace("category", "dataset: '* people', category")
    found = verdicts(ask(store, policies))
    assert found["mailing", "user.name"] == ("NOT_KNOWN", ("NO_POLICY",))
    path = "- {policy: p, category: user, path: to, countries: [EEA]}"
    found = verdicts(ask(store, path))
    assert found["mailing", "user.contact.email"] == ("OUTSIDE", ("US",))
    assert found["mailing", "user.name"] == ("NOT_KNOWN", ("NO_POLICY",))


def test_a_policy_that_fits_nothing_is_a_gap(store: LineageStore) -> None:
    policies = EUROPE + "- {policy: p, category: user, dataset: '* mialing', countries: [EEA]}"
    found = ask(stored(store, MAILING, COUNTS), policies)
    assert [gap.reason for gap in found.incomplete] == ["UNMATCHED_POLICY"]


def test_it_is_answered_page_by_page_and_as_of_a_time(store: LineageStore) -> None:
    stored(store, MAILING, COUNTS)
    snapshots = Snapshots()
    whole, after, found = verdicts(ask(store)), None, {}
    while True:
        page = ask(store, snapshots=snapshots, first=2, after=after)
        found.update(verdicts(page))
        if not page.items.has_next:
            break
        after = page.items.items[-1][0]
    assert (list(found), found) == (list(whole), whole)
    with pytest.raises(BadQuestion, match="another question"):
        ask(store, CONTACT, snapshots=snapshots, after=after)
    before = ask(store, scope=Scope(bounds=Bounds(as_of=at(0))))
    assert {name for name, _ in verdicts(before)} == {"people"}


def test_nothing_classified_is_incomplete(store: LineageStore) -> None:
    stored(store, event("COMPLETE", 1, "run", [], [dataset("mailing", "to")]))
    found = ask(store)
    assert verdicts(found) == {}
    assert "UNCLASSIFIED" in [gap.reason for gap in found.incomplete]
