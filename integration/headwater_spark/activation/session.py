"""Switches the agent on for Python users: before a session exists (``configure``) or in a running one (``attach``).

Like ``call_sites``, it imports pyspark only inside functions. ``configure`` never raises an error of the agent: it
warns and leaves the builder unchanged, so that the job runs. ``attach`` is for interactive use and raises
``ActivationError``.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from headwater_spark.activation import frame_rows, overwrites, own_reads
from headwater_spark.activation.agent_settings import (
    CLASS_PATH_KEY,
    JARS_KEY,
    LISTENER,
    SOURCE,
    SOURCE_KEY,
    NoDriverError,
    conf_lines,
    interpreter_conf,
    jar_path,
    joined,
    spark_conf,
    transport_conf,
)
from headwater_spark.activation.defaults import known
from headwater_spark.capture.program_reads import KEY
from headwater_spark.guard import Failure, guarded

__all__ = ["attach", "conf_lines", "configure", "jar_path", "spark_conf"]

BuilderT = TypeVar("BuilderT")


def configure(builder: BuilderT, events: str | Path | None = None, url: str | None = None) -> BuilderT:
    """The builder with the agent switched on. The user's settings in the builder, in ``spark-defaults.conf`` and in
    ``PYSPARK_SUBMIT_ARGS`` are kept.

    ``events`` (a file) or ``url`` is the receiver of events; without them it is the one that is configured elsewhere.
    If an application is already running, the agent is attached to it.
    """
    options: Mapping[str, str] = dict(getattr(builder, "_options", {}))
    try:
        if "spark.remote" in options or os.environ.get("SPARK_REMOTE"):
            raise NoDriverError(
                "a Spark Connect client has no driver of its own", "switch the agent on at the server"
            )
        if not _attached_to_running(events, url):
            _apply(builder, _additions(options, events, url))
            overwrites.show_writers()
            frame_rows.note_frames()
    except Exception as error:  # noqa: BLE001 - the user's session must start in any case
        warnings.warn(f"Headwater is off: {str(error) or type(error).__name__}", RuntimeWarning, stacklevel=2)
    return builder


def attach(spark: Any, events: str | Path | None = None, url: str | None = None) -> bool:
    """Attach the agent to the application of a running session; False if it is attached already.

    Raises ``NoDriverError`` for a Spark Connect client and ``JarMissingError``.
    """
    if not hasattr(spark, "_jsparkSession"):
        raise NoDriverError(
            "this session has no driver of its own (Spark Connect)", "switch the agent on at the server"
        )
    jvm = spark._jvm
    loader = spark._jsparkSession.sharedState().jarClassLoader()
    loader.addURL(_jar_url(jvm))
    settings = jvm.java.util.HashMap()
    for key, value in {**interpreter_conf(), **transport_conf(events, url), **_late_journal()}.items():
        settings.put(key, value)
    arguments = spark.sparkContext._gateway.new_array(jvm.java.lang.Object, 2)
    arguments[0] = spark.sparkContext._jsc.sc()
    arguments[1] = settings
    methods = loader.loadClass(LISTENER).getMethods()
    entry = next(method for method in methods if method.getName() == "attach")
    frame_rows.note_frames()
    return bool(entry.invoke(None, arguments))


def _attached_to_running(events: str | Path | None, url: str | None) -> bool:
    """Attach the agent if an application is running, whose static settings are fixed; False if none is.

    In a JVM without an application (after a stopped session, or in a program started by ``spark-submit``) only the
    class path is fixed, so the jar is added to its class loader.
    """
    from pyspark import SparkContext  # noqa: PLC0415 - importing this module must not need Spark
    from pyspark.sql import SparkSession  # noqa: PLC0415

    if SparkContext._active_spark_context is not None:
        attach(SparkSession.builder.getOrCreate(), events, url)
        return True
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        SparkContext._ensure_initialized()
    if SparkContext._jvm is not None:
        loader = SparkContext._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        loader.addURL(_jar_url(SparkContext._jvm))
    return False


def _journal() -> dict[str, str]:
    """The setting of the journal in which this process notes what it reads by itself; nothing if it cannot."""
    journal = guarded(own_reads.watch)
    return {} if isinstance(journal, Failure) else {KEY: journal}


def _late_journal() -> dict[str, str]:
    """The same in a program that has been running; it says so, unless it was watched before."""
    was_watched = own_reads.is_watching()
    journal = _journal()
    if journal and not was_watched:
        own_reads.note_unwatched("nobody saw what it read before the agent was attached")
    return journal


def _jar_url(jvm: Any) -> Any:
    return jvm.java.io.File(str(jar_path())).toURI().toURL()


def _additions(options: Mapping[str, str], events: str | Path | None, url: str | None) -> dict[str, str]:
    """The settings to add. The jar is in two of them, in case the program replaces one later."""
    present, jar = {**known(), **options}, str(jar_path())
    return {
        CLASS_PATH_KEY: joined(present.get(CLASS_PATH_KEY), jar, os.pathsep),
        JARS_KEY: joined(present.get(JARS_KEY), jar),
        **_journal(),
        SOURCE_KEY: SOURCE,
        **{key: value for key, value in interpreter_conf().items() if key not in present},
        **transport_conf(events, url),
    }


def _apply(builder: Any, settings: Mapping[str, str]) -> None:
    for key, value in settings.items():
        builder.config(key, value)
