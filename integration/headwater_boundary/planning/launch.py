"""Starts the planning of a script in a process of its own, with the classes that encode plans on Spark's class path.

The script's session is its own, so the classes are extracted into a copy of the user's configuration directory,
which is on every driver's class path. What the script prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from headwater_boundary.planning.program import MARKS_OF_CLIENTS
from headwater_spark.activation.agent_settings import jar_path
from headwater_spark.activation.defaults import conf_dir

_DEFAULTS = "spark-defaults.conf"
_LESS_TO_READ = "spark.log.level ERROR\n"
"""Planning tells by itself what is missing; Spark would warn of it with its stack trace."""


class PlanningError(Exception):
    """The process that plans ended without an answer."""


def in_own_process(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of ``headwater_boundary.__main__`` to what is asked. Raises ``PlanningError``."""
    if find_spec("py4j") is None:
        raise PlanningError(
            "planning needs Spark on this machine: pip install pyspark (pyspark-client has none)"
        )
    with tempfile.TemporaryDirectory(prefix="headwater-plan-", ignore_cleanup_errors=True) as folder:
        overlay, answer = Path(folder) / "conf", Path(folder) / "answer.json"
        _write_overlay(overlay)
        given = {key: each for key, each in os.environ.items() if key not in MARKS_OF_CLIENTS}
        environment = {**given, "SPARK_CONF_DIR": str(overlay)}
        command = [sys.executable, "-m", "headwater_boundary", json.dumps(dict(asked)), str(answer)]
        code = subprocess.run(command, env=environment, stdout=sys.stderr.fileno(), check=False).returncode
        if not answer.is_file():
            raise PlanningError(f"planning ended with {code}, and without an answer")
        return dict(json.loads(answer.read_text("utf-8")))


def _write_overlay(overlay: Path) -> None:
    overlay.mkdir()
    with zipfile.ZipFile(jar_path()) as jar:
        jar.extractall(overlay)
    own = conf_dir()
    defaults = own / _DEFAULTS if own else None
    given = defaults.read_text("utf-8") if defaults and defaults.is_file() else ""
    (overlay / _DEFAULTS).write_text(_LESS_TO_READ + given, "utf-8")
    for entry in own.iterdir() if own and own.is_dir() else ():
        if not (overlay / entry.name).exists():
            (overlay / entry.name).symlink_to(entry.absolute())
