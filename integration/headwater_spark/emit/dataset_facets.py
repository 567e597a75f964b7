"""The standard facets of input and output datasets, as the official Spark agent gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from openlineage.client.facet_v2 import (
    DatasetFacet,
    InputDatasetFacet,
    OutputDatasetFacet,
    column_lineage_dataset,
    dataset_version_dataset,
    datasource_dataset,
    input_statistics_input_dataset,
    lifecycle_state_change_dataset,
    output_statistics_output_dataset,
    schema_dataset,
    storage_dataset,
    symlinks_dataset,
)

from headwater_facets.facets import LayoutDatasetFacet
from headwater_facets.kinds import Subtype
from headwater_spark.emit.facet_context import Scene
from headwater_spark.naming.datasets import Catalogs, DatasetId, Identity, identities, location_id
from headwater_spark.tracing.result import COLLECTED, InputPath, PathSteps, Transformation
from headwater_spark.types import ArrayType, AtomicType, DataType, MapType, StructType, children

_State = lifecycle_state_change_dataset.LifecycleStateChange
_Columns = dict[tuple[DatasetId, str], dict[tuple[str, str, bool], None]]

BY_POSITION: Final = frozenset({"csv", "text"})
"""Formats of which columns are found by their position."""
MANY: Final = 1_000
"""Columns above which an output is wide: what says nothing of most of them is left out."""

_BY_COMMAND: Final = {
    "Create": _State.CREATE,
    "SaveAsV1Table": _State.CREATE,
    "ReplaceTable": _State.OVERWRITE,
    "AtomicReplace": _State.OVERWRITE,
    "AtomicCreate": _State.CREATE,
    "Truncate": _State.TRUNCATE,
    "Drop": _State.DROP,
    "Alter": _State.ALTER,
}
_BY_MODE: Final = {"overwrite": _State.OVERWRITE, "errorifexists": _State.CREATE, "ignore": _State.CREATE}


def schema_fields(data_type: DataType) -> list[schema_dataset.SchemaDatasetFacetFields]:
    """Nested fields as the ``schema`` facet names them; types are Spark's, without their parameters' fields."""
    return [
        schema_dataset.SchemaDatasetFacetFields(
            name=name, type=_type_name(inner), fields=schema_fields(inner) or None
        )
        for name, inner in children(data_type)
    ]


def _type_name(data_type: DataType) -> str:
    match data_type:
        case StructType():
            return "struct"
        case ArrayType():
            return "array"
        case MapType():
            return "map"
        case AtomicType(name):
            return name


def output_schema(scene: Scene, _: Identity) -> DatasetFacet | None:
    """The columns written."""
    return _schema(scene.target_schema)


def input_schema(scene: Scene, dataset: Identity) -> DatasetFacet | None:
    """The columns read; of several reads of the dataset, all columns."""
    return _schema(_read_of(scene, dataset))


def _read_of(scene: Scene, dataset: Identity) -> StructType:
    _, reads = scene.sources()[dataset.id]
    merged = {field.name: field for index in reads for field in scene.lineage.reads[index].schema.fields}
    return StructType(tuple(merged.values()))


def input_layout(scene: Scene, dataset: Identity) -> DatasetFacet | None:
    """How the columns read lie in what is stored, where that goes beyond the schema."""
    _, reads = scene.sources()[dataset.id]
    each = [scene.lineage.reads[index] for index in reads]
    columns = list(dict.fromkeys(tuple(field.name for field in read.schema.fields) for read in each))
    several = [list(names) for names in columns] if len(columns) > 1 else []
    exact = any(read.source.get("caseSensitive") == "true" for read in each)
    return _layout(dataset, [read.source for read in each], several, exact=exact)


def output_layout(scene: Scene, dataset: Identity) -> DatasetFacet | None:
    """How the columns written lie in what is stored, where that goes beyond the schema."""
    target = scene.lineage.target
    return _layout(dataset, [target.source] if target else [])


def _layout(
    dataset: Identity,
    sources: Sequence[Mapping[str, Any]],
    reads: list[list[str]] | None = None,
    *,
    exact: bool = False,
) -> DatasetFacet | None:
    """Only where columns are found by position does it matter which are not in the files, and what is between them."""
    by_position = dataset.format in BY_POSITION
    partitions = [str(name) for source in sources for name in source.get("partitionColumns") or ()]
    separators = {str(source.get("separator") or ",") for source in sources}
    facet = LayoutDatasetFacet(
        partitions=list(dict.fromkeys(partitions)) if by_position else None,
        separator=separators.pop() if dataset.format == "csv" and separators not in ({","}, set()) else None,
        caseSensitive=exact or None,
        reads=reads,
    )
    return facet if facet.partitions or facet.separator or facet.caseSensitive or facet.reads else None


def _schema(columns: StructType) -> DatasetFacet | None:
    fields = schema_fields(columns)
    return schema_dataset.SchemaDatasetFacet(fields=fields) if fields else None


def data_source(_: Scene, dataset: Identity) -> DatasetFacet:
    """The server or file system."""
    namespace = dataset.id.namespace
    return datasource_dataset.DatasourceDatasetFacet(name=namespace, uri=namespace)


def symlinks(_: Scene, dataset: Identity) -> DatasetFacet | None:
    """The table name of a dataset that is named by its location."""
    if dataset.table is None:
        return None
    name = symlinks_dataset.Identifier(*dataset.table, type="TABLE")
    return symlinks_dataset.SymlinksDatasetFacet(identifiers=[name])


def storage(_: Scene, dataset: Identity) -> DatasetFacet | None:
    """The file or table format, where the plan names it."""
    if not dataset.format:
        return None
    return storage_dataset.StorageDatasetFacet(storageLayer=dataset.layer, fileFormat=dataset.format)


def version(scene: Scene, dataset: Identity) -> DatasetFacet | None:
    """The version of a table that is read; none where several are."""
    _, reads = scene.sources()[dataset.id]
    found = {str(scene.lineage.reads[index].source.get("version") or "") for index in reads}
    return _version(found.pop()) if len(found) == 1 else None


def written_version(scene: Scene, _: Identity) -> DatasetFacet | None:
    """The version of a table that was written, where it is certain that this run has made it."""
    return _version(scene.outcome.version) if scene.outcome and not scene.outcome.error else None


def _version(text: str | None) -> DatasetFacet | None:
    return dataset_version_dataset.DatasetVersionDatasetFacet(datasetVersion=text) if text else None


def lifecycle(scene: Scene, dataset: Identity) -> DatasetFacet | None:
    """What the write does to the dataset as a whole; appending changes nothing."""
    target = scene.lineage.target
    if target is None:
        return None
    if "previous" in target.source:
        return _renamed(scene, dataset, target.source["previous"])
    by_command = (state for head, state in _BY_COMMAND.items() if target.command.startswith(head))
    by_mode = _BY_MODE.get(str(target.source.get("mode") or "").lower())
    state = next(by_command, by_mode)
    return lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(state) if state else None


def _renamed(scene: Scene, dataset: Identity, previous: Mapping[str, Any]) -> DatasetFacet:
    """A renaming: the former place where the dataset has moved, else the table's former name."""
    found = identities(previous, Catalogs(scene.application.conf))
    names = (name for each in found for name in (each.id, each.table) if name and name != dataset.id)
    before = next(names, None)
    return lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
        _State.RENAME,
        lifecycle_state_change_dataset.PreviousIdentifier(before.name, before.namespace) if before else None,
    )


