"""Actions on RDDs: jobs without a plan, of which the driver sends the RDD and the settings of what writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from headwater_plan.nodes import Attribute, Local, Relation, Rows, Write
from headwater_plan.types import AtomicType, StructField, StructType
from headwater_spark.decode.commands.writes import with_rows
from headwater_spark.decode.context import Context
from headwater_spark.decode.leaves import rdd_relation
from headwater_spark.decode.sources import files, rdd_source, unknown
from headwater_spark.decode.values import Places, Source, mapping

COMMAND: Final = "SaveAsHadoopDataset"
"""What a write of an RDD is called, as Spark names the function that does it."""
_FORMAT = "OutputFormat"
_TEXT = Attribute(-1_000_000, "value", AtomicType("string"))
"""The one column as which a text file is read again, with an id that no expression of Spark's has."""


def action(plan: Mapping[str, Any], context: Context) -> Relation | Write:
    """The RDD that is read or, under a write through Hadoop's output formats, what is written of it."""
    is_text = _format_of(plan).endswith(".TextOutputFormat")
    child = _rdd(plan["rdd"], (_TEXT,) if is_text else (), context)
    target = written(plan)
    if target is None:
        return child
    child = with_rows(child)
    columns = StructType(tuple(StructField(a.name, a.type) for a in child.outputs))
    return Write(child, target, COMMAND, columns)


def _rdd(described: Any, outputs: tuple[Attribute, ...], context: Context) -> Relation:
    source = rdd_source(described)
    return (
        Local(outputs, "ExternalRDD", handed_in=True, rows=Rows.DATA)
        if source["kind"] == "memory"
        else rdd_relation(source, outputs, context)
    )


def written(plan: Mapping[str, Any]) -> Source | None:
    """The directory of a write; None where the action writes nothing."""
    write = mapping(plan.get("write"))
    if not write:
        return None
    mode = {"mode": "errorifexists"}
    if not write.get("path"):
        return {**unknown(_format_of(plan)), **mode}
    name = _format_of(plan).rpartition(".")[2]
    place = Places.of(plan).qualified(str(write["path"]))
    return {**files([place], name.removesuffix(_FORMAT) or name), **mode}


def _format_of(plan: Mapping[str, Any]) -> str:
    """The class of the output format."""
    return str(mapping(plan.get("write")).get("format") or "")
