"""Questions whose answers would take very long: they grow with what is asked for and not with its square, end in time,
and end when nobody waits any more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from starlette.testclient import TestClient

from headwater_backend.domain import deadline
from headwater_backend.domain.deadline import Deadline, OutOfTime
from headwater_backend.domain.errors import EventError, UnknownPath
from headwater_backend.domain.model import DatasetKey, Direction, Neighbours, NodeKey, SchemaField
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ingest.decoding.key_bounds import MAX_STEPS
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions import resolving
from headwater_backend.questions.traversal import ALL_TYPES, Bounds, explore
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_backend.stores.neo4j.store import Neo4jStore
from headwater_backend.stores.sqlite.store import SqliteStore
from headwater_cli.composition import create_app
from kit.memory_store import MemoryStore, graph, node
from kit.openlineage import NAMESPACE, dataset, event, facet, paths
from kit.servers import serving

FEW, MANY = 1_000, 8_000
WIDE: Final = DatasetKey(NAMESPACE, "wide")
SLOW: Final = 0.2
"""Seconds that the slow store takes for a level."""


def seconds(work: Callable[[], object]) -> float:
    """Of processor time, the least of three."""

    def once() -> float:
        begun = time.process_time()
        work()
        return time.process_time() - begun

    return min(once() for _ in range(3))


def described(columns: int) -> None:
    fields = [SchemaField(f"column_{number}", "string") for number in range(columns)]
    resolving.describe_paths([(each.name,) for each in fields], fields)


@pytest.fixture
def wide(tmp_path: Path) -> Iterator[Callable[[int], None]]:
    """Ask for a path that a dataset of so many columns does not have."""
    store = open_store(f"sqlite:///{tmp_path}/lineage.db")

    def mistyped(columns: int) -> None:
        with pytest.raises(UnknownPath):
            resolving.resolve_node(store, NodeKey(DatasetKey(NAMESPACE, f"wide {columns}"), ("colum_17",)))

    for columns in (FEW, MANY):
        names = [f"column_{number}" for number in range(columns)]
        ingest(store, [event("COMPLETE", 1, "r", [], [dataset(f"wide {columns}", *names)])])
    yield mistyped
    store.close()


def test_the_paths_of_a_wide_dataset_take_time_in_proportion() -> None:
    described(10)
    assert seconds(partial(described, MANY)) < 3 * MANY / FEW * seconds(partial(described, FEW))


def test_a_hint_takes_time_in_proportion(wide: Callable[[int], None]) -> None:
    wide(FEW)
    assert seconds(partial(wide, MANY)) < 3 * MANY / FEW * seconds(partial(wide, FEW))


def test_a_hint_for_a_long_name_takes_time_in_proportion() -> None:
    def mistyped(length: int) -> None:
        resolving.near("ab" * length, (f"{number}ac" * length for number in range(200)))

    mistyped(10)
    assert seconds(partial(mistyped, 4_000)) < 3 * 8 * seconds(partial(mistyped, 500))


def deep(steps: int) -> dict[str, Any]:
    path = ["a"] * steps
    return event(
        "COMPLETE", 1, "r", [], [dataset("out", headwater_pathLineage=paths((path, "in", path, "IDENTITY")))]
    )


def test_a_path_has_a_bounded_number_of_steps() -> None:
    decode(deep(MAX_STEPS))
    with pytest.raises(EventError) as refused:
        decode(deep(MAX_STEPS + 1))
    assert refused.value.code == "PATH_TOO_DEEP"


def test_an_events_paths_are_bounded_together() -> None:
    """A hundred deep steps above many columns: a small schema, of which each path repeats all the steps."""
    fields: Any = [{"name": f"column {number}", "type": "string"} for number in range(10_000)]
    for _ in range(150):
        fields = [{"name": "a step with quite a long name", "type": "struct", "fields": fields}]
    with pytest.raises(EventError) as refused:
        decode(event("COMPLETE", 1, "r", [], [dataset("out", schema=facet(fields=fields))]))
    assert refused.value.code == "TOO_MANY_PATHS"


def without_end(store: LineageStore) -> None:
    """A statement that would run for ever."""
    if isinstance(store, SqliteStore):
        with store._reading() as db:
            db.execute(
                "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
            ).fetchall()
    elif isinstance(store, Neo4jStore):
        store._read(lambda tx: tx.rows("UNWIND range(1, 1000000000000) AS x RETURN count(x)"))


def test_a_statement_ends_with_the_time_and_the_store_answers_on(store: LineageStore) -> None:
    with deadline.within(Deadline(SLOW)), pytest.raises(OutOfTime, match=r"longer than 0\.2 seconds"):
        without_end(store)
    with deadline.within(Deadline(0)), pytest.raises(OutOfTime):
        store.dataset_keys()
    with deadline.within(Deadline(60)):
        assert store.dataset_keys() == []
    ingest(store, [event("COMPLETE", 1, "r", [], [dataset("out", "a")])])
    assert store.dataset_keys() == [DatasetKey(NAMESPACE, "out")]


def test_a_statement_ends_when_nobody_waits_any_more(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/lineage.db")
    until = Deadline(3_600)
    threading.Timer(SLOW, until.abandon).start()
    with deadline.within(until), pytest.raises(OutOfTime):
        without_end(store)
    store.close()


class SlowStore(MemoryStore):
    """A store that takes a while for each level."""

    def neighbours(self, *args: Any, **options: Any) -> Neighbours:
        time.sleep(SLOW)
        return super().neighbours(*args, **options)


CHAIN: Final = graph("\n".join(f"d{number}:x -IDENTITY-> d{number + 1}:x" for number in range(30)))


def test_a_search_returns_what_it_found_in_its_time_and_where_it_stopped() -> None:
    with deadline.within(Deadline(5 * SLOW)):
        found = explore(SlowStore(CHAIN), [node("d0:x")], Direction.FORWARD, ALL_TYPES, Bounds())
    assert list(found.distance) == [node(f"d{number}:x") for number in range(len(found.distance))]
    assert 1 < len(found.distance) < 30
    assert found.cut == {node(f"d{len(found.distance) - 1}:x"): "TIME_LIMIT"}


def ask(name: str) -> dict[str, Any]:
    query = (
        "query($node: NodeRef!) { forwardLineage(node: $node, depth: null) "
        "{ nodes { name } incomplete { reason } complete } }"
    )
    return {"query": query, "variables": {"node": {**node(name).dataset._asdict(), "path": ["x"]}}}


def test_an_answer_over_http_is_reported_as_partial() -> None:
    app = create_app(SlowStore(CHAIN), Settings(answer_seconds=5 * SLOW))
    with TestClient(app, base_url="http://localhost") as client:
        answer = client.post("/graphql", json=ask("d0:x")).json()
    found = answer["data"]["forwardLineage"]
    assert 1 < len(found["nodes"]) < 30
    assert (found["complete"], found["incomplete"]) == (False, [{"reason": "TIME_LIMIT"}])


class EndlessStore(MemoryStore):
    """A store that looks at the time, and has no other reason to end."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.begun, self.ended = threading.Event(), threading.Event()

    def neighbours(self, *args: Any, **options: Any) -> Neighbours:
        self.begun.set()
        try:
            while True:
                deadline.check()
                time.sleep(0.01)
        finally:
            self.ended.set()


def test_the_work_ends_when_the_client_has_left() -> None:
    store = EndlessStore(CHAIN)
    with serving(store, Settings(answer_seconds=3_600)) as address:
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{address}/graphql", json=ask("d0:x"), timeout=1)
        assert store.begun.is_set()
        assert store.ended.wait(60)
