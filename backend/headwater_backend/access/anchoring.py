"""The thread that anchors the audit log outside the store, at an interval: in a file, by a message, and in the log.

Before it makes an anchor, it looks whether the last one is still in the log, also at its start, when that is the last
line of the file. Where it is not, the log was cut off or computed anew, which is an error in the server's log each
time: anchors that are made afterwards hide nothing, because ``headwater audit verify`` compares all of them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import httpx

from headwater_backend.access.signed_messages import SignedReceiver, refusal
from headwater_backend.audit import anchors
from headwater_backend.audit.anchors import Anchor, AnchorsUnreadable
from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.ports import AuditLog

RETRY_SECONDS: Final = 60.0
"""The longest time until an anchor that could not be made somewhere is tried again."""
STOP_SECONDS: Final = 2.0
_log = logging.getLogger(__name__)
_lines = logging.getLogger("headwater.audit")
"""The logger of anchors. They are no warnings, and appear at any level of the server's log."""
_lines.setLevel(logging.INFO)


class AuditAnchoring:
    """A thread that anchors the log every ``seconds``, if it has grown, and at its start and its end."""

    def __init__(
        self,
        store: AuditLog,
        *,
        seconds: float,
        file: Path | None = None,
        receiver: SignedReceiver | None = None,
    ) -> None:
        self._store = store
        self._seconds = seconds
        self._file = file
        self._receiver = receiver
        self._last: Anchor | None = None
        """The newest anchor that was made, or found in the file."""
        self._made: dict[str, Anchor] = {}
        """The newest anchor in each place."""
        self._failing: set[str] = set()
        self._stopping = threading.Event()
        # No daemon: if the store still blocks it, that shows when the server is stopped.
        self._thread = threading.Thread(target=self._run, name="audit anchors")

    def start(self) -> None:
        """Start the thread; the first anchor is made at once."""
        self._thread.start()

    def stop(self) -> None:
        """Make a last anchor, and stop."""
        self._stopping.set()
        self._thread.join(STOP_SECONDS)

    def anchor(self) -> bool:
        """Compare the last anchor with the log, and make one of its end; whether it is made everywhere."""
        if self._last is None and self._file and self._file.exists():
            self._last = self._newest_in(self._file)
        if self._last and not anchors.is_in(self._store, self._last):
            _log.error(
                "the audit log was cut off, or written anew: the entry that was anchored is not in it (%s); "
                "`headwater audit verify` compares all anchors",
                self._last.text(),
            )
        end = anchors.end_of(self._store)
        if end is None:
            return True
        made = [self._make(place, act, end) for place, act in self._places(end)]
        self._last = end
        return all(made)

    def _newest_in(self, file: Path) -> Anchor | None:
        try:
            return anchors.read(file)[-1]
        except AnchorsUnreadable as error:
            _log.error("%s", error)
            return None

    def _places(self, end: Anchor) -> Iterator[tuple[str, Callable[[], object]]]:
        yield "the log", lambda: _lines.info("audit log anchored: %s", end.text())
        if file := self._file:
            yield str(file), lambda: anchors.append(file, end)
        if receiver := self._receiver:
            data = {"number": end.number, "hash": end.hash}
            yield (
                "the receiver of messages",
                lambda: receiver.send(f"audit-{end.hash[:32]}", anchors.KIND, data),
            )

    def _make(self, place: str, act: Callable[[], object], end: Anchor) -> bool:
        """Make the anchor in one place, unless it is there; whether it is."""
        if self._made.get(place) == end:
            return True
        try:
            act()
        except (OSError, httpx.HTTPError) as error:
            if place not in self._failing:
                why = refusal(error) if isinstance(error, httpx.HTTPError) else error.strerror
                _log.warning("the audit log is not anchored in %s, which is tried again: %s", place, why)
            self._failing.add(place)
            return False
        self._failing.discard(place)
        self._made[place] = end
        return True

    def _turn(self) -> bool:
        try:
            return self.anchor()
        except Exception as error:  # noqa: BLE001 - without the thread, nothing would be anchored any more
            if "the store" not in self._failing:
                trace = None if isinstance(error, HeadwaterError) else error
                _log.warning("the audit log is anchored later: %s", error, exc_info=trace)
            self._failing.add("the store")
            return False

    def _run(self) -> None:
        is_done = self._turn()
        while not self._stopping.wait(self._seconds if is_done else min(self._seconds, RETRY_SECONDS)):
            is_done = self._turn()
        self._turn()
