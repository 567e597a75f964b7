"""A signal to ``headwater run`` is one to the script: it ends as it likes, and the command as the script did."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kit.receiver import eventually

SLEEPS = """
import pathlib, sys, time
pathlib.Path("pid").write_text("there")
time.sleep(60)
"""
COUNTS = """
import pathlib, signal, sys, time
taken = []
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: taken.append(number))
pathlib.Path("pid").write_text("there")
while not taken:
    time.sleep(0.05)
time.sleep(0.5)
pathlib.Path("taken").write_text(" ".join(str(int(number)) for number in taken))
sys.exit(7)
"""
IN_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"


def started(folder: Path, script: str, *before: str) -> subprocess.Popen[bytes]:
    (folder / "job.py").write_text(script, "utf-8")
    command = [*before, sys.executable, "-m", "headwater_cli", "run", "--quiet", "job.py"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    eventually((folder / "pid").exists)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_script_that_a_signal_ends_ends_the_command_as_a_shell_says_it(
    tmp_path: Path, number: signal.Signals
) -> None:
    with started(tmp_path, SLEEPS) as process:
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode == 128 + number


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_script_that_takes_a_signal_ends_with_its_own_code(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path, COUNTS) as process:
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode == 7
    assert (tmp_path / "taken").read_text() == str(int(number))


def test_a_terminals_interrupt_reaches_the_script_once(tmp_path: Path) -> None:
    with started(tmp_path, COUNTS, sys.executable, "-c", IN_A_TERMINAL) as process:
        assert process.stdin is not None
        process.stdin.write(b"\x03")
        process.stdin.flush()
        eventually((tmp_path / "taken").exists)
        process.communicate(timeout=60)
    assert (tmp_path / "taken").read_text() == str(int(signal.SIGINT))
    assert process.returncode == 7
