"""OpenLineage's facets of what a program of frames read and wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from openlineage.client.facet_v2 import (
    DatasetFacet,
    column_lineage_dataset,
    schema_dataset,
)

from headwater_facets import facets as f
from headwater_facets.kinds import Access, IncompleteReason, LineageType, Manipulation, Retains, Subtype
from headwater_facets.locations import DatasetId
from headwater_facets.producer import stated
from headwater_facets.schemas import PATH_LINEAGE
from headwater_pandas.lineage.kinds import ACCESS
from headwater_pandas.lineage.origins import Origin, continued
from headwater_pandas.lineage.ways import ALL, Lineage, Way, Ways
from headwater_records.graph import Dataset
from headwater_records.labels import Labels

_Source = tuple[DatasetId, tuple[str, ...]]
_Known = dict[_Source, Ways]
_Rows = dict[_Source, dict[Subtype, None]]
_VALUES: Final = frozenset(Retains) - {Retains.STATISTIC, Retains.FACT}
NOBODY_SAW: Final = "values of the program: nobody saw where it has them from"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a frame as it is stored: its name, its type as pandas calls it, and its number in the dataset."""

    name: str
    type: str
    number: int


def schema(columns: Sequence[Column]) -> DatasetFacet:
    """The ``schema`` facet; types are pandas' names."""
    fields = [schema_dataset.SchemaDatasetFacetFields(name=each.name, type=each.type) for each in columns]
    return schema_dataset.SchemaDatasetFacet(fields=fields)


@dataclass(slots=True)
class Taken:
    """What left frames for the program, whose constants may have it since: columns, and sources with values in it."""

    columns: dict[_Source, None] = field(default_factory=dict)
    values: dict[str, None] = field(default_factory=dict)

    def add(self, lineage: Lineage) -> None:
        """Add what something was made of that left. A statistic is no value, though one of a column."""
        self.columns.update(dict.fromkeys(_located(lineage)))
        for inputs in _continued(lineage).values():
            self.columns.update(
                {(DatasetId(each.namespace, each.name), tuple(each.path)): None for each in inputs}
            )
        for (source, _), ways in lineage.columns.items():
            if any(way.retains in _VALUES for each in ways.values() for way in each):
                self.values[source.step] = None

    def copy(self) -> Taken:
        """What it is now."""
        return Taken(dict(self.columns), dict(self.values))


def _is_number(dataset: Dataset, column: int) -> bool:
    """Whether a column is an index that only numbers the records that were read."""
    labels = dataset.columns
    return isinstance(labels, Labels) and labels.numbered and column >= labels.width


def failed(error: Exception) -> DatasetFacet:
    """The ``headwater_pathLineage`` facet of an output whose lineage could not be computed."""
    gap = f.IncompleteEntry(IncompleteReason.ERROR, detail=type(error).__name__)
    return f.PathLineageDatasetFacet(fields=[], complete=False, incomplete=[gap])


def lineage_facets(
    lineage: Lineage, columns: Sequence[Column], taken: Taken
) -> dict[str, DatasetFacet | None]:
    """``headwater_pathLineage`` of an output, and ``columnLineage`` for consumers that do not know it.

    ``taken`` is what the program had before.
    """
    known = _located(lineage)
    elsewhere = _continued(lineage)
    somewhere = _from_sources(lineage)
    rows = _of_rows(known)
    fields = [
        (each.name, _merged([*_inputs(known, each.number, rows), *elsewhere.get(each.number, ())]))
        for each in columns
    ]
    deciding = _merged([*_row_inputs(known, rows), *elsewhere.get(ALL, ())])
    incomplete = [
        *_unknown(lineage, columns),
        *_unknown_before(lineage, columns),
        *_from_program(taken.values),
    ]
    paths = f.PathLineageDatasetFacet(
        fields=[f.PathField([name], inputs) for name, inputs in fields if inputs],
        dataset=[*deciding, *map(_possible, taken.columns)],
        generated=[
            f.Generated([each.name], _how(lineage, each.number))
            for each in columns
            if each.number not in somewhere and each.number not in elsewhere
        ],
        opaque=[f.Opaque([each.name], *code) for each in columns for code in _opaque(lineage, each.number)],
        complete=not incomplete,
        incomplete=incomplete,
    )
    return {PATH_LINEAGE: paths, "columnLineage": _column_lineage(fields, deciding)}


def _located(lineage: Lineage) -> _Known:
    """The ways from each column whose place is known; one file that was read twice is one dataset."""
    found: _Known = {}
    for (dataset, column), ways in lineage.columns.items():
        if dataset.location is not None and not _is_number(dataset, column):
            there = found.setdefault((DatasetId(*dataset.location), (str(dataset.columns[column]),)), {})
            for target, each in ways.items():
                there.setdefault(target, {}).update(each)
    return found


