"""Functions over frames are read where they run: their columns list what they are made of, and never less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from headwater_facets.path import Path as DataPath
from kit.jobs import run_job
from kit.spark_lines import EITHER_LINE, SPARK_35, SparkLine

pytestmark = pytest.mark.spark

DIRECT = {
    "hidden": {("id", "id", "VALUE"), ("mail", "mail", "TOKEN"), ("city", "town", "VALUE")},
    "totals": {("town", "town", "VALUE"), ("total", "amount", "CONTAINS"), ("first", "name", "CONTAINS")},
    "together": {("name", "name", "VALUE"), ("room", "room", "VALUE")},
    "shipped": {("key", "town", "CONTAINS"), ("key", "mail", "TOKEN")},
    "shipped_groups": {("town", "town", "VALUE"), ("amount", "amount", "VALUE")},
    "shipped_rows": {("town", "town", "VALUE"), ("key", "mail", "TOKEN")},
    "shipped_base": {("town", "town", "VALUE"), ("key", "mail", "VALUE")},
    "analysed": {("key", "mail", "VALUE"), ("who", "name", "VALUE")},
    "by_name": {("name", "name", "VALUE"), ("mail", "mail", "VALUE")},
}
"""(path of the output, path of the input, what can be read back), where the code is read exactly."""


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_functions_over_frames_are_read_and_positions_are_not_taken_for_names(
    line: SparkLine, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    job = run_job(line, tmp_path, "functions_over_frames.py", str(out))
    assert job.code == 0, job.output
    expected = {name: flows for name, flows in DIRECT.items() if line != SPARK_35 or name != "analysed"}
    found = {name: facet_of(job.events, name) for name in (*expected, "evaluated", "by_position")}
    assert {name: direct(found[name]) for name in expected} == expected
    assert all("opaque" not in found[name] or not found[name]["opaque"] for name in expected)
    assert {o["name"] for o in found["evaluated"]["opaque"]} == {"evaluated"}
    names = ("town", "name", "mail")
    by_position = {(target, source) for target, source, _ in direct(found["by_position"])}
    assert by_position >= {("name", "mail"), ("mail", "name")}
    assert by_position <= {(target, source) for target in ("name", "mail") for source in names}
    if line != SPARK_35:
        custom = facet_of(job.events, "custom")
        assert {i["name"].rpartition("/")[2] for f in custom["fields"] for i in f["inputFields"]} == {"rooms"}
        assert [each["reason"] for each in custom["incomplete"]] == ["UNKNOWN_SOURCE"]
    written = pd.read_parquet(out / "by_position")
    assert set(written["name"]) == {"a@example.org", "b@example.org"}


def facet_of(events: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """What the last run that wrote the dataset says of its paths."""
    outputs = [o for e in events if e["eventType"] == "COMPLETE" for o in e["outputs"]]
    found = [o for o in outputs if o["name"].endswith(f"/out/{name}")]
    facet: dict[str, Any] = found[-1]["facets"]["headwater_pathLineage"]
    return facet


def direct(facet: dict[str, Any]) -> set[tuple[str, str, str]]:
    """What moves or is computed of which path, and what can be read back of it."""
    return {
        (str(DataPath.from_wire(f["path"])), str(DataPath.from_wire(i["path"])), t.get("retains", "VALUE"))
        for f in facet["fields"]
        for i in f["inputFields"]
        for t in i["transformations"]
        if t["type"] == "DIRECT"
    }
