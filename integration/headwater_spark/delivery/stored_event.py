"""Events as they are stored on disk, converted back to the client's types."""

from __future__ import annotations

import json
from typing import Any

from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import parent_run

from headwater_spark.guard import Failure, guarded


def run_id_of(line: bytes) -> str:
    """The run id of a stored event; empty if the event cannot be read."""
    found = guarded(lambda: str(json.loads(line)["run"]["runId"]))
    return "" if isinstance(found, Failure) else found


def parse_event(document: dict[str, Any]) -> RunEvent:
    """The event of a JSON document, typed as far as transports use its fields."""
    run, job = document["run"], document["job"]
    return RunEvent(
        eventTime=document["eventTime"],
        eventType=RunState(document["eventType"]),
        producer=document["producer"],
        run=Run(run["runId"], _with_typed_parent(run.get("facets") or {})),
        job=Job(job["namespace"], job["name"], job.get("facets") or {}),
        inputs=[
            InputDataset(d["namespace"], d["name"], d.get("inputFacets") or {}, facets=d.get("facets") or {})
            for d in document.get("inputs") or ()
        ],
        outputs=[
            OutputDataset(
                d["namespace"], d["name"], d.get("outputFacets") or {}, facets=d.get("facets") or {}
            )
            for d in document.get("outputs") or ()
        ],
    )


def _with_typed_parent(facets: dict[str, Any]) -> dict[str, Any]:
    """The facets with a typed parent facet, from which Kafka's transport builds its message keys."""
    parent = facets.get("parent")
    if parent is None:
        return facets
    root = parent.get("root")
    typed = parent_run.ParentRunFacet(
        run=parent_run.Run(**parent["run"]),
        job=parent_run.Job(**parent["job"]),
        root=parent_run.Root(parent_run.RootRun(**root["run"]), parent_run.RootJob(**root["job"]))
        if root
        else None,
        producer=parent["_producer"],
    )
    return {**facets, "parent": typed}
