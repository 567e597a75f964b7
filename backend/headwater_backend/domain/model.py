"""The model: datasets and their paths, jobs, runs, and the edges between paths.

Everything is a frozen value; identity is by key. A path is the tuple of step names of the wire
(``("user_mentions", "_element", "id_str")``); the empty path is the dataset itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from headwater_facets.job_titles import title_of
from headwater_facets.kinds import MOVES, ROWS, ROWS_OF_ROWS
from headwater_facets.path import PACKED as PACKED_STEP

if TYPE_CHECKING:
    from headwater_facets.facets import Condition

PathSteps = tuple[str, ...]

PACKED: Final = PACKED_STEP.value
"""The step from a text, or a variant, to what is packed in it: whatever only moves the text moves all of that."""

DRIVER_NAMESPACE = "driver://"
"""The beginning of the namespace of datasets that stand for the driver of an application."""
UNNAMED_NAMESPACE = "unknown"
"""The namespace of outputs whose place has no name; it is nobody's."""

READ_AS = "READ_AS"
"""The manipulation of an edge within a dataset: a job reads by one name what is stored by another."""
SCHEMA_DRIFT = "SCHEMA_DRIFT"
"""The reason of a gap where a job reads a dataset by a schema that does not fit what is written."""
EARLIER_LINEAGE = "EARLIER_LINEAGE"
"""The reason of gaps where a job wrote what it no longer writes, and it is not known whether that is still there."""
AFTER_THE_FACT = "AFTER_THE_FACT"
"""The reason of gaps where a later report would clear what was reported before (decision 0011)."""
HANDED_OVER = "DRIVER"
"""The reason of gaps about what went through a program's driver."""
PROGRAM_ROWS = "PROGRAM"
"""The reason of gaps at rows of a program that may have read by itself what is in them: no input of the run is."""
_LISTING_READS = frozenset(
    {"TYPED_OPERATION", "SCRIPT", HANDED_OVER, PROGRAM_ROWS, SCHEMA_DRIFT, EARLIER_LINEAGE, AFTER_THE_FACT}
)
_MOVES = frozenset({*MOVES, READ_AS})


def reads_are_listed(reason: str) -> bool:
    """Whether lineage lists everything that a path with such a gap may be made of, and only hides how.

    That is so for user code, whose arguments are known. It is not so where something could not be read at all.
    """
    return reason in _LISTING_READS or reason.endswith(("_UDF", "_UDAF", "_UDTF"))


def hides_origin(reason: str) -> bool:
    """Whether it is not known where the data at such a gap come from."""
    return reason == PROGRAM_ROWS or not reads_are_listed(reason)


class DatasetKey(NamedTuple):
    """A dataset as OpenLineage names it."""

    namespace: str
    name: str


class JobKey(NamedTuple):
    """A job as OpenLineage names it."""

    namespace: str
    name: str

    @property
    def title(self) -> str:
        """What a person would call it."""
        return title_of(self.name)


class Correction(NamedTuple):
    """A job reported again what an ended run of it did to that dataset; received ``at`` that moment from ``by``."""

    dataset: DatasetKey
    job: JobKey
    at: datetime
    by: str


class NodeKey(NamedTuple):
    """One path of one dataset; ``path == ()`` is the dataset as a whole."""

    dataset: DatasetKey
    path: PathSteps


class LineageType(Enum):
    """Whether a value flows (DIRECT) or only decides (INDIRECT)."""

    DIRECT = "DIRECT"
    INDIRECT = "INDIRECT"

    __hash__ = (
        object.__hash__
    )  # each member is one object; Enum's own hash is Python code, and asked for often


class Direction(Enum):
    """BACKWARD goes from outputs to inputs, FORWARD from inputs to outputs."""

    BACKWARD = "BACKWARD"
    FORWARD = "FORWARD"


@dataclass(frozen=True, slots=True)
class Transformation:
    """How a value got from a source path to a target path (kinds: ``headwater_facets.kinds``)."""

    type: LineageType = LineageType.DIRECT
    subtype: str = "IDENTITY"
    masking: bool = False
    manipulation: tuple[str, ...] = ()
    access: str | None = None
    at: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    operators: tuple[int, ...] = ()
    retains: str | None = None
    """What of the value can be read back (kinds: ``Retains``), or what the rows tell of it that it leaves; None where
    that is not given."""

    @property
    def carries_structure(self) -> bool:
        """Whether each path below the source is the same relative path below the target.

        That is so for what only moves values; a producer without manipulations expresses it as IDENTITY.
        """
        if self.type is LineageType.INDIRECT:
            return False
        return _MOVES.issuperset(self.manipulation) if self.manipulation else self.subtype == "IDENTITY"


OF_ROWS: Final = (Transformation(LineageType.INDIRECT, ROWS),)
"""The transformations of an edge from the rows of a dataset, which are its whole, whatever is in them."""

