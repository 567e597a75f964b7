"""A real Neo4j server on this machine, without a container engine.

``up`` fetches Neo4j's jars with Maven once (``~/.cache/headwater/neo4j/VERSION``), starts the server detached
with a home of its own (``~/.local/state/headwater/neo4j``) and waits until it answers. The server listens on
the loopback address only and asks for a password, which ``up`` generates and keeps in a file that only its
owner can read, and which ``open_store`` reads for this address.

The home holds ``conf/``, ``data/``, ``logs/``, ``password`` and, while the server runs, ``server.json``.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import MappingProxyType

from neo4j import GraphDatabase
from neo4j.exceptions import AuthError, ClientError, DriverError, Neo4jError

from headwater_backend.domain.errors import HeadwaterError

USER = "neo4j"
HOST = "127.0.0.1"
BOLT_PORT = 7687
JAVA = 17
START_SECONDS = 240.0
STOP_SECONDS = 60.0
POLL_SECONDS = 0.25
RELEASE_SECONDS = 10.0

_OPENED = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch")


_started: dict[int, subprocess.Popen[bytes]] = {}
"""The servers that this process started. They outlive it, but while it lives, it has to reap them."""


class LocalNeo4jError(HeadwaterError):
    """The local server could not be fetched, started or stopped."""

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.code = code


@dataclass(frozen=True, slots=True)
class LocalNeo4j:
    """The state of the local server; ``uri`` and ``pid`` only while it runs."""

    running: bool
    home: str
    version: str
    uri: str | None = None
    pid: int | None = None
    username: str = USER
    password_file: str | None = None


def default_home() -> Path:
    """The folder of the server's data, unless another is given."""
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "headwater" / "neo4j"


def up(
    home: Path | None = None,
    port: int | None = None,
    *,
    heap: str = "1g",
    java_options: Sequence[str] = ("-XX:+UseG1GC",),
    settings: Mapping[str, str] = MappingProxyType({}),
    owner: int | None = None,
    timeout: float = START_SECONDS,
) -> LocalNeo4j:
    """Start the server, unless it runs already, and wait until it answers.

    ``port``: that of the last time, else 7687, or any free one where that is taken. A server that was killed keeps its
    port, since its clients know it by that: where something else has taken it, that is an error. ``settings``: further
    ones of ``neo4j.conf``. ``owner``: a process with whose end the server ends too. Raises ``LocalNeo4jError`` with the
    end of the server's log where it does not start.
    """
    place = (home or default_home()).resolve()
    known = status(place)
    if known.running:
        return known
    java, jars = _java(), _jars()
    port = port or _port_again(place)
    _prepare(place, port, settings)
    options = (f"-Xmx{heap}", *java_options)
    process = _start(place, java, jars, options, owner)
    _write_private(place / "server.json", json.dumps({"pid": process.pid, "port": port}))
    try:
        _await(place, port, process, time.monotonic() + timeout)
    except BaseException:
        _stop(process.pid)
        (place / "server.json").unlink(missing_ok=True)
        raise
    return status(place)


def down(home: Path | None = None) -> LocalNeo4j:
    """Stop the server cleanly, if it runs; its data stay."""
    place = (home or default_home()).resolve()
    known = status(place)
    if known.pid is not None:
        _stop(known.pid)
    (place / "server.json").unlink(missing_ok=True)
    return status(place)


def status(home: Path | None = None) -> LocalNeo4j:
    """Whether the server runs, and where."""
    place = (home or default_home()).resolve()
    running = _read_state(place)
    if running is None or not _is_server(running["pid"], place):
        return LocalNeo4j(running=False, home=str(place), version=version())
    return LocalNeo4j(
        running=True,
        home=str(place),
        version=version(),
        uri=f"bolt://{HOST}:{running['port']}",
        pid=running["pid"],
        password_file=str(place / "password"),
    )


def password(host: str, port: int, home: Path | None = None) -> str | None:
    """The password of the local server, if that is its address."""
    place = (home or default_home()).resolve()
    running = _read_state(place)
    if running is None or running["port"] != port or host not in {HOST, "localhost"}:
        return None
    with contextlib.suppress(OSError):
        return (place / "password").read_text("ascii")
    return None


