"""A store with decisions about names, as it was before those about personal data came, goes on under today's code."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from neo4j import GraphDatabase

from headwater_backend.domain.model import DatasetKey, Direction, NodeKey
from headwater_backend.domain.moments import micros
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names import stewardship
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.decided import PathClass
from headwater_backend.privacy.classification.deciding import Wanted, decide
from headwater_backend.privacy.exposure import exposure
from headwater_backend.questions.closure import forward
from headwater_backend.stores import open_store
from headwater_backend.stores.migrations import migrations
from headwater_backend.stores.neo4j.address import address_of
from kit.openlineage import at, dataset, event, facet, near, node, paths

if TYPE_CHECKING:
    from typing_extensions import LiteralString

SCHEMA: Final = {
    "constraint": "SHOW CONSTRAINTS YIELD name RETURN name",
    "index": "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name",
}
RULE: Final = {
    "subject": "namespaces loopback",
    "time": micros(at(1)),
    "content": '{"kind":"exact","namespaces":["db://127.0.0.1"],"to":"db://localhost"}',
    "actor": "Ada",
    "reason": "the same machine",
}
ALIAS: Final = {
    "subject": "alias db:%2F%2Fold/people/",
    "time": micros(at(2)),
    "content": '{"dataset":["db://localhost","people"]}',
    "actor": "Ada",
    "reason": "moved",
}
LINK: Final = {"name": "db:%2F%2Fold/people/", "dataset": "db:%2F%2Flocalhost/people/", "kind": "ALIAS"}
STEWARD = Steward(everything("Bea"), "the catalogue", now=at(9))
LOCAL, LOOPBACK = "db://localhost", "db://127.0.0.1"


@pytest.fixture
def older(store_url: str) -> Iterator[str]:
    """The URL of a store that the first migrations made, and that decisions were written to in the form of then."""
    if store_url.startswith("sqlite"):
        _older_sqlite(store_url.removeprefix("sqlite:///"), 17)
    else:
        _older_neo4j(store_url, 13)
    yield store_url
    open_store(store_url).close()


def _older_sqlite(file: str, until: int) -> None:
    Path(file).unlink()
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        for migration in migrations("headwater_backend.stores.sqlite", "sql")[:until]:
            for statement in migration.statements:
                db.execute(statement)
        for made in (RULE, ALIAS):
            db.execute("INSERT INTO decision VALUES (:subject, :time, :content, :actor, :reason)", made)
        db.execute("INSERT INTO decided_link VALUES (:name, :dataset, :kind)", LINK)
        db.execute("INSERT INTO alias (name, canonical) VALUES (:name, :dataset)", LINK)
        db.execute(f"PRAGMA user_version = {until}")


def _older_neo4j(url: str, until: int) -> None:
    address = address_of(url)
    with (
        GraphDatabase.driver(address.uri, auth=address.auth, notifications_min_severity="OFF") as driver,
        driver.session() as session,
    ):
        for kind, names in SCHEMA.items():
            for name in session.run(names).value():
                session.run(f"DROP {kind} {name} IF EXISTS").consume()
        session.run("MATCH (m:Migration) DELETE m").consume()
        for migration in migrations("headwater_backend.stores.neo4j", "cypher")[:until]:
            for statement in migration.statements:
                session.run(statement).consume()
            session.run("CREATE (:Migration {number: $number})", number=migration.number).consume()
        made = [{**each, "key": each["subject"]} for each in (RULE, ALIAS)]
        session.run("UNWIND $rows AS r MERGE (n:Decision {key: r.key}) SET n = r", rows=made).consume()
        session.run("MERGE (n:DecidedLink {key: 'link'}) SET n += $link", link=LINK).consume()
        session.run("MERGE (n:Alias {name: $link.name}) SET n.canonical = $link.dataset", link=LINK).consume()


def written(minute: int, namespace: str, name: str) -> dict[str, Any]:
    """A run that writes a dataset, made of ``in``."""
    traced = paths((["mail"], "in", ["mail"], "IDENTITY"))
    output = {**dataset(name, "mail", headwater_pathLineage=traced), "namespace": namespace}
    return event("COMPLETE", minute, f"run {minute}", [dataset("in", "mail")], [output], f"writes {name}")


def stored(store: LineageStore, *events: dict[str, Any]) -> None:
    assert all(outcome.stored for outcome in ingest(store, events))


def own(store: LineageStore, namespace: str, name: str) -> str:
    key = DatasetKey(namespace, name)
    return store.get_datasets([key])[key].key.namespace


def test_decisions_of_an_older_store_apply_to_names_that_come_later(older: str) -> None:
    with closing(open_store(older)) as store:
        assert [each.subject for each in stewardship.history(store)] == [ALIAS["subject"], RULE["subject"]]
        stored(store, written(3, LOOPBACK, "orders"), written(4, "db://old", "people"))
        assert own(store, LOOPBACK, "orders") == LOCAL
        assert own(store, "db://old", "people") == LOCAL


def test_an_older_store_takes_decisions_about_personal_data_and_about_names(older: str) -> None:
    with closing(open_store(older)) as store:
        stored(store, written(3, LOOPBACK, "orders"))
        mail = NodeKey(DatasetKey("test", "in"), ("mail",))
        decide(store, Wanted(classes=(PathClass(mail, ("user.contact.email",)),)), STEWARD)
        (attribute,) = exposure(store).attributes
        assert [out.node.dataset for out in attribute.outputs] == [DatasetKey(LOCAL, "orders")]
        stewardship.decide(store, stewardship.Wanted(dropped_rules=("loopback",)), STEWARD)
        assert own(store, LOOPBACK, "orders") == LOOPBACK
        stored(store, written(5, LOOPBACK, "bills"))
        assert own(store, LOOPBACK, "bills") == LOOPBACK


def test_a_server_that_is_open_meanwhile_takes_note_of_decisions_about_names_alone(older: str) -> None:
    with closing(open_store(older)) as store, closing(open_store(older)) as other:
        stored(store, written(3, LOOPBACK, "orders"))
        stewardship.decide(other, stewardship.Wanted(dropped_rules=("loopback",)), STEWARD)
        stored(store, written(4, LOOPBACK, "bills"))
        assert own(store, LOOPBACK, "bills") == LOOPBACK


UNDO_CONDITIONS = """
DROP INDEX change_by_state;
ALTER TABLE observation DROP COLUMN conditions;
DROP TABLE conditions;
PRAGMA user_version = 22;
"""
UNDO_CONDITIONS_NEO4J: tuple[LiteralString, ...] = (
    "MATCH (o:Observation) REMOVE o.conditions",
    "MATCH (c:Conditions) DELETE c",
    "MATCH (m:Migration) WHERE m.number >= 19 DELETE m",
)
UNDO_RECEIPTS = """
CREATE INDEX io_by_dataset ON io (dataset);
DROP INDEX io_by_use;
DROP INDEX facet_size;
DROP INDEX facet_rows;
DROP INDEX observation_late;
DROP INDEX chosen_cleared;
ALTER TABLE observation DROP COLUMN known;
ALTER TABLE observation DROP COLUMN who;
ALTER TABLE observation DROP COLUMN late;
ALTER TABLE io DROP COLUMN known;
ALTER TABLE change DROP COLUMN known;
ALTER TABLE change DROP COLUMN who;
ALTER TABLE run DROP COLUMN settled;
ALTER TABLE run DROP COLUMN refuted;
ALTER TABLE chosen DROP COLUMN cleared;
ALTER TABLE chosen DROP COLUMN cleared_by;
PRAGMA user_version = 20;
"""
UNDO_RECEIPTS_NEO4J = (
    "MATCH (o:Observation) REMOVE o.known, o.who, o.late",
    "MATCH (i:Io) REMOVE i.known",
    "MATCH (c:Change) REMOVE c.known, c.who",
    "MATCH (r:Run) REMOVE r.settled, r.refuted",
    "MATCH (c:Chosen) REMOVE c.cleared, c.cleared_by",
    "MATCH (m:Migration) WHERE m.number >= 17 DELETE m",
)
UNDO_SQLITE = """
ALTER TABLE change DROP COLUMN replaced;
ALTER TABLE layout DROP COLUMN whole;
ALTER TABLE layout DROP COLUMN whole_last;
UPDATE read_as SET current = 0;
ALTER TABLE slot ADD COLUMN version TEXT;
ALTER TABLE slot ADD COLUMN run TEXT;
UPDATE slot SET (version, run) = (SELECT c.version, c.run FROM chosen c WHERE c.slot = slot.key);
DROP TABLE chosen;
DROP INDEX observation_by_standing;
DROP INDEX observation_that_keeps;
ALTER TABLE observation DROP COLUMN keeps;
ALTER TABLE observation DROP COLUMN reported;
CREATE INDEX observation_by_standing ON observation (slot, standing, last, run);
PRAGMA user_version = 18;
"""
UNDO_NEO4J = (
    "MATCH (c:Change) REMOVE c.replaced",
    "MATCH (n:Layout) REMOVE n.whole, n.whole_last",
    "MATCH ()-[e:READ_AS]->() SET e.current = false",
    "MATCH (c:Chosen) MATCH (s:Slot {key: c.slot}) SET s.version = c.version, s.run = c.run DELETE c",
    "MATCH (o:Observation) REMOVE o.keeps, o.reported",
    "MATCH (m:Migration) WHERE m.number >= 15 DELETE m",
)


def _without_extents(url: str) -> None:
    """Make the store what it was before extents of overwrites, and writes that keep what was there, were known."""
    _without_receipts(url)
    _undo(url, UNDO_SQLITE, UNDO_NEO4J)


def _without_receipts(url: str) -> None:
    """Make the store what it was before it was kept when events were received."""
    _without_conditions(url)
    _undo(url, UNDO_RECEIPTS, UNDO_RECEIPTS_NEO4J)


def _without_conditions(url: str) -> None:
    """Make the store what it was before the conditions of each run were kept."""
    _undo(url, UNDO_CONDITIONS, UNDO_CONDITIONS_NEO4J)


def _undo(url: str, sqlite: str, neo4j: Sequence[LiteralString]) -> None:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as db:
            db.executescript(sqlite)
        return
    address = address_of(url)
    with GraphDatabase.driver(address.uri, auth=address.auth) as driver, driver.session() as session:
        for statement in neo4j:
            session.run(statement).consume()


def test_of_what_an_older_store_overwrote_it_is_not_known_how_much(store_url: str) -> None:
    whole = {
        "lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"),
        "headwater_extent": facet(replaced="WHOLE"),
    }
    traced = paths((["Mail"], "in", ["mail"], "IDENTITY"))
    copied = paths((["x"], "d", ["mail"], "IDENTITY"))
    first = dataset("d", "Mail", headwater_pathLineage=traced)
    out = dataset("out", "x", headwater_pathLineage=copied)
    with closing(open_store(store_url)) as store:
        stored(
            store,
            event("COMPLETE", 1, "first", [dataset("in", "mail")], [first], "first"),
            event("COMPLETE", 2, "second", [], [dataset("d", "city", **whole)], "second"),
            event("COMPLETE", 3, "reads", [dataset("d", "mail")], [out], "reads"),
        )
        assert not reaches(store)
    _without_extents(store_url)
    with closing(open_store(store_url)) as store:
        assert reaches(store)
        (change,) = store.get_datasets([DatasetKey("test", "d")])[DatasetKey("test", "d")].changes
        assert (change.change, change.replaced) == ("OVERWRITE", None)
        stored(store, event("COMPLETE", 4, "third", [], [dataset("d", "city", **whole)], "second"))
        newest, _ = store.get_datasets([DatasetKey("test", "d")])[DatasetKey("test", "d")].changes
        assert newest.replaced == "WHOLE"


def test_what_an_older_store_had_stays_current_and_is_added_to(store_url: str) -> None:
    spark = {"jobType": facet(processingType="BATCH", integration="SPARK")}

    def appended(minute: int, column: str) -> dict[str, Any]:
        out = dataset("out", "x", headwater_pathLineage=paths((["x"], "in", [column], "IDENTITY")))
        found = event("COMPLETE", minute, f"run {minute}", [dataset("in", column)], [out])
        found["job"]["facets"] = spark
        return found

    with closing(open_store(store_url)) as store:
        begun = {**appended(1, "a"), "eventType": "START", "outputs": [dataset("out")]}
        stored(store, begun, appended(2, "a"))
    _without_extents(store_url)
    with closing(open_store(store_url)) as store:
        assert near(store, node("out", "x"), Direction.BACKWARD) == {("in:a", "out:x")}
        stored(store, appended(3, "b"), appended(4, "c"))
        found = near(store, node("out", "x"), Direction.BACKWARD)
        assert found == {("in:a", "out:x"), ("in:b", "out:x"), ("in:c", "out:x")}


def test_what_an_older_store_knew_is_not_cleared_by_what_is_stated_of_it_today(store_url: str) -> None:
    def stated(source: str) -> dict[str, Any]:
        traced = paths((["x"], source, ["mail"], "IDENTITY"))
        out = dataset("out", "x", headwater_pathLineage=traced)
        return event("COMPLETE", 1, "run", [dataset("in", "mail")], [out])

    with closing(open_store(store_url)) as store:
        stored(store, stated("in"))
    _without_receipts(store_url)
    with closing(open_store(store_url)) as store:
        stored(store, {**stated("elsewhere"), "eventTime": at(2).isoformat()})
        assert near(store, node("out", "x"), Direction.BACKWARD) == {
            ("in:mail", "out:x"),
            ("elsewhere:mail", "out:x"),
            ("in:", "out:"),  # an input that the job reads, and makes nothing of: how many rows there are
        }
        (found,) = store.corrections()
        assert (found.dataset.name, found.by) == ("out", "local")


def reaches(store: LineageStore) -> bool:
    """Whether ``in.mail`` goes to ``out``."""
    return DatasetKey("test", "out") in {
        each.key.dataset for each in forward(store, NodeKey(DatasetKey("test", "in"), ("mail",))).nodes
    }
