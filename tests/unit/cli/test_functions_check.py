"""``headwater functions check``: what functions of a file do, with the modules beside it, and nothing is executed."""

from __future__ import annotations

from pathlib import Path

from kit.command import headwater

HELPERS = """
raise SystemExit("it was executed")

def host(mail):
    return mail.split("@")[1]
"""
JOB = """
from rules import host

raise SystemExit("it was executed")

def score(mail, name):
    return {"host": host(mail), "name": name}

def reads(path):
    return open(path).read()
"""


def test_functions_of_a_file_are_reported_with_what_they_call_beside_it(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(HELPERS.replace("raise", "if False:\n    raise"))
    (tmp_path / "job.py").write_text(JOB.replace("raise", "if False:\n    raise"))
    checked = headwater("functions", "check", str(tmp_path / "job.py"))
    assert checked.exit_code == 0, checked.output
    assert checked.stdout.split("\n") == [
        "score  line 7",
        "  host  mail  CONTAINS",
        "  name  name  VALUE",
        "reads  line 10",
        "  opaque: it opens a file (open) (line 11); give the function what it needs as an argument",
        "",
    ]
    assert headwater("functions", "check", "--strict", str(tmp_path / "job.py")).exit_code == 1


def test_a_file_that_would_end_the_command_is_only_compiled(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(JOB.replace("from rules import host", "host = str.upper"))
    checked = headwater("functions", "check", str(tmp_path / "job.py"))
    assert "it was executed" not in checked.output
