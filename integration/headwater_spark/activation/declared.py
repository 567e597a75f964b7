"""Passes declarations of user functions from the driver's Python to the agent's process.

The decorator runs in the user's Python; the agent's process is a child of the JVM. Neither the job nor its plans may be
changed, so the declarations are in a small file. It is found in one of two ways:

- Python starts the JVM later: the JVM inherits an environment variable with the path of the file;
- the JVM exists already (``spark-submit``, a running session): the name of the file has the process id of the JVM,
  which is the parent of the agent's process.

Only the user can access the file, and files of other users are never read. The configured file declares functions for
all jobs; the decorator takes precedence.
"""

from __future__ import annotations

import atexit
import inspect
import json
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from headwater_plan.declarations import (
    Declaration,
    DeclarationError,
    declaration,
    from_json,
    read_declarations,
)

log = logging.getLogger(__name__)

UDFS: Final = "spark.headwater.udfs"
ENVIRONMENT: Final = "HEADWATER_DECLARED_UDFS"

F = TypeVar("F")

_entries: dict[str, dict[str, Any]] = {}


def lineage(
    reads: Sequence[str],
    writes: str | None = None,
    masking: bool = False,
    name: str | None = None,
) -> Callable[[F], F]:
    """Declare what a user function does, so that it is traced and not opaque. The function is returned unchanged.

    ``reads`` are lines like ``"name.last -> surname"`` (notation: ``headwater_plan.declarations``), with the
    function's own parameter names; ``writes`` is the result's path for lines without an arrow; ``masking``: the result
    hides its input. ``name`` is the name under which the function is registered for SQL, if it is not its own. Use it
    above or below ``udf``. An invalid declaration causes a warning, and the function stays opaque.
    """

    def declare(function: F) -> F:
        plain = getattr(function, "func", function)
        known = name or str(getattr(plain, "__name__", type(plain).__name__))
        entry = {
            "name": known,
            "reads": list(reads),
            "writes": writes,
            "masking": masking,
            "parameters": _parameters(plain),
        }
        try:
            from_json(entry)
            _entries[known] = entry
            if not _in_worker():
                _publish()
        except (DeclarationError, OSError) as error:
            warnings.warn(
                f"the declared lineage of {known} is ignored: {error}", RuntimeWarning, stacklevel=2
            )
        return function

    return declare


def _parameters(function: Any) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _in_worker() -> bool:
    """Whether this Python process runs tasks, for which the driver has published the declarations already."""
    return any(key.startswith("PYTHON_WORKER_FACTORY") for key in os.environ)


def _publish() -> None:
    """Write all declarations of this process to the files that the agent's process reads."""
    first = ENVIRONMENT not in os.environ or not _own(Path(os.environ[ENVIRONMENT]))
    if first:
        os.environ[ENVIRONMENT] = str(_folder() / f"python-{os.getpid()}.json")
    places = [Path(os.environ[ENVIRONMENT])]
    if (jvm := _jvm()) is not None:
        places.append(of_jvm(jvm))
    for place in places:
        _write(place)


def _own(place: Path) -> bool:
    return place.name == f"python-{os.getpid()}.json"


def _write(place: Path) -> None:
    """Write the declarations to the file atomically. The file is deleted when this process ends."""
    if not place.exists():
        atexit.register(_remove, place, os.getpid())
    new = place.with_suffix(f".{os.getpid()}.new")
    new.write_text(json.dumps({"udfs": list(_entries.values())}), "utf-8")
    new.chmod(0o600)
    new.replace(place)


def _remove(place: Path, owner: int) -> None:
    if os.getpid() == owner:
        with suppress(OSError):
            place.unlink(missing_ok=True)


def _jvm() -> int | None:
    """The process id of this Python's JVM; None before it is started."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return os.getppid()
    pyspark = sys.modules.get("pyspark")
    context = getattr(getattr(pyspark, "SparkContext", None), "_active_spark_context", None)
    with suppress(Exception):
        return int(context._jvm.java.lang.ProcessHandle.current().pid()) if context is not None else None
    return None


def of_jvm(pid: int) -> Path:
    """The path of the file for the agent's process of that JVM."""
    return _folder() / f"jvm-{pid}.json"


def _folder() -> Path:
    """The folder that only this user can access. Raises ``OSError`` if it belongs to another user."""
    folder = Path(tempfile.gettempdir()) / f"headwater-udfs-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_ours(folder):
        raise PermissionError(f"{folder} belongs to another user, or others can write to it")
    return folder


def _is_ours(place: Path) -> bool:
    found = place.lstat()
    return found.st_uid == os.getuid() and not found.st_mode & 0o022


class DeclaredFunctions:
    """The declarations in all existing files, for the agent's process."""

    def __init__(self, conf: Mapping[str, str], jvm: int | None = None) -> None:
        self._jvm = os.getppid() if jvm is None else jvm
        self._configured = self._of_configuration(conf.get(UDFS))
        self._read: dict[Path, tuple[int, Mapping[str, Declaration]]] = {}

    def find(self, name: str) -> Declaration | None:
        """The function's declaration, or None. Never raises: an unreadable file causes one warning."""
        for place in self._places():
            if (found := self._at(place).get(name)) is not None:
                return found
        return self._configured.get(name)

    def _places(self) -> list[Path]:
        places = [Path(os.environ[ENVIRONMENT])] if ENVIRONMENT in os.environ else []
        with suppress(OSError):
            places.append(of_jvm(self._jvm))
        return places

    def _at(self, place: Path) -> Mapping[str, Declaration]:
        """The declarations in a file, which is read again after it has changed."""
        try:
            written = place.stat().st_mtime_ns
        except OSError:
            return {}
        before = self._read.get(place)
        if before is None or before[0] != written:
            before = self._read[place] = (written, _declared(place) if _is_ours(place) else {})
        return before[1]

    def _of_configuration(self, path: str | None) -> Mapping[str, Declaration]:
        return _declared(Path(path.removeprefix("file:"))) if path else {}


def _declared(place: Path) -> Mapping[str, Declaration]:
    try:
        return read_declarations(place)
    except (DeclarationError, OSError) as error:
        log.warning("the declarations of user functions in %s are ignored: %s", place, error)
        return {}


__all__ = ["DeclaredFunctions", "declaration", "lineage"]
