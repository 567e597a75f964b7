"""Decisions about names in SQLite, and the links that follow from them, see ``stores.dataset_names``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import astuple
from typing import Final

from headwater_backend.domain.node_keys import dataset_of
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.names.decisions import standing
from headwater_backend.stores.aliases import Link
from headwater_backend.stores.answers import folded
from headwater_backend.stores.current import FOREVER
from headwater_backend.stores.dataset_names import (
    DecidedLink,
    KnownNaming,
    ends_of,
    links_of,
    nameless,
    names_in,
    rule_links,
)

DECISION: Final = (
    "INSERT OR IGNORE INTO decision (subject, time, content, actor, reason) VALUES (?, ?, ?, ?, ?)"
)
DECISIONS: Final = (
    "SELECT subject, time, content, actor, reason FROM decision ORDER BY time, subject, content"
)
COUNT: Final = "SELECT count(*) FROM decision"
NAMES: Final = """
SELECT key FROM dataset WHERE first <= last
UNION SELECT name FROM symlink
UNION SELECT previous FROM change WHERE previous <> ''
"""
NAMES_SEEN: Final = "SELECT key FROM dataset WHERE first <= last"
LINKS: Final = "SELECT name, dataset, kind FROM decided_link"
LINK: Final = (
    "INSERT OR IGNORE INTO decided_link (name, dataset, kind) VALUES (?, ?, ?) RETURNING name, dataset, kind"
)
FORGET_LINK: Final = "DELETE FROM decided_link WHERE name = ? AND dataset = ? AND kind = ?"
SEEN: Final = (
    "SELECT d.key FROM json_each(:names) f CROSS JOIN dataset d ON d.key = f.value WHERE d.first <= d.last"
)
# A dataset that holds nothing has the earliest and the latest time of an empty set: any event's are kept instead.
FORGET_NAMELESS: Final = """
DELETE FROM dataset WHERE key IN (SELECT value FROM json_each(:names)) AND first > last
"""
NAMELESS: Final = """
INSERT OR IGNORE INTO dataset (key, namespace, name, folded, first, last) VALUES (?, ?, ?, ?, ?, ?)
"""
NAMELESS_OF: Final = """
SELECT DISTINCT a.canonical FROM json_each(:names) f CROSS JOIN alias a ON a.name = f.value
WHERE NOT EXISTS (SELECT 1 FROM dataset d WHERE d.key = a.canonical)
"""
ALIASES: Final = "SELECT name, canonical FROM alias"


def write(db: sqlite3.Connection, batch: Batch, known: KnownNaming) -> set[str]:
    """Store the decisions of the batch, link its names by those in force, and return the names whose links changed."""
    if batch.decisions:
        db.executemany(DECISION, map(astuple, batch.decisions))
        return relinked(db)
    count = db.execute(COUNT).fetchone()[0]
    naming = known.of(count, lambda: decisions(db)) if count else None
    if not naming:
        return set()
    names = names_in(batch)
    fresh = _link(db, rule_links(naming, names))
    _keep(db, (key for (key,) in db.execute(NAMELESS_OF, {"names": json.dumps(sorted(names))}).fetchall()))
    return ends_of(fresh)


def decisions(db: sqlite3.Connection) -> list[DecisionMade]:
    """All decisions, oldest first."""
    return [DecisionMade(*row) for row in db.execute(DECISIONS)]


def names(db: sqlite3.Connection) -> list[str]:
    """The names of all datasets in events."""
    return [name for (name,) in db.execute(NAMES_SEEN)]


def aliases(db: sqlite3.Connection) -> dict[str, str]:
    """From each name that is not canonical to the one that is."""
    return dict(db.execute(ALIASES).fetchall())


def keep_nameless(
    db: sqlite3.Connection, around: Collection[str], links: Collection[Link], canonical: Mapping[str, str]
) -> None:
    """Keep an empty dataset for each canonical name among those ``around`` that needs one, and delete other empty
    ones.
    """
    names = json.dumps(sorted(around))
    db.execute(FORGET_NAMELESS, {"names": names})
    seen = {key for (key,) in db.execute(SEEN, {"names": names})}
    _keep(db, nameless(canonical, links, seen))


def relinked(db: sqlite3.Connection) -> set[str]:
    """Compute all links again, and return the names whose links changed."""
    names = (name for (name,) in db.execute(NAMES))
    wanted = links_of(standing(decisions(db)), names)
    stored = {DecidedLink(*row) for row in db.execute(LINKS)}
    db.executemany(FORGET_LINK, sorted(stored - wanted))
    _link(db, wanted - stored)
    return ends_of(stored ^ wanted)


def _link(db: sqlite3.Connection, links: Collection[DecidedLink]) -> list[DecidedLink]:
    """Store the links, and return those that are new."""
    return [DecidedLink(*row) for link in sorted(links) for row in db.execute(LINK, link).fetchall()]


def _keep(db: sqlite3.Connection, keys: Iterable[str]) -> None:
    found = ((key, dataset_of(key)) for key in keys)
    db.executemany(NAMELESS, ((key, *named, folded(named), FOREVER, -FOREVER) for key, named in found))
