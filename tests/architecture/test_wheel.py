"""The wheel: everything that an installation needs is inside, and it works where only its base is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kit.command import surroundings
from kit.shared import ROOT

INSIDE = {
    "headwater_backend/neo4j_server/Neo4jServer.java",
    "headwater_backend/neo4j_server/pom.xml",
    "headwater_backend/reports/formats/templates/report.html.j2",
    "headwater_backend/reports/languages/de.yaml",
    "headwater_backend/stores/sqlite/sql/0001_lineage.sql",
    "headwater_cli/demo/jobs/directory.py",
    "headwater_cli/demo/jobs/tweets_by_user.py",
    "headwater_cli/demo/rules.yaml",
    "headwater_cli/py.typed",
    "headwater_facets/spec/registry.json",
    "headwater_graphql/explorer/static/explorer.js",
    "headwater_graphql/queries/backward.graphql",
    "headwater_graphql/queries/fragments/Place.graphql",
    "headwater_graphql/schema.graphql",
    "headwater_pandas/rules/table.py",
    "headwater_queue/py.typed",
    "headwater_plan/nodes.py",
    "headwater_records/nested/backtrace.py",
    "headwater_records/questions.py",
    "headwater_mappings/mappings.lark",
    "headwater_records_spark/operators/joins.py",
    "headwater_spark/jars/headwater-spark.jar",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_what_an_installation_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert INSIDE - names == set()


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert not [
        name for name in names if "__pycache__" in name or name.startswith(("tests/", "requirements/"))
    ]
    assert "graphql/__init__.py" not in names


@pytest.mark.slow
def test_the_base_installation_has_the_command_and_the_agent(wheel: Path, tmp_path: Path) -> None:
    environment = {**surroundings(), "VIRTUAL_ENV": str(tmp_path / "venv")}
    uv = Path(sys.executable).parent / "uv"
    subprocess.run(
        [uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "venv"], check=True, env=environment
    )
    subprocess.run([uv, "pip", "install", "--quiet", wheel], check=True, env=environment, cwd=tmp_path)

    def headwater(*arguments: str) -> subprocess.CompletedProcess[str]:
        program = tmp_path / "venv" / "bin" / "headwater"
        kept = {name: value for name, value in surroundings().items() if name != "PYTHONPATH"}
        return subprocess.run(
            [program, *arguments], cwd=tmp_path, env=kept, capture_output=True, text=True, check=False
        )

    assert "Commands:" in headwater("--help").stdout
    jar = headwater("spark-conf").stdout.splitlines()[0].split(" ", 1)[1]
    assert Path(jar).is_file()
    assert os.fspath(tmp_path) in jar
    checks = {check["name"]: check["state"] for check in json.loads(headwater("doctor", "--json").stdout)}
    assert (checks["jar"], checks["pyspark"], checks["backend"]) == ("ok", "optional", "optional")
    refused = headwater("serve")
    assert refused.returncode == 1
    assert "pip install 'headwater[backend]'" in refused.stderr
