"""Collects the commands that ran, and waits for them where Python writes.

Spark calls a listener after every command of the session, also after those that SQL or Scala gave. It is called on a
thread of its own; what Python calls to write waits for it here, so that inputs are looked at before the job goes on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import DataFrameWriter, DataFrameWriterV2, SparkSession

MOST_MILLISECONDS = 60_000
CALLS: dict[type, tuple[str, ...]] = {
    DataFrameWriter: (
        "save", "insertInto", "saveAsTable", "parquet", "json", "csv", "orc", "text", "xml", "jdbc",
    ),
    DataFrameWriterV2: ("create", "replace", "createOrReplace", "append", "overwrite", "overwritePartitions"),
    SparkSession: ("sql",),
}  # fmt: skip


class Commands:
    """The commands that ran and were not yet taken."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._ran: list[Any] = []
        self._first = 0

    def onSuccess(self, name: str, execution: Any, duration: int) -> None:  # noqa: N802 - as Java calls it
        """A query or a command has ended; of one that began before, the listener may be called late."""
        if execution.id() >= self._first:
            self._ran.append(execution)

    def onFailure(self, name: str, execution: Any, error: Any) -> None:  # noqa: N802 - as Java calls it
        """What failed wrote nothing that can be asked about."""

    def equals(self, other: Any) -> bool:
        """Whether it is this one: Spark compares it with the listeners before it when it takes it out."""
        return self is other

    class Java:
        """What this is for Java."""

        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)

    def taken(self) -> list[Any]:
        """The executions of what ran since the last time."""
        self._spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(MOST_MILLISECONDS)
        ran, self._ran = self._ran, []
        return ran

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Listen in here: to what begins from now on."""
        self._first = self._spark.range(0)._jdf.queryExecution().id()
        ensure_callback_server_started(self._spark.sparkContext._gateway)
        manager = self._spark._jsparkSession.listenerManager()
        manager.register(self)
        registered = manager.listListeners()[-1]
        try:
            yield
        finally:
            manager.unregister(registered)


@contextmanager
def after_writes(then: Callable[[], None]) -> Iterator[None]:
    """Call ``then`` after each call of Python that writes."""
    before = [(of, name, vars(of)[name]) for of, names in CALLS.items() for name in names if name in vars(of)]
    for of, name, function in before:
        setattr(of, name, _followed(function, then))
    try:
        yield
    finally:
        for of, name, function in before:
            setattr(of, name, function)


def _followed(function: Callable[..., Any], then: Callable[[], None]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        result = function(*arguments, **named)
        then()
        return result

    return call
