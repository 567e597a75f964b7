"""The server as a program: it prints where it is, takes events, and ends well."""

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
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from headwater_backend.access.key_changes import KEY, LOOK_SECONDS
from headwater_backend.stores import open_store
from headwater_backend.stores.sqlite.store import BUSY_SECONDS
from kit.command import headwater, program, served, surroundings
from kit.openlineage import dataset, event


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_server_ends_with_success_when_it_is_asked_to(ending: signal.Signals, here: Path) -> None:
    with served(here) as (address, process):
        assert httpx.get(f"{address}/health").json()["status"] == "ok"
        process.send_signal(ending)
        assert process.wait(timeout=30) == 0
    assert (here / ".headwater" / "lineage.db").is_file()


def test_a_kept_connection_waits_for_no_acknowledgement(here: Path) -> None:
    with served(here) as (address, _), httpx.Client() as client:
        client.get(f"{address}/health")
        kept = [client.get(f"{address}/health").elapsed.total_seconds() for _ in range(20)]
        new = [
            httpx.get(f"{address}/health", headers={"Connection": "close"}).elapsed.total_seconds()
            for _ in range(20)
        ]
    assert median(kept) < 4 * median(new)


class Sending:
    """An event of which the second half is kept back."""

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
        """Send the second half, too; the status of the answer."""
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


