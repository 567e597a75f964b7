"""What the user's own surroundings already say to Spark: ``spark-defaults.conf`` and ``PYSPARK_SUBMIT_ARGS``."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path

DEFAULTS = "spark-defaults.conf"
_LINE = re.compile(r"^\s*([^#!\s:=][^\s:=]*)(?:\s*[=:]\s*|\s+)(.*?)\s*$")


def conf_dir(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The configuration directory that Spark would read, or None when there is none."""
    if explicit := environment.get("SPARK_CONF_DIR"):
        return Path(explicit)
    home = environment.get("SPARK_HOME") or _pyspark_home()
    directory = Path(home) / "conf" if home else None
    return directory if directory and directory.is_dir() else None


def _pyspark_home() -> str | None:
    spec = importlib.util.find_spec("pyspark")
    return str(Path(spec.origin).parent) if spec and spec.origin else None


def defaults(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The settings of ``spark-defaults.conf``; empty where it cannot be read."""
    directory = conf_dir(environment)
    if directory is None:
        return {}
    try:
        return properties((directory / DEFAULTS).read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return {}


def properties(text: str) -> dict[str, str]:
    """Key and value of each line of a Java properties file; of a key given twice the last one holds."""
    found = (_LINE.match(line) for line in text.splitlines())
    return {line[1]: line[2] for line in found if line}


def submitted(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The settings given as ``--conf`` and ``--jars`` in ``PYSPARK_SUBMIT_ARGS``."""
    try:
        words = shlex.split(environment.get("PYSPARK_SUBMIT_ARGS", ""))
    except ValueError:
        return {}
    found: dict[str, str] = {}
    for word, after in zip_longest(words, words[1:], fillvalue=""):
        option, _, value = word.partition("=")
        given = value or after
        if option in ("--conf", "-c") and "=" in given:
            key, _, setting = given.partition("=")
            found[key] = setting
        elif option == "--jars":
            found["spark.jars"] = given
    return found


def known(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Both, as Spark ranks them."""
    return {**defaults(environment), **submitted(environment)}
