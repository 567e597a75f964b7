"""Declarations reach the agent from wherever they are made, and the job is as it was."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from headwater_facets.path import Path as DataPath
from headwater_functions.code import Function, of_code_object
from headwater_functions.digest import digest_of
from kit.jobs import JOBS, run_job
from kit.spark_lines import EITHER_LINE, SparkLine

pytestmark = pytest.mark.spark

FILE = """
udfs:
  - name: configured
    parameters: [given, id]
    reads: [given]
    by: Ana
    code: "{code}"
  - name: unknown
    reads: ["0"]
    by: Ana
    code: "3.9:0f"
"""
"""What a steward accepted of the code of one function, and of code that another one once had."""
TRACED = {
    ("person.surname", "name.last", "TRANSFORMATION", False),
    ("person.contact", "mail", "IDENTITY", False),
    ("hidden", "mail", "TRANSFORMATION", True),
    ("given", "name.first", "TRANSFORMATION", False),
    ("x", "mail", "TRANSFORMATION", False),
    ("y", "mail", "IDENTITY", False),
}
KNOWN = {
    "person": "DECLARED",
    "masked": "DECLARED",
    "configured": "DECLARED",
    "unknown": "OPAQUE",
    "plain": "ANALYSED",
}


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_declared_functions_are_traced_and_others_are_read_or_stay_opaque(
    line: SparkLine, tmp_path: Path
) -> None:
    (tmp_path / "udfs.yaml").write_text(FILE.format(code=digest_of_lambda("configured")))
    job = run_job(
        line,
        tmp_path,
        "declared_functions.py",
        str(tmp_path / "out"),
        conf={"spark.headwater.udfs": str(tmp_path / "udfs.yaml")},
    )
    assert job.code == 0, job.output
    facet = path_lineage(job.events)
    assert traced(facet) == TRACED
    assert [(o["path"], o["name"]) for o in facet["opaque"]] == [(["x"], "unknown")]
    reported = {each["name"]: each for each in functions(job.events)}
    assert {name: each["known"] for name, each in reported.items()} == KNOWN
    assert {each["code"]["file"] for each in reported.values() if "code" in each} == {"declared_functions.py"}
    assert reported["plain"]["code"]["line"] > reported["masked"]["code"]["line"]
    assert [each["name"] for each in reported.values() if each.get("declaredBy") == "Ana"] == ["configured"]
    why, other = reported["unknown"]["why"]
    assert other["code"] == "OTHER_CODE"
    assert (why["code"], why["line"]) == ("OUTSIDE", reported["plain"]["code"]["line"] - 1)
    assert "eval" in why["reason"]
    found = {name: [d["difference"] for d in each.get("differences", ())] for name, each in reported.items()}
    assert found == {name: ["UNDECLARED"] * (name == "person") for name in KNOWN}
    (different,) = reported["person"]["differences"]
    assert (different["argument"], different["from"], different["to"]) == (2, [], ["surname"])


def digest_of_lambda(registered: str) -> str:
    """The digest of the lambda that the job registers under a name, on that line."""
    source = (JOBS / "declared_functions.py").read_text("utf-8")
    line = next(n for n, text in enumerate(source.split("\n"), 1) if f'"{registered}"' in text)
    pending = [compile(source, "declared_functions.py", "exec", dont_inherit=True)]
    for code in pending:
        pending += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    (found,) = (c for c in pending if (c.co_name, c.co_firstlineno) == ("<lambda>", line))
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return digest_of(Function(of_code_object(found, version)))


def functions(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the jobs that wrote say of their functions."""
    found = [e["job"]["facets"].get("headwater_functions") for e in events if e["eventType"] == "COMPLETE"]
    return [each for facet in found if facet for each in facet["functions"]]


def path_lineage(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The facet of the job's last output."""
    found = [
        o
        for e in events
        if e["eventType"] == "COMPLETE"
        for o in e["outputs"]
        if o["name"].endswith("declared")
    ]
    facet: dict[str, Any] = found[-1]["facets"]["headwater_pathLineage"]
    return facet


def traced(facet: dict[str, Any]) -> set[tuple[str, str, str, bool]]:
    return {
        (str(DataPath.from_wire(f["path"])), str(DataPath.from_wire(i["path"])), t["subtype"], t["masking"])
        for f in facet["fields"]
        for i in f["inputFields"]
        for t in i["transformations"]
    }
