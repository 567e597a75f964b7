"""Several backend processes over one store: none needs to know of the others."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx

from headwater_backend.access.keys import new_key, revoke
from headwater_backend.access.roles import Role
from kit.command import program, served
from kit.openlineage import columns, dataset, event

EVENTS = 15
JOBS = 5


def told(number: int) -> dict[str, object]:
    name = f"out{number % JOBS}"
    lineage = columns({"a": [("in", "a"), ("in", f"b{number}")]})
    out = dataset(name, "a", columnLineage=lineage)
    made = event("COMPLETE", number, f"run {number}", [dataset("in", "a", f"b{number}")], [out])
    made["job"]["name"] = f"job{number % JOBS}"
    return made


def test_two_servers_over_one_store_take_the_same_events_once(store_url: str, tmp_path: Path) -> None:
    with ExitStack() as running:
        addresses = [running.enter_context(served(tmp_path, "--store", store_url))[0] for _ in range(2)]

        def send(number: int) -> int:
            # Every event goes to both, in another order.
            address = addresses[number % 2]
            return httpx.post(f"{address}/api/v1/lineage", json=told(number // 2), timeout=120).status_code

        with ThreadPoolExecutor(4) as senders:
            assert set(senders.map(send, range(2 * EVENTS))) == {201}
        query = {"query": "{ datasets(first: 100) { edges { node { name paths { label } } } } }"}
        answers = [httpx.post(f"{address}/graphql", json=query).json()["data"] for address in addresses]
    assert answers[0] == answers[1]
    paths = {each["node"]["name"]: len(each["node"]["paths"]) for each in answers[0]["datasets"]["edges"]}
    assert paths == {"in": EVENTS + 1, **{f"out{n}": 1 for n in range(JOBS)}}
    verified = program("audit", "verify", "--store", store_url, "--json", folder=tmp_path)
    assert json.loads(verified.stdout) == {
        **json.loads(verified.stdout),
        "sound": True,
        "entries": 2 * EVENTS,
    }


def test_a_key_that_is_revoked_opens_no_server(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    key, text = new_key(file, "reader", [Role.READER])
    headers = {"authorization": f"Bearer {text}"}
    with ExitStack() as running:
        addresses = [
            running.enter_context(served(tmp_path, HEADWATER_KEYS_FILE=str(file)))[0] for _ in range(2)
        ]
        assert {httpx.get(f"{each}/metrics", headers=headers).status_code for each in addresses} == {200}
        revoke(file, key.id)
        assert {httpx.get(f"{each}/metrics", headers=headers).status_code for each in addresses} == {401}
