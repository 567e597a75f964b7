"""``python -m headwater_spark.brain``: converts plan documents on standard input to OpenLineage events.

The agent in Spark's driver starts this process and writes to it. It must never affect the job: an error here is one
line on standard error and, if an event can still be emitted, an entry in it that lists what is missing. At the end of
the input, or on SIGTERM, the process delivers as many events as it can within the flush timeout and exits; the rest
stays in the spool. With ``--leave-after SECONDS`` it leaves that long after the end of the input at the latest,
whatever it is doing: the driver, which may have ended by then, does not see to it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import logging
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from headwater_spark.capture.frames import BrokenStreamError
from headwater_spark.capture.read_ahead import ReadAhead
from headwater_spark.guard import Failure, guarded

if TYPE_CHECKING:
    from headwater_spark.conversion import Conversion

log = logging.getLogger(__name__)

T = TypeVar("T")

CAPTURE: Final = "HEADWATER_CAPTURE"
READY: Final = "ready"
"""The one line on standard output: the input is read, and the driver may leave this process to itself."""
LEAVE_AFTER: Final = "--leave-after"
LOW_PRIORITY: Final = 10
"""How nice start-up is: it gets a tenth of a processor that the driver wants, which is starting as well."""


class Input:
    """A readable file descriptor that is at its end as soon as the process receives SIGTERM.

    The signal arrives through a pipe of its own: a handler alone would miss a signal that arrives just before the
    read blocks, or that the kernel delivers to another thread.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._signal_reader, self._signal_writer = os.pipe()
        os.set_blocking(self._signal_writer, False)

    def handle_signals(self) -> None:
        """Handle SIGTERM; ignore signals of the terminal, which end the driver and thereby close the input."""
        signal.set_wakeup_fd(self._signal_writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def read(self, most: int, /) -> bytes:
        """Return available bytes, at most ``most``; nothing at the end."""
        ready, _, _ = select.select([self._descriptor, self._signal_reader], [], [])
        return b"" if self._signal_reader in ready else os.read(self._descriptor, most)


def documents(ahead: ReadAhead) -> Iterator[bytes]:
    """Yield the frames until the input ends or breaks off."""
    try:
        yield from ahead
    except BrokenStreamError as broken:
        log.warning("the documents from the Spark driver end early: %s", broken)


def limit(seconds: int) -> None:
    """End the process after that time, 0 for never, by a timer that needs no turn of an interpreter that may hang."""
    if seconds:
        faulthandler.dump_traceback_later(seconds, exit=True)


def serve(documents: Iterable[bytes]) -> None:
    """Process the documents until they end."""
    conversion = at_low_priority(_new_conversion)
    capture = os.environ.get(CAPTURE)
    for content in documents:
        if capture and not _append(Path(capture), content):
            capture = None
        conversion.take(content)
    conversion.finish()


def _new_conversion() -> Conversion:
    conversion: Conversion = importlib.import_module("headwater_spark.conversion").Conversion()
    return conversion


def at_low_priority(action: Callable[[], T]) -> T:
    """The result of the action, or its error, in a thread of low priority where the system knows such ones: a process
    could not have its own priority back.
    """
    results: list[T | Failure] = []

    def act() -> None:
        with contextlib.suppress(OSError):
            if sys.platform == "linux":
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOW_PRIORITY)
        results.append(guarded(action))

    thread = threading.Thread(target=act, name="headwater-start", daemon=True)
    thread.start()
    thread.join()
    [result] = results
    if isinstance(result, Failure):
        raise result.error
    return result


def _append(path: Path, content: bytes) -> bool:
    """Append a document to the file; False if that fails."""
    try:
        with path.open("ab") as file:
            file.write(content.replace(b"\n", b" ") + b"\n")
    except OSError as error:
        log.warning("plan documents are not captured any more (%s); lineage is not affected", error)
        return False
    return True


def main(arguments: Sequence[str] = ()) -> int:
    """Run until the input ends. Returns the exit code: 1 after an unexpected error, else 0."""
    leave_after = int(arguments[1]) if arguments[:1] == [LEAVE_AFTER] else 0
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(message)s")
    logging.getLogger("headwater_spark").setLevel(logging.INFO)
    logging.getLogger("openlineage.client.transport.console").setLevel(logging.INFO)
    stream = Input(sys.stdin.fileno())
    stream.handle_signals()
    ahead = ReadAhead(stream, lambda: limit(leave_after))
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()
    done = guarded(lambda: serve(documents(ahead)))
    if isinstance(done, Failure):
        log.error("the agent's process ends after an unexpected error: %s", done)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
