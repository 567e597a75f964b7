"""Findings: violations of policies that are noticed when lineage changes, decided about, and sent to a webhook."""

from __future__ import annotations

import base64
import json
import threading
import time
from typing import Any

import anyio
import httpx
import pytest
from standardwebhooks import Webhook as Receiver

from headwater_backend.access import signed_messages
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names import stewardship
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification import deciding
from headwater_backend.privacy.classification.decided import Declassification
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.findings import listing, recording
from headwater_backend.privacy.findings import watch as watching
from headwater_backend.privacy.findings.finding import Change, State
from headwater_backend.privacy.findings.watch import PolicyWatch
from headwater_backend.privacy.findings.webhook import Webhook
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION, Organisation
from headwater_backend.privacy.policies import Policy
from kit.odd_server import Answer, endless_body, odd_server, slow_body, slow_headers
from kit.openlineage import REPLACED, at, dataset, event, facet, paths

POLICIES = parse_policies(
    """
- policy: no contact data in out
  category: user.contact
  dataset: {namespace: "*", name: "*out"}
  allow: [masked]
"""
)
MAIL = facet(
    tags=[{"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"}]
)
AUDITOR = Steward(everything("Ada"), "known, until spring")
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
URL = "https://alerts.example.org/headwater"
SECONDS = 30.0
"""How long a slow machine may take."""


def job(minute: int, *entries: tuple[str, str], **more: Any) -> dict[str, Any]:
    """The job's run that makes columns of ``out`` from the mail address: (column, subtype)."""
    traced = paths(*(([column], "people", ["mail"], subtype) for column, subtype in entries), **more)
    output = dataset("out", "a", "b", headwater_pathLineage=traced, **REPLACED)
    return event("COMPLETE", minute, f"run {minute}", [dataset("people", "mail", tags=MAIL)], [output], "job")


def watch(
    store: LineageStore,
    policies: tuple[Policy, ...] = POLICIES,
    webhook: Webhook | None = None,
    organisation: Organisation = NO_ORGANISATION,
) -> PolicyWatch:
    return PolicyWatch(store, policies, Ruling(), seconds=0.01, webhook=webhook, organisation=organisation)


def stored(store: LineageStore, *events: dict[str, Any]) -> None:
    assert all(outcome.stored for outcome in ingest(store, events))


def checked(store: LineageStore, policies: tuple[Policy, ...] = POLICIES) -> dict[str, tuple[str, str, str]]:
    """State, strongest form and reason of each finding after a check, by its column."""
    watch(store, policies).check()
    return {
        change.finding.node.path[0]: (change.finding.state.value, change.finding.forms[0].name, change.reason)
        for change in found(store)
    }


def found(store: LineageStore) -> list[Change]:
    return [change for _, change in listing.findings(store).items]


def test_a_violation_opens_and_is_cleared_when_it_is_certainly_gone(store: LineageStore) -> None:
    stored(store, job(1, ("a", "IDENTITY"), ("b", "TRANSFORMATION")))
    opened = checked(store)
    assert opened == {"a": ("OPEN", "IDENTITY", "noticed"), "b": ("OPEN", "TRANSFORMED", "noticed")}
    stored(store, job(2, ("b", "TRANSFORMATION")))
    assert checked(store)["a"] == ("CLEARED", "IDENTITY", "not there any more, or allowed now")
    stored(store, job(3, ("a", "IDENTITY")))
    assert {column: state for column, (state, *_) in checked(store).items()} == {"a": "OPEN", "b": "CLEARED"}
    (change,) = [each for each in found(store) if each.finding.state is State.OPEN]
    history = listing.history(store, change.finding.id).items
    assert [each.reason for _, each in history] == [
        "noticed again",
        "not there any more, or allowed now",
        "noticed",
    ]
    assert change.noticed == change.time


def test_with_a_gap_nothing_is_cleared(store: LineageStore) -> None:
    stored(store, job(1, ("a", "IDENTITY")))
    checked(store)
    gap = {"complete": False, "incomplete": [{"reason": "UDF", "path": ["b"], "detail": "f"}]}
    stored(store, job(2, ("b", "IDENTITY"), **gap))
    assert {column: state for column, (state, *_) in checked(store).items()} == {"a": "OPEN", "b": "OPEN"}


def test_what_is_acknowledged_stays_so_until_it_gets_stronger(store: LineageStore) -> None:
    stored(store, job(1, ("a", "TRANSFORMATION")))
    checked(store)
    (change,) = found(store)
    (decided,) = recording.decide(store, [change.finding.id], State.ACKNOWLEDGED, AUDITOR)
    assert (decided.finding.state, decided.actor, decided.reason) == (
        State.ACKNOWLEDGED,
        "Ada",
        "known, until spring",
    )
    stored(store, job(2, ("a", "TRANSFORMATION")))
    assert checked(store)["a"] == ("ACKNOWLEDGED", "TRANSFORMED", "known, until spring")
    stored(store, job(3, ("a", "IDENTITY")))
    assert checked(store)["a"] == ("OPEN", "IDENTITY", "in a stronger form than TRANSFORMED")


