"""The content of events, as records that merge.

Theory of operation
===================

A store's state is the *join* of all records that it was ever given, never a log of their arrival. Each kind
of record has a key and a merge that is associative, commutative and idempotent:

=============  ==========================  ===================================================================
record         key                         merge
=============  ==========================  ===================================================================
DatasetSeen    dataset                     earliest ``first``, latest ``last``
JobSeen        job                         the same
RunSeen        run                         the same, and the earliest moment of each state
IoSeen         run, direction, dataset     earliest, latest
FacetSeen      owner, facet's name         the newest; at the same time the one with the greater digest
SymlinkSeen    name, dataset               the newest
ChangeSeen     all but ``replaced``        PART before WHOLE, and either before what is not known
LayoutSeen     dataset, use, job, digest   earliest ``first``, ``replaced`` and ``whole``, latest of the others
DecisionMade   all of it                   none needed
paths          node                        union
Version        its own content's digest    none needed: the same key is the same content
ConditionsText its own content's digest    none needed
Observation    run, output, version        earliest, latest, and all conditions
=============  ==========================  ===================================================================

``known`` is when a record was first received, by the server's clock, and ``who`` then sent it; the earliest counts
(decision 0011). Records that no sender was named for, as of older stores, have been known since 0.

So the same event applied twice has no further effect, and any order of events, each received when it was, gives the
same state. What is *current*
is computed from that state (``in_force.current``) and is therefore order-free as well.

A ``Version`` is the whole lineage of one output of one job as one event reported it, with compact mappings
expanded by the schemas of the same event. A program that runs every night has one version and many
observations; a changed program has a new version, and the old edges stay for questions about the past.

``Observation.conditions`` are those under which the run made the version (``headwater_conditions``): the same edges may
be made under other predicates each night. They are a set of digests of ``ConditionsText``, written in order with blanks
between them. ``NOT_STATED`` stands for an event that stated nothing: it is a member like any other, so that nothing
which is stated later takes it back. A set that grows beyond ``MOST_CONDITIONS`` is ``TOO_MANY``, of which nothing is
known.

All times are microseconds since 1970 UTC; keys are the texts of ``headwater_backend.domain.node_keys``.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final, NamedTuple, Protocol, TypeVar

from headwater_backend.domain import facet_readers
from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.model import HANDED_OVER, DatasetKey, JobKey, reads_are_listed
from headwater_facets.kinds import Replaced

FOUND: Final = "FOUND"
"""The change that stands for a note that a run left data in a dataset that its application had not written."""
BASE: Final = "BASE"
"""The same for the state in which a run found what it left."""
STATE: Final = "STATE"
"""The same for the state in which a run left the dataset."""
READ: Final = "READ"
"""The same for the state in which a run read the dataset."""
EMPTY: Final = "EMPTY"
"""A note on a run that read the dataset, and found nothing in it."""
OF_STATES: Final = frozenset({BASE, STATE, READ, EMPTY})
"""Notes with a state, which are for comparison alone."""


class LineageRank(IntEnum):
    """The kind of lineage facet, the coarsest first: of an output, the finest that the run has is used."""

    NONE = 0
    COLUMN_LINEAGE = 1
    LINEAGE = 2
    PATH_LINEAGE = 3


class EdgeRow(NamedTuple):
    """An edge in text form: node keys and canonical transformations."""

    source: str
    target: str
    transformations: str
    direct: bool
    indirect: bool


class Gap(NamedTuple):
    """Something that a version could not trace; ``path`` is a node key."""

    reason: str
    path: str
    detail: str


class _GapAtPath(Protocol):
    @property
    def reason(self) -> str: ...

    @property
    def path(self) -> str: ...


G = TypeVar("G", bound=_GapAtPath)


def unlisted(output: str, gaps: Iterable[G]) -> list[G]:
    """The gaps of an output that may hide any of the run's inputs, because they do not list what was read.

    A gap of the output as a whole replaces those of its paths, unless data was handed over to a program: then the
    paths are known, and only what follows is not.
    """
    known = list(gaps)
    whole = [gap for gap in known if gap.path == output and gap.reason != HANDED_OVER]
    return whole or [gap for gap in known if not reads_are_listed(gap.reason)]


@dataclass(frozen=True, slots=True)
class DatasetSeen:
    key: DatasetKey
    first: int
    last: int

    def merge(self, other: DatasetSeen) -> DatasetSeen:
        if self.first <= other.first and other.last <= self.last:
            return self
        return DatasetSeen(self.key, min(self.first, other.first), max(self.last, other.last))


@dataclass(frozen=True, slots=True)
class JobSeen:
    key: JobKey
    first: int
    last: int

    def merge(self, other: JobSeen) -> JobSeen:
        if self.first <= other.first and other.last <= self.last:
            return self
        return JobSeen(self.key, min(self.first, other.first), max(self.last, other.last))


@dataclass(frozen=True, slots=True)
class RunSeen:
    """``started`` … ``aborted`` are the earliest moments of those states, ``ended`` the latest end.

    ``settled`` is when an end was first received, ``refuted`` when FAIL or ABORT was.
    """

    key: str
    job: str
    run_id: str
    first: int
    last: int
    started: int | None = None
    running: int | None = None
    completed: int | None = None
    failed: int | None = None
    aborted: int | None = None
    other: int | None = None
    ended: int | None = None
    settled: int | None = None
    refuted: int | None = None

    def merge(self, other: RunSeen) -> RunSeen:
        return replace(
            self,
            first=min(self.first, other.first),
            last=max(self.last, other.last),
            started=_least(self.started, other.started),
            running=_least(self.running, other.running),
            completed=_least(self.completed, other.completed),
            failed=_least(self.failed, other.failed),
            aborted=_least(self.aborted, other.aborted),
            other=_least(self.other, other.other),
            ended=_greatest(self.ended, other.ended),
            settled=_least(self.settled, other.settled),
            refuted=_least(self.refuted, other.refuted),
        )


@dataclass(frozen=True, slots=True)
class IoSeen:
    """A run read (``INPUT``) or wrote (``OUTPUT``) a dataset.

    ``first`` is before the run where it used rows that its application had read and kept.
    """

    run: str
    direction: str
    dataset: str
    first: int
    last: int
    known: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.run, self.direction, self.dataset)

    def merge(self, other: IoSeen) -> IoSeen:
        return replace(
            self,
            first=min(self.first, other.first),
            last=max(self.last, other.last),
            known=min(self.known, other.known),
        )


@dataclass(frozen=True, slots=True)
class FacetSeen:
    """A facet verbatim, as canonical JSON; ``body`` is None when the event deletes it.

    ``owner`` is ``dataset``, ``job``, ``run``, ``input`` or ``output``, a blank, and the owner's key.
    """

    owner: str
    name: str
    time: int
    digest: str
    body: str | None

    @property
    def key(self) -> tuple[str, str]:
        return (self.owner, self.name)

    @property
    def parent_run_id(self) -> str | None:
        """The id of the run that it names as the parent, if it is a ``parent`` facet."""
        return (
            facet_readers.parent_run_id(json.loads(self.body))
            if self.name == "parent" and self.body
            else None
        )

    @property
    def counted(self) -> facet_readers.Statistics:
        """What it counts, if it has the statistics of an input or output."""
        counts = self.name in ("inputStatistics", "outputStatistics") and self.body
        return facet_readers.statistics({self.name: json.loads(self.body or "")} if counts else {})

    def merge(self, other: FacetSeen) -> FacetSeen:
        return max(self, other, key=lambda facet: (facet.time, facet.digest))


@dataclass(frozen=True, slots=True)
class SymlinkSeen:
    """``name`` is another name of ``dataset``; both are dataset keys."""

    name: str
    dataset: str
    time: int

    @property
    def key(self) -> tuple[str, str]:
        return (self.name, self.dataset)

    def merge(self, other: SymlinkSeen) -> SymlinkSeen:
        return max(self, other, key=lambda link: link.time)


_CAUTIOUS: Final = (Replaced.NONE, Replaced.PART, Replaced.WHOLE, "")
"""How much was replaced, first that which counts where the same change was reported in several ways."""


@dataclass(frozen=True, slots=True)
class ChangeSeen:
    """A change of a dataset's state; ``run`` is empty where it comes from an event without a run.

    ``change`` may also be a note about the content: FOUND where a run left data there that its application had not
    written, BASE, STATE, READ and EMPTY where it says which. ``previous`` is the key of the dataset's former name where
    ``change`` is RENAME, the text of the state where it is one of those notes, else empty.
    ``replaced`` is how much of the content was replaced, a word of ``Replaced``, and empty where it is not known.
    """

    dataset: str
    change: str
    time: int
    run: str
    previous: str
    replaced: str = ""
    known: int = 0
    who: str = ""

    @property
    def key(self) -> tuple[str, int, str, str, str]:
        return (self.dataset, self.time, self.change, self.run, self.previous)

    @property
    def former_name(self) -> str:
        """The key of the dataset's former name; empty where the change gives none."""
        return "" if self.change in OF_STATES else self.previous

    def merge(self, other: ChangeSeen) -> ChangeSeen:
        known, who = min((self.known, self.who), (other.known, other.who))
        replaced = min(self.replaced, other.replaced, key=_CAUTIOUS.index)
        return replace(self, replaced=replaced, known=known, who=who)


