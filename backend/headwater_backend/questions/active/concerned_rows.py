"""The rows of the golden sources that an answer is about, each as a query that fetches them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from headwater_backend.active.fetching import condition, quoted
from headwater_backend.active.ways import ActiveWays
from headwater_backend.domain.facet_readers import file_format, table_name
from headwater_backend.domain.model import Dataset, Edge, NodeKey, PathSteps
from headwater_backend.ports import Datasets
from headwater_backend.questions.closure import Fetch
from headwater_backend.questions.resolving import labels
from headwater_facets.path import Inside

FORMATS: Final = frozenset({"parquet", "orc", "json", "csv", "avro", "delta", "text"})
"""Formats of files that Spark reads by their place alone."""
_STEPS_WITHIN: Final = frozenset(each.value for each in Inside)
"""Members of structs may be called so, too; then more is selected."""


def fetched(store: Datasets, kept: Collection[Edge], ways: ActiveWays) -> Iterator[Fetch]:
    """For each path at which a backward answer ends, the rows that its values can come from, and a query for them.

    Rows of which nothing is known are all rows. A search that was cut knows nothing.
    """
    made = {edge.target for edge in kept}
    ends = sorted({edge.source for edge in kept} - made)
    datasets, named = store.get_datasets(sorted({end.dataset for end in ends})), labels(store, ends)
    for end in ends:
        found = None if ways.cut else condition(ways.conditions.get(end, ((),)))
        known = datasets.get(end.dataset)
        yield Fetch(end, named[end], found, None if known is None else _query(known, end, found))


def _query(dataset: Dataset, node: NodeKey, condition: str | None) -> str:
    where = f" WHERE {condition}" if condition else ""
    return f"SELECT {_selected(node.path)} FROM {_from(dataset)}{where}"  # noqa: S608 - a text for people


def _selected(path: PathSteps) -> str:
    """The path, up to the first array or map on it, whose elements belong together."""
    return ".".join(map(quoted, _before_elements(path))) or "*"


def _before_elements(path: PathSteps) -> Iterable[str]:
    for step in path:
        if step in _STEPS_WITHIN:
            return
        yield step


def _from(dataset: Dataset) -> str:
    """The dataset as Spark reads it: a table by its name, files by their format and place."""
    table = table_name(dataset.facets)
    if table is not None:
        return ".".join(map(quoted, table.split(".")))
    namespace, name = dataset.key
    format_ = (file_format(dataset.facets) or "").lower()
    if format_ not in FORMATS:
        return quoted(name)
    place = f"{namespace}/{name.lstrip('/')}" if "://" in namespace else f"{namespace}:{name}"
    return f"{format_}.{quoted(place)}"
