"""The server as a program: it prints where it is, takes events, and ends well."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import httpx
import pytest

from kit.command import headwater, program, served


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_server_ends_with_success_when_it_is_asked_to(ending: signal.Signals, here: Path) -> None:
    with served(here) as (address, process):
        assert httpx.get(f"{address}/health").json()["status"] == "ok"
        process.send_signal(ending)
        assert process.wait(timeout=30) == 0
    assert (here / ".headwater" / "lineage.db").is_file()


def test_a_taken_port_is_said_and_not_raised(here: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = program("serve", "--port", str(taken.getsockname()[1]), folder=here)
    assert told.returncode == 1
    assert "PORT_IN_USE" in told.stderr
    assert "--port" in told.stderr
    assert "Traceback" not in told.stderr


def test_an_address_that_others_reach_is_refused_without_saying_so() -> None:
    told = headwater("serve", "--host", "0.0.0.0")
    assert told.exit_code == 1
    assert "HEADWATER_ALLOW_UNAUTHENTICATED" in told.stderr


def test_rules_with_a_mistake_are_told_by_line(here: Path) -> None:
    (here / "rules.yaml").write_text("- dataset: a\n  path: b\n  category: user.nonsense\n", "utf-8")
    told = headwater("serve", "--port", "0", "--rules", "rules.yaml")
    assert told.exit_code == 1
    assert "rules.yaml, line 3" in told.stderr
