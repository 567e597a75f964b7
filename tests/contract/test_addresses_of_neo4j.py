"""How a Neo4j store is addressed: directly or by routing, which of its databases, over TLS or not."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import closing
from importlib import resources
from urllib.parse import urlsplit

import pytest

from headwater_backend.domain.errors import StoreUnavailable, StoreUrlError
from headwater_backend.domain.model import Direction
from headwater_backend.ingest.service import ingest
from headwater_backend.questions.closure import backward
from headwater_backend.stores import open_store
from headwater_backend.stores.neo4j.address import address_of
from kit.openlineage import columns, dataset, event, near, node

AURA = "neo4j+s://0a1b2c3d.databases.neo4j.io"


@pytest.fixture(autouse=True)
def nothing_from_the_surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE", "HEADWATER_NEO4J_PASSWORD_FILE"):
        monkeypatch.delenv(name, raising=False)
    return iter(())


def addressed(url: str, scheme: str, query: str = "") -> str:
    return urlsplit(url)._replace(scheme=scheme, query=query).geturl()


def copied() -> dict[str, object]:
    output = dataset("out", columnLineage=columns({"x": [("in", "a")]}))
    return event("COMPLETE", 1, "run", [dataset("in", "a")], [output])


@pytest.mark.neo4j
@pytest.mark.parametrize(
    ("scheme", "query"),
    [("neo4j", ""), ("neo4j", "database=neo4j"), ("bolt", "database=neo4j"), ("neo4j", "region=here")],
)
def test_a_store_is_written_and_read_whichever_way_it_is_addressed(
    neo4j_url: str, scheme: str, query: str
) -> None:
    with closing(open_store(addressed(neo4j_url, scheme, query))) as store:
        assert [outcome.error for outcome in ingest(store, [copied()])] == [None]
        assert near(store, node("out"), Direction.BACKWARD) == {("in:a", "out:x")}
        assert len(backward(store, node("out", "x")).nodes) == 2
        assert [kind for kind, *_ in store.contents()].count("edge") == 1


@pytest.mark.neo4j
def test_a_question_to_a_cluster_waits_for_what_was_written(
    neo4j_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(open_store(addressed(neo4j_url, "neo4j"))) as store:
        ingest(store, [copied()])
        with caplog.at_level(logging.DEBUG, "neo4j.io"):
            store.dataset_keys()
    (begun,) = [record.getMessage() for record in caplog.records if "C: BEGIN" in record.getMessage()]
    assert re.search(r"'mode': 'r'", begun)
    assert re.search(r"'bookmarks': \['\S+'", begun)


@pytest.mark.neo4j
@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_missing_database_is_an_error(neo4j_url: str, scheme: str) -> None:
    with pytest.raises(StoreUnavailable):
        open_store(addressed(neo4j_url, scheme, "database=nosuch"))


@pytest.mark.neo4j
@pytest.mark.parametrize("scheme", ["bolt+s", "bolt+ssc", "neo4j+s", "neo4j+ssc"])
def test_a_server_without_tls_is_not_spoken_to_where_tls_is_asked_for(neo4j_url: str, scheme: str) -> None:
    with pytest.raises(StoreUnavailable):
        open_store(addressed(neo4j_url, scheme))


def test_routing_belongs_to_routed_addresses() -> None:
    with pytest.raises(StoreUrlError, match="bolt"):
        open_store("bolt://127.0.0.1:1?region=here")


def test_the_url_names_the_database_before_the_environment_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert address_of(AURA) == (AURA, None, None)
    monkeypatch.setenv("NEO4J_DATABASE", "elsewhere")
    assert address_of(AURA).database == "elsewhere"
    assert address_of(f"{AURA}?database=lineage&region=here") == (f"{AURA}?region=here", None, "lineage")
    assert address_of("bolt://someone:a%2Fword@host?database=lineage") == (
        "bolt://host", ("someone", "a/word"), "lineage",
    )  # fmt: skip


def test_no_plug_in_is_needed() -> None:
    folder = resources.files("headwater_backend.stores.neo4j")
    files = [*folder.iterdir(), *(folder / "cypher").iterdir()]
    text = "\n".join(file.read_text("utf-8") for file in files if file.name.endswith((".py", ".cypher")))
    assert set(re.findall(r"CALL\s+([a-z]\w*(?:\.\w+)+)", text)) == {"db.awaitIndexes"}
    assert not re.search(r"\b(apoc|gds)\.", text)
