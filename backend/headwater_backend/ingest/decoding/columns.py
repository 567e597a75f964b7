"""OpenLineage's own lineage facets: ``columnLineage``, old style too, and the explicit ``lineage``.

The explicit facet belongs to a dataset, or to a job with an entry for each target (``targets``). It names sources for
single fields and for the whole target:

- A source of a field is like one of ``columnLineage``; without a field of its own it is the whole dataset.
- A source of the whole target that names a field influences all of it. One without a field sums up the sources of the
  fields, and counts only where no field names its dataset.
- A source that is a job is no dataset; it is kept verbatim with the facet, and adds no lineage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from headwater_backend.domain.errors import EventError
from headwater_backend.domain.expand import ROOT, Tree, column_paths
from headwater_backend.domain.model import DatasetKey, JobKey, LineageType, NodeKey, PathSteps, Transformation
from headwater_backend.ingest.decoding.mapped import UNSPECIFIED, Mapped, shared

Trees = Mapping[DatasetKey, Tree]

_OF_ALL: Final = Transformation(LineageType.INDIRECT, "CONDITIONAL")
"""How a field influences a whole target, where the facet does not specify it."""
_ANY_FIELD: Final = Transformation(subtype="TRANSFORMATION")
"""How a whole dataset feeds a target, where the facet does not specify it: any field may be in any of the target."""


def column_lineage(facet: Mapping[str, Any], trees: Trees, output: DatasetKey, pointer: str) -> list[Mapped]:
    """The mappings of a ``columnLineage`` facet; raises ``EventError``."""
    reader = _Reader(trees, pointer)
    tree = trees.get(output, {})
    mapped: list[Mapped] = []
    for name, field, place in reader.fields(facet):
        inputs = reader.inputs(field.get("inputFields"), f"{place}/inputFields", _old_style(field))
        mapped += _into(inputs, column_paths(name, tree))
    mapped += reader.inputs(facet.get("dataset"), "/dataset", ())
    return mapped


def explicit_lineage(
    facet: Mapping[str, Any], trees: Trees, output: DatasetKey, pointer: str
) -> list[Mapped]:
    """The mappings of a dataset's ``lineage`` facet, or of an entry of the job's; raises ``EventError``."""
    reader = _Reader(trees, pointer)
    tree = trees.get(output, {})
    mapped: list[Mapped] = []
    for name, field, place in reader.fields(facet):
        inputs = reader.sources(field.get("inputs"), f"{place}/inputs")
        mapped += _into(inputs, column_paths(name, tree))
    of_fields = {entry.source.dataset for entry in mapped}
    for entry in reader.sources(facet.get("inputs"), "/inputs"):
        if entry.source.path:
            mapped.append(entry if entry.identical else entry._replace(transformations=(_OF_ALL,)))
        elif entry.source.dataset not in of_fields:
            mapped.append(entry)
    return mapped


def targets(facet: Mapping[str, Any] | None, pointer: str) -> dict[DatasetKey, tuple[Mapping[str, Any], str]]:
    """The entries of a job's ``lineage`` facet for datasets, each with its place; raises ``EventError``."""
    if facet is None or facet.get("_deleted") is True:
        return {}
    reader = _Reader({}, pointer)
    return {
        reader.dataset(entry, place): (entry, pointer + place)
        for entry, place in reader.objects(facet.get("entries"), "/entries")
        if entry.get("type") == "DATASET"
    }


def sources_of_job(facet: Mapping[str, Any] | None, job: JobKey, pointer: str) -> list[DatasetKey]:
    """The sources of the job itself in its ``lineage`` facet; raises ``EventError``."""
    if facet is None or facet.get("_deleted") is True:
        return []
    reader = _Reader({}, pointer)
    return [
        source.source.dataset
        for entry, place in reader.objects(facet.get("entries"), "/entries")
        if entry.get("type") == "JOB" and _is_own(entry, job)
        for source in reader.sources(entry.get("inputs"), f"{place}/inputs")
    ]


def _into(sources: Iterable[Mapped], targets: Sequence[PathSteps]) -> list[Mapped]:
    return [entry._replace(target=target) for entry in sources for target in targets]


