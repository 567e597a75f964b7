"""Plans a PySpark program instead of running it: reads give schemas, writes are planned and skipped.

Inside ``planning(script)``, PySpark's methods that write, collect or stop are replaced in this process. What they
would have written is in the ``Program``; what they would have collected is an ``Unknown``. No data are read: Spark asks
files for their schemas at most. What a program wrote is read back from its plan.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from pyspark import RDD, SparkContext
from pyspark.sql import Observation, SparkSession, group, udf
from pyspark.sql.readwriter import DataFrameReader, DataFrameWriter, DataFrameWriterV2
from pyspark.sql.streaming.readwriter import DataStreamWriter

from headwater_boundary.planning.connect import Client, classic_frame, in_place_of
from headwater_boundary.planning.learning import Learning
from headwater_boundary.planning.planner import Planner
from headwater_boundary.planning.program import Line, Program, Stop
from headwater_boundary.planning.replaced import Replaced
from headwater_boundary.planning.unknown import MARK, NotKnownError

COLLECTS = [
    "collect",
    "count",
    "take",
    "first",
    "head",
    "tail",
    "toPandas",
    "toLocalIterator",
    "isEmpty",
    "approxQuantile",
    "corr",
    "cov",
    "toArrow",
    "foreach",
    "foreachPartition",
]
PRINTS = ("show",)
SAME = ("checkpoint", "localCheckpoint", "cache", "persist", "unpersist")
WRITERS = ("parquet", "json", "orc", "csv", "text", "xml")
READERS = ("parquet", "json", "orc", "csv", "text", "xml", "load")
SAVES = (
    "saveAsTextFile", "saveAsPickleFile", "saveAsSequenceFile", "saveAsHadoopFile", "saveAsHadoopDataset",
    "saveAsNewAPIHadoopFile", "saveAsNewAPIHadoopDataset",
)  # fmt: skip
"""Methods of RDDs that write."""
ACTIONS = (
    "aggregate", "collect", "collectAsMap", "count", "countApprox", "countApproxDistinct", "countByKey",
    "countByValue", "first", "fold", "foreach", "foreachPartition", "histogram", "isEmpty", "lookup", "max",
    "mean", "min", "reduce", "reduceByKeyLocally", "sampleStdev", "sampleVariance", "stats", "stdev", "sum",
    "take", "takeOrdered", "takeSample", "toLocalIterator", "top", "treeAggregate", "treeReduce", "variance",
)  # fmt: skip
"""Methods of RDDs that read data."""
BY_VALUES = ("crosstab", "transpose")
"""Methods whose columns are what is in the data."""
V2 = ("create", "replace", "createOrReplace", "append", "overwrite", "overwritePartitions")


def plan(script: Path, arguments: Sequence[str] = ()) -> Program:
    """Plan the script with these arguments, in this process."""
    script = script.resolve()
    with planning(script) as program:
        program.arguments = tuple(arguments)
        before = sys.argv, list(sys.path)
        sys.argv, sys.path[0:0] = [str(script), *arguments], [str(script.parent)]
        try:
            program.names = runpy.run_path(str(script), run_name="__main__")
        except SystemExit as end:
            if end.code not in (None, 0):
                program.stops.append(
                    Stop(_raised_at(script), f"the program ended with {end.code}", ended=True)
                )
        except Exception as error:  # noqa: BLE001 - whatever a program raises
            reason = str(error) if isinstance(error, NotKnownError) else _first_line(error)
            reason += in_place_of(program.server, error)
            program.stops.append(Stop(_raised_at(script), reason, ended=True))
        finally:
            sys.argv, sys.path[:] = before
    _look_for_unknown(program)
    return program


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"


def _raised_at(script: Path) -> Line:
    found, trace = Line(str(script), 0), sys.exc_info()[2]
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(script):
            found = Line(str(script), trace.tb_lineno)
        trace = trace.tb_next
    return found


def _look_for_unknown(program: Program) -> None:
    """A value that was not known may stand in a plan as text."""
    for write in program.writes:
        if write.query is not None and MARK in write.query.toString():
            program.stops.append(Stop(write.line, "a value that only a run can tell stands in the plan"))


@contextmanager
def planning(script: Path, places: Mapping[str, str] | None = None) -> Iterator[Program]:
    """Replace PySpark's methods while the program is planned; ``places`` are paths to be read instead of others."""
    program, replaced = Program(script), Replaced()
    try:
        client = Client(program, replaced)
        client.replace()
        planner = Planner(program, client, places or {})
        _replace_all(planner, replaced.put)
        Learning(planner, replaced).replace()
        yield program
    finally:
        replaced.undo()


def _replace_all(planner: Planner, put: Callable[[Any, str, Callable[[Any], Any]], None]) -> None:
    classic, grouped = classic_frame(), group.GroupedData
    put(classic, "__init__", planner.made)
    for name in COLLECTS:
        put(classic, name, partial(planner.collected, name))
    for name in PRINTS:
        put(classic, name, lambda before: lambda *_, **__: None)
    for name in SAME:
        put(classic, name, lambda before: lambda frame, *_, **__: frame)
    put(grouped, "pivot", planner.pivoted)
    for name in ("format", "mode", "option", "options", "partitionBy"):
        put(DataFrameWriter, name, partial(planner.noted, name))
    put(DataFrameWriter, "save", lambda before: _method(planner.saved))
    for name in WRITERS:
        put(DataFrameWriter, name, partial(planner.saved_as, name))
    put(DataFrameWriter, "saveAsTable", lambda before: _method(planner.saved_as_table))
    put(DataFrameWriter, "insertInto", lambda before: _method(planner.inserted))
    for name in V2:
        put(DataFrameWriterV2, name, partial(planner.written_v2, name))
    for name in ("start", "toTable"):
        put(DataStreamWriter, name, lambda before: _method(planner.streamed))
    for name in ("format", "option", "options"):
        put(DataFrameReader, name, partial(planner.noted, name))
    put(DataFrameReader, "schema", planner.schema_noted)
    for name in READERS:
        put(DataFrameReader, name, partial(planner.read, name))
    put(DataFrameWriter, "jdbc", lambda before: _method(planner.saved_to_jdbc))
    for name in SAVES:
        put(RDD, name, partial(planner.not_planned, name))
    for name in ACTIONS:
        put(RDD, name, partial(planner.acted, name))
    with suppress(ImportError):
        merging = import_module("pyspark.sql.merge").MergeIntoWriter  # Spark 4 alone has it
        put(merging, "merge", partial(planner.not_planned, "mergeInto(…).merge"))
    for name in BY_VALUES:
        put(classic, name, partial(planner.by_values, name))
    put(Observation, "get", planner.observed)
    put(SparkContext, "runJob", planner.run)
    put(DataFrameWriterV2, "__init__", planner.table_noted)
    put(SparkSession, "sql", planner.asked)
    put(SparkSession, "stop", lambda before: lambda *_: None)
    put(SparkContext, "stop", lambda before: lambda *_: None)
    put(udf.UserDefinedFunction, "__init__", planner.function)


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as a method: a bound one would not be given the object."""

    def method(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return method
