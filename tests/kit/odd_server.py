"""A server whose answers never end, or drip: bytes to be sent one after another, whatever is asked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, repeat

Answer = Callable[[], Iterator[tuple[bytes, float]]]
"""The pieces of an answer, each with the seconds to wait after it."""
_HEAD = b"HTTP/1.1 200 OK\r\n"
PIECE = 1024 * 1024


def slow_headers() -> Iterator[tuple[bytes, float]]:
    """One header every tenth of a second."""
    return chain([(_HEAD, 0.0)], repeat((b"x-more: 1\r\n", 0.1), 90))


def slow_body() -> Iterator[tuple[bytes, float]]:
    """One byte every tenth of a second."""
    return chain([(_HEAD + b"content-length: 900\r\n\r\n", 0.0)], repeat((b" ", 0.1)))


def endless_body() -> Iterator[tuple[bytes, float]]:
    """A body that never ends."""
    return chain([(_HEAD + b"\r\n", 0.0)], repeat((b" " * PIECE, 0.0)))


def page() -> Iterator[tuple[bytes, float]]:
    """A login page that says 200."""
    body = b"<!doctype html><title>Sign in</title>"
    head = b"content-type: text/html; charset=utf-8\r\ncontent-length: %d\r\n\r\n" % len(body)
    return iter([(_HEAD + head + body, 0.0)])


@contextmanager
def odd_server(answer: Answer) -> Iterator[str]:
    """The server, by its URL."""
    stopping = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65_536)
            for piece, seconds in answer():
                connection.sendall(piece)
                if stopping.wait(seconds):
                    return

    def listen(listener: socket.socket) -> None:
        while not stopping.is_set():
            with suppress(OSError):
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        thread = threading.Thread(target=listen, args=(listener,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            stopping.set()
            thread.join()
