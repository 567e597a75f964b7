"""Senders of events: what they may write, and what the audit log keeps of their events.

A caller may write certain namespaces. Jobs, outputs, and the dataset of a dataset event have to be in one of them. The
drivers of applications belong to the namespaces of these, and outputs whose place has no name to nobody.
Inputs may be in any namespace, because jobs read other people's data; but facets about such datasets are claims
(``ingest.claims``), and so is a name that joins a dataset of one's own with somebody else's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from headwater_backend.domain.audit_log import AuditEntry, AuditNote
from headwater_backend.domain.errors import EventError
from headwater_backend.domain.model import UNNAMED_NAMESPACE, JobKey, RunKey
from headwater_backend.domain.node_keys import dataset_of, job_of
from headwater_backend.domain.records import Batch
from headwater_backend.domain.roles import Caller, Role, everything
from headwater_backend.ingest.claims import with_claims
from headwater_backend.ingest.decoding.key_bounds import check_keys

EVENTS = "events"
"""The action of an entry of the audit log about events."""

NAMES_IN_A_NOTE = 1_000
"""The most runs and jobs that an entry names; it always has their number."""

_HINT = "`headwater keys new --namespace` grants namespaces"


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender of events: the caller, and the id of the request with the events."""

    caller: Caller = field(default_factory=lambda: everything("local"))
    request: str = ""

    def admitted(self, batch: Batch) -> Batch:
        """The records that are stored of an event. Raises ``EventError`` when it writes what the caller may not
        write.
        """
        if Role.ADMIN in self.caller.roles:
            return batch
        for pointer, namespace, what in _written(batch):
            if not self.caller.may_write(namespace):
                detail = f"{what} is in the namespace {namespace!r}, which you may not write"
                raise EventError("FORBIDDEN_NAMESPACE", pointer, detail, _HINT)
        found = with_claims(batch, self.caller)
        check_keys(found)
        return found

    def note(self, received: int, refused: Iterable[EventError], batch: Batch) -> AuditNote:
        """The audit note of so many events that came together; the batch holds the accepted ones.

        ``runs.names`` are run ids, and ``runs.jobs`` the namespaces and names of their jobs, in the same order.
        """
        codes = sorted(error.code for error in refused)
        runs = sorted({(run.run_id, job_of(run.job)) for run in batch.runs})
        ids, of = zip(*runs[:NAMES_IN_A_NOTE], strict=True) if runs else ((), ())
        jobs = [f"{job.key.namespace} {job.key.name}" for job in batch.jobs]
        details = {
            "received": received,
            "stored": received - len(codes),
            "refused": {code: codes.count(code) for code in set(codes)},
            "runs": {"count": len(runs), "names": list(ids), "jobs": [list(job) for job in of]},
            "jobs": {"count": len(jobs), "names": jobs[:NAMES_IN_A_NOTE]},
        }
        result = "stored" if not codes else "refused" if len(codes) == received else "stored in part"
        return AuditNote(self.caller.name, EVENTS, result, self.request, details)


def runs_in(entry: AuditEntry) -> list[RunKey]:
    """The runs that the entry about events names; none for an entry about something else."""
    runs = json.loads(entry.details)["runs"] if entry.action == EVENTS else {}
    named = zip(runs.get("names", ()), runs.get("jobs", ()), strict=False)
    return [RunKey(JobKey(*job), run_id) for run_id, job in named]


LOCAL = Sender()
"""The sender of events that are imported at the machine itself."""


def _written(batch: Batch) -> Iterator[tuple[str, str, str]]:
    """(pointer, namespace, description) of everything that the event writes."""
    for run in batch.runs:
        key = job_of(run.job)
        yield "/job/namespace", key.namespace, f"the job {key.name!r}"
    for job in batch.jobs:
        yield "/job/namespace", job.key.namespace, f"the job {job.key.name!r}"
    outputs = {io.dataset for io in batch.io if io.direction == "OUTPUT"}
    for output in sorted(outputs | {version.output for version in batch.versions}):
        key_of = dataset_of(output)
        if key_of.namespace != UNNAMED_NAMESPACE:
            yield "/outputs", key_of.namespace, f"the output {key_of.name!r}"
    if not batch.jobs:
        for dataset in batch.datasets:
            yield "/dataset/namespace", dataset.key.namespace, f"the dataset {dataset.key.name!r}"
