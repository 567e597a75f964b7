"""A real OpenLineage receiver: an HTTP server on this machine that can be away, slow or choosy."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """Stores posted events; ``answer`` returns the status for an event, and ``headers`` are added to each response.

    It has its port from the beginning, and is away until it is entered: connections are refused. The response to any
    GET is a page, like a login page.
    """

    def __init__(
        self,
        answer: Callable[[dict[str, Any]], int] = lambda _: 201,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.events: list[dict[str, Any]] = []
        """Events answered with 2xx, in order of arrival."""
        self.requests: list[tuple[int, dict[str, str]]] = []
        """Status and headers of every request."""
        self.pages = 0
        """Pages that were asked for."""
        self.answer = answer
        self.headers = headers or {}
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(), bind_and_activate=False)
        self._server.server_bind()
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Receiver:
        self._server.server_activate()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def names(self) -> list[str]:
        """Job names of what has arrived."""
        return [event["job"]["name"] for event in self.events]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                is_packed = self.headers.get("Content-Encoding") == "gzip"
                event = json.loads(gzip.decompress(body) if is_packed else body)
                status = receiver.take(event, dict(self.headers))
                body = b'{"detail": "as you asked"}'
                self.send_response(status)
                for name, value in {**receiver.headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:
                receiver.pages += 1
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                """Tests are quiet."""

        return Handler

    def take(self, event: dict[str, Any], headers: dict[str, str]) -> int:
        """Answer one event."""
        with self._lock:
            status = self.answer(event)
            self.requests.append((status, headers))
            if 200 <= status < 300:
                self.events.append(event)
            return status


def eventually(condition: Callable[[], bool], timeout: float = 60.0) -> None:
    """Wait until it holds; fail when it does not within the time."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
