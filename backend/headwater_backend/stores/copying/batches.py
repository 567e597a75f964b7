"""The content of a store as batches of records, from which an equal store can be made.

A store's state is the join of all records it was given (``domain.records``), so its rows are records again, and a copy
is made by applying them to another store. What stores compute (other names, what is current) is not copied: the other
store computes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from headwater_backend.domain.node_keys import dataset_of, job_of, slot_parts
from headwater_backend.domain.records import (
    Batch,
    ChangeSeen,
    ConditionsText,
    DatasetSeen,
    DecisionMade,
    FacetSeen,
    IoSeen,
    JobSeen,
    LayoutSeen,
    LineageRank,
    Observation,
    RunSeen,
    SymlinkSeen,
    Version,
)

ROWS: Final = 5_000
EDGES: Final = 10_000

Row = Sequence[Any]

BEFORE_VERSIONS: Final = ("dataset", "job", "run", "path", "conditions")
"""The kinds of ``contents`` that come before the versions, because these and observations refer to them."""
AFTER_VERSIONS: Final = ("io", "facet", "symlink", "change", "layout", "decision")

_BATCH_OF: Final[dict[str, Callable[[list[Row]], Batch]]] = {
    "dataset": lambda rows: Batch(datasets=tuple(DatasetSeen(dataset_of(row[0]), *row[1:]) for row in rows)),
    "job": lambda rows: Batch(jobs=tuple(JobSeen(job_of(row[0]), *row[1:]) for row in rows)),
    "run": lambda rows: Batch(runs=tuple(RunSeen(*row) for row in rows)),
    "path": lambda rows: Batch(paths=tuple(key for (key,) in rows)),
    "conditions": lambda rows: Batch(conditions=tuple(ConditionsText(*row) for row in rows)),
    "observation": lambda rows: Batch(observations=tuple(map(_observation, rows))),
    "io": lambda rows: Batch(io=tuple(IoSeen(*row) for row in rows)),
    "facet": lambda rows: Batch(facets=tuple(FacetSeen(*row) for row in rows)),
    "symlink": lambda rows: Batch(symlinks=tuple(SymlinkSeen(*row) for row in rows)),
    "change": lambda rows: Batch(changes=tuple(ChangeSeen(*row) for row in rows)),
    "layout": lambda rows: Batch(layouts=tuple(LayoutSeen(*row) for row in rows)),
    "decision": lambda rows: Batch(decisions=tuple(DecisionMade(*row) for row in rows)),
}


def batches_of(kind: str, rows: Iterable[Row]) -> Iterator[Batch]:
    """The rows of that kind of ``contents`` (an observation's with its version's rank) as batches."""
    waiting = iter(rows)
    while chunk := list(islice(waiting, ROWS)):
        yield _BATCH_OF[kind](chunk)


def version_batches(versions: Iterable[Version]) -> Iterator[Batch]:
    """Batches of versions that have some thousand edges together."""
    chunk: list[Version] = []
    edges = 0
    for version in versions:
        chunk.append(version)
        edges += len(version.edges)
        if edges >= EDGES or len(chunk) >= ROWS:
            yield Batch(versions=tuple(chunk))
            chunk, edges = [], 0
    if chunk:
        yield Batch(versions=tuple(chunk))


def _observation(row: Row) -> Observation:
    slot, run, version, rank, static, first, last, keeps, conditions, known, who = row
    job, output = slot_parts(slot)
    return Observation(
        run=run,
        job=job,
        output=output,
        version=version,
        rank=LineageRank(rank),
        static=bool(static),
        first=first,
        last=last,
        keeps=bool(keeps),
        known=known,
        who=who,
        conditions=conditions,
    )