def column_lineage(scene: Scene, _: Identity) -> DatasetFacet | None:
    """Lineage at the level of columns, for consumers that know no nesting."""
    fields: dict[str, _Columns] = {name: {} for name in _names((), scene.target_schema)}
    for field in scene.lineage.fields:
        for column in _names(field.path, scene.target_schema):
            for source in field.inputs:
                _add(fields.setdefault(column, {}), scene, source, whole=len(field.path) == 1)
    dataset: _Columns = {}
    for source in scene.lineage.dataset:
        _add(dataset, scene, source, whole=True)
    if not scene.application.enabled("spark.openlineage.columnLineage.datasetLineageEnabled", default=True):
        fields, dataset = {name: _merged(columns, dataset) for name, columns in fields.items()}, {}
    wide = len(fields) > MANY
    described = {
        name: column_lineage_dataset.Fields(inputFields=_input_fields(columns, wide=wide))
        for name, columns in fields.items()
        if columns
    }
    if not described and not dataset:
        return None
    inputs = _input_fields(dataset, wide=wide)
    return column_lineage_dataset.ColumnLineageDatasetFacet(fields=described, dataset=inputs)


def _names(path: PathSteps, schema: StructType) -> list[str]:
    """The column of a path; of the whole row, every column."""
    return [path[0]] if path else [field.name for field in schema.fields]


