"""A producer names what a rule, a policy or a statement misspells: what has no data is still unmatched."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.roles import Caller, Role
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.policy_check import UNMATCHED_POLICY, check_policies
from headwater_backend.privacy.answers.residency import residency
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.classification.rules import Rule, Rules
from headwater_backend.privacy.exposure import UNMATCHED_RULE, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.organisation.coverage import (
    UNMATCHED_STATEMENT,
    known_recipients,
    unmatched_locations,
    unmatched_recipients,
    unmatched_subjects,
)
from headwater_backend.privacy.organisation.statements import (
    NO_ORGANISATION,
    Location,
    Organisation,
    Recipient,
    Statement,
)
from headwater_backend.privacy.policies import Policy
from headwater_backend.privacy.snapshots import Snapshots
from kit.openlineage import dataset, event, facet, paths

ATTACKER = Sender(Caller("key 7 (mine)", frozenset({Role.PRODUCER}), ("mine",)))
MISSPELT = DatasetKey("hr", "peple")
MAIL = "user.contact.email"


def of(job: str, inputs: list[Any], outputs: list[Any]) -> dict[str, Any]:
    made = event("COMPLETE", 1, f"run of {job}", inputs, outputs, job=job)
    made["job"]["namespace"] = job
    return {**made, "eventTime": datetime.now(timezone.utc).isoformat()}


def named(**facets: Any) -> dict[str, Any]:
    return {"namespace": MISSPELT.namespace, "name": MISSPELT.name, "facets": facets}


@pytest.fixture
def owned(store: LineageStore) -> LineageStore:
    people = {**dataset("people", "mail", "ssn"), "namespace": "hr"}
    assert all(outcome.stored for outcome in ingest(store, [of("hr", [], [people])]))
    return store


BARE = {
    "without facets": named(),
    "with an empty schema": named(schema=facet(fields=[])),
    "described": named(documentation=facet(description="people")),
    "looked at as a whole": named(headwater_access=facet(paths=[{"path": [], "access": ["DRIVER"]}])),
}


@pytest.mark.parametrize("path", ["**", "*"])
@pytest.mark.parametrize("bare", BARE)
def test_a_misspelt_rule_or_policy_stays_unmatched(owned: LineageStore, bare: str, path: str) -> None:
    for attack in ([], [of("mine", [BARE[bare]], [])]):
        assert all(outcome.stored for outcome in ingest(owned, attack, sender=ATTACKER))
        rules = (
            Rule((MISSPELT.namespace, MISSPELT.name), path, 1, MAIL),
            Rule(("hr", "people"), "mail", 2, MAIL),
        )
        ruling, right = Ruling(Rules(rules)), Ruling(Rules(rules[1:]))
        found = exposed(owned, Scope(), ruling)
        assert UNMATCHED_RULE in {gap.reason for gap in found.incomplete}
        policy = Policy((MISSPELT.namespace, MISSPELT.name), path, 1, "no mail", MAIL, countries=("CH",))
        (verdict,) = check_policies(owned, [policy], right).verdicts
        assert UNMATCHED_POLICY in {gap.reason for gap in verdict.incomplete}
        page = residency(owned, Scope(), right, Snapshots(), policies=[policy], organisation=NO_ORGANISATION)
        assert UNMATCHED_POLICY in {gap.reason for gap in page.incomplete}


def test_a_misspelt_statement_stays_unmatched(owned: LineageStore) -> None:
    place = PlacePattern((MISSPELT.namespace, MISSPELT.name), "**", 1)
    stated = Organisation(
        processing=(Statement("mailing", 1, outputs=place, subjects=("customers",)),),
        recipients=(Recipient("Ads Ltd", place),),
        locations=(Location(place, "CH"),),
    )
    for attack in ([], [of("mine", [BARE["without facets"]], [])]):
        assert all(outcome.stored for outcome in ingest(owned, attack, sender=ATTACKER))
        for unmatched in (unmatched_recipients, unmatched_locations, unmatched_subjects):
            assert [gap.reason for gap in unmatched(owned, stated)] == [UNMATCHED_STATEMENT]
        assert known_recipients(owned, stated) == frozenset()
    ingest(owned, [{**of("hr", [], [named()]), "eventTime": datetime.now(timezone.utc).isoformat()}])
    assert list(unmatched_locations(owned, stated)) == [], "somebody writes it"


def test_a_misspelt_path_stays_unmatched_when_somebody_claims_that_it_is_read(owned: LineageStore) -> None:
    claimed = {**dataset("people", "mial", "ssn"), "namespace": "hr"}
    misspelt = Rule(("hr", "people"), "mial", 1, MAIL)
    ruling = Ruling(Rules((misspelt, Rule(("hr", "people"), "mail", 2, MAIL))))
    policy = Policy(("hr", "people"), "mial", 1, "no mail", MAIL)
    for attack in ([], [of("mine", [claimed], [])]):
        assert all(outcome.stored for outcome in ingest(owned, attack, sender=ATTACKER))
        found = exposed(owned, Scope(), ruling)
        assert [gap.reason for gap in found.incomplete].count(UNMATCHED_RULE) == 1
        (verdict,) = check_policies(owned, [policy], Ruling(Rules(ruling.paths[1:]))).verdicts
        assert UNMATCHED_POLICY in {gap.reason for gap in verdict.incomplete}
    taken = paths((["to"], "people", ["mial"], "IDENTITY"))
    taken["fields"][0]["inputFields"][0]["namespace"] = "hr"
    sent = {**dataset("sent", "to", headwater_pathLineage=taken), "namespace": "mine"}
    assert ingest(owned, [of("mine", [claimed], [sent])], sender=ATTACKER)[0].stored
    assert UNMATCHED_RULE not in {gap.reason for gap in exposed(owned, Scope(), ruling).incomplete}


def test_the_paths_of_a_source_that_only_others_read_are_matched(owned: LineageStore) -> None:
    raw = {**dataset("raw", "mail"), "namespace": "s3://raw"}
    assert ingest(owned, [of("mine", [raw], [])], sender=ATTACKER)[0].stored
    found = exposed(owned, Scope(), Ruling(Rules((Rule(("s3://raw", "raw"), "mail", 1, MAIL),))))
    assert UNMATCHED_RULE not in {gap.reason for gap in found.incomplete}
    assert [each.attribute.node.path for each in found.attributes] == [("mail",)]
