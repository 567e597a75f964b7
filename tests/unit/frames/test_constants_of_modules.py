"""Constants of other modules, and of the cells of a notebook, are known where their text shows that they are."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater_pandas.given import modules
from headwater_pandas.given.literals import is_constant

SETTINGS = """
import os
from pathlib import Path
LIMIT = 70_000
NAME: str = "the name of a city"
CODES = {"A91": "divorced", "A92": ["widowed", -12345.5]}
TWICE = 70_001
TWICE = 70_002
if os.sep:
    SOMETIMES = 70_003
COMPUTED = 70_004 + 1
READ = Path(__file__).read_text()[:3]
FROM_OUTSIDE = os.environ.get("HEADWATER_PANDAS_LIMIT", "70006")
ADDED = 70_007
ADDED += 0
CHANGED = {"key": "changed later"}
CHANGED["key"] = READ
GROWN = ["grown later"]
GROWN.append(READ)
SET_INSIDE = 70_008
for LOOPED in [70_009]:
    pass
def load():
    global SET_INSIDE
    SET_INSIDE = 70_008
"""
KNOWN = ["LIMIT", "NAME"]
GAPS = ["TWICE", "SOMETIMES", "COMPUTED", "READ", "FROM_OUTSIDE", "ADDED", "SET_INSIDE", "LOOPED"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "settings_of_test.py").write_text(SETTINGS)
    before = set(sys.modules)
    modules._of_module.cache_clear()
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def module(folder: Path, text: str) -> Any:
    (folder / "program_of_test.py").write_text(text)
    return importlib.import_module("program_of_test")


@pytest.mark.parametrize("name", KNOWN)
def test_a_constant_that_is_imported_by_name_is_known(name: str, folder: Path) -> None:
    program = module(
        folder, f"from settings_of_test import {name} as x\ndef f(judge):\n    return judge(x)\n"
    )
    assert program.f(is_constant)


@pytest.mark.parametrize("name", KNOWN)
def test_a_constant_of_an_imported_module_is_known(name: str, folder: Path) -> None:
    program = module(folder, f"import settings_of_test as s\ndef f(judge):\n    return judge(s.{name})\n")
    assert program.f(is_constant)


def test_what_is_in_a_table_of_constants_is_known(folder: Path) -> None:
    program = module(
        folder, "from settings_of_test import CODES\ndef f(judge):\n    return [*map(judge, CODES['A92'])]\n"
    )
    assert program.f(is_constant) == [True, True]


@pytest.mark.parametrize("name", GAPS)
def test_what_was_computed_read_or_bound_again_is_no_constant(name: str, folder: Path) -> None:
    program = module(
        folder, f"from settings_of_test import {name}\ndef f(judge):\n    return judge({name})\n"
    )
    assert not program.f(is_constant)


@pytest.mark.parametrize("item", ["CHANGED['key']", "GROWN[-1]", "GROWN[0]"])
def test_what_was_changed_in_place_is_no_constant(item: str, folder: Path) -> None:
    name = item.partition("[")[0]
    program = module(
        folder, f"from settings_of_test import {name}\ndef f(judge):\n    return judge({item})\n"
    )
    assert not program.f(is_constant)


def test_a_name_that_is_not_used_tells_nothing(folder: Path) -> None:
    program = module(
        folder, "from settings_of_test import LIMIT\ndef f(judge, value):\n    return judge(value)\n"
    )
    assert not program.f(is_constant, int("70000"))


def test_a_constant_that_a_package_passes_on_is_known(folder: Path) -> None:
    (folder / "package_of_test").mkdir()
    (folder / "package_of_test" / "__init__.py").write_text("from .inner import LIMIT\n")
    (folder / "package_of_test" / "inner.py").write_text("LIMIT = 70_010\n")
    program = module(folder, "from package_of_test import LIMIT\ndef f(judge):\n    return judge(LIMIT)\n")
    assert program.f(is_constant)


@pytest.mark.parametrize(
    "hidden", ["from os.path import *", "globals()['LIMIT'] = 70_000", "exec('LIMIT = 70_000')"]
)
def test_a_module_that_may_bind_names_that_it_does_not_show_has_no_constants(
    hidden: str, folder: Path
) -> None:
    (folder / "settings_of_test.py").write_text(f"LIMIT = 70_000\n{hidden}\n")
    program = module(folder, "from settings_of_test import LIMIT\ndef f(judge):\n    return judge(LIMIT)\n")
    assert not program.f(is_constant)


def cells(*texts: str) -> dict[str, Any]:
    """A notebook's names after its cells have run, each of which is compiled apart."""
    space: dict[str, Any] = {"__name__": "__main__", "_ih": [""], "get_ipython": None, "judge": is_constant}
    for text in texts:
        space["_ih"].append(text)
        exec(compile(text, f"<cell {len(space['_ih'])}>", "exec"), space)
    return space


def test_a_constant_of_another_cell_is_known(folder: Path) -> None:
    assert cells("LIMIT = 70_000", "found = judge(LIMIT)")["found"]
    assert cells("from settings_of_test import LIMIT", "found = judge(LIMIT)")["found"]
    assert cells("LIMIT = 70_000", "LIMIT = 70_000", "found = judge(LIMIT)")["found"]


@pytest.mark.parametrize(
    "texts",
    [
        ["LIMIT = int('70000')"],
        ["LIMIT = 70_000", "LIMIT = int('70000')"],
        ["LIMIT = 70_000", "LIMIT += 0"],
        ["LIMIT = 70_000", "globals()['LIMIT'] = int('70000')"],
        ["LIMIT = 70_000", "def f():\n    global LIMIT\n    LIMIT = int('70000')", "f()"],
    ],
)
def test_what_a_cell_computed_or_bound_again_is_no_constant(texts: list[str]) -> None:
    assert not cells(*texts, "found = judge(LIMIT)")["found"]
