"""The last events of applications, held until it is known how their program ended.

Spark's driver knows little of it: a session that is stopped says nothing of how the program goes on. ``headwater run``
knows how the script ends, so it holds the last events of the script's applications until then. The agent's process
hands each over through a socket in the folder that ``spark.headwater.marker`` names: what makes the event, settings
of the receiver among it, stays in the memory of the two. Where nobody listens, the agent's process sends the event
itself, with what the driver knows.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from openlineage.client import OpenLineageClient

from headwater_spark.capture.application import Application
from headwater_spark.capture.ending import Ending
from headwater_spark.capture.frames import BrokenStreamError, frame, frames
from headwater_spark.delivery.spool import Outbox
from headwater_spark.delivery.transport import destinations
from headwater_spark.emit.events import application_ended
from headwater_spark.runs.summary import MARKER_KEY, Summary, SummaryFile
from headwater_spark.units import seconds

FLUSH_TIMEOUT: Final = "spark.headwater.flush.timeout"
DEFAULT_FLUSH: Final = 10.0  # seconds
_SOCKET: Final = "ends"
_PATIENCE: Final = 1.0  # seconds
_TAKEN: Final = b"\x06"


def hand_over(document: Mapping[str, Any], application: Application, time: int) -> bool:
    """Let ``headwater run`` send the last event of that document's application; False where nobody takes it."""
    folder = application.conf.get(MARKER_KEY)
    if not folder:
        return False
    text = frame({"application": document, "runId": application.run_id, "time": time})
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_PATIENCE)
            connection.connect(str(Path(folder) / _SOCKET))
            connection.sendall(text)
            return connection.recv(1) == _TAKEN
    except OSError:
        return False


class HeldEnds:
    """Takes the last events of applications, and sends them once it is known how the program ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: list[Mapping[str, Any]] = []
        self._server = socket.socket(socket.AF_UNIX)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        with suppress(OSError):  # a path that is too long for a socket: nothing is handed over
            self._server.bind(str(folder / _SOCKET))
            self._server.listen()
            self._thread.start()

    def send(self, ending: Ending) -> None:
        """Take no more, and send those that are held."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        if self._thread.ident is not None:
            self._thread.join(_PATIENCE)
        for held in self._held:
            _send(held, ending)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                with suppress(OSError, BrokenStreamError), connection:
                    connection.settimeout(_PATIENCE)
                    content = next(frames(_Received(connection)))
                    self._held.append(json.loads(content))
                    connection.sendall(_TAKEN)


@dataclass(frozen=True, slots=True)
class _Received:
    connection: socket.socket

    def read(self, most: int, /) -> bytes:
        return self.connection.recv(most)


def _send(held: Mapping[str, Any], ending: Ending) -> None:
    application = replace(Application.from_document(held["application"]), run_id=held["runId"])
    if not destinations(application.conf):
        return
    outbox = Outbox.of(application.conf)
    OpenLineageClient(transport=outbox).emit(application_ended(application, ending, held["time"]))
    limit = seconds(application.conf.get(FLUSH_TIMEOUT, ""), DEFAULT_FLUSH)
    outbox.flush(limit / 2)
    outbox.close(limit / 2)
    summary = Summary(events=1, waiting=outbox.waiting, lost=outbox.lost, is_running=False)
    SummaryFile(application.conf).write(summary)
