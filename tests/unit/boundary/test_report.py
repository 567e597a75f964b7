"""The report of a split, made of its answer: sentences, drawing, and what is filed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import headwater_boundary
from headwater_backend.reports.document.canonical import as_json, from_json
from headwater_backend.reports.document.model import Document, Fact, Facts, Imprint, Paragraph, Sides, Table
from headwater_backend.reports.formats.render import Format, render
from headwater_backend.reports.languages.catalogue import Language, words
from headwater_boundary.policy import Policy
from headwater_boundary.report import report_of
from kit.split_answer import MADE

MOMENT = datetime(2026, 1, 1, tzinfo=timezone.utc)
FILES = Path(headwater_boundary.__file__).parent / "split"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "job.py"
    file.write_text("pass\n", "utf-8")
    return file


def report(script: Path, made: dict[str, Any], policy: Policy, language: Language = Language.EN) -> Document:
    beside = {"rules": None, "policy": None}
    return report_of(made, script, beside, policy, language=language, as_of=MOMENT)


def blocks(document: Document, of: type) -> Iterator[Any]:
    return (block for each in document.sections for block in each.blocks if isinstance(block, of))


def texts(document: Document) -> str:
    return "\n".join(each.text for each in blocks(document, Paragraph))


def test_what_crosses_stands_between_the_sides(script: Path) -> None:
    (sides,) = blocks(report(script, MADE, Policy(least_group=5)), Sides)
    by_key = {each.key: each.label for each in sides.computed}
    drawn = [(each.label, each.side, [by_key[key] for key in each.inputs]) for each in sides.computed]
    assert drawn == [
        ("orders: read orders", "inside", []),
        ("large", "inside", ["orders: read orders"]),
        ("by_country", "boundary", ["large"]),
        ("by_country", "outside", ["by_country"]),
        ("overall", "boundary", ["orders: read orders"]),
        ("overall", "outside", ["overall"]),
        ("report", "outside", ["by_country"]),
        ("overall_2", "boundary", ["overall"]),
        ("join", "inside", ["orders: read orders", "overall_2"]),
        ("above", "boundary", ["join"]),
        ("above", "outside", ["above"]),
    ]


def test_each_statement_and_each_column_that_leaves_has_its_reason(script: Path) -> None:
    document = report(script, MADE, Policy(least_group=5))
    tables = {each.key: each for each in blocks(document, Table)}
    assert tables["sides"].rows[0] == (
        "job.py:3", "orders: read orders", ("inside",), 1, "/data/orders holds personal data",
    )  # fmt: skip
    assert len(tables["sides"].rows) == len(MADE["placements"])
    assert tables["leaving_by_country"].title == "by_country (line job.py:6) leaves the regions, in stage 1"
    assert tables["leaving_overall_2"].title.endswith("goes back into the regions, in stage 1")
    assert tables["leaving_above"].rows == (("n", "bigint", "a number of rows"),)


def test_what_is_open_and_groups_of_one_are_reported_first(script: Path) -> None:
    assert not [
        each for each in blocks(report(script, MADE, Policy(least_group=5)), Paragraph) if each.notice
    ]
    found = report(script, {**MADE, "open": ["/data/orders: OPEN_PROPOSAL phone"]}, Policy())
    assert (
        len([each for each in found.sections[0].blocks if isinstance(each, Paragraph) and each.notice]) == 2
    )
    assert not found.complete
    assert [t.rows for t in blocks(found, Table) if t.key == "undecided"] == [
        (("/data/orders: OPEN_PROPOSAL phone",),)
    ]


def test_what_the_policy_states_is_in_the_report(script: Path) -> None:
    policy = Policy(
        shared=("*/countries",), persons=("*/orders id",), colocated={"who": ("a b", "c d")}, least_group=5
    )
    (facts,) = blocks(report(script, MADE, policy), Facts)
    stated = {each.key: each.values for each in facts.facts if isinstance(each, Fact)}
    assert stated["shared"] == ("*/countries",) and stated["identifying"] == ("*/orders id",)
    assert stated["colocated"] == ("who: a b, c d",) and stated["least_group"] == ("5",)


def test_it_is_read_back_and_made_in_each_format(script: Path) -> None:
    document = report(script, MADE, Policy(least_group=5))
    assert from_json(as_json(document)) == document
    assert document.question["files"]["script"].startswith("job.py sha256:")
    for form in (Format.HTML, Format.XLSX, Format.CSV, Format.JSON, Format.PDF):
        assert render(document, Imprint(MOMENT, "headwater split"), form)


def sentences() -> set[str]:
    """The sentences of the code of splits that say why, with a word in each place of an argument."""
    found = set[str]()
    for file in FILES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            values: list[ast.expr] = []
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in {"why", "whys"}:
                values = [node.value]
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in {
                "Placed",
                "Leaving",
                "Merge",
                "_merge",
            }:
                values = node.args[2:5]
            for each in values:
                parts = [each.body, each.orelse] if isinstance(each, ast.IfExp) else [each]
                found |= {text for part in parts if (text := _text(part)).count(" ") > 1 and "(" not in text}
    return found


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(p.value) if isinstance(p, ast.Constant) else "x" for p in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_all_reasons_are_there_in_german(script: Path) -> None:
    german = words(Language.DE)
    found = sentences()
    assert len(found) > 20
    assert {each for each in found if german.detail(each, "split") == each} == set()
    shown = texts(report(script, MADE, Policy(least_group=5), Language.DE))
    assert "4 Zusammenstellungen" not in shown and "3 Zusammenstellungen" in shown
