"""Whoever is called cannot hold its caller, nor fill the memory: servers of the command line, receivers of events."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator

import httpx
import pytest
from openlineage.client.transport.http import HttpTransport

from headwater_backend.access.outgoing import call
from headwater_cli.client import graphql_client
from headwater_cli.terminal.errors import CommandError
from headwater_spark.delivery import transports
from headwater_spark.delivery.transport_settings import receiver_at
from headwater_spark.delivery.verdict import Verdict, verdict
from headwater_spark.emit.events import started
from kit.executions import execution
from kit.odd_server import PIECE, Answer, endless_body, odd_server, page, slow_body, slow_headers

ODD = [slow_headers, slow_body, endless_body]
PATIENCE = 5.0
"""Seconds: far more than the deadline that is set here, far less than the answers take."""


@pytest.fixture(autouse=True)
def deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphql_client, "TIMEOUT_SECONDS", 0.5)
    monkeypatch.setattr(graphql_client, "MOST_BYTES", PIECE)
    monkeypatch.setattr(transports, "EXCHANGE_SECONDS", 0.5)


@pytest.fixture
def bounded() -> Iterator[None]:
    """Fails where what runs takes long, or much memory."""
    tracemalloc.start()
    began = time.monotonic()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert time.monotonic() - began < PATIENCE
    assert peak < 64 * PIECE


@pytest.mark.parametrize("answer", ODD)
@pytest.mark.usefixtures("bounded")
def test_a_call_ends_at_its_deadline_or_its_bound(answer: Answer) -> None:
    with odd_server(answer) as url, pytest.raises(httpx.TransportError, match=r"in full within|more than"):
        call("POST", url, seconds=0.5, most_bytes=PIECE)


@pytest.mark.parametrize("answer", ODD)
@pytest.mark.usefixtures("bounded")
def test_a_server_holds_no_command(answer: Answer) -> None:
    with odd_server(answer) as url, pytest.raises(CommandError) as refused:
        graphql_client.post_json(url, {})
    assert refused.value.code == "SERVER_AWAY"


@pytest.mark.parametrize("answer", ODD)
@pytest.mark.usefixtures("bounded")
def test_a_receiver_of_events_holds_no_agent(answer: Answer) -> None:
    with odd_server(answer) as url:
        transport = receiver_at(url).open()
        assert isinstance(transport, HttpTransport)
        transport.timeout = 0.25
        if answer is endless_body:  # its beginning says 200
            transport.emit(started(execution()))
            return
        with pytest.raises(OSError, match="in full within") as failed:
            transport.emit(started(execution()))
    assert verdict(failed.value) == (Verdict.LATER, "ReadTimeout")


def test_a_page_is_no_receiver() -> None:
    with odd_server(page) as url, pytest.raises(OSError) as failed:
        receiver_at(url).open().emit(started(execution()))
    found, reason = verdict(failed.value)
    assert found is Verdict.LATER
    assert reason == "HTTP 200 with a page, which no receiver of events sends"
