"""A PostgreSQL server of the system's own binaries, on the loopback address, for as long as a test needs it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kit.ports import on_free_ports, require_port

USER = "headwater"
START_SECONDS = 60.0


@contextmanager
def postgres(password: str) -> Iterator[str]:
    """The JDBC URL of a new server, whose superuser is ``headwater``. Skips where PostgreSQL is missing."""
    initdb, server = _binary("initdb"), _binary("postgres")
    home = Path(tempfile.mkdtemp(prefix="headwater-postgres-"))
    owner = _owner(home)
    try:
        secret = home / "password"
        secret.write_text(password, "utf-8")
        secret.chmod(0o644)
        data = str(home / "data")
        options = ["-D", data, "-U", USER, f"--pwfile={secret}", "-A", "scram-sha-256", "-E", "UTF8"]
        subprocess.run([initdb, *options], check=True, capture_output=True, cwd=home, **owner)

        def started(ports: list[int]) -> tuple[int, subprocess.Popen[bytes]]:
            return ports[0], _started(server, home, ports[0], owner)

        port, process = on_free_ports(started)
        try:
            yield f"jdbc:postgresql://127.0.0.1:{port}/postgres"
        finally:
            _end(process)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _binary(name: str) -> str:
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    found = shutil.which(name) or next(iter(map(str, installed)), None)
    if found is None:
        pytest.skip("PostgreSQL's server is not installed (Debian's package postgresql)")
    return found


def _owner(home: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root: then it runs as the user that its package made."""
    if os.geteuid() != 0:
        return {}
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and the user postgres is missing")
    os.chown(home, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _started(server: str, home: Path, port: int, owner: dict[str, Any]) -> subprocess.Popen[bytes]:
    command = [server, "-D", str(home / "data"), "-p", str(port), "-h", "127.0.0.1", "-k", str(home)]
    environment = {**os.environ, "LC_ALL": "C"}
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=home, env=environment, **owner)
    try:
        _await(process, home)
    except BaseException:
        _end(process)
        raise
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(30)


def _await(process: subprocess.Popen[bytes], home: Path) -> None:
    """Return when the server has noted that it is ready; raises ``PortTaken``."""
    log, state = home / "log", home / "data" / "postmaster.pid"
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            require_port(log)
            raise AssertionError(log.read_text("utf-8"))
        if state.exists() and state.read_text("utf-8").rstrip().endswith("ready"):
            return
        time.sleep(0.1)
    raise AssertionError("PostgreSQL did not start:\n" + log.read_text("utf-8"))
