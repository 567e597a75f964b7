"""How much of its target's content a write replaces, as far as the plan says.

A target's ``extent`` is what is replaced in each partition overwrite mode of the session, which the plan does not have:
{"STATIC": "WHOLE", "DYNAMIC": "PART"}. A mode for which it is not certain is absent. What is not known here, such as a
connector that may understand options in its own way, has no extent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from headwater_facets.kinds import Replaced
from headwater_spark.decode.document import Node, PlanDocument
from headwater_spark.decode.sources import below
from headwater_spark.decode.values import Source, class_of, constant_name, mapping, options_of

Extent: TypeAlias = Mapping[str, Replaced]

WHOLE: Final[Extent] = {"STATIC": Replaced.WHOLE, "DYNAMIC": Replaced.WHOLE}
PART: Final[Extent] = {"STATIC": Replaced.PART, "DYNAMIC": Replaced.PART}
BY_MODE: Final[Extent] = {"STATIC": Replaced.WHOLE, "DYNAMIC": Replaced.PART}
UNLESS_DYNAMIC: Final[Extent] = {"STATIC": Replaced.WHOLE}
UNKNOWN: Final[Extent] = {}

_FRESH: Final = ("ErrorIfExists", "Overwrite")
_MODE: Final = "partitionoverwritemode"
_OF_PARTS: Final = ("replacewhere", "replaceusing", "replaceon")
"""Options of Delta that replace rows by a condition."""
_ICEBERG: Final = "org.apache.iceberg.spark.source.SparkTable"
_DELTA: Final = "org.apache.spark.sql.delta.catalog.DeltaTableV2"


def with_extent(target: Source, node: Node, document: PlanDocument) -> Source:
    """The command's target with its extent, if anything is known of that."""
    describe = EXTENTS.get(node.name)
    extent = UNKNOWN if describe is None else describe(node, document)
    return {**target, "extent": extent} if extent else target


def _to_files(node: Node, _: PlanDocument) -> Extent:
    if constant_name(node.get("mode")) not in _FRESH:
        return UNKNOWN
    if _pairs(node.get("staticPartitions")):
        return PART
    if not node.get("partitionColumns"):
        return WHOLE
    asked = options_of(node.get("options")).get(_MODE, "").upper()
    return {mode: BY_MODE.get(asked or mode, Replaced.PART) for mode in BY_MODE}


def _created(field: str) -> Callable[[Node, PlanDocument], Extent]:
    """A table of the session's catalog; in dynamic mode, partitions stay that an external one finds at its place."""

    def describe(node: Node, _: PlanDocument) -> Extent:
        table = mapping(node.get(field))
        if not table or constant_name(node.get("mode")) not in _FRESH:
            return UNKNOWN
        if table.get("partitionColumns") == [] or table.get("type") == "MANAGED":
            return WHOLE
        return UNKNOWN

    return describe


def _to_hive(node: Node, _: PlanDocument) -> Extent:
    if node.get("overwrite") is not True:
        return UNKNOWN
    parts = mapping(node.get("table")).get("partitionColumns")
    return PART if parts or _pairs(node.get("partition")) else WHOLE


def _loaded(node: Node, _: PlanDocument) -> Extent:
    if node.get("isOverwrite") is not True:
        return UNKNOWN
    return WHOLE if node.get("partition") is None else PART


def _to_directory(node: Node, _: PlanDocument) -> Extent:
    return WHOLE if node.get("overwrite") is True else UNKNOWN


def _inserted(node: Node, document: PlanDocument) -> Extent:
    relation = below(node, "logicalRelation", document)
    is_jdbc = relation is not None and "jdbc" in mapping(relation.get("relation"))
    return WHOLE if is_jdbc and node.get("overwrite") is True else UNKNOWN


def _saved(node: Node, _: PlanDocument) -> Extent:
    if constant_name(node.get("mode")) not in _FRESH:
        return UNKNOWN
    provider = mapping(node.get("dataSource"))
    known = {"jdbc": WHOLE, "delta": _by_delta(node.get("options"))}
    return known.get(str(provider.get("format")), UNKNOWN)


def _view(node: Node, _: PlanDocument) -> Extent:
    return UNKNOWN if node.get("allowExisting") is True else WHOLE


def _v2_overwritten(node: Node, document: PlanDocument) -> Extent:
    deleted, relation = below(node, "deleteExpr", document), below(node, "table", document)
    if deleted is None or relation is None:
        return UNKNOWN
    if deleted.name != "Literal" or str(deleted.get("value")).lower() != "true":
        return PART
    table, options = mapping(relation.get("table")), node.get("writeOptions")
    if "jdbc" in table:
        return WHOLE
    if class_of(table) == _DELTA:
        return _by_delta(options)
    if class_of(table) == _ICEBERG and not table.get("branch"):
        return PART if "overwrite-mode" in options_of(options) else WHOLE
    return UNKNOWN


def _v2_created(node: Node, _: PlanDocument) -> Extent:
    return UNKNOWN if node.get("ignoreIfExists") is True else WHOLE


def _v2_replaced(node: Node, _: PlanDocument) -> Extent:
    """Delta replaces a part of the table where an option or the session says so."""
    return _by_delta(node.get("writeOptions"))


def _by_delta(options: Any) -> Extent:
    given = options_of(options)
    if given.keys() & set(_OF_PARTS):
        return PART
    asked = given.get(_MODE, "").upper()
    return {"": UNLESS_DYNAMIC, "STATIC": WHOLE}.get(asked, UNKNOWN)


def _parts(_: Node, __: PlanDocument) -> Extent:
    return PART


def _pairs(value: Any) -> Any:
    return mapping(value).get("m")


EXTENTS: Final[Mapping[str, Callable[[Node, PlanDocument], Extent]]] = {
    "InsertIntoHadoopFsRelationCommand": _to_files,
    "CreateDataSourceTableAsSelectCommand": _created("table"),
    "CreateHiveTableAsSelectCommand": _created("tableDesc"),
    "OptimizedCreateHiveTableAsSelectCommand": _created("tableDesc"),
    "SaveAsV1TableCommand": _created("tableDesc"),
    "InsertIntoHiveTable": _to_hive,
    "InsertIntoHiveDirCommand": _to_directory,
    "InsertIntoDataSourceDirCommand": _to_directory,
    "InsertIntoDataSourceCommand": _inserted,
    "LoadDataCommand": _loaded,
    "SaveIntoDataSourceCommand": _saved,
    "CreateViewCommand": _view,
    "OverwriteByExpression": _v2_overwritten,
    "OverwritePartitionsDynamic": _parts,
    "DeltaDynamicPartitionOverwriteCommand": _parts,
    "CreateTableAsSelect": _v2_created,
    "ReplaceTableAsSelect": _v2_replaced,
}
"""What commands replace, by Catalyst's class; a stream replaces its target batch by batch, or appends."""