def test_a_finding_names_the_countries_and_opens_again_in_another_one(store: LineageStore) -> None:
    policies = parse_policies("- {policy: p, category: user.contact, countries: [EEA]}")

    def checked_in(*countries: str) -> list[tuple[State, tuple[str, ...], str]]:
        locations = [f"{{datasets: '* out', country: {each}}}" for each in countries]
        text = f"locations: [{{datasets: '* people', country: DE}}, {', '.join(locations)}]"
        watch(store, policies, organisation=parse_organisation(text)).check()
        return [(each.finding.state, each.finding.countries, each.reason) for each in found(store)]

    stored(store, job(1, ("a", "IDENTITY")))
    assert checked_in("US") == [(State.OPEN, ("US",), "noticed")]
    recording.decide(store, [found(store)[0].finding.id], State.ACKNOWLEDGED, AUDITOR)
    assert checked_in("US") == [(State.ACKNOWLEDGED, ("US",), AUDITOR.reason)]
    assert checked_in("US", "CN") == [(State.OPEN, ("CN", "US"), "also in CN")]
    assert checked_in() == [(State.OPEN, ("CN", "US"), "also in CN")]
    assert checked_in("FR")[0][0] is State.CLEARED


def test_what_is_resolved_opens_again_if_it_is_noticed(store: LineageStore) -> None:
    stored(store, job(1, ("a", "IDENTITY")))
    checked(store)
    (change,) = found(store)
    recording.decide(store, [change.finding.id], State.RESOLVED, AUDITOR)
    assert [each.finding.state for each in found(store)] == [State.RESOLVED]
    assert checked(store)["a"] == ("OPEN", "IDENTITY", "noticed again")


def test_findings_of_a_policy_that_is_gone_are_cleared(store: LineageStore) -> None:
    stored(store, job(1, ("a", "IDENTITY")))
    checked(store)
    assert checked(store, ())["a"] == ("CLEARED", "IDENTITY", "the policy is not checked any more")


def test_findings_are_listed_as_they_were(store: LineageStore) -> None:
    stored(store, job(1, ("a", "IDENTITY")))
    checked(store)
    assert [each.finding.state for _, each in listing.findings(store, states=[State.OPEN]).items] == [
        State.OPEN
    ]
    assert not listing.findings(store, states=[State.CLEARED]).items
    assert not listing.findings(store, policy="another").items
    assert not listing.findings(store, ids=["none"]).items
    assert not listing.findings(store, as_of=at(1)).items


def test_findings_are_listed_by_id_and_by_path(store: LineageStore) -> None:
    stored(store, job(1, ("a", "IDENTITY"), ("b", "IDENTITY")))
    checked(store)
    node = next(each.finding.node for each in found(store) if each.finding.node.path == ("a",))

    def paths(**wanted: Any) -> list[tuple[str, ...]]:
        return sorted(each.finding.node.path for _, each in listing.findings(store, **wanted).items)

    assert paths(at=node) == [("a",)]
    assert paths(at=node._replace(path=())) == [("a",), ("b",)]
    assert paths(at=node._replace(path=("a", "b"))) == []
    assert paths(at=NodeKey(DatasetKey("other", node.dataset.name), ())) == []
    assert paths(ids=[each.finding.id for each in found(store) if each.finding.node == node]) == [("a",)]


def test_a_wrong_decision_changes_nothing(store: LineageStore) -> None:
    stored(store, job(1, ("a", "IDENTITY")))
    checked(store)
    known = found(store)[0].finding.id
    for ids, state, steward in (
        ([known, "none"], State.RESOLVED, AUDITOR),
        ([known], State.CLEARED, AUDITOR),
        ([known], State.RESOLVED, Steward(everything("Ada"), " ")),
    ):
        with pytest.raises(BadQuestion):
            recording.decide(store, ids, state, steward)
    assert [each.finding.state for each in found(store)] == [State.OPEN]
    with pytest.raises(BadQuestion, match="no finding has the id 'none'"):
        listing.history(store, "none")


def test_a_declassified_path_is_no_violation(store: LineageStore) -> None:
    stored(store, job(1, ("a", "IDENTITY")))
    checked(store)
    node = found(store)[0].finding.node
    deciding.decide(store, deciding.Wanted(declassified=(Declassification(node),)), AUDITOR)
    assert checked(store)["a"] == ("CLEARED", "IDENTITY", "not there any more, or allowed now")


