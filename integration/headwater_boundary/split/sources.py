"""Leaves as statements: files and tables as the program reads them, and rows of the program itself."""

from __future__ import annotations

from typing import Any

from pyspark.errors import AnalysisException

from headwater_boundary.split.errors import CannotSplitError
from headwater_boundary.split.frames import Frame, text
from headwater_boundary.split.placing import Place, Placing
from headwater_boundary.split.rowsets import RowSet
from headwater_records_spark.jvm import Jvm, kind, listed, optional

MOST_ROWS = 1_000
_PLAIN = {"parquet", "orc"}


def frame(jvm: Jvm, rows: RowSet, placing: Placing, side: Place) -> Frame:
    """The leaf as a frame."""
    head = _RULES[rows.kind](jvm, rows, placing, side)
    columns: list[str] = list(rows.names)
    if len({each.lower() for each in columns}) < len(columns):
        raise CannotSplitError(rows.kind, "two of its columns have the same name", str(rows.line))
    return Frame(head, (), dict(zip(rows.ids, columns, strict=True)), tuple(columns))


def _files(jvm: Jvm, rows: RowSet, placing: Placing, side: Place) -> str:
    relation = rows.node.relation()
    table = optional(rows.node.catalogTable())
    if table is not None:
        return f"spark.table({text(str(table.identifier().unquotedString()))})"
    if kind(relation) != "HadoopFsRelation":
        raise CannotSplitError(kind(relation), "no rule is known of this source", str(rows.line))
    paths = [_plain(str(each.toString())) for each in listed(relation.location().rootPaths())]
    form = str(relation.fileFormat().toString()).lower()
    options = {
        k: v for k, v in java_map(jvm, relation.options()).items() if k.lower() not in {"path", "paths"}
    }
    plain = form in _PLAIN and not options and _own_schema(jvm, form, paths) == str(relation.schema().json())
    if side is Place.INSIDE and placing.of[rows.number].place is Place.INSIDE:
        moved = [placing.policy.place(each) for each in paths]
        placing.moved.update(zip(moved, paths, strict=True))
        paths = moved
    places = ", ".join(f"f{text(p)}" if "{region}" in p else text(p) for p in paths)
    called = "".join(f".option({text(k)}, {text(v)})" for k, v in sorted(options.items()))
    if plain:
        return f"spark.read.{form}({places})"
    schema = text(str(relation.schema().toDDL()))
    given = places if len(paths) == 1 else f"[{places}]"
    return f"spark.read.format({text(form)}){called}.schema({schema}).load({given})"


def _own_schema(jvm: Jvm, form: str, paths: list[str]) -> str:
    """The schema of the files themselves, as JSON; empty where there are none, so that the program states it."""
    try:
        return str(jvm.spark.read.format(form).load(paths)._jdf.schema().json())
    except AnalysisException:
        return ""


def _plain(path: str) -> str:
    return path.removeprefix("file://").removeprefix("file:") if path.startswith("file:") else path


def _own_rows(jvm: Jvm, rows: RowSet, placing: Placing, side: Place) -> str:
    del placing, side
    given = own_rows(jvm, rows)
    values = "[" + ", ".join(repr(tuple(each)) for each in given) + "]"
    if "Row(" in values:
        raise CannotSplitError(rows.kind, "rows of the program that are nested have no rule", str(rows.line))
    schema = str(jvm.frame(rows.node)._jdf.schema().toDDL())
    return f"spark.createDataFrame({values}, {text(schema)})"


def own_rows(jvm: Jvm, rows: RowSet) -> list[Any]:
    """The rows of a leaf that the program holds itself."""
    given = jvm.frame(rows.node).limit(MOST_ROWS + 1).collect()
    if len(given) > MOST_ROWS:
        raise CannotSplitError(
            rows.kind, f"the program holds more than {MOST_ROWS} rows itself", str(rows.line)
        )
    return list(given)


def is_own(rdd: Any) -> bool:
    """Whether an RDD is made of a list of the program alone."""
    pending = [rdd]
    while pending:
        each = pending.pop()
        dependencies = listed(each.dependencies())
        if not dependencies and kind(each) not in {"ParallelCollectionRDD", "PythonRDD"}:
            return False
        pending.extend(d.rdd() for d in dependencies)
    return True


def _numbers(jvm: Jvm, rows: RowSet, placing: Placing, side: Place) -> str:
    del jvm, placing, side
    node = rows.node
    made = f"spark.range({node.start()}, {node.end()}, {node.step()})"
    return made if rows.names == ["id"] else f"{made}.toDF({', '.join(map(text, rows.names))})"


def _one_row(jvm: Jvm, rows: RowSet, placing: Placing, side: Place) -> str:
    del jvm, rows, placing, side
    return "spark.range(1).select()"


def java_map(jvm: Jvm, given: Any) -> dict[str, str]:
    """A map of Scala's as a dictionary."""
    java = jvm.view.scala.collection.JavaConverters.mapAsJavaMap(given)
    return {str(k): str(java.get(k)) for k in java.keySet()}


_RULES = {
    "LogicalRelation": _files,
    "LocalRelation": _own_rows,
    "LogicalRDD": _own_rows,
    "Range": _numbers,
    "OneRowRelation": _one_row,
}
