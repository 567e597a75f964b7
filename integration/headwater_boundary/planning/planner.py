"""What stands in the places of PySpark's methods while a program is planned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from py4j.protocol import Py4JJavaError
from pyspark import RDD
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.sql_formatter import SQLStringFormatter

from headwater_boundary.planning import commands
from headwater_boundary.planning.connect import Client
from headwater_boundary.planning.origins import reads_data
from headwater_boundary.planning.program import (
    Line,
    PlannedWrite,
    Program,
    Stop,
    WrittenTo,
    called_by_planning,
    users_line,
)
from headwater_boundary.planning.statements import Statement
from headwater_boundary.planning.unknown import NotKnownError, Unknown
from headwater_boundary.planning.views import outdated
from headwater_records_spark.jvm import Jvm, analysed


class Planner:
    """The methods that stand in the places of PySpark's."""

    def __init__(self, program: Program, client: Client, places: Mapping[str, str]) -> None:
        self.program = program
        self.client = client
        self.places = places
        self.files: dict[str, DataFrame] = {}

    @property
    def here(self) -> Line:
        return users_line(self.program.script)

    def unknown(self, what: str) -> Unknown:
        """What stands for a value that is not read here."""

        def handed_on(method: str) -> None:
            reason = f"{method}() takes what {what} gives out of Spark; where to is not planned"
            self.program.stops.append(Stop(self.here, reason))

        return Unknown(what, str(self.here), handed_on)

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
            return self.unknown(f"{name}()")

        return collect

    def acted(self, name: str, before: Callable[..., Any]) -> Callable[..., Any]:
        def act(rdd: Any, *args: Any, **kwargs: Any) -> Any:
            # Of the program's own values, PySpark asks the first for its type.
            if called_by_planning():
                if reads_data(rdd):
                    raise NotKnownError(f"{name}() of an RDD", str(self.here))
                return before(rdd, *args, **kwargs)
            return self.unknown(f"{name}()")

        return act

    def run(self, before: Callable[..., Any]) -> Callable[..., Any]:
        def run(context: Any, rdd: Any, *args: Any, **kwargs: Any) -> Any:
            if called_by_planning():
                return before(context, rdd, *args, **kwargs)
            return self.unknown("runJob()")

        return run

    def read_at_once(self, before: Callable[..., Any]) -> Callable[..., Any]:
        def given(rdd: Any) -> Any:
            if reads_data(rdd):
                raise NotKnownError("a computation over an RDD", str(self.here))
            return before(rdd)

        return given

    def observed(self, _: Any) -> property:
        return property(lambda _: self.unknown("Observation.get"))

    def not_planned(self, name: str, _: Any) -> Callable[..., None]:
        def skip(*_: Any, **__: Any) -> None:
            self.program.stops.append(Stop(self.here, f"{name}() writes what is not planned"))

        return skip

    def by_values(self, name: str, _: Any) -> Callable[..., NoReturn]:
        """Of methods that make columns of what is in the data."""

        def ask(*_: Any, **__: Any) -> NoReturn:
            raise NotKnownError(f"{name}()", str(self.here))

        return ask

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
        if kind_of in ("path", "source"):
            command = self._to_source(jvm, query, to)
            if kind_of == "path":
                self.files[_normal(place)] = writer._df
        else:
            command = self._to_table(jvm, writer._df, to)
            if kind_of == "table" and "." not in place and to.mode != "append":
                writer._df.createOrReplaceTempView(place)
        self._planned(query, command, to)

    def _to_source(self, jvm: Jvm, query: Any, to: WrittenTo) -> Any:
        """The command; None, which the program says, for formats of which Spark makes none before it writes."""
        try:
            return commands.to_source(jvm, query, to)
        except Py4JJavaError:
            reason = f"the lineage of what is written as {to.format} is not planned"
            self.program.stops.append(Stop(self.here, reason))
            return None

    def _to_table(self, jvm: Jvm, frame: DataFrame, to: WrittenTo) -> Any:
        view = f"headwater_planned_{len(self.program.writes)}"
        frame.createOrReplaceTempView(view)
        return commands.to_table(jvm, view, to)

    def _planned(self, query: Any, command: Any, to: WrittenTo) -> None:
        self.program.writes.append(PlannedWrite(query, command, to, self.here))
        jvm = Jvm(SparkSession.active()) if self.client.server and query is not None else None
        for view in dict.fromkeys(outdated(jvm, query)) if jvm else ():
            reason = (
                f"a frame was made of the view {view}, which has been replaced or dropped since; "
                "a client of Spark Connect reads what the view is when it writes"
            )
            self.program.stops.append(Stop(self.here, reason))

    def saved(
        self, writer: Any, path: str | None = None, format: str | None = None, mode: str | None = None,  # noqa: A002 - PySpark's name
        partitionBy: Any = None, **options: Any,  # noqa: N803 - PySpark's name
    ) -> None:  # fmt: skip
        noted = writer.__dict__.get("_planned", {})
        place = path or noted.get("options", {}).get("path")
        more = {k: _text(v) for k, v in options.items()}
        named = {**noted.get("options", {}), **more}
        kind = "path" if place else "source"
        place = place or next((named[each] for each in _NAMES_OF_PLACES if each in named), "an unnamed place")
        self._write(writer, kind, place, format, mode=mode, partitionBy=partitionBy, more=more)

    def saved_to_jdbc(
        self,
        writer: Any,
        url: str,
        table: str,
        mode: str | None = None,
        properties: dict[str, str] | None = None,
    ) -> None:
        more = {**(properties or {}), "url": url, "dbtable": table}
        self._write(writer, "source", table, "jdbc", mode=mode, more=more)

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

    def table_noted(self, before: Callable[..., None]) -> Callable[..., None]:
        def begin(writer: Any, frame: Any, table: str) -> None:
            before(writer, frame, table)
            writer.__dict__["_planned_table"] = table

        return begin

    def written_v2(self, name: str, _: Any) -> Callable[..., None]:
        def write(writer: Any, *_: Any) -> None:
            to = WrittenTo(
                "table", writer.__dict__["_planned_table"], mode="overwrite" if "eplace" in name else "append"
            )
            command = self._to_table(Jvm(writer._spark), writer._df, to)
            self._planned(analysed(writer._df), command, to)

        return write

    def streamed(self, writer: Any, *args: Any, **__: Any) -> Unknown:
        place = str(args[0]) if args else "a stream's sink"
        frame = writer._df
        self._planned(analysed(frame), None, WrittenTo("stream", place))
        return self.unknown("a streaming query")

    def schema_noted(self, before: Callable[..., Any]) -> Callable[..., Any]:
        def schema(reader: Any, given: Any) -> Any:
            reader.__dict__["_planned_schema"] = given
            return before(reader, given)

        return schema

    def read(self, name: str, before: Callable[..., Any]) -> Callable[..., Any]:
        def read(reader: Any, *args: Any, **kwargs: Any) -> Any:
            args = tuple(self._instead(each) for each in args)
            paths = args[0] if args else kwargs.get("path")
            if isinstance(paths, RDD) and reads_data(paths) and not self._has_schema(reader, args, kwargs):
                raise NotKnownError(f"{name}() of an RDD without a schema", str(self.here))
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

    def _has_schema(self, reader: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        given = args[1] if len(args) > 1 else kwargs.get("schema")
        return bool(given or reader.__dict__.get("_planned_schema"))

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
        def sql(session: Any, sqlQuery: str, args: Any = None, **kwargs: Any) -> Any:  # noqa: N803 - PySpark's name
            jvm, formatter = Jvm(session), SQLStringFormatter(session)
            text = formatter.format(sqlQuery, **kwargs) if kwargs else sqlQuery
            try:
                statement = Statement(jvm, text, args)
                if statement.may_run:
                    return before(session, text, args)
                self._skip(jvm, statement, sqlQuery)
            finally:
                formatter.clear()
            return session.createDataFrame([], "planned string")

        return sql

    def _skip(self, jvm: Jvm, statement: Statement, text: str) -> None:
        cached, view = statement.cached(), statement.dropped_view()
        if cached is not None:
            jvm.frame(cached[1]).createOrReplaceTempView(cached[0])
        elif view is not None:
            jvm.spark.catalog.dropTempView(view)
        elif statement.is_opaque:
            reason = f"it executes statements that are not planned: {text.strip()}"
            self.program.stops.append(Stop(self.here, reason))
        elif not statement.is_of_cache:
            command = commands.analysed_only(jvm, statement.bound())
            self._planned(_query_of(command), command, WrittenTo("sql", text))


def _query_of(command: Any) -> Any:
    """The analysed query inside a command."""
    for place in range(command.productArity()):
        each = command.productElement(place)
        if hasattr(each, "getClass") and ".plans.logical." in str(each.getClass().getName()):
            return each
    return None


_NAMES_OF_PLACES = ("dbtable", "table", "topic", "collection", "resource")
"""Options of sources that have no paths."""


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _normal(path: str) -> str:
    return path.removeprefix("file://").removeprefix("file:").rstrip("/")
