"""The house holds what it promises: no addresses of indexes or machines in files, locked packages, POSIX scripts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from kit.shared import ROOT

INDEXES = re.compile(
    r"(?:pypi|pythonhosted|npmjs|yarnpkg|proxy\.golang|repo1?\.maven|maven\.apache)\.(?:org|io|com)/(?!xsd|POM)"
)
MACHINE = re.compile(r"(?<![\w.:/])/(?:work|root|Users|tmp/(?!$))/|(?<![\w.:/])/home/\w+/")
MAKE_TARGETS = {"demo", "test", "test-all", "serve", "bench"}


def committed() -> list[Path]:
    """Every text file that is committed."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in listed.decode().split("\0") if name]


def lines_that_match(pattern: re.Pattern[str], files: list[Path]) -> list[str]:
    found = []
    for file in files:
        if not file.is_file():
            continue
        text = file.read_bytes().decode("utf-8", "replace")
        found += [
            f"{file.relative_to(ROOT)}:{number}: {line.strip()[:150]}"
            for number, line in enumerate(text.splitlines(), 1)
            if pattern.search(line)
        ]
    return found


def test_no_committed_file_names_a_package_index() -> None:
    assert lines_that_match(INDEXES, committed()) == []


def test_no_committed_file_names_a_place_of_somebodys_machine() -> None:
    files = [file for file in committed() if ROOT / "tests" not in file.parents]
    assert lines_that_match(MACHINE, files) == []


def test_every_locked_package_has_a_hash() -> None:
    for lock in sorted((ROOT / "requirements").glob("*.txt")):
        packages = re.split(r"\n(?=\S)", lock.read_text("utf-8").strip())
        without = [package.split()[0] for package in packages if "--hash=sha256:" not in package]
        assert without == [], lock.name


def test_nothing_shadows_the_graphql_library() -> None:
    assert not (ROOT / "graphql" / "__init__.py").exists()
    assert not [path for path in (ROOT / "tests").rglob("graphql") if path.is_dir()]


def test_make_explains_its_targets() -> None:
    output = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"^  ([a-z-]+)  ", output, re.MULTILINE)) >= MAKE_TARGETS


@pytest.mark.parametrize("script", ["python.sh", "jdk.sh", "venv.sh", "packages.sh"])
def test_setup_scripts_are_posix_shell(script: str) -> None:
    subprocess.run(["sh", "-n", ROOT / "deploy" / "setup" / script], check=True)
