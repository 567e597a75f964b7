"""Errors that pages show are in the catalogues, so that they are stated in each language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater_backend.reports.languages.catalogue import Language, words

ROOT = Path(__file__).parents[3]
ASKED_FROM_PAGES = (
    *("questions", "access/gate.py", "access/api_keys.py", "access/tokens.py", "access/refusing_store.py"),
    *("domain", "ingest/dead_letters.py", "ingest/letter_changes.py", "ingest/decoding", "ingest/sender.py"),
    *("privacy/answers", "privacy/findings", "privacy/classification/deciding.py", "privacy/holdings.py"),
    *(
        "privacy/proposals",
        "privacy/reviews",
        "privacy/exposure.py",
        "server/run_feed.py",
        "reports/formats/pdf.py",
    ),
)
RAISED = {
    *("UnknownDataset", "UnknownPath", "UnknownJob", "UnknownCategory", "UnknownDeadLetter", "UnmatchedRule"),
    *("BadQuestion", "BadThreshold", "NoActiveLineage", "OutOfTime", "NotAuthenticated", "Forbidden"),
    *("EventError", "StoreUnavailable"),
}
TRANSLATED_OTHERWISE = {
    "no x of xx is in force": "two templates have it",
    "x is x": "no page sends these numbers",
}
"""Messages without a template, and why."""
FIELD = "x"


def messages() -> Iterator[str]:
    """The messages and hints of errors as the code has them, each argument as ``FIELD``."""
    for part in ASKED_FROM_PAGES:
        place = ROOT / "backend" / "headwater_backend" / part
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED:
                    first = 2 if node.func.id == "EventError" else 0
                    yield from filter(None, map(text_of, node.args[first:]))


def text_of(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else FIELD for part in node.values)
    return None


PATTERNS = [
    re.compile(re.sub(r"\\{\w+\\}", ".+?", re.escape(words(Language.EN)(key))), re.DOTALL)
    for key in sorted(words(Language.EN).keys())
    if key.startswith(("errors.", "details."))
]


@pytest.mark.parametrize("message", sorted(set(messages()) - TRANSLATED_OTHERWISE.keys()))
def test_an_error_that_a_page_shows_is_in_the_catalogues(message: str) -> None:
    assert any(pattern.fullmatch(message) for pattern in PATTERNS)
