"""The store port: few, batched verbs. Both stores (SQLite, Neo4j) pass the same contract suite.

Errors: every store raises ``StoreUnavailable`` when it cannot be reached and nothing else of its driver's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from typing import Any, Protocol

from headwater_backend.domain.audit_log import AuditEntry, Unsaid
from headwater_backend.domain.dead_letters import DeadLetter, LetterPlace, ListedLetter
from headwater_backend.domain.model import (
    Ahead,
    Claim,
    ClaimPlace,
    Dataset,
    DatasetKey,
    DatasetPage,
    Direction,
    Drift,
    Incomplete,
    Job,
    JobKey,
    LineageType,
    Neighbours,
    NodeKey,
    PathSteps,
    Pruned,
    Reading,
    Renamed,
    Run,
    RunKey,
    RunPlace,
    Unused,
    Use,
    Used,
)
from headwater_backend.domain.records import Batch, DecisionMade

NOTHING_AHEAD = Ahead(hops=0, nodes=0)


class LineageStore(Protocol):
    """A place where lineage is kept. Implementations are thread-safe."""

    def apply(self, batch: Batch) -> None:
        """Store all records of the batch, durably and in one transaction; the same batch twice is once. Its notes
        are appended to the audit log in the same transaction, each time.
        """
        ...

    def decide(
        self, decisions: Callable[[Sequence[DecisionMade]], Batch], *, dry_run: bool = False
    ) -> Sequence[Renamed]:
        """Store what ``decisions`` makes of all decisions about names that were made so far, in one transaction; the
        names that are another dataset's by then. With ``dry_run``, nothing is kept. It may be called more than once.
        """
        ...

    def decisions(self) -> Sequence[DecisionMade]:
        """All decisions about names, oldest first."""
        ...

    def names(self) -> Mapping[DatasetKey, DatasetKey]:
        """Every known name of a dataset with its canonical name, in key order."""
        ...

    def neighbours(
        self,
        frontier: Sequence[NodeKey],
        direction: Direction,
        types: frozenset[LineageType],
        as_of: datetime | None = None,
        ahead: Ahead = NOTHING_AHEAD,
    ) -> Neighbours:
        """The current edges of the given types whose near end (target for BACKWARD, source for FORWARD)
        is comparable with a frontier node: the same path, an ancestor of it (the empty path is an ancestor
        of all), or a descendant. Edges are returned as stored, each in one fan, transformations filtered by type.
        Datasets are named canonically, and the frontier may use any name under which events told of a
        dataset (names that are known from symlinks alone are resolved by ``dataset``). With ``as_of``, what
        was current then. One batched query; the caller never loops over single nodes. A store for which each
        call is dear may answer for nodes that come next as well, as far ``ahead`` as the caller says.
        """
        ...

    def dataset(self, key: DatasetKey) -> Dataset | None:
        """The dataset, also found under a symlinked name, or None."""
        ...

    def datasets(self, search: str | None = None, first: int = 50, after: str | None = None) -> DatasetPage:
        """Datasets in key order; ``search`` is a case-insensitive substring of namespace or name."""
        ...

    def dataset_keys(self) -> Sequence[DatasetKey]:
        """All dataset keys: what hints at near names are made of."""
        ...

    def described(self, keys: Sequence[DatasetKey]) -> Mapping[DatasetKey, Dataset]:
        """What ``dataset`` answers for each key, by the key asked for; those that are not known are left out."""
        ...

    def claims(
        self, first: int = 50, after: ClaimPlace | None = None, among: Sequence[DatasetKey] | None = None
    ) -> Sequence[Claim]:
        """What callers said of datasets that are not theirs (``ingest.claims``), in key order. With ``among``, of these
        datasets, by the names that the events gave them.
        """
        ...

    def paths(self, datasets: Sequence[DatasetKey]) -> Mapping[DatasetKey, Sequence[PathSteps]]:
        """All known paths of each dataset (schema and edges, inner nodes included), sorted, by the key asked for."""
        ...

    def incomplete(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None
    ) -> Sequence[Incomplete]:
        """What is known not to be known about the current lineage into the given datasets. With ``as_of``, about what
        was current then; where schemas do not fit, that is of now.
        """
        ...

    def untold(
        self, datasets: Sequence[DatasetKey], as_of: datetime | None = None
    ) -> Mapping[DatasetKey, Sequence[Incomplete]]:
        """Of each dataset, by the key asked for, where what is made of it may be: outputs, and paths of outputs, whose
        run read the dataset and of whose current lineage nothing was told, or not what was read
        (``domain.records.unlisted``). Datasets without any are left out. With ``as_of``, as in ``incomplete``.
        """
        ...

    def drifts(self) -> Sequence[Drift]:
        """Where the schemas of writers and readers do not fit together now, by dataset, job and path."""
        ...

    def tagged_fields(self) -> Sequence[tuple[NodeKey, str, str]]:
        """Every field tag of the standard ``tags`` facet: (node, tag key, tag value)."""
        ...

    def job(self, key: JobKey) -> Run | None:
        """The newest run of the job, or None."""
        ...

    def runs(self, job: JobKey, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        """The job's runs behind that place, newest first: by when they were first seen, then by key."""
        ...

    def runs_with(
        self, dataset: DatasetKey, use: Use | None = None, first: int = 50, after: RunPlace | None = None
    ) -> Sequence[Run]:
        """The runs that read the dataset under any of its names, or wrote it (``use``), in the order of ``runs``."""
        ...

    def described_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        """Each run, by the key asked for; unknown ones are left out."""
        ...

    def newest_runs(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Run]:
        """The newest run of each job, in the order of ``runs``; jobs without a run are left out."""
        ...

    def described_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
        """Each job with its facets (ownership, documentation, sql, …), by key; unknown ones are left out."""
        ...

    def used_by_jobs(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
        """What any run or job event of each job read and wrote, in key order, inputs first; without facets."""
        ...

    def used_by_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
        """What each run read and wrote, in key order, inputs first, with its input and output facets."""
        ...

    def child_runs(self, run_id: str, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        """The runs whose ``parent`` facet names that run, in the order of ``runs``."""
        ...

    def runs_below(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[RunKey]]:
        """The runs that each run started, those that they started, and so on, in key order; runs without any are left
        out.
        """
        ...

    def jobs_below(self, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[JobKey]]:
        """The jobs of the runs below any run of each job, in key order; jobs without any are left out."""
        ...

    def datasets_like(
        self, text: str, first: int = 50, after: DatasetKey | None = None
    ) -> Sequence[DatasetKey]:
        """Datasets one of whose names contains the text, whatever its case, by their canonical names, in key order."""
        ...

    def jobs_like(self, text: str, first: int = 50, after: JobKey | None = None) -> Sequence[JobKey]:
        """Jobs whose namespace or name contains the text, whatever its case, in key order."""
        ...

    def paths_like(self, text: str, first: int = 50, after: NodeKey | None = None) -> Sequence[NodeKey]:
        """Paths whose steps, with dots between them, contain the text, whatever its case, in the order of their text
        keys (``headwater_backend.domain.node_keys``), datasets by their canonical names.
        """
        ...

    def labelled_datasets(self) -> Mapping[DatasetKey, Mapping[str, Any]]:
        """The ``tags`` and ``ownership`` facets of every dataset that has any, by its canonical name."""
        ...

    def labelled_jobs(self) -> Mapping[JobKey, Mapping[str, Any]]:
        """The ``tags`` and ``ownership`` facets of every job that has any."""
        ...

    def sources(
        self,
        first: int = 50,
        after: DatasetKey | None = None,
        among: Sequence[DatasetKey] | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[DatasetKey]:
        """Datasets without inputs of their own, in key order: into which no current lineage leads from another
        dataset, and for which no deciding run read another. With ``among``, those of these, by canonical names. With
        ``as_of``, by what was current then and told by then; that chooses among all that was ever told of ``among``.
        """
        ...

    def there(self, keys: Sequence[DatasetKey], as_of: datetime | None = None) -> Set[DatasetKey]:
        """Those of the datasets that are there, or were at that moment: told of by then, and not dropped since the last
        that was written to them.
        """
        ...

    def unused(self, since: datetime, first: int = 50, after: DatasetKey | None = None) -> Sequence[Unused]:
        """Datasets that no run named as an input from that moment on, in key order. What job events declare is no
        use.
        """
        ...

    def readings(
        self, dataset: DatasetKey, since: datetime, until: datetime, most: int
    ) -> tuple[Sequence[Reading], bool]:
        """How runs that spoke of the dataset from ``since`` until before ``until`` read its paths, and whether these
        are all: each of the store's lists ends after ``most`` rows.
        """
        ...

    def contents(self) -> Iterator[tuple[Any, ...]]:
        """Everything that is stored, as rows that begin with their kind; equal in equal stores of any sort
        but for the order within a kind. For comparing and copying stores.
        """
        ...

    def batches(self) -> Iterator[Batch]:
        """All that was ever told, some thousand records at a time: applied in this order to an empty store, they
        make one with equal ``contents``. What is written meanwhile may be in it in part.
        """
        ...

    def prune(self, before: datetime, *, dry_run: bool = False) -> Pruned:
        """Forget runs that were last heard of before the moment and that no question about a moment from then on
        asks for (``stores.pruning``), in several transactions. With ``dry_run``, only how many runs would go.
        """
        ...

    def audit(self, after: int = 0, first: int = 100) -> Sequence[AuditEntry]:
        """Up to ``first`` entries of the audit log behind the one of that number, oldest first. They are
        appended by ``apply``, each once for each call, and by ``audit_unsaid``, and never change.
        """
        ...

    def audit_end(self) -> tuple[int, str]:
        """The number and the hash of the newest entry of the audit log; 0 and zeros when there is none."""
        ...

    def audit_unsaid(self, action: str, unsaid: Unsaid) -> None:
        """Append what ``unsaid`` makes of all entries of that action, in one transaction: of several processes that
        see the same thing happen, one says so. It may be called more than once.
        """
        ...

    def continue_audit(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries of another store's audit log as they are. Raises ``StoreFailedError`` unless they
        continue this one's chain.
        """
        ...

    def keep_dead_letters(self, letters: Sequence[DeadLetter]) -> None:
        """Keep them durably, each key once; beyond ``MAX_LETTERS`` the oldest go."""
        ...

    def dead_letters(self, first: int = 100, after: LetterPlace | None = None) -> Sequence[ListedLetter]:
        """Up to ``first`` dead letters behind that place, oldest first, without their events. They are not part of
        ``contents``.
        """
        ...

    def dead_letter(self, key: str) -> DeadLetter | None:
        """The dead letter of that key, or None."""
        ...

    def forget_dead_letters(self, keys: Sequence[str]) -> None:
        """Delete them; unknown ones do not matter."""
        ...

    def ping(self) -> None:
        """Raise ``StoreUnavailable`` unless the store answers."""
        ...

    def close(self) -> None:
        """Release what the store holds."""
        ...
