"""Plans a PySpark program instead of running it: reads give schemas, writes are planned and skipped.

Inside ``planning(script)``, PySpark's methods that write, collect or stop are replaced in this process. What they
would have written is in the ``Program``; what they would have collected is an ``Unknown``. No data are read: Spark asks
files for their schemas at most. What a program wrote is read back from its plan.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession, group, udf
from pyspark.sql.readwriter import DataFrameReader, DataFrameWriter, DataFrameWriterV2
from pyspark.sql.streaming.readwriter import DataStreamWriter

from headwater_boundary.planning import commands
from headwater_boundary.planning.program import Line, PlannedWrite, Program, Stop, WrittenTo, users_line
from headwater_boundary.planning.unknown import MARK, NotKnownError, Unknown
from headwater_records_spark.jvm import Jvm, analysed, kind

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
WRITERS = ("parquet", "json", "orc", "csv", "text")
READERS = ("parquet", "json", "orc", "csv", "text", "load")
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
    program = Program(script)
    undo: list[Callable[[], None]] = []
    try:
        _replace_all(_Planner(program, places or {}), undo)
        yield program
    finally:
        for each in reversed(undo):
            each()


def _classic() -> Any:
    try:
        from pyspark.sql.classic.dataframe import DataFrame as Classic  # noqa: PLC0415 - Spark 4 alone has it
    except ImportError:
        return DataFrame
    return Classic


def _replace_all(planner: _Planner, undo: list[Callable[[], None]]) -> None:
    classic, grouped = _classic(), group.GroupedData

    def put(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        before = vars(owner).get(name)
        if before is None:
            return
        setattr(owner, name, make(before))
        undo.append(lambda: setattr(owner, name, before))

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
    put(SparkSession, "sql", planner.asked)
    put(SparkSession, "stop", lambda before: lambda *_: None)
    put(SparkContext, "stop", lambda before: lambda *_: None)
    put(udf.UserDefinedFunction, "__init__", planner.function)


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as a method: a bound one would not be given the object."""

    def method(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return method


class _Planner:
    """The methods that stand in the places of PySpark's."""

    def __init__(self, program: Program, places: Mapping[str, str]) -> None:
        self.program = program
        self.places = places
        self.files: dict[str, DataFrame] = {}

    @property
    def here(self) -> Line:
        return users_line(self.program.script)

    def made(self, before: Callable[..., None]) -> Callable[..., None]:
        def make(frame: Any, *args: Any, **kwargs: Any) -> None:
            before(frame, *args, **kwargs)
            self.program.frames.append((frame, self.here))

        return make

    def function(self, before: Callable[..., None]) -> Callable[..., None]:
        def make(function: Any, *args: Any, **kwargs: Any) -> None:
            before(function, *args, **kwargs)
            self.program.functions.append(function)

        return make

    def collected(self, name: str, _: Any) -> Callable[..., Unknown]:
        def collect(frame: DataFrame, *_: Any, **__: Any) -> Unknown:
            return Unknown(f"{name}()", str(self.here))

        return collect

    def pivoted(self, before: Callable[..., Any]) -> Callable[..., Any]:
        def pivot(grouped: Any, column: str, values: Any = None) -> Any:
            if values is None:
                raise NotKnownError("pivot() without values", str(self.here))
            return before(grouped, column, values)

        return pivot

    def noted(self, name: str, before: Callable[..., Any]) -> Callable[..., Any]:
        def note(builder: Any, *args: Any, **kwargs: Any) -> Any:
            noted = builder.__dict__.setdefault("_planned", {})
            if name == "option":
                key, value = (*args, *kwargs.values())[:2]
                noted.setdefault("options", {})[str(key)] = _text(value)
            elif name == "options":
                noted.setdefault("options", {}).update({k: _text(v) for k, v in kwargs.items()})
            elif name == "partitionBy":
                columns = args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args
                noted["partitionBy"] = tuple(map(str, columns))
            else:
                noted[name] = str(args[0] if args else next(iter(kwargs.values()))).lower()
            return before(builder, *args, **kwargs)

        return note

    def _write(self, writer: Any, kind_of: str, place: str, form: str | None = None, **changes: Any) -> None:
        noted = {**writer.__dict__.get("_planned", {}), **{k: v for k, v in changes.items() if v is not None}}
        options = {**noted.get("options", {}), **changes.get("more", {})}
        partition_by = noted.get("partitionBy") or ()
        to = WrittenTo(
            kind_of,
            place,
            form or noted.get("format") or writer._spark.conf.get("spark.sql.sources.default"),
            noted.get("mode") or "error",
            tuple(sorted(options.items())),
            (partition_by,) if isinstance(partition_by, str) else tuple(partition_by),
        )
        jvm, query = Jvm(writer._spark), analysed(writer._df)
        if kind_of == "path":
            command = commands.to_path(jvm, query, to)
            self.files[_normal(place)] = writer._df
        else:
            view = f"headwater_planned_{len(self.program.writes)}"
            writer._df.createOrReplaceTempView(view)
            command = commands.to_table(jvm, view, to)
            if kind_of == "table" and "." not in place and to.mode != "append":
                writer._df.createOrReplaceTempView(place)
        self.program.writes.append(PlannedWrite(query, command, to, self.here))

    def saved(
        self, writer: Any, path: str | None = None, format: str | None = None, mode: str | None = None,  # noqa: A002 - PySpark's name
        partitionBy: Any = None, **options: Any,  # noqa: N803 - PySpark's name
    ) -> None:  # fmt: skip
        noted = writer.__dict__.get("_planned", {})
        place = path or noted.get("options", {}).get("path")
        if place is None:
            raise NotKnownError(f"save() to {format or noted.get('format')}", str(self.here))
        more = {k: _text(v) for k, v in options.items()}
        self._write(writer, "path", place, format, mode=mode, partitionBy=partitionBy, more=more)

    def saved_as(self, name: str, _: Any) -> Callable[..., None]:
        def save(
            writer: Any,
            path: str,
            mode: str | None = None,
            partitionBy: Any = None,  # noqa: N803 - PySpark's name
            **options: Any,
        ) -> None:
            more = {k: _text(v) for k, v in options.items() if v is not None}
            self._write(writer, "path", path, name, mode=mode, partitionBy=partitionBy, more=more)

        return save

    def saved_as_table(
        self, writer: Any, name: str, format: str | None = None, mode: str | None = None,  # noqa: A002 - PySpark's name
        partitionBy: Any = None, **options: Any,  # noqa: N803 - PySpark's name
    ) -> None:  # fmt: skip
        more = {k: _text(v) for k, v in options.items()}
        self._write(writer, "table", name, format, mode=mode, partitionBy=partitionBy, more=more)

    def inserted(self, writer: Any, tableName: str, overwrite: bool | None = None) -> None:  # noqa: N803 - PySpark's name
        self._write(writer, "insert", tableName, mode="overwrite" if overwrite else "append")

    def written_v2(self, name: str, _: Any) -> Callable[..., None]:
        def write(writer: Any, *_: Any) -> None:
            to = WrittenTo("table", writer._table, mode="overwrite" if "eplace" in name else "append")
            view = f"headwater_planned_{len(self.program.writes)}"
            writer._df.createOrReplaceTempView(view)
            command = commands.to_table(Jvm(writer._spark), view, to)
            self.program.writes.append(PlannedWrite(analysed(writer._df), command, to, self.here))

        return write

    def streamed(self, writer: Any, *args: Any, **__: Any) -> Unknown:
        place = str(args[0]) if args else "a stream's sink"
        frame = writer._df
        self.program.writes.append(PlannedWrite(analysed(frame), None, WrittenTo("stream", place), self.here))
        return Unknown("a streaming query", str(self.here))

    def schema_noted(self, before: Callable[..., Any]) -> Callable[..., Any]:
        def schema(reader: Any, given: Any) -> Any:
            reader.__dict__["_planned_schema"] = given
            return before(reader, given)

        return schema

    def read(self, name: str, before: Callable[..., Any]) -> Callable[..., Any]:
        def read(reader: Any, *args: Any, **kwargs: Any) -> Any:
            args = tuple(self._instead(each) for each in args)
            paths = args[0] if args else kwargs.get("path")
            if isinstance(paths, str) and _normal(paths) in self.files:
                frame = self.files[_normal(paths)]
                return frame.select("*")
            try:
                return before(reader, *args, **kwargs)
            except AnalysisException as error:
                given = reader.__dict__.get("_planned_schema") or kwargs.get("schema")
                if given is None or paths is None or "PATH_NOT_FOUND" not in str(error):
                    raise
                files = [*paths] if isinstance(paths, list | tuple) else [paths]
                return self._empty(reader, name, files, given, args)

        return read

    def _instead(self, given: Any) -> Any:
        if isinstance(given, list):
            return [self._instead(each) for each in given]
        return self.places.get(given, given) if isinstance(given, str) else given

    def _empty(
        self, reader: Any, name: str, files: list[str], given: Any, args: tuple[Any, ...]
    ) -> DataFrame:
        noted = reader.__dict__.get("_planned", {})
        form = name
        if name == "load":
            default = reader._spark.conf.get("spark.sql.sources.default")
            form = (args[1] if len(args) > 1 else None) or noted.get("format") or default
        jvm = Jvm(reader._spark)
        schema = jvm.frame(analysed(reader._spark.createDataFrame([], given)))._jdf.schema()
        options = noted.get("options", {})
        return DataFrame(commands.empty_relation(jvm, form, schema, options, files), reader._spark)

    def asked(self, before: Callable[..., Any]) -> Callable[..., Any]:
        def sql(session: Any, sqlQuery: str, *args: Any, **kwargs: Any) -> Any:  # noqa: N803 - PySpark's name
            jvm = Jvm(session)
            if args or kwargs:
                return before(session, sqlQuery, *args, **kwargs)
            parsed = commands.parsed(jvm, sqlQuery)
            if not _writes(parsed):
                return before(session, sqlQuery)
            command = commands.analysed_only(jvm, parsed)
            self.program.writes.append(
                PlannedWrite(_query_of(command), command, WrittenTo("sql", sqlQuery), self.here)
            )
            return session.createDataFrame([], "planned string")

        return sql


_STATEMENTS = (
    "InsertIntoStatement", "CreateTableAsSelect", "ReplaceTableAsSelect", "InsertIntoDir", "MergeIntoTable",
    "DeleteFromTable", "UpdateTable", "OverwriteByExpression", "AppendData",
)  # fmt: skip


def _writes(parsed: Any) -> bool:
    return kind(parsed) in _STATEMENTS or "Insert" in kind(parsed)


def _query_of(command: Any) -> Any:
    """The analysed query inside a command."""
    for place in range(command.productArity()):
        each = command.productElement(place)
        if hasattr(each, "getClass") and ".plans.logical." in str(each.getClass().getName()):
            return each
    return None


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _normal(path: str) -> str:
    return path.removeprefix("file://").removeprefix("file:").rstrip("/")
