"""Functions over Arrow, aggregates and iterators of groups are read, and list whatever changes their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headwater_facets.path import Path as DataPath
from kit.jobs import run_job
from kit.spark_lines import EITHER_LINE, SparkLine
from live.test_functions_over_frames import direct, facet_of

pytestmark = pytest.mark.spark

DIRECT = {
    "chosen": {("id", "id", "VALUE"), ("mail", "mail", "CONTAINS")},
    "at_other_places": {("name", "mail", "VALUE"), ("mail", "name", "VALUE")},
    "aggregated": {("town", "town", "VALUE"), ("mean", "amount", "OF_FEW"), ("longest", "name", "CONTAINS")},
    "grouped": {("town", "town", "CONTAINS"), ("total", "amount", "CONTAINS"), ("first", "name", "CONTAINS")},
    "grouped_batches": {("town", "town", "VALUE"), ("name", "name", "VALUE")},
    "total_of_batches": {("town", "town", "VALUE"), ("total", "amount", "CONTAINS")},
    "longest_of_batches": {("town", "town", "VALUE"), ("longest", "mail", "CONTAINS")},
    "by_arrow": {("id", "id", "VALUE"), ("loud", "name", "CONTAINS")},
}
"""(path of the output, path of the input, what can be read back)"""


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_functions_over_arrow_and_aggregates_list_what_changes_their_results(
    line: SparkLine, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    job = run_job(line, tmp_path, "functions_over_arrow.py", str(out))
    assert job.code == 0, job.output
    changes = json.loads((out / "changes.json").read_text("utf-8"))
    assert len(changes) >= 3
    found = {name: facet_of(job.events, name) for name in changes}
    assert {name: facet["opaque"] for name, facet in found.items() if facet.get("opaque")} == {}
    assert {name: direct(facet) for name, facet in found.items()} == {name: DIRECT[name] for name in changes}
    for name, pairs in changes.items():
        targets = {target for target, _, _ in DIRECT[name]}
        assert {tuple(pair) for pair in pairs} <= listed(found[name], targets), name


def listed(facet: dict[str, Any], targets: set[str]) -> set[tuple[str, str]]:
    """Whatever leads to a column, or decides about the rows."""
    own = {
        (path_of(f), path_of(i)) for f in facet["fields"] for i in f["inputFields"] if i["transformations"]
    }
    return own | {(target, path_of(i)) for i in facet.get("dataset", ()) for target in targets}


def path_of(part: dict[str, Any]) -> str:
    return str(DataPath.from_wire(part["path"]))
