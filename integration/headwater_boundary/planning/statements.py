"""Statements of SQL while a program is planned: which may run, and which are planned and skipped."""

from __future__ import annotations

from typing import Any, Final

from pyspark.sql.functions import lit

from headwater_records_spark.context import nodes
from headwater_records_spark.jvm import EXPRESSIONS, LOGICAL, Jvm, kind, listed

_COMMAND: Final = LOGICAL + "Command"
_ANALYSIS: Final = "org.apache.spark.sql.catalyst.analysis."
_EXPRESSION: Final = EXPRESSIONS + "Expression"
_WRITES: Final = ("InsertIntoStatement", "InsertIntoDir")
"""What writes, and is no command before it is analysed."""
_OPAQUE: Final = (
    "CompoundBody", "UnresolvedExecuteImmediate", "ExecuteImmediateQuery", "Call", "UnresolvedCall",
)  # fmt: skip
"""What executes statements that it does not show."""
_SHOWS: Final = ("Show", "Describe", "Explain", "List", "Refresh")
_OF_SESSIONS: Final = (
    "SetCommand", "ResetCommand", "SetCatalogAndNamespace", "SetCatalogCommand", "SetNamespaceCommand",
    "CreateViewCommand", "CreateTempView", "CreateTempViewUsing", "CreateFunctionCommand", "DropFunctionCommand",
    "CreateVariable", "SetVariable", "DropVariable", "SetPathCommand",
    "AddJarsCommand", "AddFilesCommand", "AddArchivesCommand",
)  # fmt: skip
_OF_CACHES: Final = ("CacheTable", "UncacheTable", "ClearCacheCommand")
_OF_CATALOGS: Final = (
    "CreateTable", "CreateTableLike", "CreateTableLikeCommand", "CreateNamespace", "CreateView",
)  # fmt: skip
"""What tells a catalog of something new, which later statements need."""


class Statement:
    """A statement that a program asks, parsed; ``args`` are its parameters, as PySpark takes them."""

    def __init__(self, jvm: Jvm, text: str, args: Any = None) -> None:
        self._jvm = jvm
        self._text = text
        self._plan = jvm.spark._jsparkSession.sessionState().sqlParser().parsePlan(text)
        self._args = args
        command = jvm.view.java.lang.Class.forName(_COMMAND)
        self._doing = [
            each
            for each in nodes(self._plan)
            if kind(each) in (*_WRITES, *_OPAQUE) or command.isInstance(each)
        ]

    @property
    def may_run(self) -> bool:
        """Whether it reads no data, and changes nothing but the session of the plan."""
        return all(self._is_of_session(each) for each in self._doing)

    @property
    def is_of_cache(self) -> bool:
        """Whether it asks to keep data, or to do so no longer."""
        return kind(self._plan) in _OF_CACHES

    @property
    def is_opaque(self) -> bool:
        """Whether it executes statements that it does not show."""
        return any(kind(each) in _OPAQUE for each in self._doing)

    def cached(self) -> Any:
        """The name and the plan of a view that is to be kept; None of another statement."""
        plan = self._plan
        return (str(plan.tempViewName()), plan.plan()) if kind(plan) == "CacheTableAsSelect" else None

    def dropped_view(self) -> str | None:
        """The name of the temporary view that it drops, if it drops one."""
        if kind(self._plan) not in ("DropView", "DropTable"):
            return None
        parts = listed(self._plan.child().nameParts())
        name = parts[0] if len(parts) == 1 else ""
        views = self._jvm.spark._jsparkSession.sessionState().catalog()
        return name if name and views.getTempView(name).isDefined() else None

    def bound(self) -> Any:
        """The parsed plan with the values of its parameters."""
        if not self._args:
            return self._plan
        jvm = self._jvm
        if not isinstance(self._args, dict):
            values = [jvm.unresolved(lit(each)) for each in self._args]
            given = jvm.array_of(_EXPRESSION, values) if jvm.spark.version < "4" else jvm.seq(values)
            return jvm.type(_ANALYSIS + "PosParameterizedQuery")(self._plan, given)
        named = {name: jvm.unresolved(lit(each)) for name, each in self._args.items()}
        query = jvm.one(_ANALYSIS + "NameParameterizedQuery")
        return query.apply(self._plan, jvm.type("org.apache.spark.api.python.PythonUtils").toScalaMap(named))

    def _is_of_session(self, command: Any) -> bool:
        name = kind(command)
        if name in _OF_CATALOGS:
            return self._is_kept_in_memory(command)
        return name in _OF_SESSIONS or name.startswith(_SHOWS)

    def _is_kept_in_memory(self, command: Any) -> bool:
        """Whether the catalog that it changes is the session's own, which ends with it."""
        conf = self._jvm.spark.conf
        named = getattr(command, "child", command)
        parts = listed(named().nameParts()) if "nameParts" in dir(named()) else []
        others = {"spark_catalog", *(parts[:1] if len(parts) > 1 else ())}
        return (
            conf.get("spark.sql.catalogImplementation") == "in-memory"
            and self._jvm.spark.catalog.currentCatalog() == "spark_catalog"
            and not any(conf.get(f"spark.sql.catalog.{each}", None) for each in others)
        )
