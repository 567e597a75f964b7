"""The spool: every event is on disk before it is sent, and stays there until it has arrived.

``Outbox`` is what the brain writes to; ``backlog`` is for people who look after what a process left behind. One
folder for each destination, mode 0700, below ``spark.headwater.spool.dir`` or ``$XDG_CACHE_HOME/headwater/spool``.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from openlineage.client.transport.transport import Config, Transport

from headwater_spark.delivery.deliverer import Delivery
from headwater_spark.delivery.journal import Journal
from headwater_spark.delivery.transport import Destination, destinations, is_silence_meant
from headwater_spark.emit import wire
from headwater_spark.units import size

log = logging.getLogger(__name__)

DIRECTORY: Final = "spark.headwater.spool.dir"
MAX_BYTES: Final = "spark.headwater.spool.maxBytes"
DEFAULT_MAX_BYTES: Final = 256_000_000
DESCRIPTION: Final = "destination.json"


class Outbox(Transport):
    """All destinations of a process, as a transport of openlineage-python's client."""

    kind = "headwater-spool"
    config_class = Config

    def __init__(self, receivers: Iterable[Destination], root: Path, limit: int = DEFAULT_MAX_BYTES) -> None:
        self.waiting = 0
        """After ``close``: events on disk that have not arrived, those that are parked among them."""
        self._journals: list[tuple[Journal, Delivery]] = []
        for receiver in receivers:
            folder = root / receiver.key
            journal = Journal.create(folder, limit)
            describe(folder, receiver)
            self._journals.append((journal, Delivery(receiver, folder, journal)))

    @classmethod
    def of(cls, conf: Mapping[str, str]) -> Outbox:
        """The outbox that this Spark configuration asks for, delivering."""
        receivers = destinations(conf)
        if not receivers and not is_silence_meant(conf):
            log.warning("no transport is configured (spark.openlineage.transport.type): events go nowhere")
        outbox = cls(receivers, root(conf), size(conf.get(MAX_BYTES, ""), DEFAULT_MAX_BYTES))
        outbox.start()
        return outbox

    def start(self) -> None:
        """Begin to deliver, beginning with what dead processes left."""
        for _, delivery in self._journals:
            delivery.start()

    def emit(self, event: Any) -> None:
        """Keep the event for every destination."""
        text = wire.text(event)
        for journal, delivery in self._journals:
            kept = journal.append(text)
            if not kept:
                delivery.trouble.note("full", "its spool is full")
            elif journal.in_memory:
                delivery.trouble.note("memory", "its spool cannot be written: events are kept in memory")
            delivery.notify()

    def flush(self, timeout: float) -> int:
        """Wait for everything to arrive, at most so many seconds; the number of events that have not."""
        deadline = time.monotonic() + timeout
        for _, delivery in self._journals:
            delivery.hurry(deadline)
        wait(lambda: all(delivery.settled() for _, delivery in self._journals), deadline)
        return sum(journal.pending + delivery.parked for journal, delivery in self._journals)

    def close(self, timeout: float = -1) -> bool:
        """End deliveries; what has not arrived stays on disk. Says what is left and what is lost.

        What is on its way is waited for, ``timeout`` seconds at most; less than none means five.
        """
        deadline = time.monotonic() + (timeout if timeout >= 0 else 5)
        for _, delivery in self._journals:
            delivery.stop(0)
        for journal, delivery in self._journals:
            delivery.stop(max(deadline - time.monotonic(), 0))
            journal.close()
            _say_remains(journal, delivery)
            self.waiting += journal.pending + delivery.parked
        return self.waiting == self.lost == 0

    @property
    def lost(self) -> int:
        """Events for which there was no room, over all destinations."""
        return sum(journal.lost for journal, _ in self._journals)


def _say_remains(journal: Journal, delivery: Delivery) -> None:
    folder, parked, lost = journal.path.parent, delivery.parked, journal.lost
    told = [f"{journal.pending} events wait in {folder}"] if journal.pending else []
    if parked:
        told.append(f"{parked} events of such runs are parked in {folder} and tried again later")
    else:
        delivery.trouble.over("parked")
    if delivery.rejected:
        told.append(f"{delivery.rejected} refused events lie in {folder / 'rejected.ndjson'}")
    delivery.trouble.settle(told, [f"{lost} events are lost"] if lost else [])


def root(conf: Mapping[str, str]) -> Path:
    """The folder of all spools."""
    if told := conf.get(DIRECTORY):
        return Path(told).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "headwater" / "spool"


def describe(folder: Path, receiver: Destination) -> None:
    """Write down, without secrets, where the folder's events go."""
    text = json.dumps({"type": receiver.kind, **receiver.public})
    try:
        (folder / DESCRIPTION).write_text(text)
    except OSError:
        return  # the journal has found out already, and says so


def wait(until: Callable[[], bool], deadline: float) -> None:
    """Return when it holds, or at the deadline of ``time.monotonic``."""
    while not until() and time.monotonic() < deadline:
        time.sleep(0.02)