def version() -> str:
    """The version of Neo4j that is pinned."""
    found = re.search(
        r"<neo4j\.version>([^<]+)</neo4j\.version>", (_deployed() / "pom.xml").read_text("utf-8")
    )
    if found is None:
        raise LocalNeo4jError("NEO4J_POM", "the pinned pom.xml names no neo4j.version")
    return found.group(1)


def _deployed() -> Path:
    """The folder with pom.xml and the launcher: inside the wheel, or ``deploy/neo4j`` of a checkout."""
    inside = Path(str(resources.files("headwater_backend"))) / "neo4j_server"
    return inside if inside.is_dir() else Path(__file__).resolve().parents[3] / "deploy" / "neo4j"


def _read_state(place: Path) -> dict[str, int] | None:
    try:
        state = json.loads((place / "server.json").read_text("utf-8"))
        return {"pid": int(state["pid"]), "port": int(state["port"])}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_server(pid: int, place: Path) -> bool:
    """Whether that process is our server: process ids are used again."""
    listed = subprocess.run(
        ["ps", "-ww", "-p", str(pid), "-o", "stat=,args="], capture_output=True, text=True, check=False
    )
    state, _, command = listed.stdout.strip().partition(" ")
    return "Neo4jServer.java" in command and str(place) in command and not state.startswith("Z")


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    install = (
        "brew install openjdk@17"
        if sys.platform == "darwin"
        else "sudo apt-get install -y openjdk-17-jdk-headless"
    )
    if java is None:
        raise LocalNeo4jError("JAVA_MISSING", f"Neo4j needs a JDK {JAVA} or newer", install)
    output = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', output)
    if found is None or int(found.group(1)) < JAVA:
        raise LocalNeo4jError(
            "JAVA_TOO_OLD", f"Neo4j needs a JDK {JAVA} or newer, {java} is not one", install
        )
    return java


def _jars() -> Path:
    """The folder with Neo4j's jars, which are fetched where it is missing."""
    cache = os.environ.get("XDG_CACHE_HOME")
    base = (Path(cache) if cache else Path.home() / ".cache") / "headwater" / "neo4j" / version()
    if not (base / "lib").is_dir():
        base.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=base) as fetched:
            _fetch(Path(fetched) / "lib")
            with contextlib.suppress(OSError):  # another process was faster
                (Path(fetched) / "lib").rename(base / "lib")
    return base / "lib"


def _fetch(into: Path) -> None:
    command = [_maven(), "-q", "-B", "-f", str(_deployed() / "pom.xml"), "dependency:copy-dependencies"]
    options = ["-DincludeScope=runtime", f"-DoutputDirectory={into}"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stdout + done.stderr).strip()[-2000:]
        raise LocalNeo4jError(
            "NEO4J_FETCH", f"Maven could not fetch Neo4j:\n{last}", "is Maven Central reachable?"
        )


def _maven() -> str:
    if (maven := shutil.which("mvn")) is None and os.geteuid() == 0 and (apt := shutil.which("apt-get")):
        subprocess.run([apt, "update"], capture_output=True, check=False)
        subprocess.run([apt, "install", "-y", "maven"], capture_output=True, check=False)
        maven = shutil.which("mvn")
    if maven is None:
        install = "brew install maven" if sys.platform == "darwin" else "sudo apt-get install -y maven"
        raise LocalNeo4jError("MAVEN_MISSING", "Maven, which fetches Neo4j's jars, is missing", install)
    return maven


def free_port(*preferred: int) -> int:
    """The first of the preferred ports that is free, or any other that is."""
    for wanted in (*preferred, 0):
        with socket.socket() as probe, contextlib.suppress(OSError, OverflowError):
            # As the server does: connections of a server that was killed linger at its port, and hold it from nobody.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((HOST, wanted))
            return int(probe.getsockname()[1])
    raise LocalNeo4jError("NO_PORT", "no port is free")


