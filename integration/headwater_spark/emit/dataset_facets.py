"""The standard facets of input and output datasets, in the form of the official Spark agent."""

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

from headwater_facets.facets import ContentState, ExtentDatasetFacet, FieldId, LayoutDatasetFacet
from headwater_facets.kinds import Replaced, Subtype
from headwater_facets.locations import DatasetId
from headwater_plan.types import ArrayType, AtomicType, DataType, MapType, StructType, children
from headwater_spark.capture.execution import Outcome
from headwater_spark.decode import effect_of
from headwater_spark.emit.facet_context import FacetContext
from headwater_spark.executions.execution import Execution
from headwater_spark.naming.datasets import (
    Catalogs,
    ResolvedDataset,
    is_partition,
    location_id,
    resolve_datasets,
)
from headwater_spark.tracing.result import OF_PROGRAM, InputPath, PathSteps, Target, Transformation
from headwater_spark.tracing.written_names import is_mark

_State = lifecycle_state_change_dataset.LifecycleStateChange
_Columns = dict[tuple[DatasetId, str], dict[tuple[str, str, bool], None]]

MANY: Final = 1_000
"""Number of columns above which an output is wide, and its facets are more compact."""

_REPLACING: Final = (_State.CREATE, _State.OVERWRITE, _State.TRUNCATE)
_BY_MODE: Final = {"overwrite": _State.OVERWRITE, "errorifexists": _State.CREATE, "ignore": _State.CREATE}


def schema_fields(data_type: DataType) -> list[schema_dataset.SchemaDatasetFacetFields]:
    """The fields of the ``schema`` facet, nested. Types are Spark's names, without the fields of their parameters."""
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


def output_schema(context: FacetContext, _: ResolvedDataset) -> DatasetFacet | None:
    """The ``schema`` facet of an output: the written columns."""
    return _schema(context.target_schema)


def input_schema(context: FacetContext, dataset: ResolvedDataset) -> DatasetFacet | None:
    """The ``schema`` facet of an input: the columns of all its reads."""
    return _schema(_read_of(context, dataset))


def _read_of(context: FacetContext, dataset: ResolvedDataset) -> StructType:
    _, reads = context.inputs()[dataset.id]
    merged = {field.name: field for index in reads for field in context.lineage.reads[index].schema.fields}
    return StructType(tuple(merged.values()))


def input_layout(context: FacetContext, dataset: ResolvedDataset) -> DatasetFacet | None:
    """The layout of an input's stored columns, if the schema does not determine it."""
    _, reads = context.inputs()[dataset.id]
    each = [context.lineage.reads[index] for index in reads]
    columns = list(dict.fromkeys(tuple(field.name for field in read.schema.fields) for read in each))
    several = [list(names) for names in columns] if len(columns) > 1 else []
    exact = any(read.source.get("caseSensitive") == "true" for read in each)
    return _layout(dataset, [read.source for read in each], several, exact=exact)


def output_layout(context: FacetContext, dataset: ResolvedDataset) -> DatasetFacet | None:
    """The layout of an output's stored columns, if the schema does not determine it."""
    target = context.lineage.target
    source = {**target.source} if target else {}
    if context.outcome and context.outcome.ids:
        source["ids"] = context.outcome.ids
    return _layout(dataset, [source])


def _layout(
    dataset: ResolvedDataset,
    sources: Sequence[Mapping[str, Any]],
    reads: list[list[str]] | None = None,
    *,
    exact: bool = False,
) -> DatasetFacet | None:
    """The ``headwater_layout`` facet. The separator matters only for columns matched by position.

    One with letters or digits may be a value, and is not stated.
    """
    partitions = [str(name) for source in sources for name in source.get("partitionColumns") or ()]
    given = (str(source.get("separator") or ",") for source in sources)
    separators = {each if is_mark(each) else "" for each in given}
    matching = {str(source["matching"]) for source in sources if "matching" in source}
    known: dict[str, Any] = {
        "matching": "position" if matching == {"position"} else "id" if matching else None,
        "partitions": list(dict.fromkeys(partitions)) or None,
        "separator": separators.pop()
        if dataset.format == "csv" and separators not in ({","}, set())
        else None,
        "caseSensitive": exact or None,
        "reads": reads,
        "fieldIds": _ids(sources),
    }
    stated = any(each or each == "" for each in known.values())
    return LayoutDatasetFacet(**known) if stated else None