BETWEEN_ROWS: Final = (Transformation(LineageType.INDIRECT, ROWS_OF_ROWS),)
"""Those of an edge from the rows of a dataset to the rows of another, which no store holds."""


def only_read_as(transformations: Iterable[Transformation]) -> bool:
    """Whether these belong to an edge within a dataset, which its job reads and does not write."""
    return all(READ_AS in each.manipulation for each in transformations)


class Edge(NamedTuple):
    """A flow from ``source`` to ``target`` in ``job``, with at least one transformation."""

    source: NodeKey
    target: NodeKey
    job: JobKey
    transformations: tuple[Transformation, ...]


class Fan(NamedTuple):
    """Edges of one job with the same transformations, between ``near`` and each of ``fars``.

    In a BACKWARD search the near end is their target, in a FORWARD search their source. ``version`` is the key of the
    version of lineage to which they belong; empty where a job reads a path by another name.
    """

    near: NodeKey
    fars: tuple[NodeKey, ...]
    job: JobKey
    transformations: tuple[Transformation, ...]
    version: str = ""

    @property
    def direct(self) -> bool:
        return any(t.type is LineageType.DIRECT for t in self.transformations)

    def edges(self, direction: Direction) -> Iterator[Edge]:
        """The edges one by one, from source to target."""
        near, fars, job, kinds, _ = self
        for far in fars:
            source, target = (far, near) if direction is Direction.BACKWARD else (near, far)
            yield Edge(source, target, job, kinds)


@dataclass(frozen=True)
class Conditions:
    """What an event says of the conditions of its job (``headwater_conditions``), by its canonical text.

    It is read as far as it is asked for: most questions need a part.
    """

    text: str

    @cached_property
    def content(self) -> Mapping[str, Any]:
        """The facet, not to be changed; empty if it is no object."""
        found = json.loads(self.text)
        return found if isinstance(found, dict) else {}

    @property
    def producer(self) -> str:
        """The program that reported it; empty if that is not known."""
        found = self.content.get("_producer")
        return found if isinstance(found, str) else ""

    @property
    def populations(self) -> tuple[Any, ...]:
        """The populations of the output, as they are on the wire, of any shape."""
        found = self.content.get("populations")
        return tuple(found) if isinstance(found, list) else ()

    @cached_property
    def predicates(self) -> tuple[Condition, ...] | None:
        """The predicates, each with its operator; None where they have another shape."""
        from headwater_facets.codec import FacetError, read_conditions  # noqa: PLC0415 - slow to import, and few questions read predicates

        try:
            return tuple(read_conditions({**self.content, "populations": None}).conditions)
        except FacetError:
            return None


class Writer(NamedTuple):
    """A job that writes a dataset, with a version of its lineage; empty where it only reads a path by another name."""

    job: JobKey
    output: DatasetKey
    version: str


class Making(NamedTuple):
    """Conditions under which some runs made a version, None where that is not known; ``by`` are those who sent it.

    With ``left``, these runs are not in force any more, but what they wrote may be left in the output.
    """

    conditions: Conditions | None
    by: tuple[str, ...] = ()
    left: bool = False


class Ahead(NamedTuple):
    """How far a store may read ahead: ``hops`` levels, while it has found fewer than ``nodes`` nodes."""

    hops: int
    nodes: int


class Neighbours(NamedTuple):
    """The edges around a frontier, each in one fan. ``opened`` are the nodes whose edges are all among them: those of
    the frontier, and those that were read ahead.
    """

    fans: Sequence[Fan]
    opened: Set[NodeKey]

    def edges(self, direction: Direction) -> list[Edge]:
        """The edges one by one, from source to target."""
        return [edge for fan in self.fans for edge in fan.edges(direction)]


@dataclass(frozen=True, slots=True)
class Incomplete:
    """Something that could not be traced, which every answer reports.

    ``reason`` is one of the facet's codes (TRUNCATED, UNKNOWN_RELATION, RDD, DROPPED, ERROR, OPAQUE, ...).
    """

    reason: str
    dataset: DatasetKey
    path: PathSteps = ()
    job: JobKey | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Drift:
    """A path at which ``job`` reads a dataset by a schema that does not fit what is written: it reads the path, and
    nobody writes it, or else it is ``written``, and not known to be read. ``detail`` describes both schemas.
    """

    dataset: DatasetKey
    path: PathSteps
    job: JobKey
    written: bool
    detail: str


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One field of the ``schema`` facet, with its nested fields."""

    name: str
    type: str | None = None
    description: str | None = None
    fields: tuple[SchemaField, ...] = ()


@dataclass(frozen=True, slots=True)
class StateChange:
    """A change out of a ``lifecycleStateChange`` facet of a dataset, under the name ``dataset``.

    ``change`` is ALTER, CREATE, DROP, OVERWRITE, RENAME or TRUNCATE, or FOUND where a run left data there that its
    application had not written, and does not say which. ``previous`` is the name before a RENAME. ``job`` and
    ``run_id`` are None where it comes from a dataset event. ``replaced`` is WHOLE, PART or NONE, how much of the
    content was replaced; None where that is not known.
    """

    change: str
    at: datetime
    dataset: DatasetKey
    previous: DatasetKey | None = None
    job: JobKey | None = None
    run_id: str | None = None
    replaced: str | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset with the newest state of each of its facets, verbatim.

    ``names`` are its other names: symlinks, and those that it had before it was renamed. ``changes`` are the changes
    of its state, newest first, without those of failed runs. ``dropped_at`` is None unless a DROP is the last of them
    and nothing was written to it afterwards.
    """

    key: DatasetKey
    fields: tuple[SchemaField, ...] = ()
    facets: Mapping[str, Any] = field(default_factory=dict)
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    names: tuple[DatasetKey, ...] = ()
    changes: tuple[StateChange, ...] = ()
    dropped_at: datetime | None = None