@dataclass(frozen=True, slots=True)
class LayoutSeen:
    """A job read (``INPUT``) or wrote (``OUTPUT``) a dataset with a layout; ``body`` is its text (``domain.layouts``).

    ``replaced`` and ``replaced_last`` are when a write with it first and last replaced the content or a part of it,
    ``whole`` and ``whole_last`` when it certainly replaced all of it; for a read layout, when a run that read with it
    certainly replaced all of its outputs.
    """

    dataset: str
    use: str
    job: str
    digest: str
    body: str
    first: int
    last: int
    replaced: int | None = None
    replaced_last: int | None = None
    whole: int | None = None
    whole_last: int | None = None

    @property
    def key(self) -> tuple[str, str, str, str]:
        return (self.dataset, self.use, self.job, self.digest)

    def merge(self, other: LayoutSeen) -> LayoutSeen:
        return replace(
            self,
            first=min(self.first, other.first),
            last=max(self.last, other.last),
            replaced=_least(self.replaced, other.replaced),
            replaced_last=_greatest(self.replaced_last, other.replaced_last),
            whole=_least(self.whole, other.whole),
            whole_last=_greatest(self.whole_last, other.whole_last),
        )


@dataclass(frozen=True, slots=True)
class DecisionMade:
    """A steward's decision about names (``names.decisions``) or personal data (``privacy.classification.decided``).

    ``content`` is what applies to the subject from then on, as JSON, and empty where the decision is revoked.
    """

    subject: str
    time: int
    content: str
    actor: str
    reason: str

    @property
    def key(self) -> tuple[str, int, str, str, str]:
        return (self.subject, self.time, self.content, self.actor, self.reason)

    def merge(self, other: DecisionMade) -> DecisionMade:
        del other  # the same key is the same content
        return self