def _ids(sources: Sequence[Mapping[str, Any]]) -> list[FieldId] | None:
    """The identifiers of the columns, if all that is read of the dataset has the same."""
    first, *others = [source.get("ids") for source in sources] or [None]
    return _field_ids(first) if first and all(each == first for each in others) else None


def _field_ids(ids: Sequence[tuple[str, str, Any]]) -> list[FieldId]:
    return [FieldId(name, number or None, _field_ids(members)) for name, number, members in ids]


def _schema(columns: StructType) -> DatasetFacet | None:
    fields = schema_fields(columns)
    return schema_dataset.SchemaDatasetFacet(fields=fields) if fields else None


def data_source(_: FacetContext, dataset: ResolvedDataset) -> DatasetFacet:
    """The ``dataSource`` facet: the server or file system."""
    namespace = dataset.id.namespace
    return datasource_dataset.DatasourceDatasetFacet(name=namespace, uri=namespace)


def symlinks(_: FacetContext, dataset: ResolvedDataset) -> DatasetFacet | None:
    """The ``symlinks`` facet: the table name of a dataset that is named by its location."""
    if dataset.table is None:
        return None
    name = symlinks_dataset.Identifier(*dataset.table, type="TABLE")
    return symlinks_dataset.SymlinksDatasetFacet(identifiers=[name])


def storage(_: FacetContext, dataset: ResolvedDataset) -> DatasetFacet | None:
    """The ``storage`` facet: the file or table format, if the plan has it."""
    if not dataset.format:
        return None
    return storage_dataset.StorageDatasetFacet(storageLayer=dataset.layer, fileFormat=dataset.format)


def version(context: FacetContext, dataset: ResolvedDataset) -> DatasetFacet | None:
    """The version of a table that is read; None if several versions are."""
    _, reads = context.inputs()[dataset.id]
    found = {str(context.lineage.reads[index].source.get("version") or "") for index in reads}
    return _version(found.pop()) if len(found) == 1 else None


def written_version(context: FacetContext, _: ResolvedDataset) -> DatasetFacet | None:
    """The version of a table that this run certainly created."""
    return _version(context.outcome.version) if context.outcome and not context.outcome.error else None


def _version(text: str | None) -> DatasetFacet | None:
    return dataset_version_dataset.DatasetVersionDatasetFacet(datasetVersion=text) if text else None


def lifecycle(context: FacetContext, dataset: ResolvedDataset) -> DatasetFacet | None:
    """The ``lifecycleStateChange`` facet: what the write does to the whole dataset; None for appending."""
    target = context.lineage.target
    if not dataset.is_named:
        return None
    if target is not None and "previous" in target.source:
        return _renamed(context, dataset, target.source["previous"])
    state = _state_after(target)
    return lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(state) if state else None


def _state_after(target: Target | None) -> _State | None:
    """The change that the write is, if it is no renaming; None for appending."""
    if target is None:
        return None
    effect = effect_of(target.command)
    return (
        _BY_MODE.get(str(target.source.get("mode") or "").lower())
        if effect is None
        else getattr(_State, effect.value)
    )


def extent(context: FacetContext, dataset: ResolvedDataset) -> DatasetFacet | None:
    """The ``headwater_extent`` facet: how much of the dataset a write replaced, what it found, and what it left there.

    None where nothing of that is known.
    """
    target = context.lineage.target
    execution = context.execution
    if target is None or dataset.id in execution.models or not dataset.is_named:
        return None
    replaced = _replaced(target, execution) if _state_after(target) in _REPLACING else None
    found = execution.found_files or _adds_to_a_database(target)
    content = context.outcome.content if context.outcome else None
    base, state = (_content_state((content or {}).get(name)) for name in ("base", "state"))
    if replaced is Replaced.WHOLE:
        base = None
        state = state or _rows_alone(target, context.outcome)
    replaced = replaced or (Replaced.NONE if found else None)
    if not (replaced or base or state):
        return None
    return ExtentDatasetFacet(replaced, found=found or None, base=base, state=state)


