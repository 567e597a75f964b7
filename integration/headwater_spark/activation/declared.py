"""How declarations of user functions get from the driver's Python to the agent's process, and are found there.

The decorator runs in the user's Python; the agent's process is a child of the JVM. Neither the job nor its plans may
be touched, so a small file carries the declarations. Two ways lead to it, whichever process was there first:

- the JVM is started by Python later: it inherits an environment variable that names the file;
- the JVM is there already (``spark-submit``, a running session): the file's name holds the JVM's process id, which
  is the parent of the agent's process.

The file is the user's alone, and another user's is never read. Declared by the configuration's file, a function is
declared for all; the decorator's word counts for more.
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

from headwater_spark.declarations import (
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
    """Declare what a user function does, so that it is traced and not opaque. The function stays what it is.

    ``reads`` are lines like ``"name.last -> surname"`` (notation: ``headwater_spark.declarations``), with the
    function's own parameter names; ``writes`` is the result's path for lines without an arrow; ``masking`` says that
    the result hides its input. ``name`` is the name under which the function is registered for SQL, where that is
    another than its own. Stands above or below ``udf``. A wrong declaration warns, and the function stays opaque.
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
            warnings.warn(f"the lineage of {known} is not declared: {error}", RuntimeWarning, stacklevel=2)
        return function

    return declare


def _parameters(function: Any) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _in_worker() -> bool:
    """Whether this Python runs tasks: there, what a module declares is known already."""
    return any(key.startswith("PYTHON_WORKER_FACTORY") for key in os.environ)


def _publish() -> None:
    """Write all declarations of this process to where the agent's process will look."""
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
    """Whole or not at all; gone when this process ends."""
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
    """The process id of the JVM behind this Python, None while there is none."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return os.getppid()
    pyspark = sys.modules.get("pyspark")
    context = getattr(getattr(pyspark, "SparkContext", None), "_active_spark_context", None)
    with suppress(Exception):
        return int(context._jvm.java.lang.ProcessHandle.current().pid()) if context is not None else None
    return None


def of_jvm(pid: int) -> Path:
    """The file for the agent's process of that JVM."""
    return _folder() / f"jvm-{pid}.json"


def _folder() -> Path:
    """A folder of this user's alone; raises ``OSError`` where somebody else has taken its name."""
    folder = Path(tempfile.gettempdir()) / f"headwater-udfs-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_ours(folder):
        raise PermissionError(f"{folder} belongs to somebody else")
    return folder


def _is_ours(place: Path) -> bool:
    found = place.lstat()
    return found.st_uid == os.getuid() and not found.st_mode & 0o022


class DeclaredFunctions:
    """On the agent's side: the declarations that are there now, of all the places, by a function's name."""

    def __init__(self, conf: Mapping[str, str], jvm: int | None = None) -> None:
        self._jvm = os.getppid() if jvm is None else jvm
        self._configured = self._of_configuration(conf.get(UDFS))
        self._read: dict[Path, tuple[int, Mapping[str, Declaration]]] = {}

    def find(self, name: str) -> Declaration | None:
        """The function's declaration. Never raises: what cannot be read is said once, and is no declaration."""
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
        """What is declared there; read again when the file is another one."""
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
        log.warning("the declared functions in %s are passed over: %s", place, error)
        return {}


__all__ = ["DeclaredFunctions", "declaration", "lineage"]