def _from_sources(lineage: Lineage) -> set[int]:
    """The columns that sources lead to, also those whose place is not known; other engines know their own."""
    return {
        number
        for (source, column), ways in lineage.columns.items()
        if not isinstance(source.origin, Origin) and not _is_number(source, column)
        for number in ways
    }


def _from_elsewhere(lineage: Lineage) -> Iterator[tuple[Origin, str, Ways]]:
    """Columns of frames whose lineage another engine knows, with their ways."""
    for (source, column), ways in lineage.columns.items():
        if isinstance(source.origin, Origin) and not _is_number(source, column):
            yield source.origin, str(source.columns[column]), ways


def _continued(lineage: Lineage) -> dict[int, list[f.PathInput]]:
    """What each column was made of by way of another engine, and what decided about the rows (``ALL``)."""
    found: dict[int, list[f.PathInput]] = {}
    for origin, column, ways in _from_elsewhere(lineage):
        inputs = origin.by_column.get(column, [])
        of_rows = {way.subtype for way in ways.get(ALL, ()) if way.retains is None}
        for target, several in ways.items():
            here = [each for each in several if target == ALL or each.retains or each.subtype not in of_rows]
            if inputs and (here or target != ALL):
                found.setdefault(target, []).extend(continued(inputs, here))
    for source in lineage.sources:
        if isinstance(source.origin, Origin):
            found.setdefault(ALL, []).extend(source.origin.of_rows)
    return found


def _merged(inputs: Iterable[f.PathInput]) -> list[f.PathInput]:
    """The inputs, each once, with all that is done to it."""
    found: dict[tuple[str, str, tuple[str, ...]], f.PathInput] = {}
    for each in inputs:
        there = found.setdefault(
            (each.namespace, each.name, tuple(each.path)),
            f.PathInput(each.namespace, each.name, each.path, []),
        )
        there.transformations += [way for way in each.transformations if way not in there.transformations]
    return [each for each in found.values() if each.transformations]


def _how(lineage: Lineage, number: int) -> str:
    """How a column was made that is of no input."""
    made = (origin.generated(column) for origin, column, ways in _from_elsewhere(lineage) if number in ways)
    return next(filter(None, made), "constant of the program")


def _opaque(lineage: Lineage, number: int) -> Iterator[tuple[str, str | None]]:
    """The code that a column went through, by the reason why it is opaque and its name."""
    yield from ((IncompleteReason.OPAQUE, step) for step in lineage.opaque.get(number, ()))
    for origin, column, ways in _from_elsewhere(lineage):
        if number in ways:
            yield from origin.opaque(column)


def _of_rows(known: _Known) -> _Rows:
    """What decided about the rows."""
    found: _Rows = {}
    for source, ways in known.items():
        subtypes = {way.subtype: None for way in ways.get(ALL, ()) if way.retains is None}
        if subtypes:
            found[source] = subtypes
    return found


def _inputs(known: _Known, number: int, rows: _Rows) -> Iterator[f.PathInput]:
    for source, ways in known.items():
        listed = [
            _transformation(way)
            for way in ways.get(number, ())
            if way.retains is not None or way.subtype not in rows.get(source, ())
        ]
        if listed:
            yield _input(source, listed)


def _row_inputs(known: _Known, rows: _Rows) -> Iterator[f.PathInput]:
    for source, subtypes in rows.items():
        yield _input(source, [_transformation(Way(each, retains=None)) for each in subtypes])


def _input(source: _Source, transformations: list[f.PathTransformation]) -> f.PathInput:
    return f.PathInput(*source[0], list(source[1]), transformations)


def _transformation(way: Way) -> f.PathTransformation:
    return f.PathTransformation(
        type=way.subtype.type,
        subtype=way.subtype,
        manipulation=list(way.manipulations),
        access=ACCESS.get(way.subtype) if way.retains is None else None,
        functions=list(way.functions),
        retains=way.retains if way.retains is not Retains.VALUE else None,
    )


def _possible(source: _Source) -> f.PathInput:
    """A column that a constant of the program may have something of."""
    possible = f.PathTransformation(
        type=Subtype.CONDITIONAL.type,
        subtype=Subtype.CONDITIONAL,
        manipulation=[Manipulation.OPAQUE],
        access=Access.DRIVER,
    )
    return _input(source, [possible])


