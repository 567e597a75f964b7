"""What is in force is decided in a room of its own: stores ask its rules, and do not have rules of their own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from kit.shared import ROOT

STORES = ROOT / "backend/headwater_backend/stores"
OF_ONE_DATABASE = ("neo4j", "sqlite")
RULES_ASKED_FOR = {
    "rows/current.py": {"aliases", "closing", "corrections", "current", "observed"},
    "rows/gaps.py": {"copies", "current", "drift", "earlier"},
    "rows/history.py": {"aliases", "copies", "current", "making"},
    "rows/layouts.py": {"among_readers", "drift", "layouts"},
    "rows/names.py": {"aliases"},
    "rows/pruning.py": {"copies", "current", "observed", "pruning"},
    "rows/store.py": {"current"},
    "rows/transaction.py": {"current"},
    "rows/use.py": {"copies", "current", "found", "readings"},
    "answers.py": {"drift"},
    "dataset_names.py": {"aliases"},
}
"""The rules that each module asks, which are the same for every database."""
OF_A_DATABASE = {"FOREVER"}
"""What a store of one database takes from there: no rule, only the last moment."""
RULES = {
    "a day after which a run is settled": re.compile(r"86_?400_?000_?000"),
    "which observation of a run counts": re.compile(r"ORDER BY \w+\.rank DESC"),
    "when a run stands": re.compile(r"\bstanding = \(?\s*(?:SELECT )?CASE\b"),
    "what was said late": re.compile(r"\blate = (?:max|CASE WHEN \w+ >)"),
}
"""Rules that stood in SQL and Cypher, by what they decide."""


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
