"""What is in force is decided in a room of its own: stores ask its rules, and do not have rules of their own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from kit.shared import ROOT

STORES = ROOT / "backend/headwater_backend/stores"
OF_ONE_DATABASE = ("neo4j", "sql", "sqlite")
RULES_ASKED_FOR = {
    "rows/catalog.py": {"datasets.changes", "datasets.facets"},
    "rows/current.py": {
        "aliases",
        "closing",
        "corrections",
        "current",
        "datasets.changes",
        "datasets.use",
        "observed",
    },
    "rows/gaps.py": {"copies", "current", "datasets.gaps", "datasets.use", "drift", "earlier"},
    "rows/history.py": {"aliases", "copies", "current", "datasets.changes", "drift", "making"},
    "rows/layouts.py": {"among_readers", "drift", "layouts"},
    "rows/names.py": {"aliases"},
    "rows/pruning.py": {"copies", "current", "datasets.changes", "observed", "pruning"},
    "rows/runs.py": {"datasets.facets"},
    "rows/store.py": {"current"},
    "rows/transaction.py": {"current", "datasets.facets"},
    "rows/use.py": {
        "copies",
        "current",
        "datasets",
        "datasets.changes",
        "datasets.use",
        "found",
        "readings",
    },
    "answers.py": {"datasets.changes", "datasets.facets", "datasets.outcomes", "drift"},
    "dataset_names.py": {"aliases"},
    "labels.py": {"datasets.facets"},
}
"""The rules that each module asks, which are the same for every database."""
OF_A_DATABASE = {"FOREVER"}
"""What a store of one database takes from there: no rule, only the last moment."""
RULES = {
    "a day after which a run is settled": re.compile(r"86_?400_?000_?000"),
    "which observation of a run counts": re.compile(r"ORDER BY \w+\.rank DESC"),
    "when a run stands": re.compile(r"\bstanding = \(?\s*(?:SELECT )?CASE\b"),
    "what was reported late": re.compile(r"\blate = (?:max|CASE WHEN \w+ >)"),
    "a run that failed": re.compile(r"(?:failed|aborted) IS (?:NOT )?NULL\s+(?:AND|OR)\b"),
    "a run that has only begun": re.compile(r"r\.(?:completed|started|running) IS (?:NOT )?NULL"),
    "lineage that is missing": re.compile(r"rank = 0 (?:AND|AS)\b|NO_LINEAGE"),
    "a drift that is a gap": re.compile(r"SCHEMA_DRIFT"),
    "the newest run of a job": re.compile(r"n\.first > r\.first|\(n\.first, n\.key\) >"),
    "the newest run that read something": re.compile(r"o\.last > i\.last|\(o\.last, o\.run\) >"),
    "an input that is another dataset": re.compile(r"NOT \w+\.dataset IN names|dataset NOT IN"),
    "a dataset that was dropped": re.compile(r"change == \"DROP\"|dropped_at ="),
}
"""Rules that stood in SQL, in Cypher and in what reads their rows, by what they decide."""
MOMENTS = {"at", "before", "completed", "failed", "first", "known", "last", "rank", "since", "time"}
"""What rules compare."""


def modules() -> Iterator[tuple[str, Path]]:
    for file in sorted(STORES.rglob("*.py")):
        yield file.relative_to(STORES).as_posix(), file


def imported(file: Path) -> dict[str, set[str]]:
    """By module of in_force, the names that the file imports of it."""
    found: dict[str, set[str]] = {}
    for statement in ast.walk(ast.parse(file.read_text())):
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith(
            "headwater_backend.in_force"
        ):
            names = {each.name for each in statement.names}
            module = (statement.module or "").removeprefix("headwater_backend.in_force").removeprefix(".")
            for name in () if module else names:
                found[name] = {name}
            if module:
                found[module] = names
    return found


def test_a_store_of_one_database_asks_no_rule() -> None:
    found = {
        name: imports
        for name, file in modules()
        if name.split("/")[0] in OF_ONE_DATABASE and (imports := imported(file))
    }
    assert {name for each in found.values() for names in each.values() for name in names} <= OF_A_DATABASE


def test_the_rules_that_stores_ask_are_known() -> None:
    found = {
        name: set(imports)
        for name, file in modules()
        if name.split("/")[0] not in OF_ONE_DATABASE and (imports := imported(file))
    }
    assert found == RULES_ASKED_FOR


def test_no_statement_repeats_a_rule() -> None:
    """Migrations are of their time, and stay as they were."""
    found = {
        (name, rule)
        for name, file in modules()
        for rule, pattern in RULES.items()
        if pattern.search(file.read_text())
    }
    assert found == set()


def is_count(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


def compared(file: Path) -> Iterator[str]:
    """What the file compares by size of what rules compare."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Compare) and any(
            isinstance(each, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for each in node.ops
        ):
            ends = (node.left, *node.comparators)
            names = {getattr(end, "attr", getattr(end, "id", "")) for end in ends}
            if names & MOMENTS and not any(map(is_count, ends)):
                yield ast.unparse(node)


def test_what_reads_rows_compares_no_moments() -> None:
    found = {name: each for name, file in modules() if name.startswith("rows/") for each in compared(file)}
    assert found == {}
