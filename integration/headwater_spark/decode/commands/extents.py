"""How much of its target's content a write replaces, as far as the plan says.

A target's ``extent`` is what is replaced in each partition overwrite mode of the session, which the plan does not have:
{"STATIC": "WHOLE", "DYNAMIC": "PART"}. A mode for which it is not certain is absent. What is not known here, such as a
connector that may understand options in its own way, has no extent.
"""

from __future__ import annotations

from typing import Any, Final

from headwater_facets.kinds import Replaced
from headwater_spark.decode.commands.command import NOT_KNOWN, Extent, Measure
from headwater_spark.decode.document import Node, PlanDocument
from headwater_spark.decode.sources import below
from headwater_spark.decode.values import Source, class_of, constant_name, mapping, options_of

WHOLE: Final[Extent] = {"STATIC": Replaced.WHOLE, "DYNAMIC": Replaced.WHOLE}
PART: Final[Extent] = {"STATIC": Replaced.PART, "DYNAMIC": Replaced.PART}
BY_MODE: Final[Extent] = {"STATIC": Replaced.WHOLE, "DYNAMIC": Replaced.PART}
UNLESS_DYNAMIC: Final[Extent] = {"STATIC": Replaced.WHOLE}

_FRESH: Final = ("ErrorIfExists", "Overwrite")
_MODE: Final = "partitionoverwritemode"
_OF_PARTS: Final = ("replacewhere", "replaceusing", "replaceon")
"""Options of Delta that replace rows by a condition."""
_ICEBERG: Final = "org.apache.iceberg.spark.source.SparkTable"
_DELTA: Final = "org.apache.spark.sql.delta.catalog.DeltaTableV2"


def with_extent(target: Source, measure: Measure, node: Node, document: PlanDocument) -> Source:
    """The command's target with its extent, if anything is known of that."""
    extent = measure(node, document)
    return {**target, "extent": extent} if extent else target


def to_files(node: Node, _: PlanDocument) -> Extent:
    if constant_name(node.get("mode")) not in _FRESH:
        return NOT_KNOWN
    if _pairs(node.get("staticPartitions")):
        return PART
    if not node.get("partitionColumns"):
        return WHOLE
    asked = options_of(node.get("options")).get(_MODE, "").upper()
    return {mode: BY_MODE.get(asked or mode, Replaced.PART) for mode in BY_MODE}


def created(field: str) -> Measure:
    """A table of the session's catalog; in dynamic mode, partitions stay that an external one finds at its place."""

    def describe(node: Node, _: PlanDocument) -> Extent:
        table = mapping(node.get(field))
        if not table or constant_name(node.get("mode")) not in _FRESH:
            return NOT_KNOWN
        if table.get("partitionColumns") == [] or table.get("type") == "MANAGED":
            return WHOLE
        return NOT_KNOWN

    return describe


def to_hive(node: Node, _: PlanDocument) -> Extent:
    if node.get("overwrite") is not True:
        return NOT_KNOWN
    parts = mapping(node.get("table")).get("partitionColumns")
    return PART if parts or _pairs(node.get("partition")) else WHOLE


def loaded(node: Node, _: PlanDocument) -> Extent:
    if node.get("isOverwrite") is not True:
        return NOT_KNOWN
    return WHOLE if node.get("partition") is None else PART


def to_directory(node: Node, _: PlanDocument) -> Extent:
    return WHOLE if node.get("overwrite") is True else NOT_KNOWN


def inserted(node: Node, document: PlanDocument) -> Extent:
    relation = below(node, "logicalRelation", document)
    is_jdbc = relation is not None and "jdbc" in mapping(relation.get("relation"))
    return WHOLE if is_jdbc and node.get("overwrite") is True else NOT_KNOWN


def saved(node: Node, _: PlanDocument) -> Extent:
    if constant_name(node.get("mode")) not in _FRESH:
        return NOT_KNOWN
    provider = mapping(node.get("dataSource"))
    known = {"jdbc": WHOLE, "delta": _by_delta(node.get("options"))}
    return known.get(str(provider.get("format")), NOT_KNOWN)


def view(node: Node, _: PlanDocument) -> Extent:
    return NOT_KNOWN if node.get("allowExisting") is True else WHOLE


def v2_overwritten(node: Node, document: PlanDocument) -> Extent:
    deleted, relation = below(node, "deleteExpr", document), below(node, "table", document)
    if deleted is None or relation is None:
        return NOT_KNOWN
    if deleted.name != "Literal" or str(deleted.get("value")).lower() != "true":
        return PART
    table, options = mapping(relation.get("table")), node.get("writeOptions")
    if "jdbc" in table:
        return WHOLE
    if class_of(table) == _DELTA:
        return _by_delta(options)
    if class_of(table) == _ICEBERG and not table.get("branch"):
        return PART if "overwrite-mode" in options_of(options) else WHOLE
    return NOT_KNOWN


def v2_created(node: Node, _: PlanDocument) -> Extent:
    return NOT_KNOWN if node.get("ignoreIfExists") is True else WHOLE


def v2_replaced(node: Node, _: PlanDocument) -> Extent:
    """Delta replaces a part of the table where an option or the session says so."""
    return _by_delta(node.get("writeOptions"))


def _by_delta(options: Any) -> Extent:
    given = options_of(options)
    if given.keys() & set(_OF_PARTS):
        return PART
    asked = given.get(_MODE, "").upper()
    return {"": UNLESS_DYNAMIC, "STATIC": WHOLE}.get(asked, NOT_KNOWN)


def some_parts(_: Node, __: PlanDocument) -> Extent:
    return PART


def _pairs(value: Any) -> Any:
    return mapping(value).get("m")
