"""A digest is that of a source file and of the pickled function alike, and of nothing else that it might be given."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from zipfile import ZipFile

import pytest
from pyspark import cloudpickle

from headwater_functions.digest import UncertainError, digest_of
from headwater_functions.pickles.cloudpickled import read_function
from headwater_functions.shipped.files import Text, texts_beside, texts_in
from headwater_functions.source import Checked, check

SOURCE = '''
import hashlib
import re
from dataclasses import dataclass, field
from datetime import date
from abc import ABC
from headwater_example_rules import allowed

SALT = "pepper"
RATES = {"a": [1, 2.5, (3, None)], "b": {"deep": {"x", "y", "z"}}}
WORDS = frozenset(["one", "two", "three"])
ODD = re.compile(r"[^a-z]+", re.I | re.M)
LIMIT: int = -3

class Base(ABC):
    mark = "#"

    def shown(self, text):
        return self.mark + text

class Cleaner(Base):
    def __init__(self, end="."):
        self.end = end

    def shown(self, text):
        return super().shown(text) + self.end + self.wide

    @property
    def wide(self):
        return self.end * 2

    @staticmethod
    def plain(text):
        return text.strip()

    @classmethod
    def of(cls, end):
        return cls(end)

@dataclass(frozen=True)
class Kept:
    name: str
    kind: str = "k"
    parts: list = field(default_factory=list)

def clean(text, kinds={"a", "b"}, *, most=7):
    """Text without odd ends."""
    return ODD.sub("", text.strip()) if text in {"x", "yy", "zzz"} else text[:most]

def score(mail, name="n"):
    def inner(part):
        return clean(part)
    made = Kept(inner(mail), "m") if mail in WORDS and allowed(mail) else Cleaner.of(SALT).shown(name)
    rate = RATES["a"][0] * LIMIT + date.today().year
    key = hashlib.sha256((SALT + inner(mail)).encode()).hexdigest()
    return {"key": key, "all": [clean(c) for c in name], "m": made, "r": rate}
'''
RULES = (
    "import headwater_example_words\n\ndef allowed(text):\n    return text in headwater_example_words.WORDS\n"
)
TEXTS = {"headwater_example_rules": RULES.encode(), "headwater_example_words": b"WORDS = {'a'}\n"}


def checked(source: str, texts: dict[str, bytes]) -> Checked:
    (found,) = (
        each
        for each in check(source, "job.py", {n: Text(t, f"{n}.py", "") for n, t in texts.items()})
        if each.name == "score"
    )
    return found


def of_source(source: str, texts: dict[str, bytes] = TEXTS) -> str:
    found = checked(source, texts)
    assert found.undigested == ""
    return found.digest


def of_pickle(source: str, texts: dict[str, bytes] = TEXTS, /, **changed: object) -> str:
    rules = types.ModuleType("headwater_example_rules")
    exec("def allowed(text):\n    return bool(text)\n", rules.__dict__)
    sys.modules[rules.__name__] = rules
    module = types.ModuleType("__main__")
    exec(compile(source, "elsewhere.py", "exec", dont_inherit=True), module.__dict__)
    module.__dict__.update(changed)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    try:
        return digest_of(read_function(cloudpickle.dumps((module.score, None)), version), texts)
    finally:
        del sys.modules[rules.__name__]


def test_the_digest_of_a_file_is_that_of_what_spark_sends() -> None:
    assert of_source(SOURCE) == of_pickle(SOURCE)
    assert of_source(SOURCE).startswith(f"3.{sys.version_info[1]}:")


def test_comments_and_lines_do_not_count() -> None:
    assert of_source(SOURCE.replace("def score", "# a comment\n\ndef score")) == of_source(SOURCE)


CHANGES = [
    ("inner(mail)", "inner(name)"),
    ("text.strip()", "text.lower()"),
    ("return clean(part)", "return part"),
    ('"zzz"', '"zz"'),
    ('"all"', '"each"'),
    ("hexdigest", "digest"),
    ('name="n"', 'name="o"'),
    ('kinds={"a", "b"}', 'kinds={"a"}'),
    ("most=7", "most=8"),
    ('SALT = "pepper"', 'SALT = "salt"'),
    ("2.5", "2.6"),
    ('"y"', '"yy"'),
    ('"two"', '"too"'),
    ("[^a-z]+", "[^a-y]+"),
    ("re.I | re.M", "re.I"),
    ("LIMIT: int = -3", "LIMIT: int = 3"),
    ('mark = "#"', 'mark = "##"'),
    ("class Cleaner(Base)", "class Cleaner(ABC)"),
    ("self.mark + text", "text + self.mark"),
    ("self.end * 2", "self.end * 3"),
    ("@staticmethod\n    def plain(text)", "def plain(text)"),
    ('end="."', 'end=","'),
    ("frozen=True", "frozen=False"),
    ('kind: str = "k"', 'kind: str = "l"'),
    ("default_factory=list", "default_factory=dict"),
    ("from datetime import date", "from headwater_example_rules import date"),
    ("import hashlib", "import zlib as hashlib"),
]


@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_what_the_program_gives_the_function_counts(before: str, after: str) -> None:
    changed = SOURCE.replace(before, after)
    assert changed != SOURCE
    assert of_source(changed) != of_source(SOURCE)
    if "headwater_example_rules import date" not in changed:
        assert of_pickle(changed) == of_source(changed)


@pytest.mark.parametrize("module", TEXTS)
def test_modules_that_it_uses_count_with_those_that_they_use(module: str) -> None:
    texts = TEXTS | {module: TEXTS[module] + b"# other\n"}
    assert of_source(SOURCE, texts) != of_source(SOURCE)
    assert of_pickle(SOURCE, texts) == of_source(SOURCE, texts)
    assert of_source(SOURCE, TEXTS | {"not_used": b"X = 1\n"}) == of_source(SOURCE)


def test_what_was_changed_since_the_file_was_read_counts() -> None:
    for name, value in (("SALT", "other"), ("RATES", {"a": 2}), ("clean", str.strip), ("LIMIT", None)):
        assert of_pickle(SOURCE, TEXTS, **{name: value}) != of_source(SOURCE)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('SALT = "pepper"', "SALT = hashlib.md5().hexdigest()", "it uses SALT, and only executing"),
        ('SALT = "pepper"', 'SALT = "a"\nSALT = "pepper"', "it uses SALT, and only executing"),
        ('SALT = "pepper"', 'if hashlib:\n    SALT = "pepper"', "it uses SALT, and only executing"),
        ("class Cleaner(Base)", "@allowed\nclass Cleaner(Base)", "it uses Cleaner, and only executing"),
        (
            "import hashlib",
            "import not_installed_anywhere as hashlib",
            "it uses not_installed_anywhere, which",
        ),
    ],
)
def test_what_only_executing_would_tell_has_no_digest_that_counts(before: str, after: str, why: str) -> None:
    found = checked(SOURCE.replace(before, after), TEXTS)
    assert found.undigested.startswith(why)
    assert found.digest == f"3.{sys.version_info[1]}:"


def test_a_function_that_was_sent_with_what_is_not_known_has_no_digest() -> None:
    with pytest.raises(UncertainError):
        of_pickle(SOURCE, {})


def test_modules_beside_the_file_are_those_that_are_shipped(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("import rules\n")
    (tmp_path / "rules.py").write_text("A = 1\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "__init__.py").write_text("")
    (tmp_path / "more" / "deep.py").write_text("B = 2\n")
    beside = texts_beside(tmp_path / "job.py")
    assert set(beside) == {"rules", "more", "more.deep"}
    with ZipFile(tmp_path / "all.zip", "w") as archive:
        for name in ("rules.py", "more/__init__.py", "more/deep.py"):
            archive.write(tmp_path / name, name)
    shipped = texts_in([str(tmp_path / "all.zip")])
    assert {n: t.source for n, t in shipped.items()} == {n: t.source for n, t in beside.items()}
