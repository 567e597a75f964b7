"""Policies are checked when lineage changes: a thread of the server notices it, records findings, and notifies.

The audit log says when events were stored or a steward decided something, by this server or another one. They are
checked each hour as well. A check takes
processor time that questions need as well, so after one the thread waits at least several times as long as it took.
Several servers over one store may all check: a change of a finding is recorded once.

A second thread notifies, so that a receiver that hangs stops no check. What it has to deliver is in the store: the
recorded changes after the last one that is recorded as delivered. So it waits there while the receiver is away, and
while no server runs.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

import httpx

from headwater_backend.access.signed_messages import refusal
from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.ingest.sender import EVENTS
from headwater_backend.names.stewardship import ACTION as NAMES
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.policy_check import check_policies
from headwater_backend.privacy.classification.deciding import ACTION as CLASSES
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.findings.finding import HEADWATER
from headwater_backend.privacy.findings.recording import ACTION as FINDINGS
from headwater_backend.privacy.findings.recording import record
from headwater_backend.privacy.findings.webhook import Webhook
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION, Organisation
from headwater_backend.privacy.policies import Policy
from headwater_backend.questions.traversal import Bounds

REST: Final = 4
"""The least rest after a check, in times of the check."""
LONGEST_REST: Final = 3_600.0
"""The longest time between two checks, in seconds: declassifications end at a time without any other change."""
ENTRIES_AT_ONCE: Final = 1_000
MAX_NODES: Final = 1_000_000
LONGEST_PAUSE: Final = 600.0
"""The longest time between two attempts to notify, in seconds."""
STOP_SECONDS: Final = 2.0
_CHANGES: Final = frozenset({EVENTS, NAMES, CLASSES, FINDINGS})
_log = logging.getLogger(__name__)


class PolicyWatch:
    """A thread that checks policies at most every ``seconds``, after lineage changed."""

    def __init__(
        self,
        store: LineageStore,
        policies: Sequence[Policy],
        ruling: Ruling,
        *,
        seconds: float,
        webhook: Webhook | None = None,
        organisation: Organisation = NO_ORGANISATION,
        active: bool = False,
    ) -> None:
        """With ``active``, findings say where no row can bring the data."""
        self._store = store
        self._policies = policies
        self._ruling = ruling
        self._seconds = seconds
        self._webhook = webhook
        self._organisation = organisation
        self._active = active
        self._number: int | None = None
        """The newest entry of the audit log that was considered; None before the first check."""
        self._checked_at = 0.0
        self._pause = seconds
        self._notify_at = 0.0
        self._to_notify = threading.Event()
        self._to_notify.set()
        self._failing: set[str] = set()
        """What was logged about threads whose last turn failed."""
        self._stopping = threading.Event()
        # No daemons: if the store still blocks one, that shows when the server is stopped.
        self._threads = [threading.Thread(target=self._keep_checking, name="policies")]
        if webhook:
            self._threads.append(threading.Thread(target=self._keep_notifying, name="notifications"))

    def start(self) -> None:
        """Start the threads; the first check is made at once."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop after the current check and the current message."""
        self._stopping.set()
        until = time.monotonic() + STOP_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def check(self) -> bool:
        """Check the policies if something has changed, and record the findings; whether it has."""
        number, changed = self._changes()
        if changed or time.monotonic() - self._checked_at > LONGEST_REST:
            self._checked_at = time.monotonic()
            found = check_policies(
                self._store,
                self._policies,
                self._ruling,
                Bounds(nodes=MAX_NODES),
                self._organisation,
                active=self._active,
            )
            made = record(self._store, found)
            if made:
                _log.info("%d findings changed", len(made))
            self._to_notify.set()
        self._number = number
        return changed

    def notify(self) -> None:
        """Notify of changed findings, unless the last attempt failed a short time ago."""
        if self._webhook is None or not self._to_notify.is_set() or time.monotonic() < self._notify_at:
            return
        self._to_notify.clear()  # before reading: a check that ends meanwhile sets it again
        try:
            self._webhook.deliver(self._store)
            self._pause = self._seconds
        except BaseException as error:
            self._to_notify.set()
            if not isinstance(error, httpx.HTTPError):
                raise
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            self._notify_at = time.monotonic() + self._pause
            _log.warning("findings are not delivered, next attempt in %d s: %s", self._pause, refusal(error))

    def _changes(self) -> tuple[int, bool]:
        """The newest entry of the audit log, and whether one since the last check is about a change."""
        end, _ = self._store.audit_end()
        if self._number is None:
            return end, True
        number, changed = self._number, False
        while number < end and not changed:
            entries = self._store.audit(number, ENTRIES_AT_ONCE)
            changed = any(entry.action in _CHANGES and entry.actor != HEADWATER for entry in entries)
            number = entries[-1].number if entries else end
        return end, changed

    def _keep_checking(self) -> None:
        wait = 0.0
        while not self._stopping.wait(wait):
            begin = time.monotonic()
            self._turn(self.check, "policies are checked later")
            wait = max(self._seconds, REST * (time.monotonic() - begin))

    def _keep_notifying(self) -> None:
        while not self._stopping.wait(self._seconds):
            self._turn(self.notify, "findings are notified of later")

    def _turn(self, work: Callable[[], object], later: str) -> None:
        try:
            work()
            self._failing.discard(later)
        except Exception as error:  # noqa: BLE001 - without the thread, nothing would be done any more
            if later not in self._failing:
                trace = None if isinstance(error, HeadwaterError) else error
                _log.warning("%s: %s", later, error, exc_info=trace)
            self._failing.add(later)