def _add(columns: _Columns, scene: Scene, source: InputPath, *, whole: bool) -> None:
    exact = whole and len(source.path) == 1
    schema = StructType() if source.read == COLLECTED else scene.lineage.reads[source.read].schema
    for dataset, path in scene.places(source):
        for name in _names(path, schema):
            known = columns.setdefault((dataset, name), {})
            known.update((_coarse(each, exact), None) for each in source.transformations)


def _coarse(each: Transformation, exact: bool) -> tuple[str, str, bool]:
    """A part of a column, or a column made of parts, is no longer that column itself."""
    is_part = each.subtype is Subtype.IDENTITY and not exact
    subtype = Subtype.TRANSFORMATION if is_part else each.subtype
    return each.type.value, subtype.value, each.masking


def _merged(one: _Columns, other: _Columns) -> _Columns:
    return {key: {**one.get(key, {}), **other.get(key, {})} for key in (*one, *other)}


def _input_fields(columns: _Columns, *, wide: bool) -> list[column_lineage_dataset.InputField]:
    """The inputs with their ways; ``masking``, which is optional, is told of wide outputs only where it is true."""
    return [
        column_lineage_dataset.InputField(
            namespace=dataset.namespace,
            name=dataset.name,
            field=name,
            transformations=[
                column_lineage_dataset.Transformation(
                    type=kind, subtype=subtype, masking=masking or (None if wide else False)
                )
                for kind, subtype, masking in transformations
            ],
        )
        for (dataset, name), transformations in columns.items()
    ]


def output_statistics(scene: Scene, _: Identity) -> OutputDatasetFacet | None:
    """What Spark counted while writing."""
    counted = scene.outcome.output if scene.outcome else None
    if not counted:
        return None
    return output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
        rowCount=counted.get("rows"), size=counted.get("bytes"), fileCount=counted.get("files")
    )


def input_statistics(scene: Scene, dataset: Identity) -> InputDatasetFacet | None:
    """What Spark counted while reading this dataset: scans are added up, and one of several datasets is nobody's."""
    counted = scene.outcome.inputs if scene.outcome else ()
    catalogs = Catalogs(scene.application.conf)
    mine = [each for each in counted if _is_of(each, dataset, catalogs)]
    if not mine:
        return None
    return input_statistics_input_dataset.InputStatisticsInputDatasetFacet(
        rowCount=_sum(each.get("rows") for each in mine),
        size=_sum(each.get("bytes") for each in mine),
        fileCount=_sum(each.get("files") for each in mine),
    )


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _is_of(counted: Mapping[str, Any], dataset: Identity, catalogs: Catalogs) -> bool:
    """A scan names its table, the roots of its files, or its source as plans do."""
    roots = {catalogs.resolved(location_id(root)) for root in counted.get("roots") or ()}
    sources = {each.id for each in identities(_rows_of(counted.get("source") or {}), catalogs)}
    return {dataset.id} in (roots, sources) or _table(counted) in {dataset.id.name, _name(dataset.table)}


def _rows_of(source: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of a database's answer to a query that did more than to select columns of a table, no rows are the table's."""
    tables = source.get("tables")
    if tables is None:
        return source
    return {**source, "dbtable": tables[0]} if source.get("plain") and len(tables) == 1 else {}


def _table(counted: Mapping[str, Any]) -> str:
    return str(counted.get("table") or "").removeprefix("spark_catalog.")


def _name(table: DatasetId | None) -> str:
    return table.name if table else "\0"
