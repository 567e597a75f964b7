"""Records the lines from which a PySpark program writes: ``note_call_sites()``, called once in the driver.

PySpark records the user's line for actions that collect, but not for writes: for those Spark only sees the py4j thread
that called it. This module wraps the methods that write, and the actions for which PySpark records no line: while one
is running, its line is in the local property ``callSite.short`` of the calling thread, from which Spark reads call
sites. Spark shows it in its UI, too.

Methods for which PySpark records the line itself are not wrapped: it takes the frame above its own for the user's,
which would be the wrapper's. The micro-batches of a streaming query run in a thread of their own, which records py4j's
line; but it inherits the properties of the thread that starts the query, so the line of that call is in a property that
only Headwater uses.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from headwater_spark.guard import Failure, guarded

_PROPERTY: Final = "callSite.short"
_OF_QUERY: Final = "headwater.query.callSite"
"""The property that the listener in the JVM reads."""
_MARK: Final = "_notes_call_sites"
_CALLS: Final = (
    (
        "pyspark.sql.readwriter",
        "DataFrameWriter",
        ("save", "saveAsTable", "insertInto", "parquet", "orc", "json", "csv", "text", "xml", "jdbc"),
    ),
    (
        "pyspark.sql.readwriter",
        "DataFrameWriterV2",
        ("create", "replace", "createOrReplace", "append", "overwrite", "overwritePartitions"),
    ),
    ("pyspark.sql.merge", "MergeIntoWriter", ("merge",)),
    ("pyspark.sql.session", "SparkSession", ("sql",)),
)
_QUERIES: Final = ("pyspark.sql.streaming.readwriter", "DataStreamWriter", ("start", "toTable"))
_ACTIONS: Final = ("show", "count", "isEmpty", "checkpoint", "localCheckpoint")


def note_call_sites() -> None:
    """Record the user's line of each further write, statement, action and start of a streaming query in this process.

    Calling it again has no effect. Each recorded line costs up to three more round trips to the JVM, less than a
    millisecond together. Threads need PySpark's pinned mode, which is its default; without it, and in Spark Connect
    clients, no line is recorded. It never raises an error of the agent: methods that cannot be wrapped stay unchanged,
    with a warning.
    """
    done = guarded(_wrap_all)
    if isinstance(done, Failure):
        warnings.warn(f"Headwater cannot record all call sites: {done}", RuntimeWarning, stacklevel=2)


def _wrap_all() -> None:
    for module, name, methods in (*_CALLS, _actions()):
        if find_spec(module) is not None:  # Spark 3.5 has no MergeIntoWriter
            _wrap(getattr(import_module(module), name), methods, _PROPERTY)
    module, name, methods = _QUERIES
    _wrap(getattr(import_module(module), name), methods, _OF_QUERY)


def _actions() -> tuple[str, str, tuple[str, ...]]:
    """The class with the actions: since Spark 4, DataFrame is an interface, and another class implements it."""
    classic = "pyspark.sql.classic"
    return (f"{classic}.dataframe" if find_spec(classic) else "pyspark.sql.dataframe", "DataFrame", _ACTIONS)


def _wrap(owner: type, methods: tuple[str, ...], spark_property: str) -> None:
    for name in methods:
        method = vars(owner).get(name)
        if isinstance(method, FunctionType) and not hasattr(method, _MARK):
            setattr(owner, name, _recording(method, spark_property))


def _recording(method: FunctionType, spark_property: str) -> Callable[..., Any]:
    @wraps(method)
    def recording(*args: Any, **kwargs: Any) -> Any:
        undo = guarded(lambda: _record(method.__name__, spark_property))
        try:
            return method(*args, **kwargs)
        finally:
            if undo is not None and not isinstance(undo, Failure):
                guarded(undo)

    setattr(recording, _MARK, True)
    return recording


def _record(method: str, spark_property: str) -> Callable[[], None] | None:
    """Set the property to the user's line; returns a function that restores it, or None if it is not set.

    An existing ``callSite.short`` is kept: it is that of an enclosing call, or set by the user. An existing call site
    of a query is replaced: it is that of a query in whose batch this one is started.
    """
    from py4j.clientserver import ClientServer  # noqa: PLC0415 - importing this module must not need Spark
    from pyspark import SparkContext  # noqa: PLC0415

    context = SparkContext._active_spark_context
    if context is None or not isinstance(context._gateway, ClientServer):
        return None
    line = _users_line(_folder(sys.modules["pyspark"].__file__))
    before = context.getLocalProperty(spark_property)
    if line is None or (before is not None and spark_property == _PROPERTY):
        return None
    context.setLocalProperty(spark_property, f"{method} at {line}")
    return lambda: context.setLocalProperty(spark_property, before)


_PACKAGE: Final = str(Path(__file__).parents[1]) + os.sep


def _folder(module: str | None) -> str:
    return str(Path(module or "").parent) + os.sep


def _users_line(pyspark: str) -> str | None:
    """``file:line`` of the innermost frame outside of this package and PySpark."""
    inner = (pyspark, _PACKAGE)
    frame = sys._getframe()
    while frame.f_code.co_filename.startswith(inner):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
