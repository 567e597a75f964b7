"""Merging records into an SQL database."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from headwater_backend.domain.node_keys import named_text
from headwater_backend.domain.records import Batch, Observation, Version
from headwater_backend.stores.answers import folded
from headwater_backend.stores.rows.transaction import Row

if TYPE_CHECKING:
    from typing_extensions import LiteralString

DATASET: Final = """
INSERT INTO dataset (key, namespace, name, folded, first, last) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET first = min(dataset.first, excluded.first), last = max(dataset.last, excluded.last)
"""
JOB: Final = """
INSERT INTO job (key, namespace, name, first, last) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET first = min(job.first, excluded.first), last = max(job.last, excluded.last)
"""
RUN: Final = """
INSERT INTO run (
    key, job, run_id, first, last, started, running, completed, failed, aborted, other, ended, settled, refuted
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
    first = min(run.first, excluded.first),
    last = max(run.last, excluded.last),
    started = coalesce(min(run.started, excluded.started), run.started, excluded.started),
    running = coalesce(min(run.running, excluded.running), run.running, excluded.running),
    completed = coalesce(min(run.completed, excluded.completed), run.completed, excluded.completed),
    failed = coalesce(min(run.failed, excluded.failed), run.failed, excluded.failed),
    aborted = coalesce(min(run.aborted, excluded.aborted), run.aborted, excluded.aborted),
    other = coalesce(min(run.other, excluded.other), run.other, excluded.other),
    ended = coalesce(max(run.ended, excluded.ended), run.ended, excluded.ended),
    settled = coalesce(min(run.settled, excluded.settled), run.settled, excluded.settled),
    refuted = coalesce(min(run.refuted, excluded.refuted), run.refuted, excluded.refuted)
"""
IO: Final = """
INSERT INTO io (run, direction, dataset, first, last, known) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (run, direction, dataset) DO UPDATE SET
    first = min(io.first, excluded.first), last = max(io.last, excluded.last), known = min(io.known, excluded.known)
"""
FACET: Final = """
INSERT INTO facet (owner, name, time, digest, body) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (owner, name) DO UPDATE SET time = excluded.time, digest = excluded.digest, body = excluded.body
WHERE (excluded.time, excluded.digest) > (facet.time, facet.digest)
"""
PATH: Final = "INSERT INTO path (key) VALUES (?) ON CONFLICT (key) DO NOTHING"
SYMLINK: Final = """
INSERT INTO symlink (name, dataset, time) VALUES (?, ?, ?)
ON CONFLICT (name, dataset) DO UPDATE SET time = max(symlink.time, excluded.time)
"""
SLOT: Final = "INSERT INTO slot (key, job, output) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING"
VERSION_IDS: Final = "SELECT v.key, v.id FROM json_each(:keys) f CROSS JOIN version v ON v.key = f.value"
VERSION: Final = "INSERT INTO version (key, slot, rank, untold) VALUES (?, ?, ?, ?)"
GAP: Final = "INSERT INTO gap (version, reason, path, detail) SELECT id, ?, ?, ? FROM version WHERE key = ?"
PATH_IDS: Final = "SELECT p.key, p.id FROM json_each(:keys) f CROSS JOIN path p ON p.key = f.value"
WAY: Final = "INSERT INTO way (transformations) VALUES (?) ON CONFLICT (transformations) DO NOTHING"
WAY_IDS: Final = """
SELECT w.transformations, w.id FROM json_each(:keys) f CROSS JOIN way w ON w.transformations = f.value
"""
EDGE: Final = """
INSERT INTO edge (version, source, target, direct, indirect, way, current) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
OBSERVATION: Final = """
INSERT INTO observation (slot, run, version, static, first, last, keeps, known, who, conditions)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (slot, run, version) DO UPDATE SET
    first = min(observation.first, excluded.first),
    last = max(observation.last, excluded.last),
    keeps = max(observation.keeps, excluded.keeps),
    who = CASE WHEN (excluded.known, excluded.who) < (observation.known, observation.who) THEN excluded.who
               ELSE observation.who END,
    known = min(observation.known, excluded.known),
    conditions = CASE WHEN observation.conditions = excluded.conditions THEN observation.conditions
                      ELSE united(observation.conditions, excluded.conditions) END
"""
CONDITIONS: Final = "INSERT INTO conditions (digest, body) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING"


class SqlWriter:
    """What a transaction writes of a batch, beside statements with names for parameters."""

    @abstractmethod
    def rows(self, statement: LiteralString, **parameters: Any) -> Sequence[Row]:
        """The rows that the statement returns."""

    @abstractmethod
    def many(self, statement: LiteralString, rows: Iterable[Sequence[Any]]) -> None:
        """Execute the statement for each row, whose columns are its parameters in order."""

    def write_records(self, batch: Batch) -> None:
        many = self.many
        many(DATASET, ((named_text(d.key), *d.key, folded(d.key), d.first, d.last) for d in batch.datasets))
        many(JOB, ((named_text(j.key), *j.key, j.first, j.last) for j in batch.jobs))
        many(
            RUN,
            (
                (
                    r.key,
                    r.job,
                    r.run_id,
                    r.first,
                    r.last,
                    r.started,
                    r.running,
                    r.completed,
                    r.failed,
                    r.aborted,
                    r.other,
                    r.ended,
                    r.settled,
                    r.refuted,
                )
                for r in batch.runs
            ),
        )
        many(IO, ((i.run, i.direction, i.dataset, i.first, i.last, i.known) for i in batch.io))
        many(FACET, ((f.owner, f.name, f.time, f.digest, f.body) for f in batch.facets))
        many(SYMLINK, ((s.name, s.dataset, s.time) for s in batch.symlinks))
        many(PATH, ((path,) for path in batch.paths))
        many(CONDITIONS, ((each.digest, each.body) for each in batch.conditions))

    def write_versions(self, versions: Collection[Version]) -> set[str]:
        many = self.many
        many(SLOT, ((v.job + v.output, v.job, v.output) for v in versions))
        known = self._ids(VERSION_IDS, (version.key for version in versions))
        fresh = [version for version in versions if version.key not in known]
        many(VERSION, ((v.key, v.job + v.output, int(v.rank), v.has_unlisted_reads) for v in fresh))
        many(GAP, ((*gap, version.key) for version in fresh for gap in version.gaps))
        return {version.key for version in fresh}

    def write_observations(self, observations: Collection[Observation]) -> None:
        rows = (
            (
                o.job + o.output,
                o.run,
                o.version,
                o.static,
                o.first,
                o.last,
                o.keeps,
                o.known,
                o.who,
                o.conditions,
            )
            for o in observations
        )
        self.many(OBSERVATION, rows)

    def write_edges(self, versions: Collection[Version], current: Collection[str]) -> None:
        numbers = self._ids(VERSION_IDS, (version.key for version in versions))
        paths = self._ids(PATH_IDS, {end for each in versions for edge in each.edges for end in edge[:2]})
        kinds = {edge.transformations for version in versions for edge in version.edges}
        self.many(WAY, ((how,) for how in sorted(kinds)))
        ways = self._ids(WAY_IDS, kinds)
        for version in versions:
            number, marked = numbers[version.key], version.key in current
            self.many(
                EDGE,
                (
                    (number, paths[source], paths[target], direct, indirect, ways[how], marked)
                    for source, target, how, direct, indirect in version.edges
                ),
            )

    def _ids(self, statement: LiteralString, keys: Iterable[str]) -> dict[str, int]:
        return dict(self.rows(statement, keys=sorted(keys)))
