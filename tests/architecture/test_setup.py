"""The scripts that set a fresh machine up: what they take, and what they say when something is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kit.shared import ROOT

SETUP = ROOT / "deploy" / "setup"


def setup(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", SETUP / script, *arguments],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def jdk(folder: Path, version: str, programs: tuple[str, ...] = ("java", "javac")) -> Path:
    """A folder that looks like a JDK of that version."""
    (folder / "bin").mkdir(parents=True)
    for name in programs:
        program = folder / "bin" / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="somebody"\nJAVA_VERSION="{version}"\n')
    return folder


@pytest.mark.parametrize("version", ["17.0.15", "21", "21.0.2"])
def test_the_jdk_of_java_home_comes_first(version: str, tmp_path: Path) -> None:
    home = jdk(tmp_path / "a jdk", version)
    assert setup("jdk.sh", JAVA_HOME=str(home)).stdout == f"{home}\n"


@pytest.mark.parametrize(
    ("version", "programs"),
    [("11.0.2", ("java", "javac")), ("1.8.0_392", ("java", "javac")), ("17.0.15", ("java",))],
    ids=["too old", "much too old", "no compiler"],
)
def test_what_cannot_compile_for_spark_is_passed_over(
    version: str, programs: tuple[str, ...], tmp_path: Path
) -> None:
    found = setup("jdk.sh", JAVA_HOME=str(jdk(tmp_path / "jdk", version, programs)))
    assert found.returncode == 0
    assert found.stdout.strip() not in ("", str(tmp_path / "jdk"))


def test_a_jdk_that_all_sparks_run_on_is_taken_before_a_newer_one(tmp_path: Path) -> None:
    found = setup("jdk.sh", JAVA_HOME=str(jdk(tmp_path / "jdk", "25.0.1")))
    assert found.stdout.strip() != str(tmp_path / "jdk")


def test_the_python_that_is_named_is_taken() -> None:
    assert setup("python.sh", PYTHON=sys.executable).stdout == f"{sys.executable}\n"


def test_a_python_that_is_none_is_refused_with_what_to_install() -> None:
    refused = setup("python.sh", PYTHON="no-such-python")
    assert refused.returncode == 1
    assert refused.stdout == ""
    assert "Python 3.10 or newer" in refused.stderr
    assert "install" in refused.stderr


def test_a_python_that_is_too_old_is_refused(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    assert setup("python.sh", PYTHON=str(old)).returncode == 1