@dataclass(frozen=True, slots=True)
class Version:
    """The lineage of one output of one job: content under its own digest."""

    key: str
    job: str
    output: str
    rank: LineageRank
    edges: tuple[EdgeRow, ...]
    gaps: tuple[Gap, ...]

    @property
    def has_unlisted_reads(self) -> bool:
        """Whether some path of the output may hold any of the inputs: there is no lineage, or it has gaps that do not
        list what was read.
        """
        return self.rank is LineageRank.NONE or bool(unlisted(self.output, self.gaps))

    def merge(self, other: Version) -> Version:
        del other  # the same digest is the same content
        return self


NOT_STATED: Final = "-"
TOO_MANY: Final = "*"
MOST_CONDITIONS: Final = 32


def united(one: str, other: str) -> str:
    """The union of two sets of conditions."""
    if one == other:
        return one
    found = {*one.split(" "), *other.split(" ")}
    return TOO_MANY if TOO_MANY in found or len(found) > MOST_CONDITIONS else " ".join(sorted(found))


@dataclass(frozen=True, slots=True)
class ConditionsText:
    """Conditions that some events stated of their jobs, as canonical JSON under its own digest."""

    digest: str
    body: str

    @property
    def key(self) -> str:
        return self.digest

    def merge(self, other: ConditionsText) -> ConditionsText:
        del other  # the same digest is the same content
        return self


@dataclass(frozen=True, slots=True)
class Observation:
    """A run (or, when ``static``, a job event) reported a version of an output's lineage.

    With ``keeps``, it left data of before in the output: it appended, or replaced only a part. ``conditions`` are those
    under which it did so, as a set of digests.
    """

    run: str
    job: str
    output: str
    version: str
    rank: LineageRank
    static: bool
    first: int
    last: int
    keeps: bool = False
    known: int = 0
    who: str = ""
    conditions: str = NOT_STATED

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.run, self.output, self.version)

    def merge(self, other: Observation) -> Observation:
        known, who = min((self.known, self.who), (other.known, other.who))
        return replace(
            self,
            first=min(self.first, other.first),
            last=max(self.last, other.last),
            keeps=self.keeps or other.keeps,
            known=known,
            who=who,
            conditions=united(self.conditions, other.conditions),
        )


