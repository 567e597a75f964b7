"""Every setting is in one table, from which the document and the warnings are generated."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from headwater_spark.activation.configuration import (
    ENVIRONMENT,
    KEYS,
    OPENLINEAGE,
    Key,
    document,
    unknown_settings,
)
from kit.shared import ROOT

SOURCES = ROOT / "integration"
GATE = ROOT / "cli" / "headwater_cli" / "boundary" / "gate.py"
IN_CODE = re.compile(r"[\"'](spark\.(?:headwater|openlineage)\.[\w.{}<>*-]*)[\"']")
VARIABLE = re.compile(r"(?:environ(?:\.get)?[\[(]\s*|getenv\(\s*)[\"'](OPENLINEAGE_\w+)[\"']")
PREFIXES = {"spark.headwater.", "spark.openlineage.", "spark.openlineage.transport"}


def code() -> list[Path]:
    """What runs of the agent, the process that judges for it too; the table itself is no reader."""
    python = [file for file in (SOURCES / "headwater_spark").rglob("*.py") if file.name != "configuration.py"]
    return [*python, GATE, *(SOURCES / "jvm" / "src" / "main").rglob("*.java")]


def read_in_code(pattern: re.Pattern[str]) -> set[str]:
    return {name for file in code() for name in pattern.findall(file.read_text("utf-8"))}


def is_known(name: str) -> bool:
    """Whether the table has the key, or one that a pattern or a prefix of the code may become."""
    pattern = re.compile(re.sub(r"\\{[^}]*\\}", ".*", re.escape(name)) + (".*" if name.endswith(".") else ""))
    return any(pattern.fullmatch(key.name) or key.covers(name) for key in KEYS)


def test_every_key_that_the_code_reads_is_in_the_table() -> None:
    read = read_in_code(IN_CODE) - PREFIXES
    assert len(read) > 20
    assert [name for name in sorted(read) if not is_known(name)] == []


def test_every_key_of_the_table_is_read() -> None:
    read = read_in_code(IN_CODE) - PREFIXES | {"spark.openlineage.transport."}
    patterns = [re.compile(re.sub(r"\\{[^}]*\\}", ".*", re.escape(name))) for name in read]
    beginnings = tuple(name for name in read if name.endswith("."))
    found = [
        key.name
        for key in KEYS
        if not any(p.fullmatch(key.name) for p in patterns) and not key.name.startswith(beginnings)
    ]
    assert found == []


def test_every_variable_that_the_code_reads_is_in_the_table() -> None:
    assert read_in_code(VARIABLE) <= {key.name for key in ENVIRONMENT}


def test_the_document_is_made_from_the_table() -> None:
    assert (ROOT / "docs" / "configuration.md").read_text("utf-8") == document(), "make generated"


def test_the_document_can_be_printed() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "headwater_spark.activation.configuration"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed.stdout == document()


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("spark.headwater.acess.enabled", "spark.headwater.access.enabled"),
        ("spark.headwater.spoolDir", "spark.headwater.spool.dir"),
        ("spark.headwater.literal", "spark.headwater.literals"),
        ("spark.headwater.zzzzzzzzzzzzzzzzzzzzzzzzzzzz", None),
    ],
)
def test_an_unknown_key_is_found_with_the_most_similar_one(key: str, nearest: str | None) -> None:
    assert list(unknown_settings({key: "1", "spark.headwater.enabled": "true", "spark.master": "x"})) == [
        (key, nearest)
    ]


def test_a_key_with_a_placeholder_covers_what_it_stands_for() -> None:
    (owner,) = [key for key in OPENLINEAGE if "owners" in key.name]
    assert owner.covers("spark.openlineage.job.owners.team")
    assert not owner.covers("spark.openlineage.job.owners.a.b")
    assert Key("spark.a.*", "", "").covers("spark.a.b.c")
