"""Subscriptions to run updates over a WebSocket."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from headwater_backend.access.api_keys import ApiKey, new_key, revoke
from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.domain.model import JobKey, Run, RunKey
from headwater_backend.domain.roles import Role
from headwater_backend.ingest.sender import NAMES_IN_A_NOTE
from headwater_backend.ingest.service import EVENTS_PER_TRANSACTION, ingest
from headwater_backend.ports import LineageStore
from headwater_backend.server import run_feed
from headwater_backend.server.run_feed import (
    BATCH_SIZE,
    QUEUE_SIZE,
    SECONDS,
    Reader,
    RunFeed,
    TooManySubscriptions,
)
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_backend.stores.sqlite.store import SqliteStore
from headwater_cli.composition import create_app
from headwater_graphql.http import sockets
from headwater_graphql.queries import queries
from kit.command import served
from kit.openlineage import NAMESPACE, dataset, event, facet, run_id

PROTOCOL = "graphql-transport-ws"
NEWS = queries()["run_news"]
PATIENCE = 20


def serving(store: LineageStore, **settings: Any) -> TestClient:
    return TestClient(create_app(store, Settings(**settings)), base_url="http://localhost")


@contextmanager
def connected(client: TestClient, **headers: str) -> Iterator[WebSocketTestSession]:
    with client.websocket_connect(
        "ws://localhost/graphql", subprotocols=[PROTOCOL], headers=headers
    ) as socket:
        socket.send_json({"type": "connection_init"})
        assert socket.receive_json() == {"type": "connection_ack"}
        yield socket


def subscribe(socket: WebSocketTestSession, feed: RunFeed, query: str = NEWS, **variables: Any) -> None:
    """Subscribe, and wait until the feed has the subscription."""
    before = feed.readers
    socket.send_json({"id": "1", "type": "subscribe", "payload": {"query": query, "variables": variables}})
    until(lambda: feed.readers > before)


def until(condition: Any) -> None:
    waiting = threading.Event()
    for _ in range(PATIENCE * 100):
        if condition():
            return
        waiting.wait(0.01)
    raise AssertionError("it did not come about")


def news(socket: WebSocketTestSession) -> dict[str, Any]:
    message = socket.receive_json()
    assert message["type"] == "next", message
    found: dict[str, Any] = message["payload"]["data"]["runNews"]
    return found


def test_run_updates_are_sent_as_events_are_stored(store: LineageStore) -> None:
    with serving(store) as client, connected(client) as socket:
        subscribe(socket, client.app.state.feed, namespace=NAMESPACE, job="night*")  # type: ignore[attr-defined]
        failing = event("FAIL", 3, "b", job="nightly")
        failing["run"]["facets"] = {"errorMessage": facet(message="no space", programmingLanguage="C")}
        for body in (
            event("START", 1, "a", [], [dataset("out")], "nightly"),
            event("START", 2, "x", job="hourly"),
            failing,
        ):
            assert client.post("/api/v1/lineage", json=body).status_code == 201
        first, second = news(socket), news(socket)
        assert (first["runId"], first["state"], first["missed"]) == (run_id("a"), "START", 0)
        assert (second["runId"], second["state"], second["error"]) == (run_id("b"), "FAIL", "no space")
        assert second["job"] == {"namespace": NAMESPACE, "name": "nightly"}


def test_null_comes_once_nothing_is_missed_and_not_before(tmp_path: Path) -> None:
    reached, go_on = threading.Event(), threading.Event()

    class Slow(SqliteStore):
        def audit_end(self) -> Any:
            reached.set()
            assert go_on.wait(PATIENCE)
            return super().audit_end()

    with (
        closing(Slow.open(tmp_path / "lineage.db")) as store,
        serving(store) as client,
        connected(client) as socket,
    ):
        variables = {"ready": True}
        socket.send_json({"id": "1", "type": "subscribe", "payload": {"query": NEWS, "variables": variables}})
        assert reached.wait(PATIENCE)
        ingest(store, [event("START", 1, "between")])
        threading.Timer(SECONDS, go_on.set).start()
        assert socket.receive_json()["payload"] == {"data": {"runNews": None}}
        assert go_on.is_set()
        ingest(store, [event("START", 2, "after")])
        assert news(socket)["runId"] == run_id("after")


def test_updates_by_other_processes_are_sent_once_and_in_order(store_url: str) -> None:
    """Events are stored by another server, a command, and this server."""
    with (
        closing(open_store(store_url)) as one,
        closing(open_store(store_url)) as another,
        serving(one) as client,
        serving(another) as other_client,
        connected(client) as socket,
        connected(other_client) as other_socket,
    ):
        ingest(another, [event("COMPLETE", 0, "long before", job="nightly")])
        subscribe(socket, client.app.state.feed)  # type: ignore[attr-defined]
        subscribe(other_socket, other_client.app.state.feed)  # type: ignore[attr-defined]
        runs = [f"run {number}" for number in range(30)]
        for number, run in enumerate(runs):
            body = event("COMPLETE", 1, run, job=f"job {number % 3}")
            match number % 3:
                case 0:
                    assert client.post("/api/v1/lineage", json=body).status_code == 201
                case 1:
                    assert other_client.post("/api/v1/lineage/batch", json=[body]).status_code == 200
                case _:
                    ingest(another, [body])
        for each in (socket, other_socket):
            found = [news(each) for _ in runs]
            assert [one["runId"] for one in found] == [run_id(run) for run in runs]
            assert [one["job"]["name"] for one in found[:3]] == ["job 0", "job 1", "job 2"]
            assert {one["missed"] for one in found} == {0}


def test_concurrent_updates_are_all_sent(store_url: str) -> None:
    """Log entries that are committed while the log is read are not skipped."""
    wanted = {run_id(f"{writer} {number}") for writer in range(3) for number in range(40)}
    store, *stores = [open_store(store_url) for _ in range(4)]

    def write(writer: int) -> None:
        for number in range(40):
            ingest(stores[writer], [event("COMPLETE", 1, f"{writer} {number}", job=f"job {writer}")])

    async def received() -> list[str]:
        feed, found = RunFeed(store), list[str]()
        async with feed.subscribe(lambda _: True) as reader:
            with ThreadPoolExecutor() as pool:
                writing = [pool.submit(write, writer) for writer in range(3)]
                while len(found) < len(wanted):
                    runs, missed = await asyncio.wait_for(reader.next(), PATIENCE)
                    assert missed == 0
                    found += [run.run_id for run in runs]
                for each in writing:
                    each.result()
            await asyncio.sleep(3 * SECONDS)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(reader.next(), SECONDS)
        return found

    found = asyncio.run(received())
    for each in (store, *stores):
        each.close()
    assert sorted(found) == sorted(wanted)


def test_the_store_is_only_read_while_there_are_subscriptions(tmp_path: Path) -> None:
    looks = 0

    class Counted(SqliteStore):
        def audit(self, after: int = 0, first: int = 100) -> Any:
            nonlocal looks
            looks += 1
            return super().audit(after, first)

    async def subscribed(feed: RunFeed) -> None:
        before = looks
        async with feed.subscribe(lambda _: True):
            while looks < before + 2:
                await asyncio.sleep(0.01)

    with closing(Counted.open(tmp_path / "lineage.db")) as store:
        feed = RunFeed(store)
        for _ in range(2):
            asyncio.run(subscribed(feed))
            until(lambda: reading() == 0)
            after = looks
            threading.Event().wait(3 * SECONDS)
            assert looks == after


def reading() -> int:
    """Return the number of threads that read the log."""
    return sum(thread.name == "reads what is stored" for thread in threading.enumerate())


def test_an_unavailable_store_refuses_new_subscriptions_and_old_ones_miss_nothing(tmp_path: Path) -> None:
    away = True

    class Leaving(SqliteStore):
        def audit(self, after: int = 0, first: int = 100) -> Any:
            return super().audit(after, first) if not away else self._missing()

        def audit_end(self) -> Any:
            return super().audit_end() if not away else self._missing()

        def _missing(self) -> Any:
            raise StoreUnavailable("away")

    async def received(feed: RunFeed, store: LineageStore) -> list[RunKey]:
        nonlocal away
        with pytest.raises(StoreUnavailable):
            async with feed.subscribe(lambda _: True):
                raise AssertionError("it began")
        assert feed.readers == 0
        away = False
        async with feed.subscribe(lambda _: True) as reader:
            away = True
            ingest(store, [event("START", 1, "meanwhile")])
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(reader.next(), 3 * SECONDS)
            away = False
            runs, _ = await asyncio.wait_for(reader.next(), PATIENCE)
        return runs

    with closing(Leaving.open(tmp_path / "lineage.db")) as store:
        (run,) = asyncio.run(received(RunFeed(store), store))
    assert run.run_id == run_id("meanwhile")


def test_a_run_that_becomes_visible_later_is_sent(tmp_path: Path) -> None:
    class Late(SqliteStore):
        reads = 0

        def get_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
            self.reads += 1
            return super().get_runs(keys) if self.reads > 1 else {}

    with (
        closing(Late.open(tmp_path / "lineage.db")) as store,
        serving(store) as client,
        connected(client) as socket,
    ):
        subscribe(socket, client.app.state.feed)  # type: ignore[attr-defined]
        ingest(store, [event("START", 1, "a")])
        assert news(socket)["runId"] == run_id("a")


def test_the_number_of_subscriptions_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_feed, "MAX_READERS", 2)

    async def subscribe_thrice(feed: RunFeed) -> None:
        async with feed.subscribe(lambda _: True), feed.subscribe(lambda _: True):
            with pytest.raises(TooManySubscriptions):
                async with feed.subscribe(lambda _: True):
                    raise AssertionError("it was let in")

    with closing(open_store(f"sqlite:///{tmp_path}/lineage.db")) as store:
        asyncio.run(subscribe_thrice(RunFeed(store)))


def test_no_transaction_has_more_runs_than_its_log_entry_names() -> None:
    """Subscriptions depend on it, because they read runs from the log."""
    assert EVENTS_PER_TRANSACTION <= NAMES_IN_A_NOTE


def test_a_disconnected_subscriber_is_removed(store: LineageStore) -> None:
    with serving(store) as client:
        feed = client.app.state.feed  # type: ignore[attr-defined]
        with connected(client) as socket:
            subscribe(socket, feed)
            socket.send_json({"id": "1", "type": "complete"})
            until(lambda: feed.readers == 0)
            subscribe(socket, feed)
        until(lambda: feed.readers == 0)
        assert client.post("/api/v1/lineage", json=event("START", 1)).status_code == 201


@pytest.mark.parametrize(
    "query",
    ["{ datasets { totalCount } }", "subscription { nothing }", "subscription { runNews { nothing } }"],
)
def test_other_operations_are_refused_with_a_code(store: LineageStore, query: str) -> None:
    with serving(store) as client, connected(client) as socket:
        socket.send_json({"id": "1", "type": "subscribe", "payload": {"query": query}})
        message = socket.receive_json()
        assert message["type"] == "error"
        assert {error["extensions"]["code"] for error in message["payload"]} == {"BAD_QUERY"}


def test_a_subscription_is_not_counted_as_a_request(store: LineageStore) -> None:
    with serving(store) as client:
        answer = client.post("/graphql", json={"query": NEWS})
        assert answer.status_code == 400
        assert "subscriptions are not allowed" in answer.json()["detail"]


@pytest.mark.parametrize(
    "message",
    [
        "no JSON",
        "7",
        "[]",
        "[" * 100_000,
        '{"type": 7}',
        '{"type": "subscribe"}',
        '{"type": "subscribe", "id": {}, "payload": {"query": "x"}}',
        '{"type": "subscribe", "id": "1", "payload": []}',
        '{"type": "subscribe", "id": "1", "payload": {"query": 7}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "x", "variables": []}}',
        '{"type": "unheard of"}',
    ],
)
def test_an_invalid_message_closes_the_connection(store: LineageStore, message: str) -> None:
    with serving(store) as client, connected(client) as socket:
        socket.send_text(message)
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_json()
        assert ended.value.code == 4400


def test_a_subscription_needs_the_permission_of_a_query(store: LineageStore, tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    keys = {role: new_key(file, role.value, [role], ["*"])[1] for role in (Role.READER, Role.PRODUCER)}
    with serving(store, keys_file=file) as client:
        for headers in ({"authorization": f"Bearer {keys[Role.PRODUCER]}"}, {"authorization": "Bearer no"}):
            with pytest.raises(WebSocketDenialResponse) as refused, connected(client, **headers):
                raise AssertionError("it was let in")
            assert refused.value.status_code in (401, 403)
        with connected(client, authorization=f"Bearer {keys[Role.READER]}") as socket:
            subscribe(socket, client.app.state.feed)  # type: ignore[attr-defined]
            ingest(store, [event("START", 1, "not over this server")])


def first_message(client: TestClient, payload: object) -> dict[str, Any]:
    """The answer to the first message of a page, which cannot send headers."""
    with client.websocket_connect("ws://localhost/graphql", subprotocols=[PROTOCOL]) as socket:
        socket.send_json({"type": "connection_init", "payload": payload})
        found: dict[str, Any] = socket.receive_json()
        return found


def test_a_page_sends_its_key_in_the_first_message(store: LineageStore, tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    keys = {role: new_key(file, role.value, [role], ["*"])[1] for role in (Role.READER, Role.PRODUCER)}
    with serving(store, keys_file=file) as client:
        for payload, code in (
            ({}, 4401),
            ({"authorization": "Bearer no"}, 4401),
            ({"authorization": ["Bearer", keys[Role.READER]]}, 4401),
            ({"Authorization": f"Bearer {keys[Role.READER]}"}, 4401),
            ({"authorization": f"Bearer {keys[Role.PRODUCER]}"}, 4403),
        ):
            with pytest.raises(WebSocketDisconnect) as refused:
                first_message(client, payload)
            assert refused.value.code == code
        good = {"authorization": f"Bearer {keys[Role.READER]}"}
        assert first_message(client, good) == {"type": "connection_ack"}


def test_a_connection_without_a_key_may_do_nothing_yet(store: LineageStore, tmp_path: Path) -> None:
    new_key(tmp_path / "keys.json", "reader", [Role.READER])
    with (
        serving(store, keys_file=tmp_path / "keys.json") as client,
        client.websocket_connect("ws://localhost/graphql", subprotocols=[PROTOCOL]) as socket,
    ):
        socket.send_json({"id": "1", "type": "subscribe", "payload": {"query": NEWS}})
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_json()
        assert ended.value.code == 4401


def test_a_connection_without_a_first_message_is_closed(
    store: LineageStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "INIT_SECONDS", timedelta(seconds=0.2))
    new_key(tmp_path / "keys.json", "reader", [Role.READER])
    with (
        serving(store, keys_file=tmp_path / "keys.json") as client,
        client.websocket_connect("ws://localhost/graphql", subprotocols=[PROTOCOL]) as socket,
    ):
        socket.send_json({"type": "ping"})
        assert socket.receive_json() == {"type": "pong"}
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_json()
        assert ended.value.code == 4408


def test_guesses_in_first_messages_are_counted(store: LineageStore, tmp_path: Path) -> None:
    new_key(tmp_path / "keys.json", "reader", [Role.READER])
    with serving(store, keys_file=tmp_path / "keys.json", failure_limit="2/minute") as client:
        codes = []
        for _ in range(3):
            with pytest.raises(WebSocketDisconnect) as refused:
                first_message(client, {"authorization": "Bearer guess"})
            codes.append(refused.value.code)
        assert codes == [4401, 4401, 4429]
        assert client.get("/graphql", params={"query": "{__typename}"}).status_code == 401


def test_a_subscription_does_not_outlive_the_key_of_its_first_message(
    store: LineageStore, tmp_path: Path
) -> None:
    file = tmp_path / "keys.json"
    key, text = new_key(file, "reader", [Role.READER])
    with (
        serving(store, keys_file=file) as client,
        client.websocket_connect("ws://localhost/graphql", subprotocols=[PROTOCOL]) as socket,
    ):
        socket.send_json({"type": "connection_init", "payload": {"authorization": f"Bearer {text}"}})
        assert socket.receive_json() == {"type": "connection_ack"}
        subscribe(socket, client.app.state.feed)  # type: ignore[attr-defined]
        revoke(file, key.id)
        ingest(store, [event("START", 1, "after")])
        assert refused(socket.receive_json()) == "UNAUTHENTICATED"


@pytest.mark.parametrize(
    ("loses", "code"),
    [
        (lambda file, key: revoke(file, key.id), "UNAUTHENTICATED"),
        (lambda file, key: change(file, roles=["producer"], namespaces=["*"]), "FORBIDDEN"),
        (lambda file, key: change(file, namespaces=["elsewhere"]), "FORBIDDEN"),
    ],
)
def test_a_subscription_does_not_outlive_the_key(
    store: LineageStore, tmp_path: Path, loses: Callable[[Path, ApiKey], object], code: str
) -> None:
    file = tmp_path / "keys.json"
    key, text = new_key(file, "reader", [Role.READER])
    with (
        serving(store, keys_file=file) as client,
        connected(client, authorization=f"Bearer {text}") as socket,
    ):
        subscribe(socket, client.app.state.feed)  # type: ignore[attr-defined]
        ingest(store, [event("START", 1, "before")])
        assert news(socket)["runId"] == run_id("before")
        loses(file, key)
        ingest(store, [event("START", 2, "after")])
        assert refused(socket.receive_json()) == code
        again = {"id": "2", "type": "subscribe", "payload": {"query": NEWS}}
        messages = [socket.receive_json()]
        socket.send_json(again)
        messages += [socket.receive_json()]
        assert run_id("after") not in json.dumps(messages)
        assert refused(messages[1]) == code


def change(file: Path, **rights: Sequence[str]) -> None:
    (key,) = json.loads(file.read_text())
    file.write_text(json.dumps([{**key, **rights}]))


def refused(message: Mapping[str, Any]) -> str:
    """Return the code of an error of the operation or of one of its results."""
    payload = message["payload"]
    (error,) = payload if message["type"] == "error" else payload["errors"]
    code: str = error["extensions"]["code"]
    return code


def test_a_foreign_page_is_refused(store: LineageStore) -> None:
    with serving(store) as client:
        with (
            pytest.raises(WebSocketDenialResponse) as refused,
            connected(client, origin="http://evil.example"),
        ):
            raise AssertionError("it was let in")
        assert refused.value.status_code == 403


def test_a_slow_reader_receives_the_number_of_missed_runs() -> None:
    async def read() -> tuple[list[RunKey], int, int]:
        reader = Reader(lambda job: job.name == "wanted")
        wanted = [RunKey(JobKey("ns", "wanted"), str(number)) for number in range(QUEUE_SIZE + 7)]
        reader.put([*wanted[:5], RunKey(JobKey("ns", "other"), "0")])
        reader.put(wanted[5:])
        await asyncio.sleep(0)
        runs, missed = await reader.next()
        _, later = await reader.next()
        return runs, missed, later

    runs, missed, later = asyncio.run(read())
    assert [int(run.run_id) for run in runs] == list(range(7, 7 + BATCH_SIZE))
    assert (missed, later) == (7, 0)


def test_a_repeated_run_is_read_once() -> None:
    async def read() -> list[RunKey]:
        reader = Reader(lambda _: True)
        reader.put([RunKey(JobKey("ns", "job"), "1")] * 3)
        await asyncio.sleep(0)
        return (await reader.next())[0]

    assert len(asyncio.run(read())) == 1


def test_a_stopping_server_closes_its_subscriptions(tmp_path: Path) -> None:
    with served(tmp_path, "--store", f"sqlite:///{tmp_path}/lineage.db") as (address, process):
        with connect(f"ws{address.removeprefix('http')}/graphql", subprotocols=[PROTOCOL]) as socket:  # type: ignore[list-item]
            socket.send(json.dumps({"type": "connection_init"}))
            assert json.loads(socket.recv(PATIENCE)) == {"type": "connection_ack"}
            socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": {"query": NEWS}}))
            socket.send(json.dumps({"type": "ping"}))
            assert json.loads(socket.recv(PATIENCE)) == {"type": "pong"}
            process.terminate()
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(PATIENCE)
            assert closed.value.rcvd is not None and closed.value.rcvd.code in (1001, 1012)
        assert process.wait(PATIENCE) == 0