class ClaimPlace(NamedTuple):
    """A position in the list of all claims, in this order: after that facet of the dataset by that caller."""

    dataset: DatasetKey
    by: str
    facet: str


@dataclass(frozen=True, slots=True)
class Claim:
    """The newest body of a facet from a caller that may not describe the dataset. It is only listed, and has no
    effect.
    """

    dataset: DatasetKey
    by: str
    facet: str
    at: datetime
    body: Mapping[str, Any]

    @property
    def place(self) -> ClaimPlace:
        return ClaimPlace(self.dataset, self.by, self.facet)


class Renamed(NamedTuple):
    """A name that moved from one dataset to another; ``before`` and ``after`` are canonical names."""

    name: DatasetKey
    before: DatasetKey
    after: DatasetKey


@dataclass(frozen=True, slots=True)
class Job:
    """A job with the newest state of each of its facets, verbatim, for ``domain.facet_readers``."""

    key: JobKey
    facets: Mapping[str, Any] = field(default_factory=dict)
    first_seen: datetime | None = None
    last_seen: datetime | None = None


class RunKey(NamedTuple):
    """A run of a job."""

    job: JobKey
    run_id: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a job and its state; ``FAIL`` and ``ABORT`` are not overwritten by ``COMPLETE``.

    ``parent`` and ``root`` are what the ``parent`` facet names: the run that started this one, and the outermost.
    ``claimed_parent`` is a run of somebody else that started it according to its sender, who may not say so.
    """

    run_id: str
    job: JobKey
    state: str | None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    facets: Mapping[str, Any] = field(default_factory=dict)
    parent: RunKey | None = None
    root: RunKey | None = None
    claimed_parent: RunKey | None = None
    first_seen: datetime | None = None
    last_seen: datetime | None = None

    @property
    def key(self) -> RunKey:
        return RunKey(self.job, self.run_id)


class Use(Enum):
    """What a run does with a dataset."""

    INPUT = "INPUT"
    OUTPUT = "OUTPUT"


@dataclass(frozen=True, slots=True)
class Used:
    """A dataset that a run, or any run of a job, read or wrote; the name is the one that the events gave it.

    ``facets`` are the input or output facets of that one run (statistics, data quality), empty for a job.
    """

    dataset: DatasetKey
    use: Use
    facets: Mapping[str, Any] = field(default_factory=dict)
    first_seen: datetime | None = None
    last_seen: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pruned:
    """Numbers of deleted runs, and of the versions of lineage, with their edges, that no other run has."""

    runs: int = 0
    versions: int = 0
    edges: int = 0

    def __add__(self, other: Pruned) -> Pruned:
        return Pruned(self.runs + other.runs, self.versions + other.versions, self.edges + other.edges)


@dataclass(frozen=True, slots=True)
class DatasetPage:
    """One page of datasets in key order; ``end_cursor`` is opaque."""

    items: tuple[Dataset, ...]
    end_cursor: str | None
    has_next: bool
    total: int


class RunPlace(NamedTuple):
    """A position in a list of runs, newest first: after the run that was first seen then and has that key."""

    first_seen: datetime
    key: RunKey


@dataclass(frozen=True, slots=True)
class Unused:
    """A dataset that no run read for a while; a time is None where no run ever read or wrote it."""

    key: DatasetKey
    last_read: datetime | None = None
    last_written: datetime | None = None


class Alike(NamedTuple):
    """What runs counted the same of two datasets: its ``size`` in bytes, or its number of ``rows``."""

    dataset: DatasetKey
    other: DatasetKey
    figure: str
    value: int


@dataclass(frozen=True, slots=True)
class Reading:
    """How some runs, each with the time of its last event, read the paths of a dataset: all of them in the same way.

    ``manipulated`` has the transformations of each path by lineage, ``accessed`` its access by the ``headwater_access``
    facet.
    """

    runs: Mapping[RunKey, datetime]
    manipulated: Mapping[PathSteps, tuple[Transformation, ...]] = field(default_factory=dict)
    accessed: Mapping[PathSteps, tuple[str, ...]] = field(default_factory=dict)
