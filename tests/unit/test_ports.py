"""Servers of the tests whose port another program took first are started on another one."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit import ports
from kit.ports import PortTaken, on_free_ports, require_port
from kit.postgres import postgres


@pytest.fixture
def taken() -> Iterator[int]:
    """A port at which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_ports_are_free_and_different() -> None:
    found = on_free_ports(lambda free: free, 3)
    assert len(set(found)) == 3
    for port in found:
        socket.create_server(("127.0.0.1", port)).close()


def test_a_server_that_lost_its_port_is_started_on_another(tmp_path: Path) -> None:
    asked: list[int] = []

    def start(free: list[int]) -> int:
        asked.extend(free)
        if len(asked) < 3:
            log = tmp_path / "log"
            log.write_text("could not bind: Address already in use\n", "utf-8")
            require_port(log)
        return free[0]

    assert on_free_ports(start) == asked[-1]
    assert len(asked) == 3


def test_one_that_never_gets_a_port_fails(tmp_path: Path) -> None:
    def start(_: list[int]) -> None:
        raise PortTaken

    with pytest.raises(PortTaken):
        on_free_ports(start)
    (tmp_path / "log").write_text("out of memory", "utf-8")
    require_port(tmp_path / "log")


def test_postgresql_does_so(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given = iter([[taken]])
    free = ports._free
    monkeypatch.setattr(ports, "_free", lambda count: next(given, None) or free(count))
    with postgres("secret") as url:
        port = int(url.rpartition(":")[2].partition("/")[0])
        assert port != taken
        socket.create_connection(("127.0.0.1", port), timeout=10).close()
    assert next(given, None) is None
