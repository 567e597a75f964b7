"""How long the keys may be that stores make of an event: alike for all, so that each takes what the others take."""

from __future__ import annotations

from collections.abc import Iterator

from headwater_backend.errors import EventError
from headwater_backend.ingest.records import Batch
from headwater_backend.keys import MAX_KEY_BYTES, named_text


def check_keys(batch: Batch) -> None:
    """Raise ``EventError`` where a key is longer than any that stores keep."""
    for key in _keys(batch):
        if len(key) * 4 > MAX_KEY_BYTES and len(key.encode()) > MAX_KEY_BYTES:
            raise EventError(
                "NAME_TOO_LONG",
                "",
                f"{key[:80]}… is longer than {MAX_KEY_BYTES} bytes",
                "namespace, name and path have to be shorter, also those of a job and its dataset together",
            )


def _keys(batch: Batch) -> Iterator[str]:
    """The keys by which a store finds what the batch says, those that it makes of several included."""
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
