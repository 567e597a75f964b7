"""A PostgreSQL server of the system's own binaries, on the loopback address, for as long as a test needs it."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

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
        port = _free_port()
        command = [server, "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", str(home)]
        with (home / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=home, **owner)
        try:
            _await(process, port, home / "log")
            yield f"jdbc:postgresql://127.0.0.1:{port}/postgres"
        finally:
            process.terminate()
            process.wait(30)
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


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text("utf-8")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("PostgreSQL did not start:\n" + log.read_text("utf-8"))
