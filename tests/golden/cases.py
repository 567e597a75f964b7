"""The cases, the lines that each program runs on, and the lineage of a program's plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from golden.case_file import Case, read_case, written
from headwater_plan.declarations import declaration
from headwater_plan.nodes import Write
from headwater_plan.types import StructField, StructType
from headwater_spark.decode import decode
from headwater_spark.tracing import PlanLineage, trace
from kit.spark_lines import LINES, SparkLine

FOLDER = Path(__file__).parent / "lineage"
CASES = [read_case(path) for path in sorted(FOLDER.glob("*.case"))]
DECLARED = {
    each.name: each
    for each in (
        declaration(
            "declared_contact",
            ["name.last -> surname", "name => contact.name", "mail => contact.mail", "born -> ?"],
            parameters=["name", "mail", "born"],
        ),
        declaration("declared_masker", ["0"], masking=True),
        declaration(
            "declared_rows",
            [
                "rows.id => key",
                "rows.mail -> contact.mail",
                "rows.name.last => contact.surname",
                "rows.born -> ?",
            ],
            parameters=["rows"],
        ),
        declaration("declared_groups", ["key => city", "rows.id -> n"], parameters=["key", "rows"]),
    )
}
"""What the cases' functions with declared lineage do: users declare it in files, which the cases have none of."""


@dataclass(frozen=True)
class Program:
    """A case's program in one language on one Spark line."""

    line: SparkLine
    case: Case
    kind: str

    def __str__(self) -> str:
        return f"{self.case}-{self.kind}-{self.line}"

    @property
    def key(self) -> tuple[str, str]:
        """The names of the case and of the language."""
        return str(self.case), self.kind

    @property
    def text(self) -> str:
        return self.case.programs[self.kind]

    def lineage(self, document: dict[str, Any], version: str) -> tuple[str, ...]:
        """The lines of the lineage that its plan gives."""
        lineage, _ = lineage_of_plan(document, version, collected=self.case.collected)
        return written(lineage)


def programs(case: Case) -> list[Program]:
    """The case's programs on each line that has the feature."""
    lines = [line for line in LINES if case.only in (None, line.name)]
    return [Program(line, case, kind) for line in lines for kind in case.programs]


PROGRAMS = sorted((each for case in CASES for each in programs(case)), key=lambda each: each.line.name)


def lineage_of_plan(
    document: dict[str, Any], version: str, *, collected: bool = False
) -> tuple[PlanLineage, StructType]:
    """The lineage of a query as if it were written, and its columns."""
    plan = decode(document, version, declared=DECLARED.get)
    assert plan.relation is not None
    columns = StructType(tuple(StructField(a.name, a.type) for a in plan.relation.outputs))
    query = replace(plan, write=Write(plan.relation, {}, "", columns))
    return trace(query, collected=collected), columns
