"""Two backends over one Neo4j: their writers meet at the database's locks, and make what one would have made."""

from __future__ import annotations

from contextlib import ExitStack, closing
from http import HTTPStatus
from pathlib import Path

import pytest

from headwater_backend.audit.entries import breaks
from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from headwater_backend.stores.digest import graph_digest
from kit.command import served
from kit.load import Load, told_by, wait_until_ready

CLIENTS = 3


@pytest.mark.neo4j
def test_two_backends_that_write_overlapping_graphs_make_what_one_makes(
    neo4j_url: str, tmp_path: Path
) -> None:
    """Each is told the same events, from several clients and in another order, so each run is told to both."""
    events = [told_by(client, 25) for client in range(CLIENTS)]
    orders = [events, [list(reversed(some)) for some in reversed(events)]]
    with ExitStack() as stack:
        loads = []
        for order in orders:
            address, _ = stack.enter_context(served(tmp_path, HEADWATER_STORE=neo4j_url))
            wait_until_ready(address)
            loads.append((stack.enter_context(closing(Load(order))), address))
        for load, address in loads:
            load.start(address)
        for load, _ in loads:
            load.join()
            assert set(load.statuses) == {HTTPStatus.CREATED}
    with (
        closing(open_store(neo4j_url)) as together,
        closing(open_store(f"sqlite:///{tmp_path}/alone.db")) as alone,
    ):
        ingest(alone, [event for some in events for event in some])
        assert graph_digest(together).differ(graph_digest(alone)) == []
        log = together.audit(first=1_000)
        assert len(log) == 2 * sum(map(len, events))
        assert not list(breaks(log))
