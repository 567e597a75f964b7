"""Events that ended processes left in the spool: lists, delivers, drops, or redirects them.

Only the files of ended processes are used, and each is locked meanwhile (see ``spool``): a job that is running, or
that starts in the meantime, keeps its events and delivers them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headwater_spark.delivery.deliverer import Deliverer
from headwater_spark.delivery.outbox import wait
from headwater_spark.delivery.rejected import count_rejected, rejected_file
from headwater_spark.delivery.spool import files, orphans
from headwater_spark.delivery.spool_folder import (
    described_folders,
    read_description,
    spool_root,
    write_description,
)
from headwater_spark.delivery.transport_settings import destinations, receiver_at


class UnknownDestinationError(Exception):
    """No destination of the spool, or more than one, matches; ``hint`` lists the existing ones."""

    code = "UNKNOWN_DESTINATION"

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(text)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Pending:
    """What ended processes left in one destination's spool; ``waiting``, ``parked`` and ``rejected`` count events."""

    destination: str
    folder: Path
    waiting: int
    parked: int
    """Events of runs on which the receiver keeps failing while it accepts others; they are retried later."""
    in_use: bool
    """Whether a running process is delivering some of it."""
    rejected: int

    @property
    def id(self) -> str:
        """A short identifier of the destination."""
        return self.folder.name[:8]


def pending(conf: Mapping[str, str] | None = None) -> list[Pending]:
    """List the contents of the spool, one entry for each destination."""
    return [_contents(folder) for folder in described_folders(spool_root(conf or {}))]


def find(text: str, conf: Mapping[str, str] | None = None) -> Pending:
    """The one destination with that id, or with that text in its name. Raises ``UnknownDestinationError``."""
    known = pending(conf)
    by_id = [each for each in known if text and each.folder.name.startswith(text)]
    found = by_id or [each for each in known if text in each.destination]
    if len(found) == 1:
        return found[0]
    hint = "; ".join(f"{each.id} {each.destination}" for each in found or known) or "the spool is empty"
    raise UnknownDestinationError(f"{len(found) or 'no'} destinations match {text!r}", hint)


def flush_all(conf: Mapping[str, str] | None = None, timeout: float = 60.0) -> list[Pending]:
    """Deliver the events of ended processes, for at most ``timeout`` seconds; the contents of the spool after that.

    ``conf`` provides the credentials, for destinations that need some.
    """
    known = {receiver.key: receiver for receiver in destinations(conf or {})}
    deadline = time.monotonic() + timeout
    folders = described_folders(spool_root(conf or {}))
    deliverers = [
        Deliverer(receiver, folder, None)
        for folder in folders
        if (receiver := known.get(folder.name) or read_description(folder)) is not None
    ]
    for deliverer in deliverers:
        deliverer.start()
        deliverer.hurry()
    wait(lambda: all(deliverer.settled() for deliverer in deliverers), deadline)
    for deliverer in deliverers:
        deliverer.stop()
        deliverer.health.report()
    return [_contents(folder) for folder in folders]


def drop(found: Pending, *, rejected: bool = False) -> int:
    """Delete the events that wait for a destination and, if ``rejected``, those that it refused.

    Returns the number of deleted events. Raises ``OSError``.
    """
    dropped = 0
    for spool in orphans(found.folder):
        dropped += spool.events
        spool.discard()
    if rejected:
        dropped += count_rejected(found.folder)
        rejected_file(found.folder).unlink(missing_ok=True)
    return dropped


def redirect(found: Pending, url: str) -> int:
    """Move the events that wait for a destination to another receiver; the number of events. Raises ``OSError``.

    They are delivered by the next flush, or by the next job with that receiver. If the process is killed midway, each
    event waits for one of the two.
    """
    receiver = receiver_at(url)
    target = found.folder.parent / receiver.key
    if target == found.folder:
        return 0
    target.mkdir(mode=0o700, exist_ok=True)
    write_description(target, receiver)
    moved = 0
    for spool in orphans(found.folder):
        moved += spool.events
        spool.move_to(target)
    return moved


def _contents(folder: Path) -> Pending:
    waiting = parked = ended = 0
    for spool in orphans(folder):
        parked += spool.parked
        waiting += spool.events - spool.parked
        ended += spool.events > 0
        spool.close()
    description = read_description(folder)
    label = description.label if description else folder.name
    in_use = len(files(folder)) > ended
    return Pending(label, folder, waiting, parked, in_use, count_rejected(folder))
