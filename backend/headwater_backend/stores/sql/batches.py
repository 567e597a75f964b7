"""The content of an SQL store as rows, and as batches, see ``stores.copying.batches``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from headwater_backend.domain.node_keys import slot_parts
from headwater_backend.domain.records import Batch, EdgeRow, Gap, LineageRank, Version
from headwater_backend.stores.copying.batches import (
    AFTER_VERSIONS,
    BEFORE_VERSIONS,
    batches_of,
    version_batches,
)

if TYPE_CHECKING:
    from typing_extensions import LiteralString

CONTENTS: Final[dict[str, LiteralString]] = {
    "dataset": "SELECT key, first, last FROM dataset WHERE first <= last ORDER BY key",
    "symlink": "SELECT name, dataset, time FROM symlink ORDER BY name, dataset",
    "change": """SELECT dataset, change, time, run, previous, replaced, known, who FROM change
                 ORDER BY dataset, change, time, run, previous""",
    "decision": "SELECT subject, time, content, actor, reason FROM decision ORDER BY subject, time, content",
    "decided_link": "SELECT name, dataset, kind FROM decided_link ORDER BY name, dataset, kind",
    "alias": "SELECT name, canonical FROM alias ORDER BY name",
    "job": "SELECT key, first, last FROM job ORDER BY key",
    "run": """SELECT key, job, run_id, first, last, started, running, completed, failed, aborted, other, ended,
              settled, refuted FROM run ORDER BY key""",
    "io": "SELECT run, direction, dataset, first, last, known FROM io ORDER BY run, direction, dataset",
    "facet": "SELECT owner, name, time, digest, body FROM facet ORDER BY owner, name",
    "path": "SELECT key FROM path ORDER BY key",
    "slot": """SELECT s.key, c.version, c.run, c.cleared, c.cleared_by
               FROM slot s LEFT JOIN chosen c ON c.slot = s.key ORDER BY s.key, c.version""",
    "version": "SELECT key, slot, rank FROM version ORDER BY key",
    "gap": """SELECT v.key, g.reason, g.path, g.detail FROM gap g JOIN version v ON v.id = g.version
              ORDER BY v.key, g.reason, g.path, g.detail""",
    "conditions": "SELECT digest, body FROM conditions ORDER BY digest",
    "observation": """SELECT slot, run, version, static, first, last, keeps, conditions, known, who FROM observation
                      ORDER BY slot, run, version""",
    "layout": """SELECT dataset, use, job, digest, body, first, last, replaced, replaced_last, whole, whole_last
                 FROM layout ORDER BY dataset, use, job, digest""",
    "read_as": """SELECT s.key, t.key, r.job, w.transformations, r.since, r.current
                  FROM read_as r JOIN way w ON w.id = r.way
                  JOIN path s ON s.id = r.source JOIN path t ON t.id = r.target ORDER BY t.key, s.key, r.job, 4""",
    "drift": "SELECT dataset, job, use, path, detail FROM drift ORDER BY dataset, job, use, path, detail",
    "edge": """SELECT v.key, s.key, t.key, w.transformations, e.current FROM edge e JOIN way w ON w.id = e.way
               JOIN version v ON v.id = e.version JOIN path s ON s.id = e.source JOIN path t ON t.id = e.target
               ORDER BY v.key, t.key, s.key""",
}
"""By kind, see ``Contents.contents``."""
VERSIONS: Final = "SELECT id, key, slot, rank FROM version ORDER BY id"
GAPS: Final = "SELECT reason, path, detail FROM gap WHERE version = ? ORDER BY reason, path, detail"
EDGES: Final = """
SELECT s.key, t.key, w.transformations, e.direct, e.indirect
FROM edge e JOIN path s ON s.id = e.source JOIN path t ON t.id = e.target JOIN way w ON w.id = e.way
WHERE e.version = ?
"""
OBSERVATIONS: Final = """
SELECT o.slot, o.run, o.version, v.rank, o.static, o.first, o.last, o.keeps, o.conditions, o.known, o.who
FROM observation o JOIN version v ON v.key = o.version
"""


class Execute(Protocol):
    """Executes a statement with its parameters, in order, and returns its rows."""

    def __call__(self, statement: LiteralString, parameters: Sequence[Any] = (), /) -> Iterable[Any]: ...


def batches(execute: Execute) -> Iterator[Batch]:
    """All records, in an order in which any store can apply them."""
    for kind in BEFORE_VERSIONS:
        yield from batches_of(kind, execute(CONTENTS[kind]))
    yield from version_batches(_versions(execute))
    yield from batches_of("observation", execute(OBSERVATIONS))
    for kind in AFTER_VERSIONS:
        yield from batches_of(kind, execute(CONTENTS[kind]))


def _versions(execute: Execute) -> Iterator[Version]:
    for number, key, slot, rank in execute(VERSIONS):
        gaps = tuple(Gap._make(row) for row in execute(GAPS, (number,)))
        edges = tuple(
            EdgeRow(source, target, how, bool(direct), bool(indirect))
            for source, target, how, direct, indirect in execute(EDGES, (number,))
        )
        yield Version(key, *slot_parts(slot), LineageRank(rank), edges, gaps)
