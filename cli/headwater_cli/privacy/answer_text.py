"""Texts for the parts that answers about personal data have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater_backend.domain.model import Transformation

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


def held_text(held: Answer) -> str:
    """Return the forms in which something is held, as people write them."""
    return ", ".join(held_forms(held))


def held_forms(held: Answer) -> list[str]:
    """Return the forms in which something is held, as reports name them; what is contained, with its functions."""
    from headwater_backend.privacy.forms import Form
    from headwater_backend.reports.shown_forms import CONTAINED, shown_forms

    steps = [step["transformations"] for step in held["witness"]]
    forms = [Form[form] for form in held["forms"]]
    first, *others = shown_forms(forms, [list(map(_transformation, step)) for step in steps]) or ("",)
    names = dict.fromkeys(name for step in steps for kind in step for name in kind["functions"])
    by = f" ({', '.join(names)})" if first == CONTAINED and names else ""
    return [first.lower() + by, *map(str.lower, others)]


def _transformation(kind: Answer) -> Transformation:
    from headwater_backend.domain.model import LineageType, Transformation

    return Transformation(
        type=LineageType[kind["type"]],
        subtype=kind["subtype"],
        masking=kind["masking"],
        manipulation=tuple(kind["manipulation"]),
        access=kind["access"],
        functions=tuple(kind["functions"]),
        retains=kind["retains"],
    )
