"""Names of frames, keys and columns that a program did not name."""

from __future__ import annotations

from typing import Any

from headwater_boundary.split.frames import unique
from headwater_boundary.split.merging import Merge
from headwater_boundary.split.rowsets import RowSet
from headwater_boundary.split.text import unaliased
from headwater_records_spark.jvm import kind, listed


def plain_name(rows: RowSet) -> str:
    named = {
        "Aggregate": "groups", "Join": "joined", "Union": "together", "Filter": "selected", "Window": "ranked",
        "Generate": "flattened", "Sort": "sorted_rows", "Project": "columns",
    }  # fmt: skip
    return named.get(rows.kind, "rows")


def key_names(rows: RowSet, keys: list[Any]) -> list[str]:
    taken: list[str] = []
    for key in keys:
        wanted = str(key.name()) if kind(key) == "AttributeReference" else "key"
        for each in listed(rows.node.aggregateExpressions()):
            if kind(each) == "Alias" and each.child().canonicalized().equals(key.canonicalized()):
                wanted = str(each.name())
        taken.append(unique(wanted, taken))
    return taken


def labels_of(rows: RowSet, found: list[Any], keys: list[str]) -> list[str]:
    """A name for each aggregate: that of its column where there is one."""
    taken = list(keys)
    labels = []
    for each in found:
        wanted = "value"
        for result in listed(rows.node.aggregateExpressions()):
            if kind(result) == "Alias" and unaliased(result).canonicalized().equals(each.canonicalized()):
                wanted = str(result.name())
                break
        label = unique(wanted if wanted.replace("_", "").isalnum() else "value", taken)
        taken.append(label)
        labels.append(label)
    return labels


def partial_names(label: str, merge: Merge) -> list[str]:
    return [f"{label}_{suffix}" if suffix else label for suffix, _ in merge.partials]
