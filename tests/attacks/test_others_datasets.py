"""A producer that may write ``mine`` describes datasets of ``hr`` and ``sales``: that has no effect on them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any, Final

import pytest

from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import StoreFailedError
from headwater_backend.domain.model import DatasetKey, Direction, JobKey, NodeKey, RunKey
from headwater_backend.domain.roles import Caller, Role, everything
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import ingest, replay
from headwater_backend.ports import LineageStore
from kit.openlineage import closure, columns, dataset, digest, event, facet, fields, run_id

OWNERS: Final = Sender(everything("owners"))
ATTACKER: Final = Sender(Caller("key 7 (mine)", frozenset({Role.PRODUCER}), ("mine",)))
PEOPLE, CRM, REPORT, OUT = (
    DatasetKey(*each) for each in (("hr", "people"), ("sales", "crm"), ("sales", "report"), ("mine", "out"))
)
SSN = NodeKey(PEOPLE, ("ssn",))


def part(key: DatasetKey, *schema: str, **facets: Any) -> dict[str, Any]:
    return {**dataset(key.name, *schema, **facets), "namespace": key.namespace}


def of(number: int, inputs: list[Any], outputs: list[Any], job: str, when: datetime) -> dict[str, Any]:
    made = event("COMPLETE", number, f"run {number}", inputs, outputs, job=job)
    made["job"]["namespace"] = job
    return {**made, "eventTime": when.isoformat()}


def column(name: str, source: DatasetKey) -> dict[str, Any]:
    made = columns({name: [(source.name, name)]})
    made["fields"][name]["inputFields"][0]["namespace"] = source.namespace
    return {"columnLineage": made}


def owners_events() -> list[dict[str, Any]]:
    """``hr`` writes people, tagged and owned; ``sales`` makes a report of them, and has a dataset of its own."""
    now = datetime.now(timezone.utc) - timedelta(days=1)
    tags = {"tags": facet(tags=[{"key": "pii", "value": "ssn", "source": "hr", "field": "ssn"}])}
    owner = {"ownership": facet(owners=[{"name": "team:hr"}])}
    links = {"symlinks": facet(identifiers=[{"namespace": "hr", "name": "staff", "type": "TABLE"}])}
    people = part(PEOPLE, "ssn", "age", **tags, **owner, **links)
    return [
        of(1, [], [people], "hr", now),
        of(2, [part(PEOPLE)], [part(REPORT, "ssn", **column("ssn", PEOPLE))], "sales", now),
        of(3, [], [part(CRM, "id")], "sales", now),
    ]


def joined(*keys: DatasetKey) -> dict[str, Any]:
    return {"symlinks": facet(identifiers=[{**key._asdict(), "type": "TABLE"} for key in keys])}


def change(state: str, previous: DatasetKey | None = None) -> dict[str, Any]:
    before = {"previousIdentifier": previous._asdict()} if previous else {}
    return {"lifecycleStateChange": facet(lifecycleStateChange=state, **before)}


DELETED: Final = {**facet(), "_deleted": True}
ABOUT_AN_INPUT: Final[Mapping[str, dict[str, Any]]] = {
    "join two of others": joined(CRM),
    "join it with one's own": joined(OUT),
    "take its other name": joined(DatasetKey("hr", "staff"), DatasetKey("sales", "report")),
    "drop it": change("DROP"),
    "create it anew": change("CREATE"),
    "rename it from another's": change("RENAME", CRM),
    "rename it from one's own": change("RENAME", OUT),
    "replace its schema": {"schema": facet(fields=fields("nothing"))},
    "delete its schema": {"schema": DELETED},
    "own it": {"ownership": facet(owners=[{"name": "team:mine"}])},
    "delete its owners": {"ownership": DELETED},
    "say that nothing is personal": {"tags": facet(tags=[])},
    "delete its tags": {"tags": DELETED},
    "describe it": {"documentation": facet(description="nothing to see here")},
    "say its version": {"version": facet(datasetVersion="9")},
}
ABOUT_AN_OUTPUT: Final = {
    "give one's own another's name": joined(PEOPLE),
    "rename another's into one's own": change("RENAME", PEOPLE),
}


def attack(name: str) -> dict[str, Any]:
    """The event, as new as it may be."""
    when = datetime.now(timezone.utc) + timedelta(hours=23)
    if name in ABOUT_AN_INPUT:
        return of(9, [part(PEOPLE, **ABOUT_AN_INPUT[name])], [part(OUT)], "mine", when)
    return of(9, [], [part(OUT, **ABOUT_AN_OUTPUT[name])], "mine", when)


def answers(store: LineageStore) -> dict[str, Any]:
    """The answers that others get about their own datasets.

    That its own hold what another's held is a producer's to say, of a renamed dataset as of any other.
    """
    others = [PEOPLE, CRM, REPORT]
    described_datasets = {
        key: dataclasses.replace(found, last_seen=None) for key, found in store.get_datasets(others).items()
    }
    return {
        "datasets": described_datasets,
        "names": {name: own for name, own in store.names().items() if name.namespace != "mine"},
        "tags": store.tagged_fields(),
        "lineage": {
            node for node in closure(store, SSN, Direction.FORWARD) if node.dataset.namespace != "mine"
        },
        "sources": store.sources(among=others),
        "existing": store.existing(others),
    }


@pytest.fixture
def owned(store: LineageStore) -> LineageStore:
    assert all(outcome.stored for outcome in ingest(store, owners_events(), sender=OWNERS))
    return store


@pytest.mark.parametrize("name", [*ABOUT_AN_INPUT, *ABOUT_AN_OUTPUT])
def test_claims_of_a_producer_are_shown_and_not_applied(owned: LineageStore, name: str) -> None:
    before = answers(owned)
    (outcome,) = ingest(owned, [attack(name)], sender=ATTACKER)
    assert outcome.stored
    assert answers(owned) == before
    assert owned.newest_runs([JobKey("mine", "mine")]), "the lineage of the event is stored"
    sent = {**ABOUT_AN_INPUT, **ABOUT_AN_OUTPUT}[name]
    about = PEOPLE if name in ABOUT_AN_INPUT else OUT
    wanted = {facet_name for facet_name, body in sent.items() if body is not DELETED}
    claims = owned.claims(among=[about])
    assert {(claim.dataset, claim.by, claim.facet) for claim in claims} == {
        (about, "key 7 (mine)", facet_name) for facet_name in wanted
    }
    assert [dict(claim.body) for claim in claims] == [sent[claim.facet] for claim in claims]
    ingest(owned, [attack(name)], sender=OWNERS)
    assert answers(owned) != before, "from a sender with that right, it would have had an effect"


def test_a_later_claim_takes_the_place_of_the_earlier_and_of_nobody_elses(owned: LineageStore) -> None:
    other = Sender(Caller("key 8 (other)", frozenset({Role.PRODUCER}), ("mine",)))
    now = datetime.now(timezone.utc)
    for sender, text, minute in ((ATTACKER, "one", 1), (other, "two", 2), (ATTACKER, "three", 3)):
        described = {"documentation": facet(description=text)}
        sent = of(9, [part(PEOPLE, **described)], [part(OUT)], "mine", now + timedelta(minutes=minute))
        assert ingest(owned, [sent], sender=sender)[0].stored
    claims = owned.claims()
    assert [(claim.by, claim.body["description"]) for claim in claims] == [
        ("key 7 (mine)", "three"),
        ("key 8 (other)", "two"),
    ]
    assert owned.claims(first=1) == claims[:1]
    assert owned.claims(after=claims[0].place) == claims[1:]
    assert owned.claims(among=[CRM]) == []


def test_a_claim_stays_one_when_an_administrator_tries_it_again(owned: LineageStore) -> None:
    before = answers(owned)
    letter = letter_of(attack("join two of others"), StoreFailedError("refused"), "key 7", ATTACKER.caller)
    owned.keep_dead_letters([letter])
    kept = owned.dead_letter(letter.key)
    assert kept == letter
    (outcome,) = replay(owned, [kept], sender=OWNERS)
    assert outcome.stored
    assert answers(owned) == before
    assert [claim.facet for claim in owned.claims()] == ["symlinks"]


def test_what_comes_from_the_future_is_refused(owned: LineageStore) -> None:
    """As the newest of all, it would override everything that its owner reports until then."""
    before = digest(owned)
    year_9999 = datetime(9999, 1, 1, tzinfo=timezone.utc)
    tomorrow = datetime.now(timezone.utc) + timedelta(hours=25)
    sent = [of(9, [], [part(OUT, "a")], "mine", when) for when in (year_9999, tomorrow)]
    outcomes = ingest(owned, sent, sender=ATTACKER)
    refused = [(outcome.error.code, outcome.error.pointer) for outcome in outcomes if outcome.error]
    assert refused == [("IN_THE_FUTURE", "/eventTime")] * 2
    assert digest(owned) == before


def handed(namespace: str, parent: JobKey | None) -> dict[str, Any]:
    """A run in that namespace that collected people's ``ssn``, of an application."""
    kinds = [{"path": ["ssn"], "access": ["PROJECT", "DRIVER"], "reachesOutput": True}]
    read = part(PEOPLE, headwater_access=facet(paths=kinds))
    found = of(7, [read], [], namespace, datetime.now(timezone.utc))
    if parent is not None:
        named = {"namespace": parent.namespace, "name": parent.name}
        found["run"]["facets"] = {"parent": facet(run={"runId": found["run"]["runId"]}, job=named)}
    return found


