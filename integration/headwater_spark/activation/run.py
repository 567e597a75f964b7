"""Runs a PySpark script with the agent switched on, without changing the script or its settings.

Theory of operation. Settings on Spark's command line or in the script take precedence over ``spark-defaults.conf``, so
the agent's settings are added there: the script gets a copy of the user's configuration directory (links, and one
additional file) in which ``spark-defaults.conf`` ends with lines of keys that only the agent uses. The directory is on
the driver's class path, so the jar's classes are extracted into it: a driver has the agent's settings and its classes,
or, if the directory is replaced, neither.

The driver's JVM may outlive the script until the last events are delivered. The listener keeps a marker file
meanwhile, for which this command waits ``PATIENCE_SECONDS`` at most.

The state of an application's last event depends on the script's exit code, so the event is deferred until the script
ends (see ``deferred_ends``).

Signals that would end the command are forwarded to the script, and its exit code is the command's. The terminal sends
Ctrl-C to both; the script receives it once.
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
from functools import partial
from pathlib import Path
from types import FrameType

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
from headwater_spark.activation.own_reads import VARIABLE
from headwater_spark.capture.application_end import ApplicationEnd
from headwater_spark.capture.program_reads import KEY
from headwater_spark.delivery.transport_settings import KEY_RECEIVER
from headwater_spark.runs.deferred_ends import DeferredEnds
from headwater_spark.runs.summary import MARKER_KEY, read_summaries

PATIENCE_SECONDS = 30.0
POLL_SECONDS = 0.05
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AT_START = """\
import os, sys
own = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [each for each in sys.path if os.path.abspath(each) != own]
ours = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize
except ImportError:
    sys.modules["sitecustomize"] = ours
if not {"headwater_spark.brain", "pyspark.daemon", "pyspark.worker"}.intersection(sys.orig_argv):
    try:
        from headwater_spark.activation import frame_rows, own_reads
        frame_rows.note_frames()
        own_reads.watch(os.environ[own_reads.VARIABLE])
    except Exception:
        pass
"""
"""What every Python that the script starts does first; the agent's process and Spark's workers are no part of it."""
FROM_KERNEL = 0x80
"""Linux' code for a signal that no process sent, such as Ctrl-C in a terminal, which the script receives as well."""


def run_script(
    script: str | Path,
    args: Sequence[str] = (),
    events: str | Path | None = None,
    url: str | None = None,
    report: Callable[[str], None] | None = None,
) -> int:
    """Run the script with this interpreter; its exit code, or 128 + n if signal n ended it.

    ``events`` (a file) or ``url`` is the receiver of events; without them the user's settings are used. ``url`` gets
    the key in ``HEADWATER_API_KEY`` or in the file ``HEADWATER_API_KEY_FILE``. ``report`` is called with a one-line
    summary of the events. Raises ``ActivationError`` before the script is started.
    """
    with tempfile.TemporaryDirectory(prefix="headwater-run-", ignore_cleanup_errors=True) as folder:
        overlay, marker = Path(folder) / "conf", Path(folder) / "running"
        marker.mkdir()
        journal = Path(folder) / "program"
        journal.touch(0o600)
        receiver = {} if url is None else {KEY_RECEIVER: url}
        settings = {**transport_conf(events, url), **receiver, MARKER_KEY: str(marker), KEY: str(journal)}
        _write_overlay(overlay, settings)
        with _ending_signals_blocked() as unblock:
            ends = DeferredEnds(marker)
            environment = {
                **os.environ,
                **_activated(),
                "SPARK_CONF_DIR": str(overlay),
                **_watched(Path(folder), journal),
            }
            code = _call([sys.executable, str(script), *args], environment, unblock)
        with suppress(KeyboardInterrupt):
            _wait_for(marker)
        _log_to_stderr()
        ends.send(ApplicationEnd.from_exit_code(code))
        if report is not None:
            summary = read_summaries(marker)
            report(summary.line() if summary else "no Spark application was seen")
    return code if code >= 0 else 128 - code


def _log_to_stderr() -> None:
    """Print warnings about the last event and, with the console transport, the event itself."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="headwater: %(message)s")
    logging.getLogger("openlineage.client.transport.console").setLevel(logging.INFO)


def _write_overlay(overlay: Path, settings: dict[str, str]) -> None:
    """Create a configuration directory with the user's settings and those of the agent."""
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


def _activated() -> dict[str, str]:
    """The environment in which ``python3`` is this interpreter, as if its virtual environment were activated.

    Spark starts ``python3`` for its local workers unless ``PYSPARK_PYTHON`` names another. That variable would
    also name a path of this machine to the workers of a cluster, which have another ``python3`` or none there.
    """
    folder = Path(sys.executable).parent
    with suppress(OSError):
        if (folder / "python3").samefile(sys.executable):
            prefix = {} if sys.prefix == sys.base_prefix else {"VIRTUAL_ENV": sys.prefix}
            return {"PATH": os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)]), **prefix}
    return {}


def _watched(folder: Path, journal: Path) -> dict[str, str]:
    """The environment in which Python notes what the script reads by itself, from its start on.

    Python imports ``sitecustomize`` then, which is ours, and which imports the one that it would have been.
    """
    own = folder / "python"
    own.mkdir()
    (own / "sitecustomize.py").write_text(_AT_START, "utf-8")
    paths = [str(own), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths), VARIABLE: str(journal)}


@contextmanager
def _ending_signals_blocked() -> Iterator[Callable[[], object]]:
    """Block the signals that would end this process; yields a function that unblocks them.

    A signal is delivered to any thread that does not block it, so they are blocked before this process starts a thread.
    They are blocked before it starts the script, too: one in between would end this process and leave the script.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    unblock = partial(signal.pthread_sigmask, signal.SIG_SETMASK, mask)
    try:
        yield unblock
    finally:
        unblock()


def _call(command: list[str], environment: dict[str, str], unblock: Callable[[], object]) -> int:
    """Run the script; its exit code. Signals that would end this process are forwarded to it."""
    # The script inherits what is blocked, and there is no other parameter that changes it.
    with subprocess.Popen(command, env=environment, preexec_fn=unblock) as process:  # noqa: PLW1509
        if threading.current_thread() is not threading.main_thread():
            return process.wait()
        return _forward_by_handlers(process) if sys.platform == "darwin" else _forward_by_waiting(process)


def _forward_by_waiting(process: subprocess.Popen[bytes]) -> int:
    while process.poll() is None:
        received = signal.sigtimedwait(ENDING, POLL_SECONDS)
        if received is not None and received.si_code != FROM_KERNEL:
            process.send_signal(received.si_signo)
    return process.returncode


def _forward_by_handlers(process: subprocess.Popen[bytes]) -> int:
    """As above for macOS, which has no ``sigtimedwait`` and does not report what sent a signal.

    Ctrl-C would reach the script twice, so SIGINT is not forwarded.
    """

    def forward(number: int, _: FrameType | None) -> None:
        if number != signal.SIGINT:
            process.send_signal(number)

    before = {each: signal.signal(each, forward) for each in ENDING}
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    try:
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait_for(marker: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while any(_is_alive(entry) for entry in marker.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)


def _is_alive(entry: Path) -> bool:
    """Whether the JVM of a marker file (named ``pid@host``) is running."""
    pid, _, _ = entry.name.partition("@")
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return True
