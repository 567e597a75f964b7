"""Every captured plan gives its case's lineage, without Spark; and every program has a captured plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from golden.captures import (
    capture_file,
    captures_of,
    captures_text,
    digest,
    is_current,
    made_by,
    makers,
    read_captures,
)
from golden.cases import CASES, PROGRAMS, Program, programs
from golden.rewrite import main
from kit.spark_lines import LINES, SparkLine, spark_version


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_a_captured_plan_gives_the_lineage_of_its_case(program: Program) -> None:
    captures = captures_of(program.line)
    captured = captures.plans.get(program.key)
    capture = f"make golden CASE={program.case}"
    assert captured is not None, f"{program} has no captured plan: {capture}"
    assert captured.digest == digest(program.case, program.kind), f"{program} was edited: {capture}"
    found = program.lineage(captured.plan, captures.version)
    assert sorted(found) == sorted(program.case.lineage), f"{program.case.title} If it is right: {capture}"


@pytest.mark.parametrize("line", LINES, ids=str)
def test_nothing_is_captured_that_is_no_case(line: SparkLine) -> None:
    expected = {program.key for program in PROGRAMS if program.line == line}
    assert sorted(captures_of(line).plans.keys() - expected) == [], "write the captures anew: make golden"


@pytest.mark.parametrize("line", LINES, ids=str)
def test_a_file_of_captures_is_as_it_would_be_written(line: SparkLine) -> None:
    text = capture_file(line).read_text("utf-8")
    assert captures_text(read_captures(text)) == text, "merged by hand? make golden"


def test_plans_of_another_spark_or_another_encoder_are_not_current(monkeypatch: pytest.MonkeyPatch) -> None:
    line = LINES[0]
    current = replace(captures_of(line), version=spark_version(line), made_by=made_by())
    for captures, expected in (
        (current, True),
        (replace(current, version="3.4.0"), False),
        (replace(current, made_by="0" * 12), False),
    ):
        monkeypatch.setattr("golden.captures.captures_of", lambda _, given=captures: given)
        assert is_current(line) is expected


def test_what_makes_documents_of_plans_is_the_worker_and_the_encoder_s_classes() -> None:
    names = {each.name for each in makers()}
    assert {"spark_worker.py", "PlanDocuments.java", "PlanEncoder.java", "Json.java", "Mirror.java"} <= names
    assert "HeadwaterListener.java" not in names


def test_every_case_has_a_title_programs_on_a_line_and_lineage() -> None:
    for case in CASES:
        assert case.title and programs(case) and case.lineage, case.path.name


def test_the_readme_shows_a_case() -> None:
    (shown,) = (case for case in CASES if str(case) == "worked_example")
    readme = Path(__file__).with_name("README.md").read_text("utf-8")
    assert f"```\n{shown.path.read_text('utf-8')}```" in readme


def test_rewriting_knows_its_cases_and_keeps_out_of_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    assert main(["worked_exmaple"]) == "no case is called 'worked_exmaple': worked_example?"
    monkeypatch.setenv("CI", "true")
    assert main(["worked_example"]) == "CI compares and never rewrites"
