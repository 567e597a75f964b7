"""The ``headwater`` command in tests: in this process, or as a program of its own."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from click.testing import CliRunner, Result

from headwater_cli.main import cli

STOP_SECONDS = 30
END = "-- the end of what was called --"
FORKING = f"""
import json, os, sys
import headwater_graphql.local_execution
from headwater_cli.main import cli
for line in sys.stdin:
    if os.fork() == 0:
        cli(json.loads(line), prog_name="headwater")
    os.wait()
    print({END!r}, end="", flush=True)
"""
OURS = ("HEADWATER_", "OPENLINEAGE_", "MAKELEVEL")


def headwater(*arguments: str | Path, stdin: str | None = None, **environment: str) -> Result:
    """Call the command in this process, without the settings in its environment."""
    unset: dict[str, str | None] = dict.fromkeys(name for name in os.environ if name.startswith(OURS))
    return CliRunner().invoke(cli, [*map(str, arguments)], input=stdin, env={**unset, **environment})


def program(
    *arguments: str | Path, folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Call the command as a program, without a terminal and without input."""
    return subprocess.run(
        [sys.executable, "-m", "headwater_cli", *map(str, arguments)],
        cwd=folder,
        env={**surroundings(), **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def in_a_terminal(*arguments: str, folder: Path, **environment: str) -> str:
    """What the command writes to a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "headwater_cli", *arguments]
    written = b""
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**surroundings(), "TERM": "xterm", **environment},
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        with suppress(OSError):  # the other end is closed
            while some := os.read(ours, 65_536):
                written += some
        os.close(ours)
        process.wait(timeout=60)
    return written.decode()


@contextmanager
def terminal(folder: Path) -> Iterator[Callable[..., str]]:
    """A function that calls the command in one terminal, and returns what that call writes.

    A process that has imported what most commands need forks for each call, which takes a fifth of the time.
    """
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", FORKING],
        cwd=folder,
        env={**surroundings(), "TERM": "xterm"},
        stdin=subprocess.PIPE,
        stdout=theirs,
        stderr=theirs,
        text=True,
    ) as process:
        os.close(theirs)

        def call(*arguments: str) -> str:
            assert process.stdin
            process.stdin.write(json.dumps(arguments) + "\n")
            process.stdin.flush()
            written = b""
            while not written.endswith(END.encode()):
                written += os.read(ours, 65_536)
            return written.decode().removesuffix(END)

        yield call
        os.close(ours)


class Server(subprocess.Popen[str]):
    """The process of a server."""

    first_lines = ""
    """What it printed until it printed its address, which ``communicate`` does not give again."""


@contextmanager
def served(
    folder: Path, *options: str | Path, python: str = sys.executable, **environment: str
) -> Iterator[tuple[str, Server]]:
    """A server on any free port: its address, and its process; ended with SIGTERM."""
    command = [python, "-u", "-m", "headwater_cli", "serve", "--port", "0", *map(str, options)]
    with Server(
        command,
        cwd=folder,
        env={**surroundings(), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield _address(process), process
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=STOP_SECONDS)


def surroundings() -> dict[str, str]:
    """The environment without Headwater's settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith(OURS)}


def _address(process: Server) -> str:
    """The address that the server prints; it listens already when it prints it."""
    for line in process.stdout or ():
        process.first_lines += line
        if found := re.search(r"(https?://\S+)/health", line):
            return found.group(1)
    raise AssertionError("the server did not start:\n" + process.first_lines)
