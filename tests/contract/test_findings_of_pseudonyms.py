"""Findings of pseudonyms that are readable: noticed, decided about, sent, and cleared on both stores."""

from __future__ import annotations

import base64
import json
from typing import Any

import httpx
import pytest

from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.findings import listing, recording
from headwater_backend.privacy.findings.finding import Change, State
from headwater_backend.privacy.findings.watch import PolicyWatch
from headwater_backend.privacy.findings.webhook import Webhook
from kit.openlineage import at, run_id
from kit.pseudonyms import JOINED, KEYS, NAMED, TOKENS, made

POLICIES = parse_policies("- {policy: no names, category: user, reidentification: forbidden}")
AUDITOR = Steward(everything("Ada"), "known, until spring")
SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
URL = "https://alerts.example.org/headwater"


def checked(store: LineageStore, *events: dict[str, Any], webhook: Webhook | None = None) -> list[Change]:
    """All findings after a check of what is stored then, by their places."""
    assert all(outcome.stored for outcome in ingest(store, events))
    watch = PolicyWatch(store, POLICIES, Ruling(), seconds=0.01, webhook=webhook)
    watch.check()
    watch.notify()
    return sorted((each for _, each in listing.findings(store).items), key=lambda each: each.finding.node)


def states(found: list[Change]) -> list[tuple[str, str, str]]:
    return [(each.finding.node.dataset.name, each.finding.state.value, each.reason) for each in found]


def readable(change: Change) -> tuple[str, ...]:
    found = change.finding.readable
    assert found is not None
    places = (f"{each.dataset.name}.{'.'.join(each.path)}" for each in (found.pseudonym, found.source))
    return found.how.value, *places, found.form.name


def later(event: dict[str, Any], minute: int) -> dict[str, Any]:
    run = {**event["run"], "runId": run_id(f"later {minute}")}
    return {**event, "eventTime": at(minute).isoformat(), "run": run}


def test_a_key_table_and_what_was_joined_with_it_are_findings(store: LineageStore) -> None:
    assert states(checked(store, TOKENS)) == []
    assert states(checked(store, KEYS)) == [("keys", "OPEN", "noticed")]
    one, other = checked(store, NAMED)
    assert (one.finding.node.path, other.finding.node.dataset.name, other.finding.node.path) == (
        ("token",),
        "named",
        (),
    )
    assert readable(one) == ("SAME_ROWS", "keys.token", "keys.mail", "IDENTITY")
    assert readable(other) == ("KEY_TABLE", "tokens.token", "keys.mail", "IDENTITY")
    assert [job.name for job in other.finding.jobs] == ["makes tokens", "makes named"]
    assert [each.finding.id for _, each in listing.findings(store, at=other.finding.node).items] == [
        other.finding.id
    ]
    assert states(checked(store)) == states([one, other])


def test_it_is_cleared_when_nothing_makes_it_readable(store: LineageStore) -> None:
    checked(store, TOKENS, KEYS, NAMED)
    aggregated = made("named", ("amount", "sum", "tokens.amount"), whole=JOINED)
    gone = "not there any more, or allowed now"
    assert states(checked(store, later(aggregated, 2))) == [
        ("keys", "OPEN", "noticed"),
        ("named", "CLEARED", gone),
    ]
    assert states(checked(store, later(NAMED, 3)))[1] == ("named", "OPEN", "noticed again")


def test_with_a_gap_nothing_is_cleared(store: LineageStore) -> None:
    checked(store, TOKENS, KEYS)
    unknown = later(made("keys", ("token", "hash", "people.mail"), ("town", "copy", "people.town")), 2)
    lineage = unknown["outputs"][0]["facets"]["headwater_pathLineage"]
    gap = {"reason": "UNKNOWN_EXPRESSION", "paths": [["town"]]}
    lineage.update({"complete": False, "incomplete": [gap]})
    assert states(checked(store, unknown)) == [("keys", "OPEN", "noticed")]


def test_what_is_acknowledged_opens_again_when_it_is_easier_to_read(store: LineageStore) -> None:
    token = made("mixed", ("token", "hash", "people.mail"), job="one")
    (change,) = checked(store, token, made("mixed", ("domain", "compute", "people.mail"), job="other"))
    assert readable(change) == ("SAME_DATASET", "mixed.token", "mixed.domain", "TRANSFORMED")
    recording.decide(store, [change.finding.id], State.ACKNOWLEDGED, AUDITOR)
    assert states(checked(store)) == [("mixed", "ACKNOWLEDGED", AUDITOR.reason)]
    (change,) = checked(store, later(made("mixed", ("mail", "copy", "people.mail"), job="other"), 2))
    assert (change.finding.state, change.reason) == (State.OPEN, "the pseudonym is easier to read")
    assert readable(change) == ("SAME_DATASET", "mixed.token", "mixed.mail", "IDENTITY")


@pytest.mark.parametrize("event", [KEYS, NAMED])
def test_a_message_names_what_makes_it_readable_and_no_values(
    store: LineageStore, event: dict[str, Any]
) -> None:
    bodies: list[dict[str, Any]] = []

    def keep(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        return httpx.Response(204)

    checked(store, TOKENS, KEYS, event, webhook=Webhook(URL, SECRET, httpx.MockTransport(keep)))
    sent = {each["place"]["name"]: each for body in bodies for each in body["data"]["findings"]}
    found = sent["keys" if event is KEYS else "named"]
    assert found["place"]["path"] == ("token" if event is KEYS else "named")
    assert found["readable"]["by"] == {
        "namespace": "test",
        "name": "keys",
        "path": "mail",
        "form": "IDENTITY",
    }
    assert found["readable"]["how"] == ("SAME_ROWS" if event is KEYS else "KEY_TABLE")
