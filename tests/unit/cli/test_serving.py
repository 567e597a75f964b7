"""``headwater serve`` as a process: addresses, timeouts, shutdown and messages."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from headwater_backend.access.key_changes import KEY, POLL_SECONDS
from headwater_backend.stores import open_store
from headwater_backend.stores.sqlite.transaction import BUSY_SECONDS
from headwater_cli.operations.serve import end_on_signal
from kit.command import headwater, program, served, surroundings
from kit.openlineage import dataset, event


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_server_exits_with_success_on_a_signal(ending: signal.Signals, workdir: Path) -> None:
    with served(workdir) as (address, process):
        assert httpx.get(f"{address}/health").json()["status"] == "ok"
        process.send_signal(ending)
        assert process.wait(timeout=30) == 0
    assert (workdir / ".headwater" / "lineage.db").is_file()


def test_a_persistent_connection_waits_for_no_acknowledgement(workdir: Path) -> None:
    with served(workdir) as (address, _), httpx.Client() as client:
        client.get(f"{address}/health")
        kept = [client.get(f"{address}/health").elapsed.total_seconds() for _ in range(20)]
        new = [
            httpx.get(f"{address}/health", headers={"Connection": "close"}).elapsed.total_seconds()
            for _ in range(20)
        ]
    assert median(kept) < 4 * median(new)


class Sending:
    """A request whose second half is delayed."""

    def __init__(self, address: str) -> None:
        to = urlsplit(address)
        assert to.hostname and to.port
        self._place = (to.hostname, to.port)
        body = json.dumps(event("COMPLETE", 1, "run 1", [], [dataset("out", "a")])).encode()
        self._rest = body[len(body) // 2 :]
        self._socket = socket.create_connection(self._place)
        head = f"POST /api/v1/lineage HTTP/1.1\r\nHost: {to.netloc}\r\nContent-Length: {len(body)}\r\n\r\n"
        self._socket.sendall(head.encode() + body[: len(body) // 2])
        self.address = address

    def wait_until_it_is_under_way(self) -> None:
        poll(lambda: "headwater_http_requests_in_progress 2.0" in httpx.get(f"{self.address}/metrics").text)

    def wait_until_nobody_else_is_let_in(self) -> None:
        poll(lambda: not self._is_let_in())

    def send_rest(self) -> None:
        self._socket.sendall(self._rest)

    def finish(self) -> int:
        """Send the second half; return the status of the answer."""
        self.send_rest()
        with self._socket.makefile("rb") as answer:
            return int(answer.readline().split()[1])

    def close(self) -> None:
        self._socket.close()

    def _is_let_in(self) -> bool:
        try:
            socket.create_connection(self._place).close()
        except ConnectionRefusedError:
            return False
        return True


def poll(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_headers_sent_byte_by_byte_time_out(workdir: Path) -> None:
    """On a new connection, on a persistent one, and on one that sends nothing."""
    with served(workdir, HEADWATER_HEAD_SECONDS="1") as (address, _):
        target = urlsplit(address).hostname, urlsplit(address).port
        begun = time.monotonic()
        with (
            socket.create_connection(target) as dribbling,
            socket.create_connection(target) as kept,
            socket.create_connection(target) as silent,
        ):
            kept.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b"}"):
                answer += kept.recv(65_536)
            assert answer.startswith(b"HTTP/1.1 200 ")
            assert sent_until_closed([dribbling, kept]) > 1
            assert time.monotonic() - begun >= 1
            assert silent.recv(65_536).startswith(b"HTTP/1.1 408 ")
        assert httpx.get(f"{address}/health/live").status_code == 200


def sent_until_closed(sockets: list[socket.socket]) -> int:
    """Return how many bytes of endless headers were sent per connection before all were closed."""
    left, sent = list(sockets), 0
    for each in left:
        each.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        each.settimeout(0.05)
    while left:
        sent += 1
        for each in list(left):
            try:
                each.sendall(b"x")
                assert each.recv(65_536).startswith(b"HTTP/1.1 408 ")
            except TimeoutError:
                continue
            except ConnectionError:
                pass  # closed before the last byte arrived
            left.remove(each)
    return sent


def test_the_header_timeout_ignores_slow_bodies_and_answers(workdir: Path) -> None:
    with served(workdir, HEADWATER_HEAD_SECONDS="0.5") as (address, _):
        sending = Sending(address)
        time.sleep(1.5)
        assert sending.finish() == 201
        sending.close()


def test_pipelined_requests_are_all_answered(workdir: Path) -> None:
    request = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n"
    with (
        served(workdir, HEADWATER_HEAD_SECONDS="0.5") as (address, _),
        socket.create_connection((urlsplit(address).hostname, urlsplit(address).port)) as ahead,
    ):
        ahead.sendall((request + b"\r\n") * 4 + request + b"Connection: close\r\n\r\n")
        with ahead.makefile("rb") as answers:
            assert answers.read().count(b"HTTP/1.1 200 ") == 5


def test_a_subscription_outlives_the_header_timeout(workdir: Path) -> None:
    with served(workdir, HEADWATER_HEAD_SECONDS="0.5") as (address, _):
        target = f"ws{address.removeprefix('http')}/graphql"
        with connect(target, subprotocols=[Subprotocol("graphql-transport-ws")]) as open_socket:
            time.sleep(1.5)
            open_socket.send('{"type": "connection_init"}')
            assert json.loads(open_socket.recv(10)) == {"type": "connection_ack"}


def test_a_shutdown_finishes_active_requests_and_starts_no_others(workdir: Path) -> None:
    with served(workdir) as (address, process):
        with closing(Sending(address)) as sending:
            sending.wait_until_it_is_under_way()
            process.send_signal(signal.SIGTERM)
            sending.wait_until_nobody_else_is_let_in()
            assert sending.finish() == 201
        assert process.wait(timeout=30) == 0
    assert "out" in headwater("datasets").output


def test_a_request_that_does_not_end_is_cancelled_on_shutdown(workdir: Path) -> None:
    with (
        served(workdir, HEADWATER_STOP_SECONDS="1") as (address, process),
        closing(Sending(address)) as sending,
    ):
        sending.wait_until_it_is_under_way()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0


def test_a_store_that_does_not_answer_does_not_delay_the_shutdown(workdir: Path) -> None:
    store = workdir / "lineage.db"
    with (
        served(workdir, "--store", f"sqlite:///{store}", HEADWATER_STOP_SECONDS="1") as (address, process),
        closing(sqlite3.connect(store, isolation_level=None)) as other,
        closing(Sending(address)) as sending,
    ):
        other.execute("BEGIN EXCLUSIVE")
        sending.wait_until_it_is_under_way()
        sending.send_rest()
        process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        assert process.wait(timeout=30) == 0
        assert time.monotonic() - begun < BUSY_SECONDS / 2


def test_servers_audit_each_change_of_keys_once(workdir: Path) -> None:
    keys = {"HEADWATER_KEYS_FILE": str(workdir / "keys.json")}
    headwater("keys", "new", "first", "--role", "reader", **keys)
    with served(workdir, **keys), served(workdir, **keys):
        poll(lambda: noted() == ["added first"])
        headwater("keys", "new", "second", "--role", "reader", **keys)
        poll(lambda: len(noted()) == 2)
        listed = json.loads(headwater("keys", "list", "--json", **keys).stdout)
        headwater("keys", "revoke", *[key["id"] for key in listed], **keys)
        poll(lambda: len(noted()) == 4)
        time.sleep(2 * POLL_SECONDS)
    assert noted() == ["revoked second", "revoked first", "added second", "added first"]


def noted() -> list[str]:
    """Return the audit log entries about keys, newest first, read from the store, since a query would be audited."""
    with closing(open_store("sqlite:///.headwater/lineage.db")) as opened:
        entries = [entry for entry in opened.audit(first=1_000) if entry.action == KEY]
    return [f"{entry.result} {json.loads(entry.details)['key']['name']}" for entry in reversed(entries)]


def test_a_change_of_keys_that_cannot_be_audited_does_not_stop_the_server(workdir: Path) -> None:
    keys = {"HEADWATER_KEYS_FILE": str(workdir / "keys.json")}
    headwater("keys", "new", "first", "--role", "reader", **keys)
    with served(workdir, **keys) as (address, process):
        poll(lambda: noted() == ["added first"])
        with closing(sqlite3.connect(workdir / ".headwater" / "lineage.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            made = headwater("keys", "new", "second", "--role", "reader", **keys).stdout.strip()
            time.sleep(2 * POLL_SECONDS)
            authorization = {"Authorization": f"Bearer {made}"}
            assert httpx.get(f"{address}/metrics", headers=authorization).status_code == 200
            process.send_signal(signal.SIGTERM)
            begun = time.monotonic()
            assert process.wait(timeout=30) == 0
            assert time.monotonic() - begun < BUSY_SECONDS / 2
    with served(workdir, **keys):
        poll(lambda: noted() == ["added second", "added first"])


def test_a_server_is_not_ready_before_it_stops(workdir: Path) -> None:
    with served(workdir, HEADWATER_DRAIN_SECONDS="600") as (address, process):
        assert httpx.get(f"{address}/health/ready").status_code == 200
        process.send_signal(signal.SIGTERM)
        poll(lambda: httpx.get(f"{address}/health/ready").status_code == 503)
        assert httpx.get(f"{address}/health/ready").json()["code"] == "STOPPING"
        assert httpx.get(f"{address}/health/live").status_code == 200
        sent = event("COMPLETE", 1, "run 1", [], [dataset("out", "a")])
        assert httpx.post(f"{address}/api/v1/lineage", json=sent).status_code == 201
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0


def test_a_server_without_its_store_is_alive_but_not_ready(workdir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with served(workdir, "--store", f"bolt://127.0.0.1:{port}") as (address, process):
        assert httpx.get(f"{address}/health/live").status_code == 200
        for path in ("/health", "/health/ready"):
            answer = httpx.get(f"{address}{path}")
            assert (answer.status_code, answer.json()["code"]) == (503, "STORE_UNAVAILABLE")
        answer = httpx.post(f"{address}/api/v1/lineage", json=event("COMPLETE", 1, "run 1", [], []))
        assert answer.status_code == 503 and int(answer.headers["retry-after"]) > 0
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0


def test_a_server_that_waits_for_its_store_exits_on_a_signal(workdir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = f"bolt://127.0.0.1:{silent.getsockname()[1]}"
        command = [sys.executable, "-m", "headwater_cli", "serve", "--port", "0", "--store", store]
        with subprocess.Popen(command, cwd=workdir, env=surroundings(), stdout=subprocess.DEVNULL) as process:
            silent.settimeout(30)
            connection, _ = silent.accept()
            with connection:
                process.send_signal(signal.SIGTERM)
                try:
                    assert process.wait(timeout=30) == 0
                finally:
                    process.kill()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_server_even_where_its_interruption_is_lost(ending: signal.Signals) -> None:
    server = uvicorn.Server(uvicorn.Config("none:none"))
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        end_on_signal(server)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(ending)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert server.should_exit


def test_an_impossible_store_is_reported_at_once() -> None:
    result = headwater("serve", "--port", "0", "--store", "mysql://db/lineage")
    assert result.exit_code == 1
    assert "sqlite:///FILE" in result.stderr


def test_a_port_in_use_is_reported_without_a_traceback(workdir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = program("serve", "--port", str(taken.getsockname()[1]), folder=workdir)
    assert result.returncode == 1
    assert "PORT_IN_USE" in result.stderr
    assert "--port" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_public_address_needs_explicit_settings() -> None:
    result = headwater("serve", "--host", "0.0.0.0")
    assert result.exit_code == 1
    assert "HEADWATER_ALLOW_UNAUTHENTICATED" in result.stderr


def test_errors_in_rules_are_reported_with_the_line(workdir: Path) -> None:
    (workdir / "rules.yaml").write_text("- dataset: a\n  path: b\n  category: user.nonsense\n", "utf-8")
    result = headwater("serve", "--port", "0", "--rules", "rules.yaml")
    assert result.exit_code == 1
    assert "rules.yaml, line 3" in result.stderr


def test_a_misspelt_setting_is_warned_about_with_the_nearest_name(workdir: Path) -> None:
    surroundings = {"HEADWATER_RATE_LIMITS": "600/minute"}
    result = program(
        "serve", "--port", "0", "--store", "mysql://db", folder=workdir, environment=surroundings
    )
    assert "HEADWATER_RATE_LIMITS is no setting; did you mean HEADWATER_RATE_LIMIT?" in result.stderr


@pytest.mark.parametrize(
    "command",
    [
        "serve --store",
        "datasets --store",
        "audit verify --store",
        "store export --store",
        "store import - --store",
        "store migrate --to",
        "store verify --against",
    ],
)
def test_a_password_in_an_argument_is_refused(command: str) -> None:
    result = headwater(*command.split(), "bolt://me:hunter2@127.0.0.1:1")
    assert result.exit_code == 2
    assert "NEO4J_PASSWORD" in result.stderr
    assert "hunter2" not in result.output


@pytest.mark.parametrize("command", ["datasets", "run", "spark-conf"])
def test_an_api_key_in_an_argument_is_refused(command: str) -> None:
    result = headwater(command, "--url", "https://me:hunter2@lineage")
    assert result.exit_code == 2
    assert "hunter2" not in result.output and "key" in result.stderr


def test_a_password_from_the_environment_is_never_printed(workdir: Path) -> None:
    (workdir / "password").write_text("hunter2")
    store = {
        "HEADWATER_STORE": "bolt://me:swordfish@127.0.0.1:1",
        "HEADWATER_NEO4J_PASSWORD_FILE": "password",
        "HEADWATER_LOG_LEVEL": "DEBUG",
    }
    answer = headwater("datasets", **store)
    assert answer.exit_code == 1 and "bolt://127.0.0.1:1" in answer.stderr
    with served(workdir, **store) as (address, process):
        result = httpx.get(f"{address}/health/ready").text
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        assert process.stdout
        result += process.stdout.read() + answer.output
    assert "hunter2" not in result and "swordfish" not in result


def test_a_setting_that_is_not_json_is_named() -> None:
    result = headwater("serve", HEADWATER_ALLOWED_HOSTS="lineage.example.org")
    assert result.exit_code == 1
    assert "allowed_hosts" in result.stderr and "JSON" in result.stderr