def _adds_to_a_database(target: Target) -> bool:
    """Whether rows are added to what a table of a database holds: nobody counts these, and Spark does not say whether
    there was such a table.
    """
    return target.source.get("kind") == "jdbc" and _state_after(target) not in _REPLACING


def _rows_alone(target: Target, outcome: Outcome | None) -> ContentState | None:
    """The state of a table of a database, which has no rows but those that were written."""
    rows = (outcome.output or {}).get("rows") if outcome and not outcome.error else None
    is_table = target.source.get("kind") == "jdbc"
    return ContentState(rows=rows) if is_table and rows is not None else None


def _content_state(stated: Any) -> ContentState | None:
    known = ("version", "files", "size", "rows")
    return ContentState(**{name: stated.get(name) for name in known}) if isinstance(stated, Mapping) else None


def input_extent(context: FacetContext, dataset: ResolvedDataset) -> DatasetFacet | None:
    """The ``headwater_extent`` facet of an input: the states in which its reads found it, each once.

    None where that is not known.
    """
    _, reads = context.inputs()[dataset.id]
    found = [_found_by(context, index, dataset) for index in reads]
    states = [state for state in found if state is not None]
    return ExtentDatasetFacet(bases=list(dict.fromkeys(states))) if states else None


def _found_by(context: FacetContext, index: int, dataset: ResolvedDataset) -> ContentState | None:
    """The state in which a read found a dataset: of several folders of it, of all."""
    source = context.lineage.reads[index].source
    contents = source.get("contents") or ()
    if not contents:
        return _counted_there(context, source, dataset)
    if len(context.reads[index]) > 1:
        catalogs = Catalogs(context.application.conf)
        roots = (catalogs.resolve_namespace(location_id(root)) for root in source.get("roots") or ())
        contents = [one for one, root in zip(contents, roots, strict=False) if root == dataset.id]
    states = [state for one in contents if (state := _content_state(one)) is not None]
    if len(states) < 2:
        return states[0] if states else None
    return ContentState(files=sum(s.files or 0 for s in states), size=sum(s.size or 0 for s in states))


def _counted_there(
    context: FacetContext, source: Mapping[str, Any], dataset: ResolvedDataset
) -> ContentState | None:
    """What a scan counted, which is no more than is there: of a table's partitions, the files that Spark has chosen;
    of a table of a database, its rows, where Spark asked for them once and each once.
    """
    outcome, catalogs = context.outcome, Catalogs(context.application.conf)
    mine = [each for each in (outcome.inputs if outcome else ()) if _is_of(each, dataset, catalogs)]
    if source.get("kind") == "jdbc":
        rows = [each["rows"] for each in mine if each.get("rows") is not None]
        is_once = outcome is not None and outcome.jobs == 1 and not _may_repeat_rows(source)
        return ContentState(rows=max(rows)) if rows and is_once else None
    files = [(each["files"], each["bytes"]) for each in mine if _has_files(each)]
    return ContentState(files=max(files)[0], size=max(files)[1]) if files else None


def _has_files(counted: Mapping[str, Any]) -> bool:
    return counted.get("files") is not None and counted.get("bytes") is not None


def _may_repeat_rows(source: Mapping[str, Any]) -> bool:
    """Whether a read of a database has parts by conditions of the program's own, or is more than its table."""
    return "parts" in source or "query" in source or "tables" in source


def _replaced(target: Target, execution: Execution) -> Replaced | None:
    by_mode = target.source.get("extent") or {}
    modes = (execution.overwrite_mode,) if execution.overwrite_mode else ("STATIC", "DYNAMIC")
    found = {by_mode.get(mode) for mode in modes}
    replaced = found.pop() if len(found) == 1 else None
    if replaced is Replaced.WHOLE and is_partition(target.source, execution.location):
        replaced = Replaced.PART
    return replaced