DOCUMENTED: Final = Sender(Caller("key 9 (spark)", frozenset({Role.PRODUCER}), ("file", "default", "spark*")))


@pytest.mark.parametrize("namespace", ["default", "spark-prod"])
def test_what_an_agent_hands_to_its_own_driver_is_stored(owned: LineageStore, namespace: str) -> None:
    (outcome,) = ingest(owned, [handed(namespace, JobKey(namespace, "app"))], sender=DOCUMENTED)
    assert outcome.stored
    assert closure(owned, SSN, Direction.FORWARD) >= {
        NodeKey(DatasetKey(f"driver://{namespace}", "app"), ("ssn",))
    }


def test_what_is_handed_over_under_anothers_application_is_in_the_drivers_of_ones_own_job(
    owned: LineageStore,
) -> None:
    (outcome,) = ingest(owned, [handed("default", JobKey("hr", "app"))], sender=DOCUMENTED)
    assert outcome.stored
    drivers = {
        node.dataset for node in closure(owned, SSN, Direction.FORWARD) if "driver" in node.dataset.namespace
    }
    assert drivers == {DatasetKey("driver://default", "default")}


def test_the_drivers_of_others_are_no_outputs_of_a_producer(owned: LineageStore) -> None:
    before = digest(owned)
    anothers = part(DatasetKey("driver://hr", "app"), "ssn")
    (outcome,) = ingest(
        owned, [of(8, [], [anothers], "default", datetime.now(timezone.utc))], sender=DOCUMENTED
    )
    assert outcome.error is not None and outcome.error.code == "FORBIDDEN_NAMESPACE"
    assert digest(owned) == before


