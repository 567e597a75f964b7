"""What fuzzing begins with, and how hard it tries: the same few examples in every run, many others in the slow ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from kit.openlineage import columns, dataset, event, facet, paths

EFFORTS = pytest.mark.parametrize(
    "effort",
    [pytest.param(1, id="the same few"), pytest.param(20, id="many by chance", marks=pytest.mark.slow)],
)


def effort_of(effort: int, examples: int) -> settings:
    """Settings for that many examples, times the effort."""
    return settings(
        max_examples=examples * effort,
        derandomize=effort == 1,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def whole_event() -> dict[str, Any]:
    """An event with every facet that we understand."""
    out = dataset(
        "out",
        ("user", ["id", "name"]),
        columnLineage=columns({"user": [("in", "user")]}),
        headwater_pathLineage=paths((["user", "id"], "in", ["user", "id"], "IDENTITY")),
        symlinks=facet(identifiers=[{"namespace": "hive", "name": "db.out", "type": "TABLE"}]),
        lifecycleStateChange=facet(
            lifecycleStateChange="RENAME", previousIdentifier={"namespace": "test", "name": "before"}
        ),
        ownership=facet(owners=[{"name": "team:a", "type": "OWNER"}]),
        tags=facet(tags=[{"key": "pii", "value": "true", "field": "user.id"}]),
        version=facet(datasetVersion="7"),
        documentation=facet(description="what it is"),
    )
    out["outputFacets"] = {"outputStatistics": facet(rowCount=7, size=100)}
    source = dataset("in", ("user", ["id", "name"]))
    source["inputFacets"] = {
        "dataQualityMetrics": facet(rowCount=7, columnMetrics={"user": {"nullCount": 1}})
    }
    made: dict[str, Any] = event("COMPLETE", 1, "run 1", [source], [out])
    made["run"]["facets"] = {
        "parent": facet(run={"runId": made["run"]["runId"]}, job={"namespace": "test", "name": "above"}),
        "errorMessage": facet(message="no", programmingLanguage="scala"),
        "nominalTime": facet(nominalStartTime="2026-01-01T00:00:00Z"),
    }
    return made


def places(document: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in the document."""
    inside = enumerate(document) if isinstance(document, list) else document.items()
    for key, value in inside:
        yield (*above, key)
        if isinstance(value, dict | list):
            yield from places(value, (*above, key))
