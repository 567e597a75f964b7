"""Any order and any repetition of events gives the same state, in each store and across stores."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater_backend.domain import moments
from headwater_backend.domain.errors import StoreUnavailable, StoreUrlError
from headwater_backend.domain.model import Direction
from headwater_backend.domain.records import Batch
from headwater_backend.in_force.aliases import Link, canonical_names
from headwater_backend.in_force.closing import Drop, closings
from headwater_backend.in_force.corrections import EdgeOf, covering
from headwater_backend.in_force.current import FOREVER, Closed, Corrections, chosen
from headwater_backend.in_force.observed import Observed
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions import origins
from headwater_backend.stores import open_store
from kit import neo4j, sqlite
from kit.openlineage import at, columns, dataset, digest, event, facet, near, node, run_id

NAMES = st.sampled_from(["a", "b", "c"])
KINDS = st.sampled_from(["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER", None])


@st.composite
def changes(draw: st.DrawFn) -> dict[str, Any]:
    change = draw(st.sampled_from(["CREATE", "DROP", "DROP", "RENAME", "OVERWRITE"]))
    before = {"previousIdentifier": {"namespace": "test", "name": draw(NAMES)}} if change == "RENAME" else {}
    return facet(lifecycleStateChange=change, **before)


@st.composite
def outputs(draw: st.DrawFn) -> dict[str, Any]:
    name = draw(NAMES)
    facets: dict[str, Any] = {}
    if draw(st.booleans()):
        facets["columnLineage"] = columns({draw(NAMES): [(draw(NAMES), draw(NAMES))]})
    if draw(st.booleans()):
        link = {"namespace": "test", "name": draw(NAMES), "type": "TABLE"}
        facets["symlinks"] = facet(identifiers=[link])
    if draw(st.integers(0, 2)) == 0:
        facets["lifecycleStateChange"] = draw(changes())
    if draw(st.integers(0, 4)) == 0:
        facets["headwater_extent"] = facet(replaced=draw(st.sampled_from(["WHOLE", "PART"])))
    schema = draw(st.lists(NAMES, max_size=2, unique=True))
    return dataset(name, *schema, **facets)


@st.composite
def events(draw: st.DrawFn) -> dict[str, Any]:
    made = event(
        draw(KINDS),
        draw(st.integers(0, 3)),
        draw(st.sampled_from(["r1", "r2", "r3"])),
        draw(st.lists(outputs(), max_size=1)),
        draw(st.lists(outputs(), max_size=2)),
        job=draw(st.sampled_from(["j1", "j2"])),
    )
    if draw(st.booleans()):
        made["job"]["facets"]["jobType"] = facet(processingType="BATCH", integration="SPARK")
    if draw(st.integers(0, 5)) == 0:
        del made["run"]
    return made


class Received(NamedTuple):
    """An event as it was received at that moment from that sender."""

    event: dict[str, Any]
    at: int
    who: str


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Received], list[Received]]:
    """Events, and the same in another order, some of them received once more later."""
    senders = st.sampled_from(["one", "other"])
    one = [Received(*each) for each in draw(
        st.lists(st.tuples(events(), st.integers(1, 4), senders), min_size=1, max_size=6)
    )]  # fmt: skip
    again = [each._replace(at=5, who="a") for each in draw(st.lists(st.sampled_from(one), max_size=3))]
    return one, draw(st.permutations(one + again))


@st.composite
def single_events(draw: st.DrawFn) -> dict[str, Any]:
    """Each of a run of its own that ends well, about datasets that have one name."""
    lineage = columns({draw(NAMES): [(draw(NAMES), draw(NAMES))]})
    change = facet(lifecycleStateChange=draw(st.sampled_from(["CREATE", "DROP", "OVERWRITE"])))
    facets = draw(st.sampled_from([{}, {"columnLineage": lineage}, {"lifecycleStateChange": change}]))
    inputs = [dataset(name) for name in draw(st.lists(NAMES, max_size=1))]
    outputs = [dataset(name, **facets) for name in draw(st.lists(NAMES, max_size=2, unique=True))]
    return event(
        "COMPLETE", draw(st.integers(0, 3)), "", inputs, outputs, draw(st.sampled_from(["j1", "j2"]))
    )


def digest_of(url: str, sent: Sequence[Received], size: int) -> str:
    store = open_store(url)
    try:
        for start in range(0, len(sent), size):
            some = sent[start : start + size]
            store.apply(Batch.merged(decode(each.event).received(each.at, each.who) for each in some))
        return digest(store, receipts=True)
    finally:
        store.close()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=histories(), size=st.integers(1, 4))
def test_any_order_and_repetition_gives_the_same_sqlite_store(
    tmp_path_factory: pytest.TempPathFactory, history: tuple[list[Received], list[Received]], size: int
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    one, other = history
    assert digest_of(sqlite.empty(folder / "one.db"), one, len(one)) == digest_of(
        sqlite.empty(folder / "other.db"), other, size
    )


@pytest.mark.neo4j
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=histories(), size=st.integers(1, 4))
def test_any_order_and_repetition_gives_neo4j_the_same_state_as_sqlite(
    tmp_path_factory: pytest.TempPathFactory,
    neo4j_server: neo4j.Server,
    history: tuple[list[Received], list[Received]],
    size: int,
) -> None:
    one, other = history
    neo4j_server.wipe()
    folder = tmp_path_factory.mktemp("stores")
    assert digest_of(neo4j_server.url, other, size) == digest_of(
        sqlite.empty(folder / "one.db"), one, len(one)
    )


def sources_of(url: str, sent: Sequence[Any], moments: Sequence[datetime | None]) -> list[list[str]]:
    """All sources at each of the moments, where None is now."""
    store = open_store(url)
    try:
        assert all(outcome.stored for outcome in ingest(store, sent))
        pages = [origins.sources(store, 1_000, as_of=moment) for moment in moments]
        return [[each.key.name for each in page.items] for page in pages]
    finally:
        store.close()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=histories())
def test_the_sources_after_all_events_are_the_current_ones(
    tmp_path_factory: pytest.TempPathFactory, history: tuple[list[Received], list[Received]]
) -> None:
    url = sqlite.empty(tmp_path_factory.mktemp("stores") / "one.db")
    then, now = sources_of(url, [each.event for each in history[0]], [at(3), None])
    assert then == now


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(sent=st.lists(single_events(), min_size=1, max_size=6), minute=st.integers(0, 3))
def test_the_sources_of_a_moment_are_those_of_the_events_until_then(
    tmp_path_factory: pytest.TempPathFactory, sent: list[Any], minute: int
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    sent = [{**each, "run": {**each["run"], "runId": run_id(str(n))}} for n, each in enumerate(sent)]
    by_then = [each for each in sent if datetime.fromisoformat(each["eventTime"]) <= at(minute)]
    (then,) = sources_of(sqlite.empty(folder / "all.db"), sent, [at(minute)])
    (now,) = sources_of(sqlite.empty(folder / "then.db"), by_then, [None])
    assert then == now


@pytest.mark.neo4j
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=histories())
def test_the_sources_of_each_moment_are_the_same_in_neo4j_as_in_sqlite(
    tmp_path_factory: pytest.TempPathFactory,
    neo4j_server: neo4j.Server,
    history: tuple[list[Received], list[Received]],
) -> None:
    neo4j_server.wipe()
    url = sqlite.empty(tmp_path_factory.mktemp("stores") / "one.db")
    moments = [*map(at, range(4)), None]
    one, other = ([each.event for each in some] for some in history)
    assert sources_of(neo4j_server.url, other, moments) == sources_of(url, one, moments)


@st.composite
def receipts(draw: st.DrawFn) -> list[Received]:
    """Events about datasets that have one name, as they were received."""
    found = []
    for number in range(draw(st.integers(1, 6))):
        lineage = columns({draw(NAMES): [(draw(NAMES), draw(NAMES))]})
        change = facet(lifecycleStateChange=draw(st.sampled_from(["DROP", "OVERWRITE"])))
        whole = {"lifecycleStateChange": change, "headwater_extent": facet(replaced="WHOLE")}
        facets = draw(st.sampled_from([{}, {"columnLineage": lineage}, {"columnLineage": lineage}, whole]))
        inputs = [dataset(name) for name in draw(st.lists(NAMES, max_size=1))]
        outputs = [dataset(draw(NAMES), **facets)]
        run = draw(st.sampled_from(["r1", "r2", "r3"]))
        kind = draw(st.sampled_from(["START", "COMPLETE", "COMPLETE", "FAIL"]))
        # A run's failure, when it began, and what it reads count from its first event, whenever that was received.
        alone = kind in {"START", "FAIL"} and number
        sent = event(kind, draw(st.integers(0, 3)), f"{run} {alone}", inputs, outputs, job=run)
        found.append(Received(sent, draw(st.integers(1, 4)), "one"))
    return found


def answers_of(store: LineageStore) -> list[Any]:
    """What is current into each dataset, and what of it is not known."""
    keys = [node(name) for name in "abc"]
    return [
        [near(store, key, direction) for key in keys for direction in Direction],
        list(store.incomplete([key.dataset for key in keys], earlier=True)),
    ]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=receipts(), moment=st.integers(1, 4))
def test_a_store_as_known_at_a_moment_answers_as_one_that_received_no_more(
    tmp_path_factory: pytest.TempPathFactory, history: list[Received], moment: int
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    by_then = [each for each in history if each.at <= moment]
    digest_of(sqlite.empty(folder / "all.db"), history, 2)
    digest_of(sqlite.empty(folder / "then.db"), by_then, 2)
    with closing(open_store(f"sqlite:///{folder}/all.db")) as store:
        then = answers_of(store.known_at(moments.moment(moment)))
    with closing(open_store(f"sqlite:///{folder}/then.db")) as store:
        assert then == answers_of(store)


def chosen_by_rule(store: LineageStore) -> dict[tuple[str, str], str]:
    """The versions that the rule chooses for each slot among all that was ever observed of it, with their runs."""
    rows: dict[str, list[Any]] = {}
    for kind, *row in store.contents():
        rows.setdefault(kind, []).append(row)
    ranks = {key: rank for key, _, rank in rows.get("version", ())}
    fates = {
        run[0]: (run[7], min((m for m in run[8:10] if m is not None), default=None), run[3], *run[12:14])
        for run in rows.get("run", ())
    }
    seen = [
        _observed([slot, run, version, ranks[version], *more], fates.get(run, (None,) * 5))
        for slot, run, version, *more in rows.get("observation", ())
    ]
    edges = (EdgeOf(*row[:4]) for row in rows.get("edge", ()))
    unlisted = {key for key, _, rank in rows.get("version", ()) if rank == 0}
    corrections = Corrections(covers=covering(edges, unlisted))
    return {
        (slot, one.version): one.run
        for slot, observed in chosen(seen, FOREVER, closed_by_rule(rows, fates), corrections).items()
        for one in reversed(observed)
    }


def _observed(seen: Sequence[Any], fate: Sequence[Any]) -> Observed:
    """The observation with the outcome of its run, and its receipt."""
    slot, run, version, rank, static, first, last, keeps, conditions, *receipt = seen
    outcome, receipts = fate[:3], fate[3:]
    found = Observed(
        slot, run, version, rank, bool(static), first, last, keeps, *outcome, *receipt, *receipts
    )
    return found._replace(conditions=conditions)


def closed_by_rule(rows: dict[str, list[Any]], fates: dict[str, Any]) -> dict[str, list[Closed]]:
    """What closes each slot, worked out from all links and changes at once."""
    holds = [row for row in rows.get("change", ()) if fates.get(row[3], (None,) * 3)[1] is None]
    links = [Link(*row) for row in rows.get("symlink", ())]
    links += [Link(row[4], row[0], row[2], "RENAME") for row in holds if row[1] == "RENAME" and row[4]]
    links += [Link(row[0], row[0], row[2], "CREATE") for row in holds if row[1] == "CREATE"]
    own = canonical_names(links)
    begun = {run[0] for run in rows.get("run", ()) if run[7] is None and (run[5] or run[6]) is not None}
    drops = [Drop(row[0], row[2], row[3]) for row in holds if row[1] == "DROP" and row[3] not in begun]
    found: dict[str, list[Closed]] = {}
    for slot, *_ in rows.get("slot", ()):
        output = "/".join(slot.split("/")[2:])
        near = [drop for drop in drops if own.get(drop.dataset, drop.dataset) == own.get(output, output)]
        found.update(closings({slot: output}, near, links))
    return found


def kept_as_current(store: LineageStore) -> dict[tuple[str, str], str]:
    slots = [row[1:4] for row in store.contents() if row[0] == "slot"]
    return {(slot, version): run for slot, version, run in slots if version is not None}


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=histories(), size=st.integers(1, 4))
def test_what_a_store_keeps_as_current_is_what_the_rule_chooses_among_everything(
    store_kind: str,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
    history: tuple[list[Received], list[Received]],
    size: int,
) -> None:
    url = sqlite.empty(tmp_path_factory.mktemp("stores") / "one.db")
    if store_kind == "neo4j":
        server = request.getfixturevalue("neo4j_server")
        server.wipe()
        url = server.url
    digest_of(url, history[1], size)
    store = open_store(url)
    assert kept_as_current(store) == chosen_by_rule(store)
    store.close()


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def store_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_writers_at_the_same_time_lose_nothing_and_repeat_nothing(store_url: str, tmp_path: Path) -> None:
    sent = [
        event(
            "COMPLETE" if minute % 7 else "FAIL",
            minute,
            f"run {minute % 5}",
            [dataset("in", "x", "y")],
            [
                dataset(
                    f"out {minute % 3}",
                    columnLineage=columns({"x": [("in", "y")], f"c{minute}": [("in", "x")]}),
                )
            ],
        )
        for minute in range(40)
    ]
    stores = [open_store(store_url), open_store(store_url)]
    ready = threading.Barrier(4)

    def write(worker: int) -> None:
        ready.wait()
        for turn in range(0, len(sent), 4):
            some = sent[turn : turn + 4] if worker < 2 else sent[turn : turn + 4][::-1]
            ingest(stores[worker % 2], some, received=1)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    together = digest(stores[0], receipts=True)
    for store in stores:
        store.close()
    alone = [Received(each, 1, "local") for each in sent]
    assert together == digest_of(f"sqlite:///{tmp_path}/alone.db", alone, len(alone))


def test_readers_see_whole_batches_while_a_writer_writes(store: LineageStore) -> None:
    versions = [
        event("COMPLETE", minute, f"r{minute}", [], [
            dataset("out", columnLineage=columns({c: [(f"in{minute}", c)] for c in "abcdef"}))
        ])
        for minute in range(20)
    ]  # fmt: skip
    done = threading.Event()

    def write() -> None:
        for sent in versions:
            ingest(store, [sent])
        done.set()

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        while not done.is_set() and not writing.done():
            seen = {source.split(":")[0] for source, _ in near(store, node("out"), Direction.BACKWARD)}
            assert len(seen) <= 1
        writing.result()
    assert near(store, node("out", "a"), Direction.BACKWARD) == {("in19:a", "out:a")}


def test_a_store_keeps_its_content_after_it_was_closed(store_url: str) -> None:
    sent = [event("COMPLETE", 1, "run", [], [dataset("out", columnLineage=columns({"x": [("in", "y")]}))])]
    before = digest_of(store_url, [Received(each, 1, "one") for each in sent], 1)
    store = open_store(store_url)
    assert digest(store, receipts=True) == before
    store.ping()
    store.close()


@pytest.mark.parametrize(
    "url", ["neo4j://127.0.0.1:1", "bolt://nobody:nothing@127.0.0.1:1", "sqlite:////proc/x/y.db"]
)
def test_a_missing_store_is_unavailable(url: str) -> None:
    with pytest.raises(StoreUnavailable):
        open_store(url)


def test_a_closed_store_is_unavailable(store: LineageStore) -> None:
    store.close()
    with pytest.raises(StoreUnavailable):
        store.ping()


@pytest.mark.parametrize("url", ["postgres://x", "", "sqlite://", "sqlite:///:memory:", "bolt://"])
def test_a_url_of_no_known_store_is_refused(url: str) -> None:
    with pytest.raises(StoreUrlError):
        open_store(url)