def _renamed(context: FacetContext, dataset: ResolvedDataset, previous: Mapping[str, Any]) -> DatasetFacet:
    """The facet of a renaming, with the former location if the dataset moved, else the former table name."""
    found = resolve_datasets(previous, Catalogs(context.application.conf))
    names = (name for each in found for name in (each.id, each.table) if name and name != dataset.id)
    before = next(names, None)
    return lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
        _State.RENAME,
        lifecycle_state_change_dataset.PreviousIdentifier(before.name, before.namespace) if before else None,
    )


def column_lineage(context: FacetContext, _: ResolvedDataset) -> DatasetFacet | None:
    """The ``columnLineage`` facet, for consumers that do not support nested paths."""
    fields: dict[str, _Columns] = {name: {} for name in _names((), context.target_schema)}
    for field in context.lineage.fields:
        for column in _names(field.path, context.target_schema):
            for source in field.inputs:
                _add(fields.setdefault(column, {}), context, source, whole=len(field.path) == 1)
    dataset: _Columns = {}
    for source in context.lineage.dataset:
        _add(dataset, context, source, whole=True)
    if not context.application.enabled("spark.openlineage.columnLineage.datasetLineageEnabled", default=True):
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
    """The column of a path; for the whole row, all columns."""
    return [path[0]] if path else [field.name for field in schema.fields]


def _add(columns: _Columns, context: FacetContext, source: InputPath, *, whole: bool) -> None:
    exact = whole and len(source.path) == 1
    schema = StructType() if source.read in OF_PROGRAM else context.lineage.reads[source.read].schema
    for dataset, path in context.dataset_paths(source):
        for name in _names(path, schema):
            known = columns.setdefault((dataset, name), {})
            known.update((_coarse(each, exact), None) for each in source.transformations)


def _coarse(each: Transformation, exact: bool) -> tuple[str, str, bool]:
    """The transformation between columns: IDENTITY of a part of a column is a TRANSFORMATION of the column."""
    is_part = each.subtype is Subtype.IDENTITY and not exact
    subtype = Subtype.TRANSFORMATION if is_part else each.subtype
    return each.type.value, subtype.value, each.masking


def _merged(one: _Columns, other: _Columns) -> _Columns:
    return {key: {**one.get(key, {}), **other.get(key, {})} for key in (*one, *other)}


def _input_fields(columns: _Columns, *, wide: bool) -> list[column_lineage_dataset.InputField]:
    """The inputs with their transformations. For wide outputs, the optional ``masking`` is omitted unless true."""
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


def output_statistics(context: FacetContext, _: ResolvedDataset) -> OutputDatasetFacet | None:
    """The ``outputStatistics`` facet: rows, bytes and files that Spark counted while writing."""
    counted = context.outcome.output if context.outcome else None
    if not counted:
        return None
    return output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
        rowCount=counted.get("rows"), size=counted.get("bytes"), fileCount=counted.get("files")
    )


def input_statistics(context: FacetContext, dataset: ResolvedDataset) -> InputDatasetFacet | None:
    """The ``inputStatistics`` facet: the sum over all scans of this dataset alone.

    A scan of several datasets counts for none of them.
    """
    counted = context.outcome.inputs if context.outcome else ()
    catalogs = Catalogs(context.application.conf)
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


def _is_of(counted: Mapping[str, Any], dataset: ResolvedDataset, catalogs: Catalogs) -> bool:
    """Whether a scan reads this dataset. A scan has its table, the roots of its files, or a source as in plans."""
    roots = {catalogs.resolve_namespace(location_id(root)) for root in counted.get("roots") or ()}
    sources = {each.id for each in resolve_datasets(_rows_of(counted.get("source") or {}), catalogs)}
    return {dataset.id} in (roots, sources) or _table(counted) in {dataset.id.name, _name(dataset.table)}


def _rows_of(source: Mapping[str, Any]) -> Mapping[str, Any]:
    """The source whose rows a scan counts; empty for a database query that does more than select a table's columns."""
    tables = source.get("tables")
    if tables is None:
        return source
    return {**source, "dbtable": tables[0]} if source.get("plain") and len(tables) == 1 else {}


def _table(counted: Mapping[str, Any]) -> str:
    return str(counted.get("table") or "").removeprefix("spark_catalog.")


def _name(table: DatasetId | None) -> str:
    return table.name if table else "\0"
