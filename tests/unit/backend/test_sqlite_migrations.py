"""The content of an older SQLite store is kept when it is migrated."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from headwater_backend.domain.model import DatasetKey, Direction
from headwater_backend.stores.migrations import migrations
from headwater_backend.stores.sql.neighbours import NEIGHBOURS
from headwater_backend.stores.sqlite.store import SqliteStore

WAYS = ['[{"subtype":"IDENTITY","type":"DIRECT"}]', '[{"subtype":"FILTER","type":"INDIRECT"}]']
EDGES = [("d/in/a/", "d/out/x/", WAYS[0]), ("d/in/b/", "d/out/x/", WAYS[1]), ("d/in/a/", "d/out/y/", WAYS[0])]


def older(file: Path, until: int) -> sqlite3.Connection:
    """A store as the first migrations made it."""
    db = sqlite3.connect(file, isolation_level=None)
    for migration in migrations("headwater_backend.stores.sqlite", "sql")[:until]:
        for statement in migration.statements:
            db.execute(statement)
    db.execute(f"PRAGMA user_version = {until}")
    return db


def test_edges_keep_their_transformations_when_these_are_kept_once(tmp_path: Path) -> None:
    file = tmp_path / "lineage.db"
    db = older(file, 8)
    db.execute("INSERT INTO job VALUES ('d/job/', 'd', 'job', 1, 1)")
    db.execute(
        "INSERT INTO dataset (key, namespace, name, folded, first, last) VALUES ('d/out/', 'd', 'out', '', 1, 1)"
    )
    db.execute("INSERT INTO slot VALUES ('d/job/d/out/', 'd/job/', 'd/out/', 'v', 'd/job/r/')")
    db.execute("INSERT INTO version VALUES (7, 'v', 'd/job/d/out/', 1)")
    for number, key in enumerate(["d/in/a/", "d/in/b/", "d/out/x/", "d/out/y/"]):
        db.execute("INSERT INTO path VALUES (?, ?)", (number, key))
    for source, target, how in EDGES:
        db.execute(
            """
            INSERT INTO edge (version, source, target, current, direct, indirect, transformations)
            SELECT 7, s.id, t.id, 1, ?, ?, ? FROM path s, path t WHERE s.key = ? AND t.key = ?
            """,
            (how == WAYS[0], how == WAYS[1], how, source, target),
        )
    db.close()

    store = SqliteStore.open(file)
    edges = [row[2:5] for row in store.contents() if row[0] == "edge"]
    store.close()
    assert sorted(edges) == sorted(EDGES)


def test_what_is_missing_of_outputs_and_paths_is_known_of_what_was_stored_before(tmp_path: Path) -> None:
    file = tmp_path / "lineage.db"
    db = older(file, 11)
    db.execute("INSERT INTO job VALUES ('d/job/', 'd', 'job', 1, 1)")
    for name in ("in", "whole", "part", "none", "called"):
        db.execute("INSERT INTO dataset VALUES (?, 'd', ?, '', 1, 1)", (f"d/{name}/", name))
    db.execute("INSERT INTO io VALUES ('d/job/r/', 'INPUT', 'd/in/', 1, 1)")
    for number, (name, rank) in enumerate([("whole", 3), ("part", 3), ("none", 0), ("called", 3)]):
        slot = f"d/job/d/{name}/"
        db.execute("INSERT INTO slot VALUES (?, 'd/job/', ?, ?, 'd/job/r/')", (slot, f"d/{name}/", name))
        db.execute("INSERT INTO version VALUES (?, ?, ?, ?)", (number, name, slot, rank))
    db.execute("INSERT INTO gap VALUES (0, 'DROPPED', 'd/whole/', ''), (1, 'TRUNCATED', 'd/part/x/', '')")
    db.execute("INSERT INTO gap VALUES (3, 'SCALA_UDAF', 'd/called/x/', '')")
    db.close()

    store = SqliteStore.open(file)
    (gaps,) = store.possible_outputs([DatasetKey("d", "in")]).values()
    store.close()
    assert [(gap.reason, gap.dataset.name, gap.path) for gap in gaps] == [
        ("NO_LINEAGE_FACET", "none", ()),
        ("TRUNCATED", "part", ("x",)),
        ("DROPPED", "whole", ()),
    ]
    db = sqlite3.connect(file)
    assert db.execute("SELECT key FROM version WHERE NOT untold").fetchall() == [("called",)]
    db.close()


def test_a_search_asks_an_index_alone_for_the_edges_and_sorts_none_of_them(tmp_path: Path) -> None:
    file = tmp_path / "lineage.db"
    SqliteStore.open(file).close()
    db = sqlite3.connect(file)
    asked = {"exact": "[]", "subtrees": '["d/out/"]', "direct": True, "indirect": False}
    plans = {
        direction: [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {NEIGHBOURS[direction, True]}", asked)]
        for direction in Direction
    }
    db.close()
    wanted = "SEARCH e USING COVERING INDEX edge_by_"
    assert any(step.startswith(f"{wanted}target") for step in plans[Direction.BACKWARD])
    assert any(step.startswith(f"{wanted}source") for step in plans[Direction.FORWARD])
    for plan in plans.values():
        of_edges = plan[: plan.index("SCAN found")]
        assert not any("FOR GROUP BY" in step for step in of_edges)
