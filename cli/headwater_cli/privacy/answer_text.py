"""Texts for the parts that answers about personal data have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

JOB_SEPARATOR = " → "

HOW = {
    "SAME_ROWS": "in the same rows",
    "SAME_DATASET": "in the same dataset",
    "KEY_TABLE": "joined with a key table",
}
"""The ways in which a pseudonym is readable."""

Answer = Mapping[str, Any]


def path_text(node: Answer) -> str:
    """Return the path's label; a node without a path is the rows of its dataset."""
    return str(node["label"]) if node["path"] else "(its rows)"


def jobs_text(witness: Iterable[Answer]) -> str:
    """Return the names of a witness's jobs, each once."""
    return JOB_SEPARATOR.join(dict.fromkeys(step["job"]["name"] for step in witness))


def barred_text(because: Iterable[str]) -> str:
    """Return why no row can bring data somewhere."""
    return f"no row can bring it there. {' '.join(because)}"


def forms_text(forms: Iterable[str]) -> str:
    """Return the forms as people write them."""
    return ", ".join(form.lower() for form in forms)