@dataclass(frozen=True, slots=True)
class Batch:
    """Records of any number of events, each key once and in key order; ``notes`` are for the audit log."""

    datasets: tuple[DatasetSeen, ...] = ()
    jobs: tuple[JobSeen, ...] = ()
    runs: tuple[RunSeen, ...] = ()
    io: tuple[IoSeen, ...] = ()
    facets: tuple[FacetSeen, ...] = ()
    symlinks: tuple[SymlinkSeen, ...] = ()
    changes: tuple[ChangeSeen, ...] = ()
    layouts: tuple[LayoutSeen, ...] = ()
    decisions: tuple[DecisionMade, ...] = ()
    paths: tuple[str, ...] = field(default=())
    versions: tuple[Version, ...] = ()
    conditions: tuple[ConditionsText, ...] = ()
    observations: tuple[Observation, ...] = ()
    notes: tuple[AuditNote, ...] = ()

    @classmethod
    def merged(cls, batches: Iterable[Batch]) -> Batch:
        """One batch of all records."""
        parts = tuple(batches)
        return cls(
            datasets=_merged(record for part in parts for record in part.datasets),
            jobs=_merged(record for part in parts for record in part.jobs),
            runs=_merged(record for part in parts for record in part.runs),
            io=_merged(record for part in parts for record in part.io),
            facets=_merged(record for part in parts for record in part.facets),
            symlinks=_merged(record for part in parts for record in part.symlinks),
            changes=_merged(record for part in parts for record in part.changes),
            layouts=_merged(record for part in parts for record in part.layouts),
            decisions=_merged(record for part in parts for record in part.decisions),
            paths=tuple(sorted({path for part in parts for path in part.paths})),
            versions=_merged(record for part in parts for record in part.versions),
            conditions=_merged(record for part in parts for record in part.conditions),
            observations=_merged(record for part in parts for record in part.observations),
            notes=tuple(note for part in parts for note in part.notes),
        )

    def received(self, at: int, who: str) -> Batch:
        """The batch as it was received at that moment from that sender."""
        return replace(
            self,
            runs=tuple(
                replace(
                    run,
                    settled=None if run.settled is None else at,
                    refuted=None if run.refuted is None else at,
                )
                for run in self.runs
            ),
            io=tuple(replace(each, known=at) for each in self.io),
            changes=tuple(replace(each, known=at, who=who) for each in self.changes),
            observations=tuple(replace(each, known=at, who=who) for each in self.observations),
        )

    def run_keys(self) -> list[str]:
        """The keys of all runs and job events of the batch, sorted."""
        return sorted({run.key for run in self.runs} | {seen.run for seen in self.observations})

    def edge_count(self) -> int:
        """The number of edges in the batch, known ones included."""
        return sum(len(version.edges) for version in self.versions)


@dataclass(slots=True)
class Gathered:
    """Collected records of one event."""

    datasets: list[DatasetSeen] = field(default_factory=list)
    jobs: list[JobSeen] = field(default_factory=list)
    runs: list[RunSeen] = field(default_factory=list)
    io: list[IoSeen] = field(default_factory=list)
    facets: list[FacetSeen] = field(default_factory=list)
    symlinks: list[SymlinkSeen] = field(default_factory=list)
    changes: list[ChangeSeen] = field(default_factory=list)
    layouts: list[LayoutSeen] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    versions: list[Version] = field(default_factory=list)
    conditions: list[ConditionsText] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)

    def batch(self) -> Batch:
        """The batch of all collected records, each key once."""
        return Batch(
            datasets=_merged(self.datasets),
            jobs=_merged(self.jobs),
            runs=_merged(self.runs),
            io=_merged(self.io),
            facets=_merged(self.facets),
            symlinks=_merged(self.symlinks),
            changes=_merged(self.changes),
            layouts=_merged(self.layouts),
            paths=tuple(sorted(self.paths)),
            versions=_merged(self.versions),
            conditions=_merged(self.conditions),
            observations=_merged(self.observations),
        )


class _Record(Protocol):
    @property
    def key(self) -> Hashable: ...


R = TypeVar("R", bound=_Record)


def _merged(records: Iterable[R]) -> tuple[R, ...]:
    by_key: dict[Hashable, R] = {}
    for record in records:
        key = record.key
        known = by_key.setdefault(key, record)
        if known is not record:
            by_key[key] = known.merge(record)  # type: ignore[attr-defined]
    return tuple(by_key[key] for key in sorted(by_key))  # type: ignore[type-var]


def _least(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return right if left is None else left
    return min(left, right)


def _greatest(left: int | None, right: int | None) -> int | None:
    return max((moment for moment in (left, right) if moment is not None), default=None)