def test_without_a_change_they_are_checked_each_hour(
    store: LineageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = watch(store)
    one.check()
    stored(store, job(1, ("a", "IDENTITY")))
    one.check()
    recording.decide(store, [found(store)[0].finding.id], State.RESOLVED, AUDITOR)
    monkeypatch.setattr(watching, "_CHANGES", frozenset())
    one.check()
    assert found(store)[0].finding.state is State.RESOLVED
    monkeypatch.setattr(watching, "LONGEST_REST", -1.0)
    one.check()
    assert found(store)[0].finding.state is State.OPEN


def test_only_changes_of_lineage_start_a_check(store: LineageStore) -> None:
    stored(store, job(1, ("a", "IDENTITY")))
    one = watch(store)
    assert [one.check(), one.check()] == [True, False]
    stored(store, job(2, ("b", "IDENTITY")))
    assert [one.check(), one.check()] == [True, False]
    assert len(found(store)) == 2
    deciding.decide(
        store, deciding.Wanted(declassified=(Declassification(found(store)[0].finding.node),)), AUDITOR
    )
    assert [one.check(), one.check()] == [True, False]


def test_findings_do_not_change_names(store: LineageStore) -> None:
    stored(store, job(1, ("a", "IDENTITY")))
    before = store.names()
    checked(store)
    assert store.names() == before
    assert not stewardship.stands(store)


class Alerts:
    """A receiver of webhooks that verifies signatures; the first ``refused`` messages are answered 503."""

    def __init__(self, refused: int = 0) -> None:
        self.refused = refused
        self.ids: list[str] = []
        self.findings: list[tuple[str, str]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        message = Receiver(SECRET).verify(request.content, dict(request.headers))
        self.ids.append(request.headers["webhook-id"])
        if self.refused:
            self.refused -= 1
            return httpx.Response(503)
        for each in message["data"]["findings"]:
            self.findings.append((each["place"]["path"], each["state"]))
        return httpx.Response(204)

    def webhook(self) -> Webhook:
        return Webhook(URL, SECRET, httpx.MockTransport(self))


def test_what_may_be_left_of_earlier_runs_is_not_cleared(store: LineageStore) -> None:
    appended = job(2, ("b", "TRANSFORMATION"))
    del appended["outputs"][0]["facets"]["headwater_extent"]
    stored(store, job(1, ("a", "IDENTITY"), ("b", "TRANSFORMATION")))
    checked(store)
    stored(store, appended)
    assert checked(store)["a"] == ("OPEN", "IDENTITY", "noticed")


def test_each_change_is_delivered_once_also_after_a_restart(store: LineageStore) -> None:
    alerts = Alerts()
    stored(store, job(1, ("a", "IDENTITY")))
    one = watch(store, webhook=alerts.webhook())
    for _ in range(2):
        one.check()
        one.notify()
    assert alerts.findings == [("a", "OPEN")]
    stored(store, job(2, ("b", "IDENTITY")))
    other = watch(store, webhook=alerts.webhook())
    other.check()
    other.notify()
    assert sorted(alerts.findings[1:]) == [("a", "CLEARED"), ("b", "OPEN")]


def test_a_message_that_is_refused_is_sent_again_with_the_same_id(store: LineageStore) -> None:
    alerts = Alerts(refused=1)
    stored(store, job(1, ("a", "IDENTITY")))
    one = watch(store, webhook=alerts.webhook())
    one.check()
    one.notify()
    assert alerts.findings == []
    other = watch(store, webhook=alerts.webhook())
    other.notify()
    assert alerts.findings == [("a", "OPEN")]
    assert alerts.ids[0] == alerts.ids[1]


def test_a_receiver_that_hangs_stops_no_check(store: LineageStore) -> None:
    asked, released = threading.Event(), threading.Event()

    async def hang(request: httpx.Request) -> httpx.Response:
        asked.set()
        while not released.is_set():
            await anyio.sleep(0.01)
        return httpx.Response(503)

    stored(store, job(1, ("a", "IDENTITY")))
    running = watch(store, webhook=Webhook(URL, SECRET, httpx.MockTransport(hang)))
    running.start()
    try:
        assert asked.wait(SECONDS)
        stored(store, job(2, ("b", "IDENTITY")))
        until = time.monotonic() + SECONDS
        while {each.finding.node.path[0] for each in found(store)} != {"a", "b"}:
            assert time.monotonic() < until, "the check waits for the receiver"
            time.sleep(0.05)
    finally:
        released.set()
        running.stop()


@pytest.mark.parametrize("answer", [slow_headers, slow_body, endless_body])
def test_a_message_has_a_deadline_and_its_answer_a_bound(
    store: LineageStore, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signed_messages, "MESSAGE_SECONDS", 0.5)
    stored(store, job(1, ("a", "IDENTITY")))
    checked(store)
    began = time.monotonic()
    with odd_server(answer) as url, pytest.raises(httpx.TransportError):
        Webhook(url, SECRET).deliver(store)
    assert time.monotonic() - began < SECONDS / 4
    alerts = Alerts()
    assert alerts.webhook().deliver(store) == 1, "it waits in the store"


def test_messages_hold_names_and_no_values(store: LineageStore) -> None:
    bodies: list[dict[str, Any]] = []

    def keep(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        return httpx.Response(200)

    stored(store, job(1, ("a", "IDENTITY")))
    one = watch(store, webhook=Webhook(URL, SECRET, httpx.MockTransport(keep)))
    one.check()
    one.notify()
    ((finding,),) = [body["data"]["findings"] for body in bodies]
    assert (finding["policy"], finding["category"], finding["severity"], finding["forms"]) == (
        "no contact data in out",
        "user.contact",
        "ERROR",
        ["IDENTITY"],
    )
    assert [name["name"] for name in finding["jobs"]] == ["job"]
