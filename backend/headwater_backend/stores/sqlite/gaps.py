"""The gaps of lineage in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from headwater_backend.domain.model import DatasetKey, Incomplete
from headwater_backend.domain.moments import micros
from headwater_backend.domain.node_keys import named_text
from headwater_backend.stores import gaps
from headwater_backend.stores.current import FOREVER
from headwater_backend.stores.gaps import GapRow, OutputRow
from headwater_backend.stores.sqlite import statements as sql
from headwater_backend.stores.sqlite.questions import chosen_at

_ASKED: Final = """
WITH asked (key) AS (
    SELECT value FROM json_each(:datasets)
    UNION SELECT a.canonical FROM json_each(:datasets) f JOIN alias a ON a.name = f.value
    UNION SELECT a.name FROM json_each(:datasets) f JOIN alias a ON a.canonical = f.value
)
"""
_OUTPUT_SLOTS: Final = "SELECT s.key FROM asked CROSS JOIN slot s ON s.output = asked.key"
_OUTPUTS_NOW: Final = """
, decided (output, job, version, run) AS (
    SELECT s.output, s.job, s.version, s.run FROM asked CROSS JOIN slot s ON s.output = asked.key
)
"""
# What was current then: JSON of [slot, version, run].
_OUTPUTS_THEN: Final = """
, decided (output, job, version, run) AS (
    SELECT s.output, s.job, json_extract(f.value, '$[1]'), json_extract(f.value, '$[2]')
    FROM json_each(:decided) f CROSS JOIN slot s ON s.key = json_extract(f.value, '$[0]')
)
"""
_GAPS_OF_OUTPUTS: Final = """
SELECT g.reason, g.path, g.detail, d.job
FROM decided d CROSS JOIN version v ON v.key = d.version CROSS JOIN gap g ON g.version = v.id
UNION
SELECT 'NO_LINEAGE_FACET', d.output, '', d.job
FROM decided d CROSS JOIN version v ON v.key = d.version AND v.rank = 0
WHERE EXISTS (SELECT 1 FROM io WHERE io.run = d.run AND io.direction = 'INPUT' AND io.first <= :at)
UNION
SELECT 'SCHEMA_DRIFT', d.path, d.detail, d.job
FROM asked CROSS JOIN drift d ON d.dataset = asked.key AND d.use = 'INPUT'
"""
OUTPUT_SLOTS: Final = _ASKED + _OUTPUT_SLOTS
INCOMPLETE: Final = _ASKED + _OUTPUTS_NOW + _GAPS_OF_OUTPUTS
INCOMPLETE_THEN: Final = _ASKED + _OUTPUTS_THEN + _GAPS_OF_OUTPUTS

UNLISTED_SLOTS: Final = "SELECT DISTINCT slot FROM version WHERE untold"
_UNLISTED_NOW: Final = """
WITH decided (id, rank, output, job, run) AS (
    SELECT v.id, v.rank, s.output, s.job, s.run
    FROM version v CROSS JOIN slot s ON s.key = v.slot AND s.version = v.key WHERE v.untold
)
"""
_UNLISTED_THEN: Final = """
WITH decided (id, rank, output, job, run) AS (
    SELECT v.id, v.rank, s.output, s.job, json_extract(f.value, '$[2]')
    FROM json_each(:decided) f
    CROSS JOIN slot s ON s.key = json_extract(f.value, '$[0]')
    CROSS JOIN version v ON v.key = json_extract(f.value, '$[1]') AND v.untold
)
"""
# The plus keeps the index of datasets out: a run has few inputs, and to seek each name would take names times runs.
_READ_FOR_THEM: Final = """
SELECT json_group_array(i.dataset), d.output, d.job,
       (SELECT json_group_array(json_array(g.reason, g.path, g.detail)) FROM gap g WHERE g.version = d.id), d.rank = 0
FROM decided d CROSS JOIN io i ON i.run = d.run AND i.direction = 'INPUT' AND i.first <= :at
WHERE +i.dataset IN (SELECT value FROM json_each(:names))
GROUP BY d.id
UNION ALL
SELECT json_array(d.dataset), d.path, d.job, json_array(json_array('SCHEMA_DRIFT', d.path, d.detail)), 0
FROM json_each(:names) f CROSS JOIN drift d ON d.dataset = f.value AND d.use = 'OUTPUT'
"""
UNLISTED: Final = _UNLISTED_NOW + _READ_FOR_THEM
UNLISTED_THEN: Final = _UNLISTED_THEN + _READ_FOR_THEM


def incomplete(
    db: sqlite3.Connection, datasets: Sequence[DatasetKey], as_of: datetime | None
) -> list[Incomplete]:
    """The gaps of the lineage into the datasets."""
    wanted = {"datasets": json.dumps([named_text(key) for key in datasets]), "at": FOREVER}
    if as_of is None:
        rows = db.execute(INCOMPLETE, wanted)
    else:
        slots = db.execute(OUTPUT_SLOTS, wanted).fetchall()
        rows = db.execute(INCOMPLETE_THEN, {**wanted, **_decided(db, slots, micros(as_of))})
    own = dict(db.execute(sql.SEEN_ALIASES).fetchall())
    return gaps.sorted_gaps(map(GapRow._make, rows), own)


def possible_outputs(
    db: sqlite3.Connection, datasets: Sequence[DatasetKey], as_of: datetime | None
) -> dict[DatasetKey, Sequence[Incomplete]]:
    """The gaps at which anything of the datasets may have arrived, by the dataset asked for."""
    keys = json.dumps([named_text(key) for key in datasets])
    names = db.execute(sql.NAMES_OF, {"keys": keys}).fetchall()
    wanted = {"names": json.dumps([name for name, _ in names]), "at": FOREVER}
    if as_of is None:
        rows = db.execute(UNLISTED, wanted).fetchall()
    else:
        slots = db.execute(UNLISTED_SLOTS).fetchall()
        rows = db.execute(UNLISTED_THEN, {**wanted, **_decided(db, slots, micros(as_of))}).fetchall()
    own = dict(db.execute(sql.SEEN_ALIASES).fetchall()) if rows else {}
    return gaps.possible_outputs(names, map(_output, rows), own)


def _output(row: tuple[str, str, str, str, int]) -> OutputRow:
    reads, output, job, listed, no_lineage = row
    return OutputRow(json.loads(reads), output, job, json.loads(listed), bool(no_lineage))


def _decided(db: sqlite3.Connection, slots: Iterable[tuple[str]], at: int) -> dict[str, str | int]:
    """The versions of the slots that were current at that moment, as parameters."""
    then = chosen_at(db, [slot for (slot,) in slots], at)
    decided = [[slot, seen.version, seen.run] for slot, seen in then.items()]
    return {"decided": json.dumps(decided), "at": at}
