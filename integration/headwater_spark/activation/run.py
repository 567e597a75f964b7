"""Runs a plain PySpark script with the agent switched on, without touching the script or its settings.

Theory of operation. Settings given on Spark's command line or in the script outrank ``spark-defaults.conf``,
so that is where ours go: the script sees a copy of the user's configuration directory (links, and one file
more) in which ``spark-defaults.conf`` ends with our lines, of keys that are ours alone. The directory is on the
driver's class path, therefore the jar's classes are put into it: whoever reads our settings finds our classes, and
whoever replaces the directory loses both, never one.

The driver's JVM may outlive the script for as long as it takes to deliver the last events; a marker that the
eye keeps meanwhile is waited for, ``PATIENCE_SECONDS`` at most.

What an application's end was is known by the script's, so its last event is held here until then (see ``held_ends``).

Signals that would end the command go to the script, and its end is the command's. Ctrl-C is one that the terminal sends
to both; the script gets that once.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from headwater_spark.activation.agent_settings import (
    PYTHON_KEY,
    SOURCE,
    SOURCE_KEY,
    as_lines,
    interpreter_conf,
    jar_path,
    transport_conf,
)
from headwater_spark.activation.defaults import DEFAULTS, conf_dir, defaults
from headwater_spark.capture.ending import Ending
from headwater_spark.runs.held_ends import HeldEnds
from headwater_spark.runs.summary import MARKER_KEY, found_in

PATIENCE_SECONDS = 30.0
POLL_SECONDS = 0.05
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FROM_KERNEL = 0x80
"""How Linux marks a signal that no process has sent: the terminal's, as for Ctrl-C, which the script gets as well."""


def run_script(
    script: str | Path,
    args: Sequence[str] = (),
    events: str | Path | None = None,
    url: str | None = None,
    report: Callable[[str], None] | None = None,
) -> int:
    """Run the script under this interpreter; its exit code, 128 + n when signal n ended it.

    ``events`` (a file) or ``url`` say where events go; without them the user's settings do. ``report`` is given a line
    about what was seen. Raises ``ActivationError`` before anything has run.
    """
    with tempfile.TemporaryDirectory(prefix="headwater-run-", ignore_cleanup_errors=True) as folder:
        overlay, marker = Path(folder) / "conf", Path(folder) / "running"
        marker.mkdir()
        ends = HeldEnds(marker)
        _lay_over(overlay, {**transport_conf(events, url), MARKER_KEY: str(marker)})
        code = _call([sys.executable, str(script), *args], {**os.environ, "SPARK_CONF_DIR": str(overlay)})
        with suppress(KeyboardInterrupt):
            _wait_for(marker)
        _log_to_stderr()
        ends.send(Ending.of_code(code))
        if report is not None:
            seen = found_in(marker)
            report(seen.line() if seen else "no Spark application was seen")
    return code if code >= 0 else 128 - code


def _log_to_stderr() -> None:
    """Show warnings about the last event and, where it goes to the console, the event."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="headwater: %(message)s")
    logging.getLogger("openlineage.client.transport.console").setLevel(logging.INFO)


def _lay_over(overlay: Path, settings: dict[str, str]) -> None:
    """A configuration directory that is the user's with ours on top."""
    overlay.mkdir()
    with zipfile.ZipFile(jar_path()) as jar:
        jar.extractall(overlay)
    own = conf_dir()
    text = ""
    for entry in own.iterdir() if own and own.is_dir() else ():
        if entry.name == DEFAULTS:
            text = entry.read_text("utf-8", errors="surrogateescape")
        elif not (overlay / entry.name).exists():
            (overlay / entry.name).symlink_to(entry.absolute())
    ours = {SOURCE_KEY: SOURCE, **({} if PYTHON_KEY in defaults() else interpreter_conf()), **settings}
    lines = "\n".join([text, *as_lines(ours), ""])
    (overlay / DEFAULTS).write_text(lines, "utf-8", errors="surrogateescape")


def _call(command: list[str], environment: dict[str, str]) -> int:
    with subprocess.Popen(command, env=environment) as process, _signals_to(process) as forward:
        while process.poll() is None:
            forward(POLL_SECONDS)
        return process.wait()


@contextmanager
def _signals_to(process: subprocess.Popen[bytes]) -> Iterator[Callable[[float], None]]:
    """Hand on what would end us; the function does so for as many seconds as it is given."""
    if threading.current_thread() is not threading.main_thread():
        yield time.sleep
        return
    if (
        sys.platform == "darwin"
    ):  # which does not tell where a signal comes from: Ctrl-C would reach the script twice
        before = {
            each: signal.signal(each, lambda number, _: process.send_signal(number)) for each in ENDING[1:]
        }
        before[signal.SIGINT] = signal.signal(signal.SIGINT, lambda *_: None)
        yield time.sleep
        for number, handler in before.items():
            signal.signal(number, handler)
        return

    def forward(seconds: float) -> None:
        received = signal.sigtimedwait(ENDING, seconds)
        if received is not None and received.si_code != FROM_KERNEL:
            process.send_signal(received.si_signo)

    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield forward
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _wait_for(marker: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while any(_is_alive(entry) for entry in marker.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)


def _is_alive(entry: Path) -> bool:
    """Whether the JVM that left the marker (named ``pid@host``) still runs."""
    pid, _, _ = entry.name.partition("@")
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return True