def _is_own(entry: Mapping[str, Any], job: JobKey) -> bool:
    return (entry.get("namespace", job.namespace), entry.get("name", job.name)) == job


class _Reader:
    """A reader of the parts that both facets share."""

    def __init__(self, trees: Trees, pointer: str) -> None:
        self._trees = trees
        self._pointer = pointer

    def fields(self, facet: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], str]]:
        """Each field of the output, with its place."""
        fields = facet.get("fields")
        if fields is not None and not isinstance(fields, Mapping):
            raise self._wrong("/fields", "an object")
        for name, field in (fields or {}).items():
            place = f"/fields/{_escaped(name)}"
            if not isinstance(field, Mapping):
                raise self._wrong(place, "an object")
            yield name, field, place

    def objects(self, entries: Any, place: str) -> Iterator[tuple[Mapping[str, Any], str]]:
        """Each object of an array, with its place."""
        if entries is not None and not isinstance(entries, list):
            raise self._wrong(place, "an array")
        for index, entry in enumerate(entries or ()):
            if not isinstance(entry, Mapping):
                raise self._wrong(f"{place}/{index}", "an object")
            yield entry, f"{place}/{index}"

    def inputs(self, entries: Any, place: str, fallback: tuple[Transformation, ...]) -> Iterator[Mapped]:
        """Input fields; ``fallback`` is for those without transformations."""
        for entry, at in self.objects(entries, place):
            for source in self._fields(entry, at):
                yield self._mapped(source, entry, at, fallback)

    def sources(self, entries: Any, place: str) -> Iterator[Mapped]:
        """Sources that are datasets, or fields of them."""
        for entry, at in self.objects(entries, place):
            if entry.get("type") == "JOB":
                continue
            if entry.get("field") is None:
                yield self._mapped(NodeKey(self.dataset(entry, at), ROOT), entry, at, (_ANY_FIELD,))
                continue
            for source in self._fields(entry, at):
                yield self._mapped(source, entry, at, ())

    def dataset(self, entry: Mapping[str, Any], place: str) -> DatasetKey:
        """The dataset that an entry names."""
        return DatasetKey(self._text(entry, "namespace", place), self._text(entry, "name", place))

    def _fields(self, entry: Mapping[str, Any], place: str) -> list[NodeKey]:
        """The nodes that an entry's field may be."""
        dataset, field = self.dataset(entry, place), self._text(entry, "field", place)
        return [NodeKey(dataset, path) for path in column_paths(field, self._trees.get(dataset, {}))]

    def _mapped(
        self, source: NodeKey, entry: Mapping[str, Any], place: str, fallback: tuple[Transformation, ...]
    ) -> Mapped:
        entries = self.objects(entry.get("transformations"), f"{place}/transformations")
        known = tuple(_standard(each) for each, _ in entries) or fallback
        return Mapped(source, ROOT, known or (UNSPECIFIED,), bool(known))

    def _text(self, entry: Mapping[str, Any], key: str, place: str) -> str:
        value = entry.get(key)
        if not isinstance(value, str):
            raise self._wrong(f"{place}/{key}", "a string")
        return value

    def _wrong(self, place: str, expected: str) -> EventError:
        return EventError("FACET_SHAPE", self._pointer + place, f"expected {expected}")


def _standard(entry: Mapping[str, Any]) -> Transformation:
    indirect = entry.get("type") == "INDIRECT"
    subtype = entry.get("subtype")
    fallback = (
        "CONDITIONAL" if indirect else "IDENTITY" if entry.get("type") == "IDENTITY" else "TRANSFORMATION"
    )
    named = subtype if isinstance(subtype, str) and subtype else fallback
    kind = LineageType.INDIRECT if indirect else LineageType.DIRECT
    return shared(kind, named, entry.get("masking") is True)


def _old_style(field: Mapping[str, Any]) -> tuple[Transformation, ...]:
    """``transformationType`` of facets before 1-1-0, which applies to all inputs of the field."""
    match field.get("transformationType"):
        case "IDENTITY":
            return (Transformation(),)
        case "MASKED":
            return (Transformation(subtype="TRANSFORMATION", masking=True),)
        case str(other) if other:
            return (Transformation(subtype="TRANSFORMATION"),)
        case _:
            return ()


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
