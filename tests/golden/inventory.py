"""What happens to each of Spark's expressions and operators: the decoders' tables beside ``inventory.txt``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headwater_spark.decode.catalogue import LADDER
from headwater_spark.decode.commands.changes import CHANGES
from headwater_spark.decode.commands.columns import COLUMNS
from headwater_spark.decode.commands.moves import MOVES
from headwater_spark.decode.commands.writes import WITHOUT_DATA, WRITES
from headwater_spark.decode.functions import FUNCTIONS as NAMES
from headwater_spark.tracing.values.functions import AGGREGATES, FUNCTIONS
from headwater_spark.tracing.values.generators import GENERATORS
from headwater_spark.tracing.values.lambdas import LAMBDAS
from kit.shared import ROOT

COVERAGE = ROOT / "docs" / "coverage.md"
FILE = Path(__file__).with_name("inventory.txt")
_GROUP = re.compile(r"^\[(?P<sort>[A-Z ]+) (?P<kind>expressions|operators)\] (?P<reason>.+)$")

ELSEWHERE = {
    "AnsiCast",
    "AvroDataToCatalyst",
    "CatalystDataToAvro",
    "CatalystDataToProtobuf",
    "PromotePrecision",
    "ProtobufDataToCatalyst",
    "TryCast",
}
"""Tabled classes of modules that are not installed here (Avro, Protobuf) and of Spark before 3.5.9."""


PAGE = """# Coverage

Every concrete expression and operator class of the installed Spark lines (3.5 and 4.x), and the commands of Delta Lake
and Iceberg that are known. A test reads the class files in Spark's jars: a class that is in none of these tables fails
it, and is named. This page is generated (`make golden`).

## Traced by a decoder or rule of its own

| what | classes | names |
|---|---:|---|
{rows}

## Traced by a default, with the reason

COMPUTE and AGGREGATE list every argument as an input of the result; REPLACED classes are traced as what Spark itself
runs for them; NEVER and PART classes do not stand in an analysed plan, or not by themselves; UNKNOWN ones are traced as
*any column from any*, and the event reports that.

| default | reason | classes | names |
|---|---|---:|---|
{left}
"""


@dataclass(frozen=True)
class Default:
    """A group of classes that a default is right for, and why."""

    sort: str
    kind: str
    reason: str
    names: frozenset[str]


def handled() -> Mapping[str, frozenset[str]]:
    """The classes that have a decoder or a rule of their own, by what that is."""
    return {
        "expressions with a decoder": frozenset().union(*(step.expressions for step in LADDER)),
        "functions with a rule": _traced_by(FUNCTIONS),
        "aggregate functions with a rule": _traced_by(AGGREGATES),
        "functions with lambdas": _traced_by(LAMBDAS),
        "generators": _traced_by(GENERATORS),
        "operators with a decoder": frozenset().union(*(step.relations for step in LADDER)),
        "commands that write": frozenset({*WRITES, *CHANGES}),
        "commands that move data or names": frozenset({*COLUMNS, *MOVES}),
        "commands known to write nothing": WITHOUT_DATA,
    }


def _traced_by(rules: Mapping[str, object]) -> frozenset[str]:
    """The classes whose functions have a row in a table of rules."""
    return frozenset(name for name, function in NAMES.items() if function in rules)


def defaults() -> list[Default]:
    """The groups of ``inventory.txt``; ``ValueError`` names a line out of form."""
    groups: list[Default] = []
    for paragraph in re.split(r"\n\s*\n", FILE.read_text("utf-8")):
        lines = [line for line in paragraph.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        if (head := _GROUP.match(lines[0])) is None:
            raise ValueError(f"{FILE.name}: {lines[0]}")
        groups.append(
            Default(head["sort"], head["kind"], head["reason"], frozenset(" ".join(lines[1:]).split()))
        )
    return groups


def coverage() -> str:
    """``docs/coverage.md``: the tables and the inventory as one page."""
    rows = [f"| {what} | {len(names)} | {_listed(names)} |" for what, names in handled().items()]
    left = [f"| {d.sort} {d.kind} | {d.reason} | {len(d.names)} | {_listed(d.names)} |" for d in defaults()]
    return PAGE.format(rows="\n".join(rows), left="\n".join(left))


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)).replace("$", r"\$")
