"""What a store keeps of SQLite's nodes never makes an answer another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater_backend.domain.model import Direction, Edge
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.stores.sql import neighbours
from headwater_backend.stores.sqlite.store import SqliteStore
from kit.openlineage import BOTH, NAMESPACE, columns, dataset, event, facet, node

CHAIN = 12


def edges(store: LineageStore) -> list[Edge]:
    fans = [
        store.neighbours([node(f"link {number}")], direction, BOTH).edges(direction)
        for number in range(CHAIN + 1)
        for direction in Direction
    ]
    return sorted(edge for each in fans for edge in each)


def event_of(number: int) -> dict[str, object]:
    output = dataset(f"link {number + 1}", columnLineage=columns({"x": [(f"link {number}", "x")]}))
    return event("COMPLETE", number, f"run {number}", [dataset(f"link {number}")], [output], f"job {number}")


def renamed() -> dict[str, object]:
    before = {"namespace": NAMESPACE, "name": "link 3"}
    change = facet(lifecycleStateChange="RENAME", previousIdentifier=before)
    return event("COMPLETE", CHAIN, "rename", [], [dataset("moved", lifecycleStateChange=change)], "rename")


@pytest.mark.parametrize("most", [neighbours.MOST_KEPT, 0, 2])
def test_a_store_that_looked_before_a_renaming_answers_as_one_that_did_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(neighbours, "MOST_KEPT", most)
    used, new = (SqliteStore.open(tmp_path / "lineage.db") for _ in range(2))
    assert all(outcome.stored for outcome in ingest(used, map(event_of, range(CHAIN))))
    before = edges(used)
    assert len(before) == 2 * CHAIN
    assert all(outcome.stored for outcome in ingest(new, [renamed()]))

    after = edges(used)
    assert after == edges(new) != before
    used.close()
    new.close()
