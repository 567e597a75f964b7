"""Notification of changed findings: signed messages to one address, by the rules of Standard Webhooks.

A message (``access.signed_messages``) holds names of policies, datasets, paths and jobs and codes of countries,
never values. A message is sent again until it is answered with a status below 300, so that a receiver may get it more
than once, with the same id. What was delivered is a record in the store, so that a server that starts again goes on
where the last one ended.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Final, Protocol

import httpx

from headwater_backend.access.signed_messages import SignedReceiver
from headwater_backend.domain.model import NodeKey
from headwater_backend.domain.moments import micros
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.ports import Catalog, Names
from headwater_backend.privacy.findings.finding import HEADWATER, Change, Readable, State, changes
from headwater_backend.questions.resolving import labels

WEBHOOK: Final = "webhook "
FINDINGS_PER_MESSAGE: Final = 100


class FindingStore(Catalog, Names, Protocol):
    """The ports of notification: findings, and the names of their paths."""


class Webhook:
    """The address that is notified, and the secret by which it knows us.

    Raises ``SecretError`` for a secret that is not Base64 of enough bytes.
    """

    def __init__(self, url: str, secret: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._url = url
        self._receiver = SignedReceiver(url, secret, transport)

    @property
    def subject(self) -> str:
        """The subject of records about what was delivered to this address."""
        return WEBHOOK + hashlib.sha256(self._url.encode()).hexdigest()[:16]

    def deliver(self, store: FindingStore) -> int:
        """Send all findings that changed since the last delivery, and return their number.

        Raises ``httpx.HTTPError`` if the receiver does not accept a message; those before it count as delivered.
        """
        count = 0
        while waiting := undelivered(store.decisions(), self.subject)[:FINDINGS_PER_MESSAGE]:
            self._send(waiting, store)
            self._note_delivered(waiting[-1].record, store)
            count += len(waiting)
        return count

    def _send(self, found: Sequence[Change], store: FindingStore) -> None:
        names = labels(store, (node for each in found for node in each.finding.nodes))
        first, last = found[0].record, found[-1].record
        message_id = hashlib.sha256(repr((first.key, last.key)).encode()).hexdigest()[:32]
        self._receiver.send(
            message_id, "findings.changed", {"findings": [_described(each, names) for each in found]}
        )

    def _note_delivered(self, last: DecisionMade, store: FindingStore) -> None:
        content = json.dumps({"time": last.time, "subject": last.subject})

        def batch(records: Sequence[DecisionMade]) -> Batch:
            times = (each.time for each in records if each.subject == self.subject)
            time = max(micros(datetime.now(timezone.utc)), max(times, default=0) + 1)
            return Batch(decisions=(DecisionMade(self.subject, time, content, HEADWATER, "delivered"),))

        store.decide(batch)


def undelivered(records: Iterable[DecisionMade], subject: str) -> list[Change]:
    """The changes since the last delivery, oldest first; before the first one, the findings that are still there."""
    records = list(records)
    deliveries = [json.loads(each.content) for each in records if each.subject == subject]
    found = changes(records)
    if not deliveries:
        current = {change.finding.id: change for change in found}
        return [
            change
            for change in found
            if change is current[change.finding.id] and change.finding.state is not State.CLEARED
        ]
    end = max((each["time"], each["subject"]) for each in deliveries)
    return [change for change in found if (change.record.time, change.record.subject) > end]


def _described(change: Change, names: Mapping[NodeKey, str]) -> dict[str, Any]:
    finding = change.finding
    return {
        "id": finding.id,
        "state": finding.state.value,
        "policy": finding.policy,
        "category": finding.category,
        "severity": finding.severity.value,
        "attribute": _place(finding.attribute, names),
        "place": _place(finding.node, names),
        "forms": [form.name for form in finding.forms],
        "countries": list(finding.countries),
        "readable": _readable(finding.readable, names) if finding.readable else None,
        "barred": list(finding.barred.because) if finding.barred else None,
        "jobs": [job._asdict() for job in finding.jobs],
        "noticed": change.noticed.isoformat(),
        "changed": change.time.isoformat(),
        "by": change.actor,
        "reason": change.reason,
    }


def _readable(readable: Readable, names: Mapping[NodeKey, str]) -> dict[str, Any]:
    return {
        "how": readable.how.value,
        "pseudonym": _place(readable.pseudonym, names),
        "by": {**_place(readable.source, names), "form": readable.form.name},
    }


def _place(node: NodeKey, names: Mapping[NodeKey, str]) -> dict[str, str]:
    return {**node.dataset._asdict(), "path": names[node]}