def _unknown(lineage: Lineage, columns: Sequence[Column]) -> Iterator[f.IncompleteEntry]:
    names = {each.number: each.name for each in columns}
    reached: dict[tuple[IncompleteReason, str], dict[int, None]] = {}
    for (source, column), ways in lineage.columns.items():
        if source.location is None and source.origin is None and not _is_number(source, column):
            reason = IncompleteReason.UNKNOWN_SOURCE if source.known else IncompleteReason.PROGRAM
            detail = f"{source.step}: where it is stored is not known" if source.known else NOBODY_SAW
            reached.setdefault((reason, detail), {}).update(dict.fromkeys(ways))
    if any(not each.known for each in lineage.rows):
        reached.setdefault((IncompleteReason.PROGRAM, NOBODY_SAW), {})[ALL] = None
    for (reason, detail), numbers in reached.items():
        listed = dict.fromkeys(names[each] for each in numbers if each in names) if ALL not in numbers else ()
        yield f.IncompleteEntry(reason, [[name] for name in listed], detail)


def _unknown_before(lineage: Lineage, columns: Sequence[Column]) -> Iterator[f.IncompleteEntry]:
    """What another engine does not know of what it gave."""
    names = {each.number: each.name for each in columns}
    for source in lineage.sources:
        if not isinstance(source.origin, Origin):
            continue
        here = {column: ways for origin, column, ways in _from_elsewhere(lineage) if origin is source.origin}
        for gap, concerned in source.origin.gaps(here):
            targets = dict.fromkeys(
                names[number] for column in concerned for number in here[column] if number in names
            )
            if targets or not gap.paths:
                paths = [[name] for name in targets] if gap.paths else []
                yield f.IncompleteEntry(gap.reason, paths, gap.detail)


def _from_program(sources: Iterable[str]) -> Iterator[f.IncompleteEntry]:
    names = ", ".join(sorted(sources))
    if names:
        detail = f"the program took values out of {names}: its constants and functions may have them"
        yield f.IncompleteEntry(IncompleteReason.DRIVER, detail=detail)


def _column_lineage(
    fields: Sequence[tuple[str, list[f.PathInput]]], deciding: list[f.PathInput]
) -> DatasetFacet | None:
    found = {
        name: column_lineage_dataset.Fields(inputFields=_fields(inputs)) for name, inputs in fields if inputs
    }
    if not found and not deciding:
        return None
    return column_lineage_dataset.ColumnLineageDatasetFacet(fields=found, dataset=_fields(deciding))


def _fields(inputs: Iterable[f.PathInput]) -> list[column_lineage_dataset.InputField]:
    return [
        column_lineage_dataset.InputField(
            namespace=each.namespace,
            name=each.name,
            field=each.path[0],
            transformations=[
                column_lineage_dataset.Transformation(type=kind, subtype=subtype, masking=masking)
                for kind, subtype, masking in dict.fromkeys(
                    (way.type, way.subtype, way.masking) for way in each.transformations
                )
            ],
        )
        for each in inputs
    ]


def accessed(outputs: Iterable[DatasetFacet | None], dataset: DatasetId) -> list[f.AccessEntry]:
    """Which paths of a dataset were used in outputs, and how, by the lineage of these."""
    found: dict[tuple[str, ...], tuple[dict[Access, None], bool]] = {}
    for each in outputs:
        if isinstance(each, f.PathLineageDatasetFacet):
            listed = [entry for field in each.fields for entry in field.inputFields] + each.dataset
            for entry in listed:
                if (entry.namespace, entry.name) == dataset:
                    kinds, reaches = found.get(tuple(entry.path), ({}, False))
                    ways = [way for way in entry.transformations if way.access != Access.DRIVER]
                    kinds.update((Access(way.access or Access.PROJECT), None) for way in ways)
                    reaches = reaches or any(way.type == LineageType.DIRECT for way in ways)
                    found[tuple(entry.path)] = (kinds, reaches)
    return [
        f.AccessEntry(list(path), [each.value for each in kinds], reaches)
        for path, (kinds, reaches) in found.items()
        if kinds
    ]


def access(columns: Sequence[Column], lineages: Iterable[Lineage], dataset: DatasetId) -> DatasetFacet:
    """The ``headwater_access`` facet of an input: which of its columns were used in the outputs, and how."""
    found: dict[str, tuple[dict[Access, None], bool]] = {}
    names = {each.name for each in columns}
    for lineage in lineages:
        for (source, column), ways in lineage.columns.items():
            name = str(source.columns[column])
            if source.location == dataset and name in names:
                kinds, reaches = found.get(name, ({}, False))
                every = [way for each in ways.values() for way in each]
                kinds.update((ACCESS.get(way.subtype, Access.PROJECT), None) for way in every)
                found[name] = (kinds, reaches or any(way.retains is not None for way in every))
    entries = [
        f.AccessEntry([name], [each.value for each in kinds], reaches)
        for name, (kinds, reaches) in found.items()
    ]
    return f.AccessInputDatasetFacet(entries)


def named(facets: dict[str, Any]) -> dict[str, Any]:
    """The facets that there are, with their producer."""
    return {key: stated(facet) for key, facet in facets.items() if facet is not None}
