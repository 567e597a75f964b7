"""Lets a PySpark program say from which of its lines it writes: ``note_call_sites()``, once, in the driver.

PySpark notes the user's line for what it collects, and none for what it writes: of a write Spark sees only the thread
that py4j has called it from, which is nobody's line. Here the calls that write, and the actions that PySpark does not
note, are wrapped: while one runs, the line that made it stands where Spark looks for a call site, the local property
``callSite.short`` of the calling thread. Spark shows it in its UI, too.

What PySpark notes itself is left alone: it takes the frame above its own for the user's, and would find ours there. The
micro-batches of a streaming query run in a thread of their own, which notes py4j's line for itself; but it inherits the
properties of the thread that starts the query, so that the line of that call is in one of ours, for Headwater alone.
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
"""As the listener in the JVM knows it."""
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
    """From here on, Spark knows the user's line of each write, statement and action of this process, and Headwater that
    of each streaming query's start.

    Calling it again changes nothing. Each call costs up to three more round trips to the JVM, less than a millisecond
    together. Threads need PySpark's pinned mode, which is its default; without it, and in Spark Connect clients,
    nothing is noted. It never raises for a reason of ours: what cannot be wrapped stays as it was, with a warning.
    """
    done = guarded(_wrap_all)
    if isinstance(done, Failure):
        warnings.warn(f"Headwater cannot note all call sites: {done}", RuntimeWarning, stacklevel=2)


def _wrap_all() -> None:
    for module, name, methods in (*_CALLS, _actions()):
        if find_spec(module) is not None:  # Spark 3.5 has no MergeIntoWriter
            _wrap(getattr(import_module(module), name), methods, _PROPERTY)
    module, name, methods = _QUERIES
    _wrap(getattr(import_module(module), name), methods, _OF_QUERY)


def _actions() -> tuple[str, str, tuple[str, ...]]:
    """Since Spark 4, DataFrame is an interface, and that of a session with a driver is another class."""
    classic = "pyspark.sql.classic"
    return (f"{classic}.dataframe" if find_spec(classic) else "pyspark.sql.dataframe", "DataFrame", _ACTIONS)


def _wrap(owner: type, methods: tuple[str, ...], told_as: str) -> None:
    for name in methods:
        method = vars(owner).get(name)
        if isinstance(method, FunctionType) and not hasattr(method, _MARK):
            setattr(owner, name, _noting(method, told_as))


def _noting(method: FunctionType, told_as: str) -> Callable[..., Any]:
    @wraps(method)
    def noting(*args: Any, **kwargs: Any) -> Any:
        undo = guarded(lambda: _note(method.__name__, told_as))
        try:
            return method(*args, **kwargs)
        finally:
            if undo is not None and not isinstance(undo, Failure):
                guarded(undo)

    setattr(noting, _MARK, True)
    return noting


def _note(method: str, told_as: str) -> Callable[[], None] | None:
    """Tell Spark the line as that property; what takes it back, or None where there is nothing to tell.

    A call site that is set already is that of a call around this one, or the user's own word; a query's is that of a
    query in whose batch this one is started.
    """
    from py4j.clientserver import ClientServer  # noqa: PLC0415 - importing this module must not need Spark
    from pyspark import SparkContext  # noqa: PLC0415

    context = SparkContext._active_spark_context
    if context is None or not isinstance(context._gateway, ClientServer):
        return None
    line = _users_line(_folder(sys.modules["pyspark"].__file__))
    before = context.getLocalProperty(told_as)
    if line is None or (before is not None and told_as == _PROPERTY):
        return None
    context.setLocalProperty(told_as, f"{method} at {line}")
    return lambda: context.setLocalProperty(told_as, before)


_PACKAGE: Final = str(Path(__file__).parents[1]) + os.sep


def _folder(module: str | None) -> str:
    return str(Path(module or "").parent) + os.sep


def _users_line(pyspark: str) -> str | None:
    """``file:line`` of the innermost frame that is neither ours nor PySpark's."""
    inner = (pyspark, _PACKAGE)
    frame = sys._getframe()
    while frame.f_code.co_filename.startswith(inner):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
