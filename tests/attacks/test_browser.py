"""A page of another site has a browser send us requests, or has its own name lead to us."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.testclient import TestClient
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from headwater_backend.access.api_keys import new_key
from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.domain.roles import Role
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from headwater_graphql.kept_operations import Operations, digest
from headwater_graphql.queries import queries
from kit import sqlite
from kit.command import served
from kit.openlineage import dataset, event

EVENT: dict[str, Any] = event("COMPLETE", 1, "run 1", [dataset("in", "a")], [dataset("out", "a")])
EXPOSURE = "{ attributeExposure { complete } }"
DATASETS = "{ datasets { totalCount } }"
IMAGE = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
FRAME = {**LINK, "sec-fetch-dest": "iframe"}
OF_AN_OLD_BROWSER: dict[str, str] = {}
TYPED = {**LINK, "sec-fetch-site": "none"}
_OF_PERSONS = {
    "Breach",
    "ClassDecisions",
    "ClassProposals",
    "Classes",
    "Crossings",
    "Cut",
    "Declassifications",
    "Exposure",
    "ExposureChanges",
    "ExposureMatrix",
    "OverviewExposure",
    "FindingHistory",
    "Findings",
    "Holdings",
    "MoreHoldings",
    "PolicyCheck",
    "Reidentifications",
    "Report",
    "Residency",
    "Retention",
    "SignOffs",
    "SubjectData",
}
PERSONAL = _OF_PERSONS | {"Audit", "DeadLetter", "DeadLetters"}
MUTATIONS = {
    "AddNames",
    "Classify",
    "DecideCopies",
    "DecideCorrections",
    "DecideFindings",
    "DecideFunctions",
    "DecideProposals",
    "Declassify",
    "MendDeadLetter",
    "ProposeFunctions",
    "RemoveNames",
    "ReplayDeadLetters",
    "RevokeClasses",
    "SignReport",
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LineageStore]:
    """An empty store, of one kind: what is refused here, no store gets to see."""
    opened = open_store(sqlite.empty(tmp_path / "lineage.db"))
    yield opened
    opened.close()


@pytest.fixture
def client(store: LineageStore) -> Iterator[TestClient]:
    with TestClient(create_app(store, Settings()), base_url="http://localhost:8055") as opened:
        yield opened


def refused(answer: Any, status: int, code: str) -> None:
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize("headers", [OF_AN_OLD_BROWSER, TYPED, IMAGE, LINK, FRAME])
@pytest.mark.parametrize(
    "asked",
    [
        {"query": EXPOSURE},
        {"query": "{ auditLog { number } }"},
        {"operationName": "Exposure", "variables": '{"category": "user.contact"}'},
        {"operationName": "Audit"},
        {"extensions": json.dumps({"persistedQuery": {"sha256Hash": digest(queries()["exposure"])}})},
        {"query": queries()["audit"]},
        {"operationName": "ReplayDeadLetters", "variables": '{"keys": ["a"]}'},
        {"query": DATASETS},
        {"query": DATASETS, "operationName": "Datasets"},
    ],
)
def test_a_link_asks_nothing_personal_and_writes_nothing(
    client: TestClient, store: LineageStore, asked: dict[str, str], headers: dict[str, str]
) -> None:
    answer = client.get("/graphql", params=asked, headers=headers)
    assert answer.status_code in (403, 405)
    assert answer.json()["code"] in ("FOREIGN_ORIGIN", "POST_ONLY")
    assert store.audit_end()[0] == 0


def test_the_links_are_the_kept_queries_that_ask_nothing_personal(client: TestClient) -> None:
    kept = Operations.load()
    linked = {name for name, text in kept.by_name.items() if kept.allows_get(text)}
    assert linked == kept.by_name.keys() - PERSONAL - MUTATIONS - {"RunNews"}
    answer = client.get("/graphql", params={"operationName": "Datasets"}, headers=TYPED)
    assert answer.json()["data"]["datasets"]["totalCount"] == 0
    refusal = client.get("/graphql", params={"operationName": "Audit"})
    assert refusal.headers["allow"] == "POST"


def test_an_own_operation_is_judged_as_ours_are(tmp_path: Path) -> None:
    for name, root in (
        ("Plain", "datasets { totalCount }"),
        ("Hidden", "... on Query { x: holdings { edges { cursor } } }"),
    ):
        (tmp_path / f"{name}.graphql").write_text(f"query {name} {{ {root} }}")
    kept = Operations.load(tmp_path)
    assert [kept.allows_get(kept.by_name[name]) for name in ("Plain", "Hidden")] == [True, False]


@pytest.mark.parametrize("site", ["cross-site", "same-site", "CROSS-SITE", "anything new"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/graphql?operationName=Datasets"),
        ("GET", "/health"),
        ("GET", "/metrics"),
        ("POST", "/graphql"),
    ],
)
def test_the_headers_in_which_a_browser_names_its_page_are_trusted(
    client: TestClient, method: str, path: str, site: str
) -> None:
    for mode in ("no-cors", "cors", "websocket", "navigate"):
        headers = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": "empty"}
        refused(client.request(method, path, headers=headers), 403, "FOREIGN_ORIGIN")


@pytest.mark.parametrize("path", ["/", "/graphql", "/embed"])
def test_a_link_to_a_page_may_be_followed(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={**LINK, "accept": "text/html"})
    assert "text/html" in answer.headers["content-type"]
    refused(client.get(path, headers={**FRAME, "accept": "text/html"}), 403, "FOREIGN_ORIGIN")


def test_a_frame_may_have_the_embedded_page_only(store: LineageStore) -> None:
    settings = Settings(embed_origins=("https://wiki.example",))
    with TestClient(create_app(store, settings), base_url="http://localhost:8055") as client:
        assert "text/html" in client.get("/embed", headers=FRAME).headers["content-type"]
        for path in ("/", "/graphql", "/status", "/embed/more"):
            refused(client.get(path, headers=FRAME), 403, "FOREIGN_ORIGIN")
        for request in (client.post, client.head):
            assert request("/embed", headers=FRAME).status_code == 403
        refused(client.get("/embed", headers=IMAGE), 403, "FOREIGN_ORIGIN")


def test_a_followed_link_is_no_question(client: TestClient) -> None:
    answer = client.get("/graphql", params={"operationName": "Datasets"}, headers=LINK)
    refused(answer, 403, "FOREIGN_ORIGIN")


BROKEN = {**EVENT, "eventTime": "yesterday"}
MEND: dict[str, Any] = {
    "operationName": "MendDeadLetter",
    "variables": {"key": "", "changes": [{"pointer": "/eventTime", "value": json.dumps(EVENT["eventTime"])}]},
}


@pytest.fixture
def mend(store: LineageStore) -> dict[str, Any]:
    """The page's request that corrects a dead letter, which is in the store."""
    letter = letter_of(json.dumps(BROKEN), HeadwaterError("refused"), "somebody")
    store.keep_dead_letters([letter])
    return {**MEND, "variables": {**MEND["variables"], "key": letter.key}}


