"""A store as a reader of some namespaces sees it: what is elsewhere has closed names, and no facts.

Lineage goes on through closed datasets and jobs, so that an answer has the same shape for everybody. Searches find open
names only.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from headwater_backend.access.closed_facts import ClosedFacts
from headwater_backend.access.refusing_store import RefusingStore
from headwater_backend.domain.audit_log import AuditEntry
from headwater_backend.domain.layouts import Layout
from headwater_backend.domain.model import (
    Ahead,
    Alike,
    Dataset,
    DatasetKey,
    DatasetPage,
    Direction,
    Drift,
    Incomplete,
    Job,
    JobKey,
    LineageType,
    Making,
    Neighbours,
    NodeKey,
    PathSteps,
    Reading,
    Run,
    RunKey,
    RunPlace,
    Unused,
    Use,
    Used,
    Writer,
)
from headwater_backend.domain.pages import cursor, read_cursor
from headwater_backend.domain.records import Batch
from headwater_backend.ports import NOTHING_AHEAD, LineageStore
from headwater_backend.ports.decisions import Decisions
from headwater_backend.ports.overview import Grouped, Wanted

Key = TypeVar("Key")
V = TypeVar("V")


class VisibleStore(RefusingStore):
    """The store for a caller who sees the names of some namespaces only, and may only ask about lineage."""

    def __init__(self, store: LineageStore, sees: Callable[[str], bool]) -> None:
        self._store = store
        self._names = ClosedFacts(sees)

    def sees(self, key: JobKey | DatasetKey) -> bool:
        """Whether the caller sees the name."""
        return self._names.sees(key.namespace)

    def known_at(self, moment: datetime) -> VisibleStore:
        found = copy.copy(self)
        found._store = self._store.known_at(moment)
        return found

    # The graph

    def neighbours(
        self,
        frontier: Sequence[NodeKey],
        direction: Direction,
        types: frozenset[LineageType],
        as_of: datetime | None = None,
        ahead: Ahead = NOTHING_AHEAD,
    ) -> Neighbours:
        real = [self._names.real_node(node) for node in frontier]
        found = self._store.neighbours(real, direction, types, as_of, ahead)
        return Neighbours(
            [self._names.fan(fan) for fan in found.fans], frozenset(map(self._names.node, found.opened))
        )

    def paths(self, datasets: Sequence[DatasetKey]) -> Mapping[DatasetKey, Sequence[PathSteps]]:
        found = self._by_real(self._store.paths, datasets)
        return {
            key: [self._names.path(self._names.real_dataset(key), path) for path in paths]
            for key, paths in found.items()
        }

    def incomplete(
        self,
        datasets: Sequence[DatasetKey],
        as_of: datetime | None = None,
        *,
        earlier: bool = False,
        only: str | None = None,
    ) -> Sequence[Incomplete]:
        real = [*map(self._names.real_dataset, datasets)]
        return self._names.gaps(self._store.incomplete(real, as_of, earlier=earlier, only=only))

    def possible_outputs(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None, *, earlier: bool = False
    ) -> Mapping[DatasetKey, Sequence[Incomplete]]:
        found = self._by_real(
            lambda keys: self._store.possible_outputs(keys, as_of, earlier=earlier), datasets
        )
        return {key: self._names.gaps(gaps) for key, gaps in found.items()}

    def drifts(self) -> Sequence[Drift]:
        return [
            replace(
                drift,
                dataset=self._names.dataset(drift.dataset),
                path=self._names.path(drift.dataset, drift.path),
                job=self._names.job(drift.job),
                detail="",
            )
            for drift in self._store.drifts()
        ]

    def readings(
        self, dataset: DatasetKey, since: datetime, until: datetime, most: int
    ) -> tuple[Sequence[Reading], bool]:
        real = self._names.real_dataset(dataset)
        found, complete = self._store.readings(real, since, until, most)
        return [self._names.reading(real, reading) for reading in found], complete

    def writers(self, datasets: Sequence[DatasetKey], as_of: datetime | None = None) -> Sequence[Writer]:
        real = {self._names.real_dataset(each): each for each in datasets}
        found = self._store.writers(list(real), as_of)
        return [Writer(self._names.job(job), real[output], version) for job, output, version in found]

    def conditions(
        self, versions: Collection[str], as_of: datetime | None = None
    ) -> Mapping[str, Sequence[Making]]:
        """Not known, because the predicates may name anything."""
        return {version: [Making(None)] for version in versions}

    def sources(
        self,
        first: int = 50,
        after: DatasetKey | None = None,
        among: Sequence[DatasetKey] | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[DatasetKey]:
        place = self._names.real_dataset(after) if after else None
        chosen = None if among is None else [*map(self._names.real_dataset, among)]
        return [*map(self._names.dataset, self._store.sources(first, place, chosen, as_of))]

    def existing(self, keys: Sequence[DatasetKey], as_of: datetime | None = None) -> Set[DatasetKey]:
        found = self._store.existing([*map(self._names.real_dataset, keys)], as_of)
        return frozenset(map(self._names.dataset, found))

    def unused(self, since: datetime, first: int = 50, after: DatasetKey | None = None) -> Sequence[Unused]:
        place = self._names.real_dataset(after) if after else None
        found = self._store.unused(since, first, place)
        return [replace(each, key=self._names.dataset(each.key)) for each in found]

    # The catalog

    def get_datasets(self, keys: Sequence[DatasetKey]) -> Mapping[DatasetKey, Dataset]:
        return {
            key: self._names.described(found)
            for key, found in self._by_real(self._store.get_datasets, keys).items()
        }

    def datasets(self, search: str | None = None, first: int = 50, after: str | None = None) -> DatasetPage:
        place = DatasetKey(*read_cursor(after, (str, str))) if after else None
        text = (search or "").lower()
        found = [
            key
            for key in self._store.dataset_keys()
            if self.sees(key) and (text in key.namespace.lower() or text in key.name.lower())
        ]
        later = [key for key in found if place is None or key > place]
        shown = self._store.get_datasets(later[:first])
        items = tuple(self._names.described(shown[key]) for key in later[:first] if key in shown)
        end = cursor(*later[:first][-1]) if later[:first] else None
        return DatasetPage(items, end, len(later) > first, len(found))

    def dataset_keys(self) -> Sequence[DatasetKey]:
        return [*map(self._names.dataset, self._store.dataset_keys())]

    def datasets_like(
        self, text: str, first: int = 50, after: DatasetKey | None = None
    ) -> Sequence[DatasetKey]:
        return self._open_ones(
            lambda count, place: self._store.datasets_like(text, count, place), self.sees, first, after
        )

    def paths_like(self, text: str, first: int = 50, after: NodeKey | None = None) -> Sequence[NodeKey]:
        return self._open_ones(
            lambda count, place: self._store.paths_like(text, count, place),
            lambda node: self.sees(node.dataset),
            first,
            after,
        )

    def jobs_like(self, text: str, first: int = 50, after: JobKey | None = None) -> Sequence[JobKey]:
        if not text:  # a list of all jobs, which tells nothing about the names of closed ones
            place = self._names.real_job(after) if after else None
            return [*map(self._names.job, self._store.jobs_like(text, first, place))]
        return self._open_ones(
            lambda count, place: self._store.jobs_like(text, count, place), self.sees, first, after
        )

    def labelled_datasets(self) -> Mapping[DatasetKey, Mapping[str, Any]]:
        return {key: facets for key, facets in self._store.labelled_datasets().items() if self.sees(key)}

    def labelled_jobs(self) -> Mapping[JobKey, Mapping[str, Any]]:
        return {key: facets for key, facets in self._store.labelled_jobs().items() if self.sees(key)}

    def tagged_fields(self) -> Sequence[tuple[NodeKey, str, str]]:
        return [each for each in self._store.tagged_fields() if self.sees(each[0].dataset)]

    def decisions(self) -> Decisions:
        """None, because each of them may name anything; lists of decisions are refused before."""
        return Decisions()

    # Runs

    def runs(self, job: JobKey, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        return self._names.runs(
            self._store.runs(self._names.real_job(job), first, self._names.real_place(after))
        )

    def runs_with(
        self,
        datasets: Sequence[DatasetKey],
        use: Use | None = None,
        first: int = 50,
        after: RunPlace | None = None,
    ) -> Mapping[DatasetKey, Sequence[Run]]:
        place = self._names.real_place(after)
        found = self._by_real(lambda keys: self._store.runs_with(keys, use, first, place), datasets)
        return {key: self._names.runs(runs) for key, runs in found.items()}

    def jobs_with(self, datasets: Sequence[DatasetKey], use: Use) -> Mapping[DatasetKey, Sequence[JobKey]]:
        found = self._by_real(lambda keys: self._store.jobs_with(keys, use), datasets)
        return {key: [*map(self._names.job, jobs)] for key, jobs in found.items()}

    def counted_alike(self, datasets: Sequence[DatasetKey], use: Use) -> Sequence[Alike]:
        """Of open ones alone: whether a closed one is like another is no question of lineage."""
        found = self._store.counted_alike([key for key in datasets if self.sees(key)], use)
        return [each for each in found if self.sees(each.other)]

    def found_there(
        self, among: Sequence[DatasetKey] | None = None, as_of: datetime | None = None
    ) -> Mapping[DatasetKey, Sequence[Layout]]:
        """The layouts of closed ones are left out."""
        chosen = None if among is None else [*map(self._names.real_dataset, among)]
        found = self._store.found_there(chosen, as_of)
        return {self._names.dataset(key): layouts if self.sees(key) else () for key, layouts in found.items()}

    def grouped(self, wanted: Wanted) -> Grouped:
        """What is closed is one group, which cannot be opened."""
        namespaces = {key.namespace for key in self._store.dataset_keys()}
        unseen = sorted(each for each in namespaces if not self._names.sees(each))
        without = [*map(self._names.real_dataset, wanted.without)]
        found = self._store.grouped(replace(wanted, without=without, closed=[*wanted.closed, *unseen]))
        named = [replace(each, job=self._names.job(each.job)) for each in found.connections]
        return replace(found, connections=named)

    def newest_runs(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Run]:
        found = self._store.newest_runs([*map(self._names.real_job, jobs)])
        return {self._names.job(job): self._names.run(run) for job, run in found.items()}

    def get_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        found = self._store.get_runs([*map(self._names.real_run, keys)])
        return {self._names.run_key(key): self._names.run(run) for key, run in found.items()}

    def get_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
        found = self._store.get_jobs([*map(self._names.real_job, keys)])
        return {self._names.job(key): self._names.job_facts(job) for key, job in found.items()}

    def used_by_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
        found = self._store.used_by_jobs([*map(self._names.real_job, keys)])
        return {self._names.job(key): [*map(self._names.used, used)] for key, used in found.items()}

    def used_by_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
        found = self._store.used_by_runs([*map(self._names.real_run, keys)])
        return {self._names.run_key(key): [*map(self._names.used, used)] for key, used in found.items()}

    def child_runs(self, run_id: str, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        return self._names.runs(self._store.child_runs(run_id, first, self._names.real_place(after)))

    def runs_below(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[RunKey]]:
        found = self._store.runs_below([*map(self._names.real_run, keys)])
        return {self._names.run_key(key): [*map(self._names.run_key, below)] for key, below in found.items()}

    def jobs_below(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[JobKey]]:
        found = self._store.jobs_below([*map(self._names.real_job, keys)])
        return {self._names.job(key): [*map(self._names.job, below)] for key, below in found.items()}

    # What a question about lineage writes: its entry in the audit log

    def apply(self, batch: Batch) -> None:
        self._store.apply(batch)

    def ping(self) -> None:
        self._store.ping()

    def audit_end(self) -> tuple[int, str]:
        return self._store.audit_end()

    def audit(self, after: int = 0, first: int = 100) -> Sequence[AuditEntry]:
        return self._store.audit(after, first)

    def close(self) -> None:
        self._store.close()

    # How single things are shown

    def _by_real(
        self, ask: Callable[[Sequence[DatasetKey]], Mapping[DatasetKey, V]], keys: Sequence[DatasetKey]
    ) -> dict[DatasetKey, V]:
        """The answers for the datasets that are meant, by the keys asked for."""
        real = {key: self._names.real_dataset(key) for key in keys}
        found = ask(list(dict.fromkeys(real.values())))
        return {key: found[meant] for key, meant in real.items() if meant in found}

    def _open_ones(
        self,
        ask: Callable[[int, Key | None], Sequence[Key]],
        is_open: Callable[[Key], bool],
        first: int,
        after: Key | None,
    ) -> list[Key]:
        """Up to ``first`` open ones of a sorted list, whose parts after a place ``ask`` returns."""
        found: list[Key] = []
        while len(found) < first and (part := ask(first, after)):
            found += filter(is_open, part)
            after = part[-1]
        return found[:first]
