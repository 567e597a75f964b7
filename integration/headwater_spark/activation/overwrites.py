"""Shows the gate who writes when ``saveAsTable`` overwrites on Spark 3.5: the table is dropped first.

See ``io.headwater.spark.gate.Overwrites``: it can judge such a write before the drop only if the call goes through it.
Like ``call_sites``, this module imports pyspark only inside functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

_MARK: Final = "_shows_the_writer"
_GATE: Final = "spark.headwater.gate"


def show_writers() -> None:
    """Lead ``saveAsTable`` of PySpark 3.5 through the gate, in sessions that have one. Again, it has no effect."""
    import pyspark  # noqa: PLC0415 - importing this module must not need Spark
    from pyspark.sql import DataFrameWriter  # noqa: PLC0415

    before = DataFrameWriter.saveAsTable
    if pyspark.__version__.startswith("3.") and not hasattr(before, _MARK):
        DataFrameWriter.saveAsTable = _shown(before)


def _shown(before: Callable[..., None]) -> Callable[..., None]:
    @wraps(before)
    def save_as_table(
        writer: Any,
        name: str,
        format: str | None = None,  # noqa: A002 - PySpark's name of it
        mode: str | None = None,
        partitionBy: Any = None,  # noqa: N803 - PySpark's name of it
        **options: Any,
    ) -> None:
        gate = _entry(writer)
        if gate is None:
            before(writer, name, format, mode, partitionBy, **options)
            return
        writer.mode(mode).options(**options)
        if partitionBy is not None:
            writer.partitionBy(partitionBy)
        if format is not None:
            writer.format(format)
        own = writer._jwrite
        writer._jwrite = _Led(own, gate)
        try:
            before(writer, name)
        finally:
            writer._jwrite = own

    setattr(save_as_table, _MARK, True)
    return save_as_table


class _Led:
    """A writer of the JVM whose ``saveAsTable`` is called by the gate."""

    def __init__(self, writer: Any, gate: Any) -> None:
        self._writer, self._gate = writer, gate

    def saveAsTable(self, name: str) -> None:  # noqa: N802 - Spark's name of it
        self._gate.saveAsTable(self._writer, name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)


def _entry(writer: Any) -> Any:
    """The gate's class in the JVM; None where the application has no gate, and for clients of Spark Connect."""
    spark = getattr(writer, "_spark", None)
    context = getattr(spark, "_sc", None)
    if context is None or context._conf.get(_GATE, "off").strip().lower() in {"off", ""}:
        return None
    return context._jvm.io.headwater.spark.gate.Overwrites
