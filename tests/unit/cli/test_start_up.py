"""Imports of commands, which take most of the time of a short command."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from headwater_cli.main import MODULES
from kit import commands
from kit.command import headwater, surroundings
from kit.openlineage import columns, dataset, event, facet

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
import json, os, sys
from headwater_cli.main import cli
for line in sys.stdin:
    ours, theirs = os.pipe()
    if os.fork() == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            cli(json.loads(line), prog_name="headwater")
        finally:
            os.write(theirs, json.dumps(sorted({name.partition(".")[0] for name in sys.modules})).encode())
    _, status = os.wait()
    print(json.dumps([status, json.loads(os.read(ours, 65_536))]), flush=True)
"""
"""A program that has imported what all commands need, and forks for each."""
QUESTIONS = commands.examples(commands.Known("in", "x", "out", "y", "job", "out"))
PERSONAL = ("breach", "classify", "exposure", "matrix", "reidentified", "residency", "retention", "subject")
"""Commands that may import the categories of personal data, and what these are made of."""
CATEGORIES = {"fideslang", "pydantic", "rich", "yaml"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a store with two datasets, of which one is made of the other, and personal data."""
    lineage = columns({"y": [("in", "x")]})
    tags = facet(tags=[{"key": "user.name", "value": "yes", "field": "x"}])
    body = event(
        "COMPLETE",
        1,
        inputs=[dataset("in", "x", tags=tags)],
        outputs=[dataset("out", "y", columnLineage=lineage)],
    )
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/lineage.db"
    assert headwater("import", "-", "--store", url, stdin=json.dumps(body)).exit_code == 0
    return url


@pytest.fixture(scope="module")
def loaded() -> Iterator[Callable[..., set[str]]]:
    """Returns the top-level modules that are imported when a command ends."""
    with subprocess.Popen(
        [sys.executable, "-c", LOADED],
        env=surroundings(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def call(*arguments: str) -> set[str]:
            assert process.stdin and process.stdout
            process.stdin.write(json.dumps(arguments) + "\n")
            process.stdin.flush()
            status, modules = json.loads(process.stdout.readline())
            assert status == 0
            return set(modules)

        yield call


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_a_query_of_a_local_store_imports_no_engine_server_or_driver(
    question: tuple[str, ...], store: str, loaded: Callable[..., set[str]]
) -> None:
    allowed = CATEGORIES if question[0] in PERSONAL else {"yaml"} if question[0] == "explain" else set()
    assert loaded(*question, "--store", store) & (HEAVY - allowed) == set()


@pytest.mark.parametrize("arguments", [("--help",), ("lineage", "backward", "--help")], ids=" ".join)
def test_help_imports_nothing_of_the_backend(
    arguments: tuple[str, ...], loaded: Callable[..., set[str]]
) -> None:
    found = loaded(*arguments)
    assert found & (HEAVY | {"headwater_backend", "headwater_graphql"}) == set()


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_command_imports_no_other_command(name: str, loaded: Callable[..., set[str]]) -> None:
    assert headwater(name, "--help").exit_code == 0
    assert loaded(name, "--help") & HEAVY == set()