def left_alone(store: LineageStore) -> None:
    """The dead letter is as it was; nobody stored, nor noted, a correction."""
    assert len(store.dead_letters(2)) == 1
    assert not store.dataset_keys()
    assert store.audit_end()[0] == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty"},
        {"host": "evil.example"},
    ],
)
def test_a_page_of_another_site_corrects_no_dead_letter(
    client: TestClient, store: LineageStore, mend: dict[str, Any], headers: dict[str, str]
) -> None:
    answer = client.post("/graphql", json=mend, headers=headers)
    assert answer.status_code in (403, 421)
    left_alone(store)


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded"])
def test_a_form_of_another_site_corrects_no_dead_letter(
    client: TestClient, store: LineageStore, mend: dict[str, Any], media_type: str
) -> None:
    answer = client.post("/graphql", content=json.dumps(mend), headers={"content-type": media_type})
    refused(answer, 415, "UNKNOWN_MEDIA_TYPE")
    left_alone(store)


@pytest.mark.parametrize("headers", [OF_AN_OLD_BROWSER, TYPED, IMAGE, LINK, FRAME])
def test_a_link_corrects_no_dead_letter(
    client: TestClient, store: LineageStore, mend: dict[str, Any], headers: dict[str, str]
) -> None:
    asked = {**mend, "variables": json.dumps(mend["variables"])}
    assert client.get("/graphql", params=asked, headers=headers).status_code in (403, 405)
    left_alone(store)


def test_our_own_page_corrects_a_dead_letter(
    client: TestClient, store: LineageStore, mend: dict[str, Any]
) -> None:
    headers = {"origin": "http://localhost:8055", "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}
    answer = client.post("/graphql", json=mend, headers=headers).json()
    assert answer["data"]["mendDeadLetter"]["stored"], answer
    assert store.dataset_keys()


def test_our_own_page_may_ask(client: TestClient) -> None:
    headers = {"origin": "http://localhost:8055", "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}
    assert client.post("/graphql", json={"query": EXPOSURE}, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "http://localhost",
        "http://localhost:80550",
        "http://[::1",
        "//localhost:8055x",
    ],
)
@pytest.mark.parametrize("path", ["/graphql", "/api/v1/lineage", "/api/v1/lineage/batch"])
def test_another_origin_sends_nothing(
    client: TestClient, store: LineageStore, path: str, origin: str
) -> None:
    refused(client.post(path, json=EVENT, headers={"origin": origin}), 403, "FOREIGN_ORIGIN")
    assert not store.dataset_keys()


@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "TEXT/Plain; charset=utf-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain; application/json",
    ],
)
@pytest.mark.parametrize("path", ["/graphql", "/api/v1/lineage", "/api/v1/lineage/batch"])
def test_a_form_sends_nothing(client: TestClient, store: LineageStore, path: str, media_type: str) -> None:
    """A browser asks nobody before it sends what a form could have sent."""
    body = {"query": EXPOSURE} if path == "/graphql" else [EVENT] if path.endswith("batch") else EVENT
    answer = client.post(path, content=json.dumps(body), headers={"content-type": media_type})
    refused(answer, 415, "UNKNOWN_MEDIA_TYPE")
    assert not store.dataset_keys()
    assert store.audit_end()[0] == 0


