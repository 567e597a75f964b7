"""Ports for servers that cannot choose one themselves.

Until such a server has its port, another program may take it. Then it is started again, with another one.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")
ATTEMPTS: Final = 5


class PortTaken(Exception):  # noqa: N818 - it is expected, and answered with another port
    """A server ended because another program has one of its ports."""


def on_free_ports(start: Callable[[list[int]], T], count: int = 1) -> T:
    """The result of ``start`` with so many free ports; with others where it raises ``PortTaken``."""
    for _ in range(ATTEMPTS - 1):
        with suppress(PortTaken):
            return start(_free(count))
    return start(_free(count))


def require_port(log: Path) -> None:
    """Raise ``PortTaken`` if a server that has ended reports that in its log."""
    if "Address already in use" in log.read_text("utf-8", "replace"):
        raise PortTaken(str(log))


def _free(count: int) -> list[int]:
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in probes:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in probes]
