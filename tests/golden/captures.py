"""Plan documents of the cases' programs, captured from each Spark line and kept beside the cases.

`captures/LINE.ndjson` holds one JSON object a line: the version of Spark and a digest of what makes documents of plans,
then each class that the plans use, then each program with its plan::

    {"version": "4.3.0", "made_by": "9a…"}
    {"class": {"name": "Project", "class": "org.apache…Project", …, "fields": ["projectList", "child"]}}
    {"case": "filter", "program": "sql", "digest": "3f…", "plan": {"classes": ["Project", …], "types": …, "nodes": …}}

The digest is of the tables and the program, so that a case that was edited is not traced from the plan that it had
before. A class is written once and named in the plans by its simple name, by its whole name where two have the same.

The plans are normalised (`golden.normalised`): two captures of the same program are the same text.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from golden.case_file import Case
from kit.plan_documents import Plan
from kit.shared import ROOT
from kit.spark_lines import WORKER, SparkLine, spark_version

FOLDER = Path(__file__).parent / "captures"
_EYE = ROOT / "integration" / "jvm" / "src" / "main" / "java"
_ENCODER = "PlanDocuments"


@dataclass(frozen=True)
class Captured:
    """A program's plan document, and the digest of what it was planned from."""

    digest: str
    plan: Plan


@dataclass
class Captures:
    """The plans of one Spark line by case and program, the version of Spark, and the digest of what made them."""

    version: str = ""
    made_by: str = ""
    plans: dict[tuple[str, str], Captured] = field(default_factory=dict)


def capture_file(line: SparkLine) -> Path:
    return FOLDER / f"{line.name}.ndjson"


@cache
def captures_of(line: SparkLine) -> Captures:
    """What is captured of the line; nothing where it has no file."""
    path = capture_file(line)
    return read_captures(path.read_text("utf-8")) if path.exists() else Captures()


def digest(case: Case, kind: str) -> str:
    """A short hash of the tables and the program that a plan is made of."""
    text = json.dumps([case.tables, kind, case.programs[kind]])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@cache
def makers() -> tuple[Path, ...]:
    """The files on which a captured plan depends beside its case and Spark: the encoder and the classes it names."""
    classes = {file.stem: file for file in _EYE.rglob("*.java") if file.stem != "package-info"}
    known: set[str] = set()
    new = {_ENCODER}
    while new:
        known |= new
        words = (re.findall(r"\w+", classes[name].read_text("utf-8")) for name in new)
        new = (classes.keys() & set(chain.from_iterable(words))) - known
    return (*(classes[name] for name in sorted(known)), WORKER, Path(__file__).with_name("normalised.py"))


@cache
def made_by() -> str:
    """A short hash of what makes documents of Spark's plans at present."""
    contents = b"\0".join(file.read_bytes() for file in makers())
    return hashlib.sha256(contents).hexdigest()[:12]


def is_current(line: SparkLine) -> bool:
    """Whether the plans were captured from the Spark that the line has, by what makes documents of them at present."""
    captures = captures_of(line)
    return (captures.version, captures.made_by) == (spark_version(line), made_by())


def read_captures(text: str) -> Captures:
    """The captures in a file's text."""
    found = Captures()
    classes: dict[str, dict[str, Any]] = {}
    for row in map(json.loads, filter(None, text.split("\n"))):
        if "version" in row:
            found.version, found.made_by = row["version"], row["made_by"]
        elif "class" in row:
            classes[_key(row["class"], classes)] = row["class"]
        else:
            named = [classes[name] for name in row["plan"]["classes"]]
            plan = {**row["plan"], "classes": named}
            found.plans[row["case"], row["program"]] = Captured(row["digest"], plan)
    return found


def captures_text(captures: Captures) -> str:
    """The text of the captures' file: the same for the same plans, whatever their order."""
    classes = _class_names(captures)
    rows: list[dict[str, Any]] = [{"version": captures.version, "made_by": captures.made_by}]
    rows += ({"class": json.loads(text)} for text in classes)
    for (case, program), captured in sorted(captures.plans.items()):
        names = [classes[_compact(each)] for each in captured.plan["classes"]]
        plan = {**captured.plan, "classes": names}
        rows.append({"case": case, "program": program, "digest": captured.digest, "plan": plan})
    return "".join(_compact(row) + "\n" for row in rows)


def _class_names(captures: Captures) -> dict[str, str]:
    """Each class's descriptor as text, in order, to the name that plans have for it."""
    plans = (captured.plan for captured in captures.plans.values())
    described = {_compact(each): each for plan in plans for each in plan["classes"]}
    names: dict[str, str] = {}
    for text in sorted(described):
        names[text] = _key(described[text], names.values())
    return names


def _key(described: Mapping[str, Any], taken: Container[str]) -> str:
    """The first of the class's names that is not taken; a class may come with different fields."""
    candidates = _candidates(described)
    return next(name for name in candidates if name not in taken)


def _candidates(described: Mapping[str, Any]) -> Iterator[str]:
    yield described["name"]
    yield described["class"]
    yield f"{described['class']} {','.join(described['fields'])}"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
