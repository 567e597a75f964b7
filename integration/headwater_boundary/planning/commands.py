"""Commands that write, analysed and never executed."""

from __future__ import annotations

from typing import Any

from headwater_boundary.planning.program import WrittenTo
from headwater_boundary.planning.statements import Statement
from headwater_records_spark.jvm import Jvm

_SQL = "org.apache.spark.sql."
_SOURCE = _SQL + "execution.datasources.DataSource"
_MODES = {
    "append": "Append",
    "overwrite": "Overwrite",
    "ignore": "Ignore",
    "error": "ErrorIfExists",
    "errorifexists": "ErrorIfExists",
}


def analysed_only(jvm: Jvm, plan: Any) -> Any:
    """The analysed plan of a command, which is not executed."""
    modes = jvm.type(_SQL + "execution.CommandExecutionMode")
    state = jvm.spark._jsparkSession.sessionState()
    return state.executePlan(plan, modes.withName("SKIP")).analyzed()


def to_source(jvm: Jvm, query: Any, to: WrittenTo) -> Any:
    """The command that writes rows to a path, or to what the options name."""
    mode = jvm.type(_SQL + "SaveMode").valueOf(_MODES[to.mode])
    path = {"path": to.place} if to.kind == "path" else {}
    source = _source(jvm, to.format, dict(to.options) | path, partition_by=to.partition_by)
    return analysed_only(jvm, source.planForWriting(mode, query))


def to_table(jvm: Jvm, view: str, to: WrittenTo) -> Any:
    """The command that writes the rows of a view to a table."""
    exists = jvm.spark.catalog.tableExists(to.place)
    if to.kind == "insert" or (to.mode == "append" and exists):
        how = "OVERWRITE" if to.mode == "overwrite" else "INTO"
        text = f"INSERT {how} {to.place} SELECT * FROM {view}"  # noqa: S608 - names of the program, planned and not executed
    else:
        parts = f" PARTITIONED BY ({', '.join(to.partition_by)})" if to.partition_by else ""
        name = to.place if not exists else f"{to.place}_planned"
        text = f"CREATE TABLE {name} USING {to.format}{parts} AS SELECT * FROM {view}"  # noqa: S608 - as above
    return analysed_only(jvm, Statement(jvm, text).bound())


def empty_relation(jvm: Jvm, form: str, schema: Any, options: dict[str, str], paths: list[str]) -> Any:
    """The data frame of files that do not exist yet, by their schema."""
    source = _source(jvm, form, options, schema=schema, paths=paths)
    relation = (
        source.resolveRelation(False)
        if len(_constructor(jvm).getParameterTypes()) == 8
        else source.resolveRelation(False, False, False)
    )
    return jvm.spark._jsparkSession.baseRelationToDataFrame(relation)


def _constructor(jvm: Jvm) -> Any:
    return jvm.view.java.lang.Class.forName(_SOURCE).getConstructors()[0]


def _source(
    jvm: Jvm,
    form: str,
    options: dict[str, str],
    *,
    schema: Any = None,
    paths: list[str] | None = None,
    partition_by: tuple[str, ...] = (),
) -> Any:
    some, nothing = jvm.view.scala.Some, jvm.view.scala.Option.empty()
    arguments = [
        jvm.spark._jsparkSession,
        form,
        jvm.seq(paths or []),
        some(schema) if schema is not None else nothing,
        jvm.seq(list(partition_by)),
        nothing,
        jvm.view.org.apache.spark.api.python.PythonUtils.toScalaMap(options),
        nothing,
    ]
    more = len(_constructor(jvm).getParameterTypes()) - len(arguments)
    return jvm.type(_SOURCE)(*arguments, *[nothing] * more)
