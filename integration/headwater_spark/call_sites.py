"""Lets a PySpark program say from which of its lines it writes: ``note_call_sites()``, once, in the driver.

PySpark notes the user's line for what it collects, and none for what it writes: of a write Spark sees only the thread
that py4j has called it from, which is nobody's line. Here the calls that write, and the actions that PySpark does not
note, are wrapped: while one runs, the line that made it stands where Spark looks for a call site, the local property
``callSite.short`` of the calling thread. Spark shows it in its UI, too.

What PySpark notes itself is left alone: it takes the frame above its own for the user's, and would find ours there. A
streaming query is left alone as well: its micro-batches run in a thread that notes its own call site.
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
_ACTIONS: Final = ("show", "count", "isEmpty", "checkpoint", "localCheckpoint")


def note_call_sites() -> None:
    """From here on, Spark knows the user's line of each write, statement and action of this process.

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
            _wrap(getattr(import_module(module), name), methods)


def _actions() -> tuple[str, str, tuple[str, ...]]:
    """Since Spark 4, DataFrame is an interface, and that of a session with a driver is another class."""
    classic = "pyspark.sql.classic"
    return (f"{classic}.dataframe" if find_spec(classic) else "pyspark.sql.dataframe", "DataFrame", _ACTIONS)


def _wrap(owner: type, methods: tuple[str, ...]) -> None:
    for name in methods:
        method = vars(owner).get(name)
        if isinstance(method, FunctionType) and not hasattr(method, _MARK):
            setattr(owner, name, _noting(method))


def _noting(method: FunctionType) -> Callable[..., Any]:
    @wraps(method)
    def noting(*args: Any, **kwargs: Any) -> Any:
        context = guarded(lambda: _note(method.__name__))
        try:
            return method(*args, **kwargs)
        finally:
            if context is not None and not isinstance(context, Failure):
                guarded(lambda: context.setLocalProperty(_PROPERTY, None))

    setattr(noting, _MARK, True)
    return noting


def _note(method: str) -> Any:
    """Tell Spark the line; the context that was told, or None where there is nothing to tell or to be told.

    A call site that is set already is that of a call around this one, or the user's own word.
    """
    from py4j.clientserver import ClientServer  # noqa: PLC0415 - importing this module must not need Spark
    from pyspark import SparkContext  # noqa: PLC0415

    context = SparkContext._active_spark_context
    if context is None or not isinstance(context._gateway, ClientServer):
        return None
    line = _users_line(_folder(sys.modules["pyspark"].__file__))
    if line is None or context.getLocalProperty(_PROPERTY) is not None:
        return None
    context.setLocalProperty(_PROPERTY, f"{method} at {line}")
    return context


def _folder(module: str | None) -> str:
    return str(Path(module or "").parent) + os.sep


def _users_line(pyspark: str) -> str | None:
    """``file:line`` of the innermost frame that is neither ours nor PySpark's."""
    inner = (pyspark, _folder(__file__))
    frame = sys._getframe()
    while frame.f_code.co_filename.startswith(inner):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
