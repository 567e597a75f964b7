"""Modules that were shipped as files are read as source: functions of them do the same as if they had been sent."""

from __future__ import annotations

import warnings
import zipfile
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from pyspark.cloudpickle import dumps

from functions.oracle import analysis_of
from headwater_functions.code import Named
from headwater_functions.pickles.cloudpickled import read_function
from headwater_functions.result import Analysis, Part, analyse
from headwater_functions.shipped.modules import modules_of, named_function
from headwater_functions.unreadable import UnreadableError
from kit.shared import ROOT

CORPORA = ROOT / "tests" / "functions"
KEEPS_EXAMPLES = "from functions.examples import example\n"
DECORATOR = "from functools import wraps as example\n"


def shipped(named: Named, count: int, *files: Path) -> Analysis:
    """What was read of a function of which a pickle has the name alone."""
    modules = modules_of(named, [str(file) for file in files])
    return analyse(named_function(named, modules), count, modules)


def alone(file: Path, folder: Path) -> Path:
    """The module with a decorator that is known in the place of the one that keeps examples."""
    source = file.read_text("utf-8")
    assert source.count(KEEPS_EXAMPLES) == 1
    copied = folder / file.name
    copied.write_text(source.replace(KEEPS_EXAMPLES, DECORATOR), "utf-8")
    return copied


def reads(part: Part) -> set[tuple[object, ...]]:
    """The paths of the arguments, by number and names."""
    return {(e.path[0], *(name for _, name in e.path[1:])) for e in part.all_edges()}


@pytest.mark.parametrize("corpus", ["corpus_before", pytest.param("corpus_frames", marks=pytest.mark.slow)])
def test_shipped_functions_are_read_as_those_that_were_sent(corpus: str, tmp_path: Path) -> None:
    warnings.simplefilter("ignore")
    found: Counter[str] = Counter()
    for file in sorted((CORPORA / corpus).glob("[!_]*.py")):
        for each in import_module(f"functions.{corpus}.{file.stem}").EXAMPLES:
            count = len(each.arguments)
            try:
                sent = analysis_of(each.function, count)
            except UnreadableError:
                continue
            same = shipped(Named(file.stem, each.function.__name__), count, alone(file, tmp_path))
            found[
                "same" if (sent.result, sent.unread) == (same.result, same.unread) else each.function.__name__
            ] += 1
    assert found.keys() == {"same"}
    assert found["same"] > 50


@pytest.fixture
def lib(tmp_path: Path) -> Path:
    """An archive with a package of which modules import each other."""
    file = tmp_path / "lib.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("lib/__init__.py", "from .marks import hidden\n")
        archive.writestr(
            "lib/marks.py",
            "import hashlib\nfrom .salt import SALT\n"
            "def hidden(m):\n    return hashlib.sha256((SALT + m.key).encode()).hexdigest()\n",
        )
        archive.writestr("lib/salt.py", "SALT = 'pepper'\n")
    return file


def test_modules_of_an_archive_are_found_by_what_they_import(lib: Path) -> None:
    for module in ("lib", "lib.marks"):
        analysis = shipped(Named(module, "hidden"), 1, lib)
        assert analysis.unread == frozenset()
        assert reads(analysis.result) == {(0, "key")}
        assert analysis.file == "lib/marks.py"
        assert analysis.held == {"pepper"}


def test_a_function_that_was_sent_calls_what_was_shipped(lib: Path) -> None:
    def town(a):  # type: ignore[no-untyped-def]
        from lib import marks  # type: ignore[import-not-found]

        return marks.hidden(a.city)

    function = read_function(dumps((town, None)), "3.11")
    assert analyse(function, 1).unread == {"it calls lib.marks.hidden, which is not known"}
    analysis = analyse(function, 1, modules_of(function, [str(lib)]))
    assert analysis.unread == frozenset()
    assert reads(analysis.result) == {(0, "city", "key")}


USES = {
    "T = {'a': 1}\ndef f(m):\n    return T.get(m)\n": True,
    "T = {'a': 1}\ndef f(m):\n    return T.get(m)\ndef g(m):\n    T[m] = m\n": False,
    "T = {'a': 1}\ndef f(m):\n    return T.get(m)\ndef g(m):\n    u = T\n    u.clear()\n": False,
    "T = {'a': [1]}\ndef f(m):\n    return T['a']\ndef g(m):\n    T['a'].append(m)\n": False,
    "N = 1\ndef f(m):\n    return N\ndef g(m):\n    global N\n    N = m\n": False,
    "def f(m):\n    return N\ndef g(m):\n    global N\n    N = m\n": False,
    "N = 1\ndef f(m):\n    return N + 1\n": True,
}
"""Modules, and whether it is certain what their function finds under a name of the module."""


