"""Imports of commands, which take most of the time of a short command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from headwater_cli.main import MODULES
from kit.command import headwater, surroundings
from kit.openlineage import columns, dataset, event

HEAVY = {
    "attr",
    "asyncio",
    "fastapi",
    "fideslang",
    "graphql",
    "httpx",
    "jinja2",
    "neo4j",
    "openlineage",
    "pydantic",
    "pyspark",
    "rapidfuzz",
    "requests",
    "rich",
    "sqlglot",
    "strawberry",
    "uvicorn",
    "yaml",
}
LOADED = """
import json, sys
from headwater_cli.main import cli
try:
    cli(sys.argv[1:], prog_name="headwater")
finally:
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""
QUESTIONS = [
    ("datasets",),
    ("dataset", "out"),
    ("search", "out"),
    ("lineage", "backward", "out", "y"),
    ("lineage", "both", "out", "--level", "job"),
    ("impact", "in"),
    ("witness", "in", "out"),
    ("sources",),
    ("sources", "out", "y", "y"),
    ("job", "job"),
    ("runs", "job"),
    ("quality", "out"),
    ("unused", "--since", "2026-01-01"),
    ("usage", "in", "--since", "2026-01-01"),
    ("usages", "in"),
    ("audit", "list"),
    ("dead-letters", "list"),
]


@pytest.fixture
def store(tmp_path: Path) -> str:
    lineage = columns({"y": [("in", "x")]})
    body = event(
        "COMPLETE", 1, inputs=[dataset("in", "x")], outputs=[dataset("out", "y", columnLineage=lineage)]
    )
    events = tmp_path / "events.ndjson"
    events.write_text(json.dumps(body), "utf-8")
    url = f"sqlite:///{tmp_path}/lineage.db"
    assert headwater("import", events, "--store", url).exit_code == 0
    return url


def loaded(*arguments: str) -> set[str]:
    """Return the top-level modules that are imported when the command ends."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_a_query_of_a_local_store_imports_no_engine_server_or_driver(
    question: tuple[str, ...], store: str
) -> None:
    assert loaded(*question, "--store", store) & HEAVY == set()


@pytest.mark.parametrize("arguments", [("--help",), ("lineage", "backward", "--help")], ids=" ".join)
def test_help_imports_nothing_of_the_backend(arguments: tuple[str, ...]) -> None:
    found = loaded(*arguments)
    assert found & (HEAVY | {"headwater_backend", "headwater_graphql"}) == set()


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_command_imports_no_other_command(name: str) -> None:
    assert headwater(name, "--help").exit_code == 0
    assert loaded(name, "--help") & HEAVY == set()
