"""What ended processes left in the spool: listed, delivered, dropped, or given to another receiver.

Only journals of ended processes are touched, and each is locked meanwhile (see ``journal``): a job that runs, or that
starts in between, keeps its events and delivers them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from headwater_spark.delivery.deliverer import Delivery
from headwater_spark.delivery.journal import Journal, orphans
from headwater_spark.delivery.parked import events_in, forget_tries, parked_in
from headwater_spark.delivery.spool import DESCRIPTION, describe, root, wait
from headwater_spark.delivery.transport import Destination, destinations, receiver_at

REJECTED: Final = "rejected.ndjson"


class UnknownDestinationError(Exception):
    """No destination of the spool, or more than one, is called so; ``hint`` lists what there is."""

    code = "UNKNOWN_DESTINATION"

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(text)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Pending:
    """What lies in the spool of one destination: numbers of events."""

    destination: str
    folder: Path
    waiting: int
    parked: int
    """Of runs that the receiver keeps failing on while it takes others; they are tried again later."""
    in_use: bool
    """Whether a living process is delivering some of it."""
    rejected: int

    @property
    def id(self) -> str:
        """A short name of the destination."""
        return self.folder.name[:8]


def pending(conf: Mapping[str, str] | None = None) -> list[Pending]:
    """What waits, for each destination."""
    return [_look_into(folder) for folder in _folders(root(conf or {}))]


def find(text: str, conf: Mapping[str, str] | None = None) -> Pending:
    """The one destination with that id, or with that text in its name. Raises ``UnknownDestinationError``."""
    known = pending(conf)
    by_id = [each for each in known if text and each.folder.name.startswith(text)]
    found = by_id or [each for each in known if text in each.destination]
    if len(found) == 1:
        return found[0]
    hint = "; ".join(f"{each.id} {each.destination}" for each in found or known) or "the spool is empty"
    raise UnknownDestinationError(f"{len(found) or 'no'} destinations are called {text!r}", hint)


def flush_all(conf: Mapping[str, str] | None = None, timeout: float = 60.0) -> list[Pending]:
    """Deliver what ended processes left, at most so many seconds; what is left after that.

    ``conf`` gives the credentials, where a destination needs some.
    """
    known = {receiver.key: receiver for receiver in destinations(conf or {})}
    deadline = time.monotonic() + timeout
    folders = _folders(root(conf or {}))
    deliveries = [
        Delivery(receiver, folder, None)
        for folder in folders
        if (receiver := known.get(folder.name) or _described(folder)) is not None
    ]
    for delivery in deliveries:
        delivery.start()
        delivery.hurry()
    wait(lambda: all(delivery.settled() for delivery in deliveries), deadline)
    for delivery in deliveries:
        delivery.stop()
        delivery.trouble.settle()
    return [_look_into(folder) for folder in folders]


def drop(found: Pending, *, rejected: bool = False) -> int:
    """Forget what waits for a destination and, where asked for, what it refused: so many events. Raises ``OSError``."""
    dropped = 0
    for journal in _abandoned(found.folder):
        dropped += journal.pending
        journal.discard()
        forget_tries(journal.path)
    if rejected:
        dropped += _lines(found.folder / REJECTED)
        (found.folder / REJECTED).unlink(missing_ok=True)
    return dropped


def redirect(found: Pending, url: str) -> int:
    """Let what waits for a destination wait for another receiver instead: so many events. Raises ``OSError``.

    They are delivered by the next flush, or by the next job with that receiver. Killed midway, each event waits
    for one of the two.
    """
    receiver = receiver_at(url)
    target = found.folder.parent / receiver.key
    if target == found.folder:
        return 0
    target.mkdir(mode=0o700, exist_ok=True)
    describe(target, receiver)
    moved = 0
    for journal in _abandoned(found.folder):
        moved += journal.pending
        forget_tries(journal.path)
        journal.move_to(target)
        journal.close()
    return moved


def _abandoned(folder: Path) -> Iterator[Journal]:
    """The journals of ended processes, and those of parked streams."""
    yield from orphans(folder)
    yield from filter(None, map(Journal.adopt, parked_in(folder)))


def _folders(below: Path) -> list[Path]:
    return sorted(path.parent for path in below.glob(f"*/{DESCRIPTION}"))


def _look_into(folder: Path) -> Pending:
    found = list(orphans(folder))
    waiting = sum(journal.pending for journal in found)
    mine = {journal.path for journal in found}
    for journal in found:
        journal.close()
    in_use = any(path not in mine for path in folder.glob("[0-9]*.ndjson"))
    described = _described(folder)
    label = described.label if described else folder.name
    parked = sum(map(events_in, parked_in(folder)))
    return Pending(label, folder, waiting, parked, in_use, _lines(folder / REJECTED))


def _lines(path: Path) -> int:
    try:
        with path.open("rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return 0


def _described(folder: Path) -> Destination | None:
    try:
        config = json.loads((folder / DESCRIPTION).read_text())
    except (OSError, ValueError):
        return None
    return Destination.from_public(config)
