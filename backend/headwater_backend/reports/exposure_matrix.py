"""The whole exposure matrix as CSV and as JSON: the files beside the page, which lists the strongest paths alone.

They are written attribute by attribute, and never held as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from headwater_backend.domain.model import Incomplete, NodeKey
from headwater_backend.ports import Datasets
from headwater_backend.privacy.exposure import AttributeExposure, ExposedOutput, ExposureReport, labels_of
from headwater_backend.reports.formats.delimited import write_rows

COLUMNS: Final = (
    "attribute namespace",
    "attribute dataset",
    "attribute path",
    "categories",
    "said by",
    "holder namespace",
    "holder dataset",
    "holder path",
    "form",
    "forms",
    "kinds",
    "distance",
    "jobs",
)
OUTPUTS_AT_ONCE: Final = 5_000
"""The number of outputs whose labels are looked up together."""


def write_csv(store: Datasets, report: ExposureReport, file: Path) -> None:
    """Write a row for each attribute and path."""
    with file.open("w", encoding="utf-8", newline="") as out:
        write_rows(out, [COLUMNS])
        for each, outputs, labels in _by_attribute(store, report):
            about = (
                *_place(each.attribute.node, labels),
                " ".join(each.attribute.categories),
                "; ".join(each.attribute.named_by),
            )
            write_rows(out, ((*about, *_row(output, labels)) for output in outputs))


def _row(output: ExposedOutput, labels: Mapping[NodeKey, str]) -> tuple[str, ...]:
    return (
        *_place(output.node, labels),
        output.form.name,
        " ".join(form.name for form in output.forms),
        " ".join(output.kinds),
        str(output.distance),
        " → ".join(dict.fromkeys(edge.job.title for edge in output.witness)),
    )


def _place(node: NodeKey, labels: Mapping[NodeKey, str]) -> tuple[str, str, str]:
    return *node.dataset, labels[node] if node.path else ""


def write_json(store: Datasets, report: ExposureReport, file: Path) -> None:
    """Write the figures, the gaps, and each attribute with its paths."""
    with file.open("w", encoding="utf-8") as out:
        out.write(json.dumps(_head(report), ensure_ascii=False, indent=1).removesuffix("\n}"))
        out.write(',\n "attributes": [')
        separator = "\n"
        for each, outputs, labels in _by_attribute(store, report):
            out.write(separator + json.dumps(_attribute(each, outputs, labels), ensure_ascii=False))
            separator = ",\n"
        out.write("\n ]\n}\n")


def _head(report: ExposureReport) -> dict[str, Any]:
    known = report.classification
    return {
        "category": report.scope.category,
        "asOf": report.as_of.isoformat(),
        "influenced": report.scope.influenced,
        "complete": report.complete,
        "classification": {
            "attributes": known.attributes,
            "classifiedDatasets": known.classified,
            "datasets": known.datasets,
            "rules": known.rules,
            "unmatchedRules": [str(each) for each in known.idle],
        },
        "totalCount": report.count,
        "totals": {form.name: count for form, count in report.totals.items()},
        "incomplete": [_gap(gap) for gap in report.incomplete],
    }


def _attribute(
    each: AttributeExposure, outputs: tuple[ExposedOutput, ...], labels: Mapping[NodeKey, str]
) -> dict[str, Any]:
    return {
        "node": _node(each.attribute.node, labels),
        "categories": each.attribute.categories,
        "saidBy": each.attribute.named_by,
        "complete": each.complete,
        "outputs": [
            {
                "node": _node(output.node, labels),
                "form": output.form.name,
                "forms": [form.name for form in output.forms],
                "kinds": output.kinds,
                "distance": output.distance,
                "jobs": [edge.job._asdict() for edge in output.witness],
            }
            for output in outputs
        ],
    }


def _node(node: NodeKey, labels: Mapping[NodeKey, str]) -> dict[str, Any]:
    return {**node.dataset._asdict(), "path": node.path, "label": labels[node]}


def _gap(gap: Incomplete) -> dict[str, Any]:
    job = gap.job._asdict() if gap.job else None
    return {
        "reason": gap.reason,
        **gap.dataset._asdict(),
        "path": gap.path,
        "job": job,
        "detail": gap.detail,
    }


def _by_attribute(
    store: Datasets, report: ExposureReport
) -> Iterator[tuple[AttributeExposure, tuple[ExposedOutput, ...], Mapping[NodeKey, str]]]:
    """Each attribute with its outputs; labels are looked up for many attributes at a time."""
    together: list[tuple[AttributeExposure, tuple[ExposedOutput, ...]]] = []
    count = 0
    for each in report.attributes:
        together.append((each, each.outputs))
        count += len(each.holders)
        if count >= OUTPUTS_AT_ONCE:
            yield from _labelled(store, together)
            together, count = [], 0
    yield from _labelled(store, together)


def _labelled(
    store: Datasets, together: Sequence[tuple[AttributeExposure, tuple[ExposedOutput, ...]]]
) -> Iterator[tuple[AttributeExposure, tuple[ExposedOutput, ...], Mapping[NodeKey, str]]]:
    outputs = [output for _, some in together for output in some]
    labels = labels_of(store, outputs, [each.attribute for each, _ in together])
    yield from ((each, some, labels) for each, some in together)
