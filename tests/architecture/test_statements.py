"""The texts of stores lie where all stores of their family find them, in the grammar that these have in common."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from headwater_backend.stores.rows.statements import Statements
from headwater_backend.stores.sql.statements import STATEMENTS
from kit.shared import ROOT

STORES = ROOT / "backend/headwater_backend/stores"
STATEMENT = re.compile(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|MATCH|MERGE|UNWIND)\s+\S")
OF_ONE_DATABASE = {
    "an insert that ignores": re.compile(r"INSERT OR|OR REPLACE"),
    "a subquery without a name": re.compile(r"FROM \([^()]*(?:\([^()]*\)[^()]*)*\)(?=\s*(?:WHERE|\)|$))"),
    "a number that is a condition": re.compile(
        r"(?:WHERE|AND) instr\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?:AND|$)"
    ),
    "the number of a row": re.compile(r"\browid\b"),
}
"""What other SQL databases refuse."""


def constants(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def sql() -> Iterator[tuple[str, str]]:
    """All SQL of the ports, by the names of its fields."""
    for group in fields(Statements):
        statements = getattr(STATEMENTS, group.name)
        for field in fields(statements):
            text = getattr(statements, field.name)
            for each in text if isinstance(text, tuple) else (text,):
                if each is not None:
                    yield f"{group.name}.{field.name}", each


def test_a_store_of_one_sql_database_has_no_statements_of_the_ports() -> None:
    found = [text for file in (STORES / "sqlite").glob("*.py") for text in constants(file)]
    asked = [text for text in found if STATEMENT.match(text)]
    assert asked == ["SELECT name FROM sqlite_master"]


def test_the_sql_of_the_ports_is_what_databases_have_in_common() -> None:
    texts = list(sql())
    assert len(texts) > 100
    assert {
        (name, idiom)
        for name, text in texts
        for idiom, pattern in OF_ONE_DATABASE.items()
        if pattern.search(text)
    } == set()


def test_an_update_in_place_of_an_insert_names_whose_columns_it_means() -> None:
    """Whether a column is the stored or the new one, other databases do not guess."""
    upserts = [
        text for file in (STORES / "sql").glob("*.py") for text in constants(file) if "DO UPDATE SET" in text
    ]
    assert len(upserts) > 8
    for text in upserts:
        of = text.split("DO UPDATE SET")[1]
        bare = re.findall(r"(?:min|max|coalesce|united)\((?!\w+\.|min|max)(\w+)|THEN (?!\w+\.)(\w+)", of)
        assert bare == [], text