def test_what_goes_to_a_place_without_a_name_is_stored_and_stays_a_claim(owned: LineageStore) -> None:
    unnamed = DatasetKey("unknown", "org.example.Sink")
    first, second = (
        of(number, [part(PEOPLE)], [part(unnamed, "ssn", **facets)], job, datetime.now(timezone.utc))
        for number, job, facets in ((7, "default", column("ssn", PEOPLE)), (8, "mine", change("DROP")))
    )
    assert ingest(owned, [first], sender=DOCUMENTED)[0].stored
    assert ingest(owned, [second], sender=ATTACKER)[0].stored
    assert NodeKey(unnamed, ("ssn",)) in closure(owned, SSN, Direction.FORWARD)
    assert owned.existing([unnamed]) == {unnamed}
    assert "lifecycleStateChange" in {claim.facet for claim in owned.claims(among=[unnamed])}


def below(number: int, job: str, parent: tuple[str, str]) -> dict[str, Any]:
    """A failed run of that job, which names run 1 as its parent, by the namespace and name of a job."""
    made = of(number, [part(PEOPLE)], [part(OUT, "ssn")], job, datetime.now(timezone.utc))
    named = {"namespace": parent[0], "name": parent[1]}
    made["run"]["facets"] = {"parent": facet(run={"runId": run_id("run 1")}, job=named)}
    return {**made, "eventType": "FAIL"}


HR: Final = JobKey("hr", "hr")


@pytest.mark.parametrize("parent", [("hr", "hr"), ("mine", "hr")])
def test_nobody_puts_failures_and_outputs_under_the_runs_of_others(
    owned: LineageStore, parent: tuple[str, str]
) -> None:
    above = RunKey(HR, run_id("run 1"))
    assert ingest(owned, [below(9, "mine", parent)], sender=ATTACKER)[0].stored
    assert owned.runs_below([above]) == {}
    assert owned.jobs_below([HR]) == {}
    run = owned.newest_runs([JobKey("mine", "mine")])[JobKey("mine", "mine")]
    named = RunKey(JobKey(*parent), run_id("run 1"))
    assert (run.parent, run.claimed_parent) == ((None, named) if parent[0] == "hr" else (named, None))
    ingest(owned, [below(9, "mine", ("hr", "hr"))], sender=OWNERS)
    assert owned.runs_below([above]) == {above: [run.key]}
