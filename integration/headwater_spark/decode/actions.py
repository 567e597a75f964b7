"""Actions on RDDs: jobs without a plan, of which the driver sends the RDD and the settings of what writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_spark.decode.context import Context
from headwater_spark.decode.leaves import rdd_relation
from headwater_spark.decode.sources import files, rdd_source, unknown
from headwater_spark.decode.values import Source, mapping
from headwater_spark.decode.writes import with_rows
from headwater_spark.ir import Attribute, Local, Relation, Write
from headwater_spark.types import AtomicType, StructField, StructType

_FORMAT = "OutputFormat"
_TEXT = Attribute(-1_000_000, "value", AtomicType("string"))
"""The one column as which a text file is read again, with an id that no expression of Spark's has."""


def action(plan: Mapping[str, Any], context: Context) -> Relation | Write:
    """The RDD that is read or, under a write through Hadoop's output formats, what is written of it."""
    write = mapping(plan.get("write"))
    format_class = str(write.get("format") or "")
    is_text = format_class.endswith(".TextOutputFormat")
    child = _rdd(plan["rdd"], (_TEXT,) if is_text else (), context)
    if not write:
        return child
    child = with_rows(child)
    columns = StructType(tuple(StructField(a.name, a.type) for a in child.outputs))
    return Write(child, target(plan, context), "SaveAsHadoopDataset", columns)


def _rdd(described: Any, outputs: tuple[Attribute, ...], context: Context) -> Relation:
    source = rdd_source(described)
    return (
        Local(outputs, "ExternalRDD")
        if source["kind"] == "memory"
        else rdd_relation(source, outputs, context)
    )


def target(plan: Mapping[str, Any], context: Context) -> Source:
    """The directory of a write."""
    write = mapping(plan.get("write"))
    format_class = str(write.get("format") or "")
    mode = {"mode": "errorifexists"}
    if not write.get("path"):
        return {**unknown(format_class), **mode}
    name = format_class.rpartition(".")[2]
    short = name.removesuffix(_FORMAT)
    return {**files([context.document.places.qualified(str(write["path"]))], short or name), **mode}
