"""The outbox: writes every event to disk before it is sent, and keeps it there until it is delivered."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from openlineage.client.transport.transport import Config, Transport

from headwater_spark.delivery.deliverer import Deliverer
from headwater_spark.delivery.destination import Destination
from headwater_spark.delivery.rejected import rejected_file
from headwater_spark.delivery.spool import Spool
from headwater_spark.delivery.spool_folder import spool_root, write_description
from headwater_spark.delivery.transport_settings import destinations, is_silence_intended
from headwater_spark.emit import wire
from headwater_spark.units import size

log = logging.getLogger(__name__)

MAX_BYTES: Final = "spark.headwater.spool.maxBytes"
DEFAULT_MAX_BYTES: Final = 256_000_000


class Outbox(Transport):
    """A transport of openlineage-python's client that delivers to all destinations of a process."""

    kind = "headwater-spool"
    config_class = Config

    def __init__(self, receivers: Iterable[Destination], root: Path, limit: int = DEFAULT_MAX_BYTES) -> None:
        self.waiting = 0
        """The number of undelivered events on disk, including parked ones; set by ``close``."""
        self._spools: list[tuple[Spool, Deliverer]] = []
        for receiver in receivers:
            folder = root / receiver.key
            spool = Spool.create(folder, limit)
            write_description(folder, receiver)
            self._spools.append((spool, Deliverer(receiver, folder, spool)))

    @classmethod
    def from_conf(cls, conf: Mapping[str, str]) -> Outbox:
        """The started outbox that this Spark configuration describes."""
        receivers = destinations(conf)
        if not receivers and not is_silence_intended(conf):
            log.warning(
                "no transport is configured (spark.openlineage.transport.type): lineage events are not sent"
            )
        outbox = cls(receivers, spool_root(conf), size(conf.get(MAX_BYTES, ""), DEFAULT_MAX_BYTES))
        outbox.start()
        return outbox

    def start(self) -> None:
        """Start delivering, first the events of ended processes."""
        for _, deliverer in self._spools:
            deliverer.start()

    def emit(self, event: Any) -> None:
        """Append the event to the spool of every destination."""
        text = wire.text(event)
        for spool, deliverer in self._spools:
            kept = spool.append(text, event.run.runId)
            if not kept:
                deliverer.health.add_problem("full", "its spool is full")
            elif spool.in_memory:
                deliverer.health.add_problem(
                    "memory", "its spool cannot be written: events are kept in memory"
                )
            deliverer.notify()

    def flush(self, timeout: float) -> int:
        """Wait until all events are delivered, at most ``timeout`` seconds; the number of undelivered ones."""
        deadline = time.monotonic() + timeout
        for _, deliverer in self._spools:
            deliverer.hurry(deadline)
        wait(lambda: all(deliverer.settled() for _, deliverer in self._spools), deadline)
        return sum(spool.events for spool, _ in self._spools)

    def close(self, timeout: float = -1) -> bool:
        """Stop delivering, and log what is undelivered or lost; whether nothing is.

        Waits for an event that is being sent, at most ``timeout`` seconds; a negative value means five.
        """
        deadline = time.monotonic() + (timeout if timeout >= 0 else 5)
        for _, deliverer in self._spools:
            deliverer.stop(0)
        for spool, deliverer in self._spools:
            deliverer.stop(max(deadline - time.monotonic(), 0))
            parked = spool.parked
            spool.close()
            _report(spool, deliverer, parked)
            self.waiting += spool.events
        return self.waiting == self.lost == 0

    @property
    def lost(self) -> int:
        """The number of events that the spools had no room for, over all destinations."""
        return sum(spool.lost for spool, _ in self._spools)


def _report(spool: Spool, deliverer: Deliverer, parked: int) -> None:
    """Log the problems of a receiver, with the events that wait and those that are lost."""
    folder, pending, lost = spool.path.parent, spool.events - parked, spool.lost
    waiting = [f"{pending} events wait in {folder}"] if pending else []
    if parked:
        waiting.append(f"{parked} events of such runs are parked in {folder} and tried again later")
    else:
        deliverer.health.clear("parked")
    if deliverer.rejected:
        waiting.append(f"{deliverer.rejected} refused events are kept in {rejected_file(folder)}")
    deliverer.health.report(waiting, [f"{lost} events are lost"] if lost else [])


def wait(until: Callable[[], bool], deadline: float) -> None:
    """Return as soon as ``until`` is true, or at the deadline of ``time.monotonic``."""
    while not until() and time.monotonic() < deadline:
        time.sleep(0.02)
