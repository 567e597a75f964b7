"""The sizes of rooms and ports: a folder is overseen at a glance, and a fake of a port is short."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from kit.shared import ROOT

PACKAGES = (
    "facets/headwater_facets",
    "queue/headwater_queue",
    "integration/headwater_spark",
    "integration/headwater_plan",
    "integration/headwater_functions",
    "integration/headwater_records",
    "integration/headwater_pandas",
    "integration/headwater_mappings",
    "integration/headwater_records_spark",
    "backend/headwater_backend",
    "graphql/headwater_graphql",
    "cli/headwater_cli",
)
PORTS = ROOT / "backend/headwater_backend/ports"
MOST_MODULES = 15
MOST_VERBS = 5


def folders() -> Iterator[tuple[Path, list[Path]]]:
    """Each folder of the packages with its modules, without its opening page."""
    for package in PACKAGES:
        for page in sorted((ROOT / package).rglob("__init__.py")):
            yield page.parent, [file for file in page.parent.glob("*.py") if file != page]


def test_no_folder_has_more_modules_than_one_can_oversee() -> None:
    modules = {str(folder.relative_to(ROOT)): len(found) for folder, found in folders()}
    assert len(modules) > 30
    assert {folder: count for folder, count in modules.items() if count > MOST_MODULES} == {}


def test_every_folder_opens_with_what_it_is() -> None:
    pages = {
        folder: ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) for folder, _ in folders()
    }
    assert [
        str(folder.relative_to(ROOT)) for folder, page in pages.items() if not page or len(page) < 30
    ] == []


def test_no_port_has_more_verbs_than_a_short_fake() -> None:
    ports = {
        port.name: sum(isinstance(verb, ast.FunctionDef) for verb in port.body)
        for file in sorted(PORTS.glob("*.py"))
        for port in ast.parse(file.read_text()).body
        if isinstance(port, ast.ClassDef)
    }
    assert sum(ports.values()) > 40
    assert {port: verbs for port, verbs in ports.items() if verbs > MOST_VERBS} == {}
