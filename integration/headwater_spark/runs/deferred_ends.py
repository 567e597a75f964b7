"""Defers the last events of applications until the exit code of their program is known.

Spark's driver does not know it: after a session is stopped, the program continues. ``headwater run`` knows how the
script ends, so it keeps the last events of the script's applications until then. The agent's process passes each to it
through a socket in the folder of ``spark.headwater.marker``: the data of the event, including the settings of the
receiver, stays in the memory of these two processes. If no process listens, the agent's process emits the event itself,
with what the driver knows.
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
from headwater_spark.capture.application_end import ApplicationEnd
from headwater_spark.capture.frames import BrokenStreamError, frame, frames
from headwater_spark.delivery.outbox import Outbox
from headwater_spark.delivery.transport_settings import destinations
from headwater_spark.emit.events import application_ended
from headwater_spark.runs.summary import MARKER_KEY, Summary, SummaryFile
from headwater_spark.units import seconds

FLUSH_TIMEOUT: Final = "spark.headwater.flush.timeout"
DEFAULT_FLUSH: Final = 10.0  # seconds
_SOCKET: Final = "ends"
_TIMEOUT: Final = 1.0  # seconds
_ACCEPTED: Final = b"\x06"


def defer_end(document: Mapping[str, Any], application: Application, time: int) -> bool:
    """Let ``headwater run`` emit the last event of the document's application; False if it is not listening."""
    folder = application.conf.get(MARKER_KEY)
    if not folder:
        return False
    text = frame({"application": document, "runId": application.run_id, "time": time})
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_TIMEOUT)
            connection.connect(str(Path(folder) / _SOCKET))
            connection.sendall(text)
            return connection.recv(1) == _ACCEPTED
    except OSError:
        return False


class DeferredEnds:
    """Receives the last events of applications, and emits them as soon as the exit code of the program is known."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._deferred: list[Mapping[str, Any]] = []
        self._server = socket.socket(socket.AF_UNIX)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        with suppress(OSError):  # a path that is too long for a socket: nothing is deferred
            self._server.bind(str(folder / _SOCKET))
            self._server.listen()
            self._thread.start()

    def send(self, end: ApplicationEnd) -> None:
        """Stop receiving, and emit the deferred events."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        if self._thread.ident is not None:
            self._thread.join(_TIMEOUT)
        for deferred in self._deferred:
            _send(deferred, end)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                with suppress(OSError, BrokenStreamError), connection:
                    connection.settimeout(_TIMEOUT)
                    content = next(frames(_ReadableSocket(connection)))
                    self._deferred.append(json.loads(content))
                    connection.sendall(_ACCEPTED)


@dataclass(frozen=True, slots=True)
class _ReadableSocket:
    connection: socket.socket

    def read(self, most: int, /) -> bytes:
        return self.connection.recv(most)


def _send(deferred: Mapping[str, Any], end: ApplicationEnd) -> None:
    application = replace(Application.from_document(deferred["application"]), run_id=deferred["runId"])
    if not destinations(application.conf):
        return
    outbox = Outbox.from_conf(application.conf)
    OpenLineageClient(transport=outbox).emit(application_ended(application, end, deferred["time"]))
    limit = seconds(application.conf.get(FLUSH_TIMEOUT, ""), DEFAULT_FLUSH)
    outbox.flush(limit / 2)
    outbox.close(limit / 2)
    summary = Summary(events=1, waiting=outbox.waiting, lost=outbox.lost, is_running=False)
    SummaryFile(application.conf).write(summary)
