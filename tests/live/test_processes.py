"""Several backend processes over one store: none needs to know of the others."""

from __future__ import annotations

from contextlib import ExitStack, closing
from http import HTTPStatus
from pathlib import Path

import httpx

from headwater_backend.access.api_keys import new_key, revoke
from headwater_backend.domain.audit_log import breaks
from headwater_backend.domain.roles import Role
from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from kit.command import served
from kit.load import Load, events_of, wait_until_ready
from kit.openlineage import digest

CLIENTS = 3


def test_two_backends_that_write_overlapping_graphs_make_what_one_makes(
    store_url: str, tmp_path: Path
) -> None:
    """Each receives the same events, from several clients and in another order, so both receive each run."""
    events = [events_of(client, 25) for client in range(CLIENTS)]
    orders = [events, [list(reversed(some)) for some in reversed(events)]]
    with ExitStack() as stack:
        loads = []
        for order in orders:
            address, _ = stack.enter_context(served(tmp_path, HEADWATER_STORE=store_url))
            wait_until_ready(address)
            loads.append((stack.enter_context(closing(Load(order))), address))
        for load, address in loads:
            load.start(address)
        for load, _ in loads:
            load.join()
            assert set(load.statuses) == {HTTPStatus.CREATED}
    with (
        closing(open_store(store_url)) as together,
        closing(open_store(f"sqlite:///{tmp_path}/alone.db")) as alone,
    ):
        ingest(alone, [event for some in events for event in some])
        assert digest(together) == digest(alone)
        log = together.audit(first=1_000)
        assert len(log) == 2 * sum(map(len, events))
        assert not list(breaks(log))


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
