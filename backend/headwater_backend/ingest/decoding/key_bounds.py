"""Bounds for the keys that stores make of an event, the same for all stores, so that all accept the same events.

A path of many steps is repeated in each path below it, in the store and in every answer: steps are bounded, and so is
what all paths of an event are together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from headwater_backend.domain.errors import EventError
from headwater_backend.domain.node_keys import MAX_KEY_BYTES, named_text
from headwater_backend.domain.records import Batch

MAX_STEPS: Final = 250
"""The most steps of a path. Spark's own parsers have much lower limits."""
MAX_PATHS: Final = 32_000_000
"""The most characters in the keys of all paths of one event."""
_SEGMENTS_OF_A_DATASET: Final = 2


def check_keys(batch: Batch) -> None:
    """Raise ``EventError`` where a key is longer than any that stores keep, or paths are too deep or too many."""
    deepest = max(batch.paths, key=_segments, default="")
    if _segments(deepest) - _SEGMENTS_OF_A_DATASET > MAX_STEPS:
        raise EventError("PATH_TOO_DEEP", "", f"{deepest[:80]}… has more than {MAX_STEPS} steps")
    if sum(map(len, batch.paths)) > MAX_PATHS:
        detail = f"the paths of the event are more than {MAX_PATHS:,} characters together"
        raise EventError(
            "TOO_MANY_PATHS", "", detail, "let the agent report fewer datasets at once, or flatter ones"
        )
    for key in _keys(batch):
        if len(key) * 4 > MAX_KEY_BYTES and len(key.encode()) > MAX_KEY_BYTES:
            raise EventError(
                "NAME_TOO_LONG",
                "",
                f"{key[:80]}… is longer than {MAX_KEY_BYTES} bytes",
                "namespace, name and path have to be shorter, also those of a job and its dataset together",
            )


def _segments(key: str) -> int:
    return key.count("/")


def _keys(batch: Batch) -> Iterator[str]:
    """The keys that a store makes of the batch's records, including those made of several records."""
    yield from (run.key for run in batch.runs)
    yield from (named_text(key) for key in (*(d.key for d in batch.datasets), *(j.key for j in batch.jobs)))
    yield from batch.paths
    yield from (f"{facet.owner} {facet.name}" for facet in batch.facets)
    yield from (facet.parent_run_id or "" for facet in batch.facets)
    yield from (link.name + link.dataset for link in batch.symlinks)
    yield from (f"{seen.dataset}{seen.run}{seen.previous}" for seen in batch.changes)
    yield from (seen.run + seen.dataset for seen in batch.io)
    yield from (version.job + version.output for version in batch.versions)
    yield from (seen.job + seen.dataset for seen in batch.layouts)
    longest = max(batch.paths, key=len, default="")
    yield from (named_text(job.key) + longest for job in batch.jobs)
