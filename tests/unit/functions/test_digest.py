"""A digest of code is that of a source file and of the pickled function alike, and of no other code."""

from __future__ import annotations

import sys
import types

import pytest
from pyspark import cloudpickle

from headwater_functions.digest import digest_of
from headwater_functions.pickles.cloudpickled import read_function
from headwater_functions.source import check

SOURCE = '''
import hashlib

SALT = "pepper"

def clean(text, kinds={"a", "b"}):
    """Text without odd ends."""
    return text.strip() if text in {"x", "yy", "zzz"} else text

def score(mail, name="n"):
    def inner(part):
        return clean(part)
    return {"key": hashlib.sha256((SALT + inner(mail)).encode()).hexdigest(), "all": [clean(c) for c in name]}
'''


def of_source(source: str) -> str:
    (found,) = (each for each in check(source, "job.py") if each.name == "score")
    return found.digest


def of_pickle(source: str) -> str:
    module = types.ModuleType("__main__")
    exec(compile(source, "elsewhere.py", "exec", dont_inherit=True), module.__dict__)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return digest_of(read_function(cloudpickle.dumps((module.score, None)), version))


def test_the_digest_of_a_file_is_that_of_what_spark_sends() -> None:
    assert of_source(SOURCE) == of_pickle(SOURCE)
    assert of_source(SOURCE).startswith(f"3.{sys.version_info[1]}:")


def test_comments_and_lines_do_not_count() -> None:
    assert of_source(SOURCE.replace("def score", "# a comment\n\ndef score")) == of_source(SOURCE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("inner(mail)", "inner(name)"),
        ("text.strip()", "text.lower()"),
        ("return clean(part)", "return part"),
        ('"zzz"', '"zz"'),
        ('"all"', '"each"'),
        ("hexdigest", "digest"),
    ],
)
def test_other_code_has_another_digest(before: str, after: str) -> None:
    changed = SOURCE.replace(before, after)
    assert changed != SOURCE
    assert of_source(changed) != of_source(SOURCE)
    assert of_pickle(changed) == of_source(changed)
