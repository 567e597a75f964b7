"""The settings that switch the agent on, as plain data that needs no Spark.

Theory of operation. Spark ends an application whose ``spark.extraListeners`` or ``spark.plugins`` contains an unknown
class, and setting a list of jars replaces the whole list. So the agent's class is in a key of its own, for which Spark
tolerates a missing class (a source of metrics), and the jar is on the class path, which ``--jars``, ``--packages`` and
``spark.jars`` do not change. A class path entry that does not exist is ignored. If a user replaces any of these
settings, the agent is off, but the job is not affected.

Errors::

    ActivationError         code, hint
    ├── DefaultsFileError   a ``spark-defaults.conf`` that cannot be edited (``defaults_file``)
    ├── JarMissingError     the jar is not built or not installed
    └── NoDriverError       a session without a driver of its own (Spark Connect clients)
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

LISTENER = "io.headwater.spark.HeadwaterListener"
SOURCE = "io.headwater.spark.HeadwaterSource"
JAR_NAME = "headwater-spark.jar"
CLASS_PATH_KEY = "spark.driver.extraClassPath"
JARS_KEY = "spark.jars"
PYTHON_KEY = "spark.headwater.python"
SOURCE_KEY = "spark.metrics.conf.driver.source.headwater.class"


class ActivationError(Exception):
    """The agent cannot be switched on; ``hint`` describes a solution."""

    code = "ACTIVATION"

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(f"{text}: {hint}")
        self.hint = hint


class JarMissingError(ActivationError):
    code = "JAR_MISSING"


class NoDriverError(ActivationError):
    code = "NO_DRIVER"


def jar_path() -> Path:
    """The agent's jar inside this installation. Raises ``JarMissingError``."""
    jar = Path(__file__).resolve().parents[1] / "jars" / JAR_NAME
    if not jar.is_file():
        raise JarMissingError(
            f"the agent's jar is missing ({jar})",
            "in a checkout run `make jar`; otherwise install headwater again",
        )
    return jar


def transport_conf(events: str | Path | None = None, url: str | None = None) -> dict[str, str]:
    """The settings of a receiver: a file (made absolute) or a URL, or none. Raises ``ValueError`` for both."""
    if events is not None and url is not None:
        raise ValueError("events go to a file or to a URL, not both")
    prefix = "spark.openlineage.transport"
    if events is not None:
        return {f"{prefix}.type": "file", f"{prefix}.location": str(Path(events).expanduser().absolute())}
    if url is not None:
        return {f"{prefix}.type": "http", f"{prefix}.url": url}
    return {}


def spark_conf(
    events: str | Path | None = None, url: str | None = None, python: str | None = None
) -> dict[str, str]:
    """The settings for ``spark-defaults.conf``; ``python`` is the interpreter in which headwater is installed.

    Raises ``JarMissingError`` and, for two receivers, ``ValueError``.
    """
    return {
        CLASS_PATH_KEY: str(jar_path()),
        SOURCE_KEY: SOURCE,
        **interpreter_conf(python),
        **transport_conf(events, url),
    }


def conf_lines(
    events: str | Path | None = None, url: str | None = None, python: str | None = None
) -> list[str]:
    """``spark_conf`` as lines of ``spark-defaults.conf``."""
    return as_lines(spark_conf(events, url, python))


def as_lines(conf: Mapping[str, str]) -> list[str]:
    """The settings as lines of a Java properties file."""
    return [f"{key} {escaped(value)}" for key, value in conf.items()]


def escaped(value: str) -> str:
    """A value escaped for a Java properties file."""
    return value.replace("\\", "\\\\")


def interpreter_conf(python: str | None = None) -> dict[str, str]:
    """The setting of the agent's interpreter: ``python``, else the current one; empty if that is unknown."""
    interpreter = python or sys.executable
    return {PYTHON_KEY: interpreter} if interpreter else {}


def joined(known: str | None, ours: str, separator: str = ",") -> str:
    """A separated list with the agent's entry appended, unless it is in the list already."""
    entries = [entry.strip() for entry in (known or "").split(separator) if entry.strip()]
    return separator.join(entries if ours in entries else [*entries, ours])
