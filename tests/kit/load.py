"""Several clients that post events to a server, and remember what it acknowledged."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

import httpx

from kit.openlineage import columns, dataset, event

TIMEOUT_SECONDS = 60.0


def events_of(client: int, events: int, width: int = 5) -> list[dict[str, Any]]:
    """Events of one client: its own jobs and runs, and outputs that it shares with the others."""
    return [
        event(
            "COMPLETE",
            number,
            f"client {client} run {number}",
            [dataset("in", *(f"c{column}" for column in range(width)))],
            [
                dataset(
                    f"out {number % 7}",
                    columnLineage=columns(
                        {f"c{column}": [("in", f"c{column}")] for column in range(width)}
                        | {"who": [(f"client {client}", f"run {number}")]}
                    ),
                )
            ],
            job=f"job {client} {number % 3}",
        )
        for number in range(events)
    ]


def wait_until_ready(address: str) -> None:
    """The server answers while it still opens the store."""
    pause = threading.Event()
    while httpx.get(f"{address}/health/ready", timeout=TIMEOUT_SECONDS).status_code != HTTPStatus.OK:
        pause.wait(0.05)


class Load:
    """Clients that post their events one by one until each was answered once, or the server is gone."""

    def __init__(self, events: Sequence[Sequence[dict[str, Any]]]) -> None:
        self.events = events
        self.acknowledged: list[dict[str, Any]] = []
        self.statuses: Counter[int] = Counter()
        self.retry_after: set[str | None] = set()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(len(events))
        self._running: list[Any] = []

    def start(self, address: str) -> None:
        """Begin to post to that server."""
        self._running = [self._pool.submit(self._post, address, some) for some in self.events]

    def wait_for(self, condition: Callable[[Load], bool]) -> None:
        """Until the condition holds, or all is posted."""
        done = threading.Event()
        while not condition(self) and not all(each.done() for each in self._running):
            done.wait(0.01)

    def join(self) -> None:
        """Until all clients have ended."""
        for each in self._running:
            each.result()
        self._running = []

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown()

    def _post(self, address: str, events: Sequence[dict[str, Any]]) -> None:
        with httpx.Client(base_url=address, timeout=TIMEOUT_SECONDS) as client:
            for each in events:
                try:
                    answer = client.post("/api/v1/lineage", json=each)
                except httpx.TransportError:
                    return
                self._note(each, answer)

    def _note(self, sent: dict[str, Any], answer: httpx.Response) -> None:
        with self._lock:
            self.statuses[answer.status_code] += 1
            if answer.status_code == HTTPStatus.CREATED:
                self.acknowledged.append(sent)
            else:
                self.retry_after.add(answer.headers.get("Retry-After"))