NAMES = [
    "evil.example",
    "evil.example:8055",
    "127.0.0.1.evil.example",
    "localhost.",
    "1.2.3.4.5",
    "",
    "[::1",
    "a@localhost",
    "localhost/evil.example",
]


@pytest.mark.parametrize("host", NAMES)
@pytest.mark.parametrize("listening", ["127.0.0.1", "0.0.0.0"])
def test_a_name_that_is_made_to_lead_here_is_refused(store: LineageStore, host: str, listening: str) -> None:
    settings = Settings(host=listening, allow_unauthenticated=True)
    with TestClient(create_app(store, settings), base_url="http://localhost") as client:
        for path in ("/", "/graphql", "/metrics", "/health", "/openapi.json"):
            refused(client.get(path, headers={"host": host}), 421, "UNKNOWN_HOST")
        for path in ("/graphql", "/api/v1/lineage"):
            refused(client.post(path, json=EVENT, headers={"host": host}), 421, "UNKNOWN_HOST")
        refused(client.get("/graphql", headers={"host": host, "upgrade": "websocket"}), 421, "UNKNOWN_HOST")


@pytest.mark.parametrize(
    "host", ["10.42.0.17:8055", "[fd00::17]:8055", "localhost:8055", "headwater:8055", "Headwater"]
)
def test_addresses_and_listed_names_are_answered_beyond_loopback(store: LineageStore, host: str) -> None:
    settings = Settings(host="0.0.0.0", allow_unauthenticated=True, allowed_hosts=("headwater",))
    with TestClient(create_app(store, settings), base_url="http://localhost") as client:
        for path in ("/health", "/health/live", "/health/ready", "/metrics"):
            assert client.get(path, headers={"host": host}).status_code == 200


def test_probes_are_answered_whatever_they_call_the_server(store: LineageStore) -> None:
    settings = Settings(host="0.0.0.0", allow_unauthenticated=True)
    with TestClient(create_app(store, settings), base_url="http://localhost") as client:
        for path in ("/health/live", "/health/ready"):
            assert client.get(path, headers={"host": "pod.of.the.cluster"}).status_code == 200


def test_with_keys_any_name_will_do_until_some_are_listed(store: LineageStore, tmp_path: Path) -> None:
    """A page whose name leads here has no key to send."""
    file = tmp_path / "keys.json"
    key = new_key(file, "reader", [Role.READER])[1]
    headers = {"host": "lineage.example.org", "authorization": f"Bearer {key}"}
    for listed, status in (((), 200), (("other.example.org",), 421)):
        settings = Settings(host="0.0.0.0", keys_file=file, allowed_hosts=listed)
        with TestClient(create_app(store, settings), base_url="http://localhost") as client:
            assert client.get("/metrics", headers=headers).status_code == status


def test_a_subscription_is_for_our_own_page(tmp_path: Path) -> None:
    with served(tmp_path) as (address, process):
        url = address.replace("http", "ws", 1) + "/graphql"
        protocols = [Subprotocol("graphql-transport-ws")]
        for origin in ("https://evil.example", "null", "http://localhost:1", "http://[::1"):
            with (
                pytest.raises(InvalidStatus) as raised,
                connect(url, origin=Origin(origin), subprotocols=protocols),
            ):
                pass
            assert raised.value.response.status_code == 403
        with (
            pytest.raises(InvalidStatus),
            connect(url, additional_headers={"Sec-Fetch-Site": "cross-site"}, subprotocols=protocols),
        ):
            pass
        with connect(url, origin=Origin(address), subprotocols=protocols) as own:
            own.send('{"type": "connection_init"}')
            assert json.loads(own.recv(timeout=10))["type"] == "connection_ack"
        process.terminate()
        log, _ = process.communicate(timeout=60)
    assert "Traceback" not in log


def test_a_head_is_bounded(tmp_path: Path) -> None:
    with served(tmp_path) as (address, process):
        to = urlsplit(address)
        for line in (b"GET /" + b"a" * 1_000_000, b"GET / HTTP/1.1\r\nX: " + b"a" * 1_000_000):
            with socket.create_connection((str(to.hostname), int(to.port or 0)), timeout=10) as connection:
                try:
                    connection.sendall(line)
                    answer = connection.recv(100)
                except ConnectionError:
                    answer = b""
                assert answer[:12] in (b"", b"HTTP/1.1 400", b"HTTP/1.1 431")
        assert httpx.get(f"{address}/health").status_code == 200
        process.terminate()
        log, _ = process.communicate(timeout=60)
    assert "Traceback" not in log
