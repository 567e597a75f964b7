"""Proposals of what functions do, from the second opinion to the file of declarations, on a store and on a server."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from headwater_plan.declarations import read_declarations
from kit.command import headwater
from kit.openlineage import NAMESPACE, dataset, event, facet, run_id

MODULE = """
TIERS = {}

def score(mail, name):
    TIERS[name] = mail
    return {"key": mail.upper(), "known": name.startswith("A")}
"""
JOB = f"{NAMESPACE} load"
BECAUSE = ("--reason", "checked by hand")


@pytest.fixture
def module(store: str, workdir: Path) -> Path:
    """A job calls ``score``, which is in a module; a program answers what it does."""
    with closing(open_store(store)) as opened:
        run = event("COMPLETE", 1, run_id("load"), [dataset("in", "a")], [dataset("out", "a")], "load")
        opaque = {"name": "score", "sort": "PYTHON_UDF", "known": "OPAQUE"}
        run["job"]["facets"] = {"headwater_functions": facet(functions=[opaque])}
        ingest(opened, [run])
    answer = json.dumps({"reads": ["mail -> key", "name -> known"]})
    (workdir / "answer.py").write_text(f"import sys\nsys.stdin.read()\nprint({answer!r})\n")
    (workdir / "module.py").write_text(MODULE)
    return workdir / "module.py"


def ask(module: Path, *options: str) -> Any:
    command = f"{sys.executable} {module.with_name('answer.py')}"
    return headwater("functions", "ask", "--command", command, *options, str(module))


def listed(*options: str) -> list[Any]:
    return list(json.loads(headwater("functions", "proposals", *options, "--json").stdout))


def test_an_answer_is_kept_decided_and_written_as_a_declaration(
    module: Path, target: Sequence[str], workdir: Path
) -> None:
    assert listed(*target) == []
    asked = ask(module, "--propose-for", JOB, *target)
    assert asked.stdout.endswith("# kept for a steward: 1 of 1\n"), asked.output
    assert ask(module, "--propose-for", JOB, *target).stdout.endswith("0 of 1\n")
    (found,) = listed(JOB, *target)
    assert (found["function"], found["file"], found["line"], found["state"]) == (
        "score",
        "module.py",
        4,
        "PROPOSED",
    )
    assert "code: not read: it changes an object of its module, or a default" in found["checks"]
    assert yaml.safe_load(headwater("functions", "declarations", JOB, *target).stdout) == {"udfs": []}
    tried = headwater("functions", "accept", found["id"], *BECAUSE, "--dry-run", *target)
    assert tried.stdout == f"would be accepted: score of {JOB}\n"
    accepted = headwater("functions", "accept", found["id"], *BECAUSE, *target)
    assert accepted.stdout == f"accepted: score of {JOB}\n"
    written = headwater("functions", "declarations", JOB, *target).stdout
    (workdir / "udfs.yaml").write_text(written)
    (declared,) = read_declarations(workdir / "udfs.yaml").values()
    assert (declared.name, declared.code) == ("score", found["digest"])
    assert declared.by == listed(JOB, "--state", "ACCEPTED", *target)[0]["decisions"][0]["by"]
    headwater("functions", "refuse", found["id"], *BECAUSE, *target)
    assert yaml.safe_load(headwater("functions", "declarations", JOB, *target).stdout) == {"udfs": []}
    assert headwater("functions", "reopen", found["id"], *BECAUSE, *target).exit_code == 0
    assert [each["state"] for each in listed(*target)[0]["decisions"]] == [
        "PROPOSED",
        "REFUSED",
        "ACCEPTED",
        "PROPOSED",
    ]


def test_what_cannot_be_kept_is_reported(module: Path, target: Sequence[str]) -> None:
    assert "is no job" in ask(module, "--propose-for", "load", *target).stderr
    other = ask(module, "--propose-for", f"{NAMESPACE} other", *target)
    assert other.exit_code != 0
    assert "calls no function 'score'" in other.stderr
    assert listed(*target) == []
    refused = headwater("functions", "accept", "0" * 32, *BECAUSE, *target)
    assert refused.exit_code != 0
    assert "no proposal" in refused.stderr


def test_what_no_agent_can_read_is_not_written(store: str, module: Path) -> None:
    from headwater_backend.domain.model import JobKey
    from headwater_backend.domain.roles import everything
    from headwater_backend.function_proposals import proposal, stewardship
    from headwater_backend.names.stewardship import Steward

    del module
    bad = proposal.Proposal(
        JobKey(NAMESPACE, "load"), "score", (), ("nobody -> key",), None, proposal.CodeSeen("", "job.py", 1)
    )
    ana = Steward(everything("Ana"), "tried")
    with closing(open_store(store)) as opened:
        stewardship.propose(opened, [bad], ana)
        stewardship.decide(opened, stewardship.Wanted(accepted=(bad.id,)), ana)
    written = headwater("functions", "declarations", JOB, "--store", store)
    assert written.exit_code != 0
    assert bad.id in written.stderr
