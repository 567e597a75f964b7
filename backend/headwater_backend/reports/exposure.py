"""The exposure report as one self-contained HTML page, for a person who is responsible for personal data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from urllib.parse import urlsplit, urlunsplit

from jinja2 import Environment, PackageLoader, StrictUndefined

from headwater_backend.domain.model import Edge, Transformation
from headwater_backend.ports import Catalog
from headwater_backend.privacy.exposure import (
    UNCLASSIFIED,
    AttributeExposure,
    ExposedOutput,
    ExposureReport,
    labels_of,
)
from headwater_backend.privacy.forms import Form
from headwater_backend.questions.resolving import written

MOST_ATTRIBUTES = 1_500
MOST_OUTPUTS = 1_200
MOST_GAPS = 500
"""Limits of the page, which keep it below 5 MB for any store."""

FORM_WORDS = {
    Form.IDENTITY: (
        "holds it",
        "the value itself: copied, renamed, nested in a list, or picked out of several",
    ),
    Form.TRANSFORMED: ("computed from it", "a new value computed from it, from which it may be read"),
    Form.PSEUDONYMISED: ("pseudonymised", "a hash or an encrypted value: still personal data"),
    Form.AGGREGATED: ("aggregated", "computed from the values of many, or their number"),
    Form.MASKED: ("masked", "characters of it replaced, or the number of its elements"),
    Form.POSSIBLE: ("perhaps holds it", "a program collected it before it made this"),
    Form.INFLUENCED: ("influenced", "does not hold it, but it decided which rows are there, or where"),
}

_SUBTYPE_WORDS = {
    "IDENTITY": "copied",
    "TRANSFORMATION": "computed",
    "AGGREGATION": "aggregated",
    "FILTER": "rows filtered by it",
    "JOIN": "rows joined by it",
    "GROUP_BY": "rows grouped by it",
    "SORT": "rows sorted by it",
    "WINDOW": "a window made by it",
    "CONDITIONAL": "decided by it",
}

# Manipulations that add nothing to the subtype's word have no words of their own.
_MANIPULATION_WORDS = {
    "RENAME": "renamed",
    "EXTRACT": "taken out of a structure",
    "CONSTRUCT": "put into a structure",
    "FLATTEN": "one row for each element",
    "NEST": "collected into a list",
    "CAST": "as another type",
    "PARSE": "parsed",
    "SERIALIZE": "written as text",
    "COUNT": "counted",
    "PICK": "one record's value picked",
    "OPAQUE": "by a function that cannot be looked into",
}

_REASON_WORDS = {
    "DEPTH": "The search stopped here, at the depth that was asked for; what is made of this is not listed.",
    "NODE_LIMIT": "The search stopped here, because the answer was getting too large.",
    "TIME_LIMIT": "The search stopped here, because the answer was taking too long; what is beyond is not listed.",
}


@dataclass(frozen=True, slots=True)
class Occasion:
    """The occasion of a report: its time, its store, and its question."""

    generated_at: datetime
    store_url: str
    question: str = "All personal attributes"


@dataclass(frozen=True, slots=True)
class Shown:
    """An attribute on the page: with its strongest outputs, or in the table alone."""

    exposure: AttributeExposure
    outputs: tuple[ExposedOutput, ...]

    @property
    def count(self) -> int:
        """The number of its outputs, shown or not."""
        return sum(self.exposure.totals.values())

    @property
    def left_out(self) -> int:
        return self.count - len(self.outputs)


def render(store: Catalog, report: ExposureReport, occasion: Occasion, beside: Sequence[str] = ()) -> str:
    """The page as self-contained HTML: no scripts, fonts or images from elsewhere.

    Its figures count everything; of many outputs, it lists the strongest of each attribute, and names the files
    ``beside`` it that list all.
    """
    shown = _shown(report)
    outputs = [output for each in shown for output in each.outputs]
    labels = labels_of(store, outputs, [each.exposure.attribute for each in shown])
    return (
        _environment()
        .get_template("exposure.html.j2")
        .render(
            report=report,
            known=report.classification,
            shown=shown,
            gaps=report.incomplete[:MOST_GAPS],
            unclassified=any(gap.reason == UNCLASSIFIED for gap in report.incomplete),
            beside=beside,
            place=lambda node: labels[node] if node.path else "the whole dataset",
            question=occasion.question,
            generated_at=occasion.generated_at,
            store=without_credentials(occasion.store_url),
        )
    )


def _shown(report: ExposureReport) -> list[Shown]:
    """The attributes to show, those with the most outputs first where not all fit, each with the outputs that fit."""
    attributes = list(report.attributes)
    if len(attributes) > MOST_ATTRIBUTES:
        attributes = sorted(attributes, key=lambda each: -sum(each.totals.values()))[:MOST_ATTRIBUTES]
    room = MOST_OUTPUTS // max(1, len(attributes))
    most = report.count if report.count <= MOST_OUTPUTS else max(1, room)
    return [Shown(each, tuple(map(each.output, each.holders[:most]))) for each in attributes]


def without_credentials(url: str) -> str:
    """The URL without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("headwater_backend.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        written=written, forms=list(Form), form_words=FORM_WORDS, reason_words=_REASON_WORDS
    )
    environment.filters.update(how=_how, held=_held, influenced=_influenced, arrives=_arrives)
    return environment


def _held(each: AttributeExposure) -> int:
    """The number of outputs that hold the attribute in some form, or perhaps do."""
    return sum(count for form, count in each.totals.items() if form is not Form.INFLUENCED)


def _influenced(each: AttributeExposure) -> int:
    return each.totals.get(Form.INFLUENCED, 0)


def _arrives(output: ExposedOutput) -> str:
    """The further ways in which it arrives, beside the strongest: ``also masked; rows joined by it``."""
    others = [FORM_WORDS[form][0] for form in output.forms if form not in (output.form, Form.INFLUENCED)]
    also = [f"also {', '.join(others)}"] if others else []
    return "; ".join([*also, *(_SUBTYPE_WORDS.get(kind, kind.lower()) for kind in output.kinds)])


def _how(edge: Edge) -> str:
    """A description of what the job did: ``computed (parsed, as another type)``."""
    return "; ".join(dict.fromkeys(_words(kind) for kind in edge.transformations))


def _words(kind: Transformation) -> str:
    detail = [_MANIPULATION_WORDS[name] for name in kind.manipulation if name in _MANIPULATION_WORDS]
    base = "masked" if kind.masking else _SUBTYPE_WORDS.get(kind.subtype, kind.subtype.lower())
    return f"{base} ({', '.join(detail)})" if detail else base