def _port_again(place: Path) -> int:
    """The port of the last time; that of a server that was killed also if it is not free at once."""
    killed = _read_state(place)
    if killed is None:
        return free_port(*_last_ports(place), BOLT_PORT)
    until = time.monotonic() + RELEASE_SECONDS
    while free_port(killed["port"]) != killed["port"]:
        if time.monotonic() > until:
            raise LocalNeo4jError(
                "NEO4J_PORT",
                f"the port {killed['port']} of the server that was killed is taken by something else",
                "stop that, or choose another port with --port, and tell the servers by --store",
            )
        time.sleep(POLL_SECONDS)
    return killed["port"]


def _last_ports(place: Path) -> list[int]:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        text = (place / "conf" / "neo4j.conf").read_text("utf-8")
        return [int(port) for port in re.findall(r"^server\.bolt\.listen_address=.*:(\d{1,5})$", text, re.M)]
    return []


def _prepare(place: Path, port: int, others: Mapping[str, str]) -> None:
    (place / "conf").mkdir(parents=True, exist_ok=True, mode=0o700)
    settings = {
        "server.bolt.enabled": "true",
        "server.bolt.listen_address": f"{HOST}:{port}",
        "server.bolt.advertised_address": f"{HOST}:{port}",
        "server.http.enabled": "false",
        "server.memory.pagecache.size": "256m",
        "db.tx_log.rotation.size": "64m",
        "db.tx_log.rotation.retention_policy": "keep_none",
        "dbms.security.auth_enabled": "true",
        "dbms.usage_report.enabled": "false",
        **others,
    }
    text = "".join(f"{key}={value}\n" for key, value in settings.items())
    (place / "conf" / "neo4j.conf").write_text(text, "utf-8")
    if not (place / "password").exists():
        _write_private(place / "password", secrets.token_urlsafe(24))


def _write_private(file: Path, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)


def _start(
    place: Path, java: str, jars: Path, options: Sequence[str], owner: int | None
) -> subprocess.Popen[bytes]:
    opened = [f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED]
    launcher = str(_deployed() / "Neo4jServer.java")
    owned = [str(owner)] if owner is not None else []
    command = [java, *options, *opened, "-cp", f"{jars}/*", launcher, str(place), *owned]
    with (place / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=place, start_new_session=True
        )
    _started[process.pid] = process
    return process


def _await(place: Path, port: int, process: subprocess.Popen[bytes], until: float) -> None:
    """Wait until the server accepts our password, and set that password on its first start."""
    secret = (place / "password").read_text("ascii")
    while time.monotonic() < until:
        if process.poll() is not None:
            raise LocalNeo4jError("NEO4J_START", f"Neo4j ended at once:\n{_log_end(place)}")
        if _listens(port) and _accepts_password(port, secret):
            return
        time.sleep(POLL_SECONDS)
    raise LocalNeo4jError("NEO4J_START", f"Neo4j did not answer in time:\n{_log_end(place)}")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def _accepts_password(port: int, secret: str) -> bool:
    address = f"bolt://{HOST}:{port}"
    try:
        with GraphDatabase.driver(address, auth=(USER, secret)) as driver:
            driver.verify_connectivity()
            driver.execute_query("RETURN 1")
            return True
    except (AuthError, ClientError):
        _set_first_password(address, secret)
    except (DriverError, Neo4jError):
        pass
    return False


def _set_first_password(address: str, secret: str) -> None:
    change = "ALTER CURRENT USER SET PASSWORD FROM $old TO $new"
    with (
        contextlib.suppress(DriverError, Neo4jError),
        GraphDatabase.driver(address, auth=(USER, USER)) as driver,
        driver.session(database="system") as session,
    ):
        session.run(change, old=USER, new=secret).consume()


def _log_end(place: Path) -> str:
    with contextlib.suppress(OSError):
        return (place / "server.log").read_text("utf-8", errors="replace")[-2000:]
    return ""


def _stop(pid: int) -> None:
    """Send SIGTERM and wait; send SIGKILL only where the process does not end."""
    for ending, seconds in ((signal.SIGTERM, STOP_SECONDS), (signal.SIGKILL, 10.0)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, ending)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if _ended(pid):
                return
            time.sleep(POLL_SECONDS)


def _ended(pid: int) -> bool:
    if (process := _started.get(pid)) is not None:
        if process.poll() is None:
            return False
        del _started[pid]
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