def test_a_head_that_comes_byte_by_byte_is_not_waited_for(here: Path) -> None:
    """On a new connection, on one that is kept, and where nothing comes at all."""
    with served(here, HEADWATER_HEAD_SECONDS="1") as (address, _):
        place = urlsplit(address).hostname, urlsplit(address).port
        begun = time.monotonic()
        with (
            socket.create_connection(place) as dribbling,
            socket.create_connection(place) as kept,
            socket.create_connection(place) as silent,
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
    """How many bytes of an endless head each of them took before all were closed."""
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
                pass  # closed before the last byte got there
            left.remove(each)
    return sent


def test_a_slow_body_and_a_slow_answer_are_no_slow_head(here: Path) -> None:
    with served(here, HEADWATER_HEAD_SECONDS="0.5") as (address, _):
        sending = Sending(address)
        time.sleep(1.5)
        assert sending.finish() == 201
        sending.close()


def test_requests_that_are_sent_ahead_are_all_answered(here: Path) -> None:
    request = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n"
    with (
        served(here, HEADWATER_HEAD_SECONDS="0.5") as (address, _),
        socket.create_connection((urlsplit(address).hostname, urlsplit(address).port)) as ahead,
    ):
        ahead.sendall((request + b"\r\n") * 4 + request + b"Connection: close\r\n\r\n")
        with ahead.makefile("rb") as answers:
            assert answers.read().count(b"HTTP/1.1 200 ") == 5


def test_a_subscription_outlives_the_time_for_a_head(here: Path) -> None:
    with served(here, HEADWATER_HEAD_SECONDS="0.5") as (address, _):
        place = f"ws{address.removeprefix('http')}/graphql"
        with connect(place, subprotocols=[Subprotocol("graphql-transport-ws")]) as open_socket:
            time.sleep(1.5)
            open_socket.send('{"type": "connection_init"}')
            assert json.loads(open_socket.recv(10)) == {"type": "connection_ack"}


def test_what_is_under_way_is_finished_and_nothing_else_is_begun(here: Path) -> None:
    with served(here) as (address, process):
        with closing(Sending(address)) as sending:
            sending.wait_until_it_is_under_way()
            process.send_signal(signal.SIGTERM)
            sending.wait_until_nobody_else_is_let_in()
            assert sending.finish() == 201
        assert process.wait(timeout=30) == 0
    assert "out" in headwater("datasets").output


def test_what_does_not_end_is_ended(here: Path) -> None:
    with served(here, HEADWATER_STOP_SECONDS="1") as (address, process), closing(Sending(address)) as sending:
        sending.wait_until_it_is_under_way()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0


def test_a_store_that_does_not_answer_does_not_keep_the_server(here: Path) -> None:
    store = here / "lineage.db"
    with (
        served(here, "--store", f"sqlite:///{store}", HEADWATER_STOP_SECONDS="1") as (address, process),
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


def test_servers_note_each_change_of_keys_once(here: Path) -> None:
    keys = {"HEADWATER_KEYS_FILE": str(here / "keys.json")}
    headwater("keys", "new", "first", "--role", "reader", **keys)
    with served(here, **keys), served(here, **keys):
        poll(lambda: noted() == ["added first"])
        headwater("keys", "new", "second", "--role", "reader", **keys)
        poll(lambda: len(noted()) == 2)
        listed = json.loads(headwater("keys", "list", "--json", **keys).stdout)
        headwater("keys", "revoke", *[key["id"] for key in listed], **keys)
        poll(lambda: len(noted()) == 4)
        time.sleep(2 * LOOK_SECONDS)
    assert noted() == ["revoked second", "revoked first", "added second", "added first"]


def noted() -> list[str]:
    """What the audit log of the store here tells of keys, the newest first. To ask for it would be noted as well."""
    with closing(open_store("sqlite:///.headwater/lineage.db")) as opened:
        entries = [entry for entry in opened.audit(first=1_000) if entry.action == KEY]
    return [f"{entry.result} {json.loads(entry.details)['key']['name']}" for entry in reversed(entries)]


def test_a_change_of_keys_that_cannot_be_noted_keeps_nobody(here: Path) -> None:
    keys = {"HEADWATER_KEYS_FILE": str(here / "keys.json")}
    headwater("keys", "new", "first", "--role", "reader", **keys)
    with served(here, **keys) as (address, process):
        poll(lambda: noted() == ["added first"])
        with closing(sqlite3.connect(here / ".headwater" / "lineage.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            made = headwater("keys", "new", "second", "--role", "reader", **keys).stdout.strip()
            time.sleep(2 * LOOK_SECONDS)
            authorization = {"Authorization": f"Bearer {made}"}
            assert httpx.get(f"{address}/metrics", headers=authorization).status_code == 200
            process.send_signal(signal.SIGTERM)
            begun = time.monotonic()
            assert process.wait(timeout=30) == 0
            assert time.monotonic() - begun < BUSY_SECONDS / 2
    with served(here, **keys):
        poll(lambda: noted() == ["added second", "added first"])


def test_before_it_stops_a_server_says_that_it_is_not_ready(here: Path) -> None:
    with served(here, HEADWATER_DRAIN_SECONDS="600") as (address, process):
        assert httpx.get(f"{address}/health/ready").status_code == 200
        process.send_signal(signal.SIGTERM)
        poll(lambda: httpx.get(f"{address}/health/ready").status_code == 503)
        assert httpx.get(f"{address}/health/ready").json()["code"] == "STOPPING"
        assert httpx.get(f"{address}/health/live").status_code == 200
        sent = event("COMPLETE", 1, "run 1", [], [dataset("out", "a")])
        assert httpx.post(f"{address}/api/v1/lineage", json=sent).status_code == 201
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0


def test_a_server_whose_store_is_away_lives_and_says_so(here: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with served(here, "--store", f"bolt://127.0.0.1:{port}") as (address, process):
        assert httpx.get(f"{address}/health/live").status_code == 200
        for asked in ("/health", "/health/ready"):
            answer = httpx.get(f"{address}{asked}")
            assert (answer.status_code, answer.json()["code"]) == (503, "STORE_UNAVAILABLE")
        answer = httpx.post(f"{address}/api/v1/lineage", json=event("COMPLETE", 1, "run 1", [], []))
        assert answer.status_code == 503 and int(answer.headers["retry-after"]) > 0
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0


def test_a_server_that_still_waits_for_its_store_ends_when_it_is_asked_to(here: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = f"bolt://127.0.0.1:{silent.getsockname()[1]}"
        command = [sys.executable, "-m", "headwater_cli", "serve", "--port", "0", "--store", store]
        with subprocess.Popen(command, cwd=here, env=surroundings(), stdout=subprocess.DEVNULL) as process:
            silent.settimeout(30)
            connection, _ = silent.accept()
            with connection:
                process.send_signal(signal.SIGTERM)
                assert process.wait(timeout=30) == 0


def test_a_store_that_there_cannot_be_is_told_at_once() -> None:
    told = headwater("serve", "--port", "0", "--store", "mysql://db/lineage")
    assert told.exit_code == 1
    assert "sqlite:///FILE" in told.stderr


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


def test_a_misspelt_setting_is_warned_of_with_the_nearest_name(here: Path) -> None:
    surroundings = {"HEADWATER_RATE_LIMITS": "600/minute"}
    told = program("serve", "--port", "0", "--store", "mysql://db", folder=here, environment=surroundings)
    assert "HEADWATER_RATE_LIMITS is no setting; did you mean HEADWATER_RATE_LIMIT?" in told.stderr


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
def test_a_password_is_no_argument(command: str) -> None:
    told = headwater(*command.split(), "bolt://me:hunter2@127.0.0.1:1")
    assert told.exit_code == 2
    assert "NEO4J_PASSWORD" in told.stderr
    assert "hunter2" not in told.output


@pytest.mark.parametrize("command", ["datasets", "run", "spark-conf"])
def test_the_key_of_a_server_is_no_argument(command: str) -> None:
    told = headwater(command, "--url", "https://me:hunter2@lineage")
    assert told.exit_code == 2
    assert "hunter2" not in told.output and "key" in told.stderr


def test_a_password_of_the_surroundings_is_never_shown(here: Path) -> None:
    (here / "password").write_text("hunter2")
    store = {
        "HEADWATER_STORE": "bolt://me:swordfish@127.0.0.1:1",
        "HEADWATER_NEO4J_PASSWORD_FILE": "password",
        "HEADWATER_LOG_LEVEL": "DEBUG",
    }
    asked = headwater("datasets", **store)
    assert asked.exit_code == 1 and "bolt://127.0.0.1:1" in asked.stderr
    with served(here, **store) as (address, process):
        told = httpx.get(f"{address}/health/ready").text
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        assert process.stdout
        told += process.stdout.read() + asked.output
    assert "hunter2" not in told and "swordfish" not in told


def test_a_list_that_is_no_json_is_named() -> None:
    told = headwater("serve", HEADWATER_ALLOWED_HOSTS="lineage.example.org")
    assert told.exit_code == 1
    assert "allowed_hosts" in told.stderr and "JSON" in told.stderr
