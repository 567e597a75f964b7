"""What is replaced while a program is planned is there when the program imports it, and put back afterwards."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from headwater_boundary.planning.replaced import Replaced

NAME = "module_that_is_imported_later"


@pytest.fixture
def replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Replaced]:
    (tmp_path / f"{NAME}.py").write_text("def read():\n    return 'data'\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield Replaced()
    sys.modules.pop(NAME, None)


def _replace(replaced: Replaced) -> None:
    def in_module(module: ModuleType) -> None:
        replaced.put(module, "read", lambda _: lambda: "nothing")

    replaced.when_imported(NAME, in_module)


def test_a_module_is_replaced_when_it_is_imported(replaced: Replaced) -> None:
    _replace(replaced)
    assert NAME not in sys.modules
    assert import_module(NAME).read() == "nothing"


def test_a_module_that_has_been_imported_is_replaced_at_once(replaced: Replaced) -> None:
    module = import_module(NAME)
    _replace(replaced)
    assert module.read() == "nothing"


def test_all_is_put_back(replaced: Replaced) -> None:
    finders = list(sys.meta_path)
    _replace(replaced)
    module = import_module(NAME)
    replaced.undo()
    assert module.read() == "data"
    assert sys.meta_path == finders