@pytest.mark.parametrize("text", USES)
def test_what_another_function_may_have_put_into_a_module_is_no_constant(text: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text, "utf-8")
    analysis = shipped(Named("mine", "f"), 1, tmp_path / "mine.py")
    assert (analysis.unread == frozenset()) == USES[text]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("json", "def f(m):\n    return m\n"),
        ("mine", "def f(m:\n"),
        ("mine", "def f(m):\n    return m\ndef g(m):\n    globals()['f'] = g\n"),
        ("mine", "from other import *\ndef f(m):\n    return m\n"),
        ("mine", "f = open('f').read()\n"),
        ("mine", "x = 1\n"),
        ("mine", "(" * 5_000),
    ],
)
def test_modules_that_are_not_certain_are_not_read(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text(text, "utf-8")
    with pytest.raises(UnreadableError, match="no module that was shipped has its code"):
        shipped(Named(name, "f"), 1, tmp_path / f"{name}.py")


def test_a_module_that_may_come_from_elsewhere_is_not_read(tmp_path: Path, lib: Path) -> None:
    folder = tmp_path / "files" / "lib"
    folder.mkdir(parents=True)
    (tmp_path / "lib.py").write_text("def hidden(m):\n    return 1\n", "utf-8")
    for other in (folder, tmp_path / "lib.py"):
        with pytest.raises(UnreadableError):
            shipped(Named("lib", "hidden"), 1, lib, other)


def test_modules_of_which_another_replaces_names_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(m):\n    return 1\n", "utf-8")
    (tmp_path / "b.py").write_text("import a\na.f = lambda m: m\ndef g(m):\n    return a.f(m)\n", "utf-8")
    files = [str(tmp_path / "a.py"), str(tmp_path / "b.py")]
    assert modules_of(Named("b", "g"), files).scopes == {}
    assert modules_of(Named("a", "f"), files).scopes == {}
    assert modules_of(Named("a", "f"), files[:1]).scopes.keys() == {"a"}


CHOOSES = """
from functools import singledispatch
@singledispatch
def shown(value):
    return ""
@shown.register(str)
def _(value):
    return value
def f(m):
    return shown(m)
"""
OTHERS = {
    "": True,
    "import atexit\natexit.register(print)\n": True,
    "from a import singledispatch\n@singledispatch\ndef own(v): pass\n@own.register(str)\ndef _(v): 1\n": True,
    "from a import shown\n@shown.register(bytes)\ndef _(value):\n    return value\n": False,
    "import a\na.shown.register(bytes, len)\n": False,
    "import a\ngetattr(a.shown, 'register')(bytes, len)\n": False,
}
"""Another module, and whether what the first one chooses among is certain."""


@pytest.mark.parametrize("other", OTHERS)
def test_functions_that_another_module_may_register_are_not_chosen_among(other: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CHOOSES, "utf-8")
    (tmp_path / "b.py").write_text(other, "utf-8")
    analysis = shipped(Named("a", "f"), 1, tmp_path / "a.py", tmp_path / "b.py")
    assert (analysis.unread == frozenset()) == OTHERS[other]
    assert (0,) in reads(analysis.result)


KIND = """
class Base:
    def __init__(self, a): self.a = a
    def shown(self, other): return self.a
"""
PATCHES = {
    "def other(self): pass\nimport base\nbase.Base.shown = other\n": False,
    "from base import Base as B\nB.shown = lambda self, other: other\n": False,
    "from base import Base\nkind = Base\nkind.shown = lambda self, other: other\n": False,
    "from base import Base\nsetattr(Base, 'shown', lambda self, other: other)\n": False,
    "import base\nbase.__dict__['Base'] = object\n": False,
    "import base\nvars(base)['Base'] = object\n": False,
    "import base\nclass Other: pass\nbase.Base = Other\n": False,
    "import base\ndef patch():\n    del base.Base.shown\n": False,
    "from base import Base\nclass Other(Base):\n    def shown(self, other): return other\n": True,
    "import pandas as pd\npd.options.mode.copy_on_write = True\n": True,
    "from base import Base\nclass Own: pass\nsetattr(Own, 'shown', Base)\n": True,
}


@pytest.mark.parametrize("patch", PATCHES)
def test_classes_that_a_module_replaces_are_not_read_whoever_imports_it(patch: str, tmp_path: Path) -> None:
    texts = {
        "base": KIND,
        "other": patch,
        "user": "from base import Base\ndef f(m): return Base(m.a).shown(m.b)\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
    files = [tmp_path / f"{name}.py" for name in texts]
    if PATCHES[patch]:
        assert reads(shipped(Named("user", "f"), 1, *files).result) == {(0, "a")}
    else:
        with pytest.raises(UnreadableError, match="no module that was shipped"):
            shipped(Named("user", "f"), 1, *files)


@pytest.mark.parametrize("kept", ["partial(join, 'x')", "str.lower", "Held", "Held().show"])
def test_what_is_kept_of_what_is_no_plain_function_is_not_certain(kept: str, tmp_path: Path) -> None:
    source = """
from functools import lru_cache, partial
def join(one, other):
    return one + other
class Held:
    def __init__(self, text=""):
        self.text = text
    def show(self, text):
        return text
kept = lru_cache(maxsize=8)(%s)
def f(m):
    return kept(m)
"""
    (tmp_path / "a.py").write_text(source % kept, "utf-8")
    analysis = shipped(Named("a", "f"), 1, tmp_path / "a.py")
    assert analysis.unread
    assert (0,) in reads(analysis.result)


def test_files_that_are_none_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "lib.zip").write_bytes(b"PK no archive")
    assert (
        modules_of(Named("lib", "hidden"), [str(tmp_path / "lib.zip"), str(tmp_path / "no.py")]).scopes == {}
    )
