"""Notes what a Python program reads by itself, beside Spark: ``watch()``, in the program's own process.

Rows that a program hands to Spark may hold what it has read: of a file that it opened, of a database, of the network.
Python reports such events to audit hooks, which this module uses. Each different one is a line of a *journal*, a file
that the agent's process reads: the time in epoch milliseconds, a kind, and a text. The kinds are ``open`` (a file) and
``outside`` (why something may have been read that has no name: a connection, another program, a library that reads
files or databases without Python's knowledge); and of what somebody wrote for the program ``source`` (a file of it),
``cell`` (one of a notebook) and ``argument`` (the digest of a constant or word in it, or of the command line).

What Python itself, its libraries' own files and PySpark read is not noted. It counts who asked for it: the innermost
frame that belongs to no library. Nothing here raises an error or waits: a hook that fails would fail the program's own
call. Only the standard library is imported, since this runs at the start of a program.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

VARIABLE: Final = "HEADWATER_PROGRAM"
"""The journal in the environment of a program that ``headwater run`` starts."""
_MOST: Final = 10_000
_SPARK: Final = ("pyspark", "py4j", "headwater_spark")
_NO_DATA: Final = frozenset(
    [
        *("py", "pyc", "pyi", "pyx", "so", "pth", "typed", "whl", "egg", "jar", "sql", "lock", "pid", "log"),
        *("ini", "cfg", "toml", "yaml", "yml", "conf", "properties", "env", "pem", "crt", "key"),
        *("md", "rst", "html", "css", "js", "j2"),
    ]
)
"""Endings of names of files that belong to programs."""
_WRITTEN: Final = frozenset(["py", "sql", "ini", "cfg", "toml", "yaml", "yml", "conf", "properties"])
"""Those of files in which a program has its constants."""
_SYSTEM: Final = ("/proc/", "/sys/", "/etc/", "/usr/lib/", "/usr/share/", "/lib/")
_UNSEEN: Final = frozenset(
    [
        *(f"pyarrow.{each}" for each in ("parquet", "dataset", "csv", "json", "orc", "feather", "flight")),
        *(
            "polars",
            "duckdb",
            "chdb",
            "datafusion",
            "connectorx",
            "adbc_driver_manager",
            "deltalake",
            "lance",
        ),
        *("psycopg", "psycopg2", "MySQLdb", "pymssql", "pyodbc", "oracledb", "cx_Oracle"),
        *("confluent_kafka", "pycurl", "grpc"),
        *("h5py", "tables", "netCDF4", "pyreadstat", "pyogrio", "rasterio", "fiona"),
    ]
)
"""Libraries that read without Python's knowledge."""
_ACCUMULATORS: Final = "pyspark.accumulators"
_WORD: Final = re.compile(r"\d+(?:[-./:_ ]\d+)*|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\dA-Za-z_]+")
"""A word in a name, as the agent takes names apart (``tracing.written_names``)."""
_CELLS: Final = "IPython.core.compilerop"
"""What compiles the cells of a notebook."""
_RUNS: Final = ("subprocess.Popen", "os.system", "os.posix_spawn")


class _Watch:
    """The hook, with what it has noted already."""

    def __init__(self, journal: str) -> None:
        self.journal = journal
        self.descriptor = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._noted: set[tuple[str, str]] = set()
        self._accumulates = False
        places = [sysconfig.get_path(each) for each in ("stdlib", "platstdlib", "purelib", "platlib")]
        places.append(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120 - saves importing pathlib
        self._libraries = ("<frozen", "/usr/lib/python", *(place + os.sep for place in places if place))
        self._readers: dict[str, Callable[..., None]] = {
            "compile": self._compiled,
            "open": self._opened,
            "import": self._imported,
            "sqlite3.connect": self._database,
            "socket.connect": self._connected,
            **dict.fromkeys(_RUNS, self._ran),
        }

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        reader = self._readers.get(event)
        if reader is not None:
            try:
                self._look_for_accumulators()
                reader(*args)
            except Exception:  # noqa: BLE001 - the program's own call must go on
                return

    def _look_for_accumulators(self) -> None:
        """Functions fill them in Spark's workers, with what they are given; who hands in rows opens a file before."""
        if self._accumulates or not (module := sys.modules.get(_ACCUMULATORS)):
            return
        # Spark's own have negative numbers.
        if any(number >= 0 for number in tuple(getattr(module, "_accumulatorRegistry", ()))):
            self._accumulates = True
            self.write("outside", "it has accumulators")

    def _opened(self, path: Any, _mode: Any = None, flags: int = 0) -> None:
        if isinstance(path, int) or flags & os.O_ACCMODE == os.O_WRONLY:
            return
        name = os.fsdecode(path)
        if _imports(sys._getframe(1)):
            self.source(name)
        elif _ending(name) not in _NO_DATA:
            self._file(name)
        else:
            self.source(name)

    def source(self, name: str) -> None:
        """Note a file that has text of the program, if it does; of a compiled module, its source."""
        full = os.path.abspath(name)  # noqa: PTH100 - a path object would keep ``..``
        folder, _, file = full.rpartition(f"{os.sep}__pycache__{os.sep}")
        if folder:
            full = os.path.join(folder, file.split(".")[0] + ".py")  # noqa: PTH118 - called for each module
        if self._is_new("source", full) and _ending(full) in _WRITTEN and len(self._noted) < _MOST:
            self._noted.add(("source", full))
            self.write("source", full)

    def _compiled(self, text: Any, _file: Any = None) -> None:
        if _caller(sys._getframe(1)) == _CELLS and isinstance(text, bytes | str):
            self.cell(text if isinstance(text, str) else text.decode("utf-8", "replace"))

    def cell(self, text: str) -> None:
        """Note the constants and words of a cell of a notebook, which is in no file."""
        import ast  # noqa: PLC0415 - who executes cells has imported it
        from contextlib import suppress  # noqa: PLC0415

        found = [word.casefold() for word in _WORD.findall(text)]
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):  # as of a magic command
            nodes = ast.walk(ast.parse(text))
            found += [str(each.value) for each in nodes if isinstance(each, ast.Constant)]
        self._written_by(("cell", ""), *(("argument", _digest(each)) for each in found))

    def program(self) -> None:
        """Note what the program consists of already: its modules or cells, and the words of its command line."""
        for module in tuple(sys.modules.values()):
            if isinstance(file := getattr(module, "__file__", None), str):
                self.source(file)
        given = sys.orig_argv[1:]
        values = (value for each in given for value in re.split("[=,]", each))
        words = (word.casefold() for each in given for word in _WORD.findall(each))
        self._written_by(*(("argument", _digest(word)) for word in (*given, *values, *words)))
        cells = getattr(sys.modules.get("__main__"), "_ih", ())  # as IPython calls them
        for text in tuple(cells):
            if isinstance(text, str) and text:
                self.cell(text)

    def _written_by(self, *notes: tuple[str, str]) -> None:
        """Note what somebody wrote for the program."""
        for kind, text in dict.fromkeys(notes):
            if (kind, text) not in self._noted and len(self._noted) < _MOST:
                self._noted.add((kind, text))
                self.write(kind, text)

    def _file(self, name: str) -> None:
        full = os.path.abspath(name)  # noqa: PTH100 - a path object would keep ``..``
        if self._is_new("open", full) and os.path.isfile(full):  # noqa: PTH113 - it is called for each file that a program opens
            self._note("open", full)

    def _is_new(self, kind: str, file: str) -> bool:
        """Whether the file was not noted before, and is none of the system's or of libraries."""
        return (kind, file) not in self._noted and not file.startswith(_SYSTEM) and not self._is_library(file)

    def _database(self, name: Any, *_: Any) -> None:
        if os.fsdecode(name) != ":memory:":
            self._file(os.fsdecode(name))

    def _imported(self, module: str, *_: Any) -> None:
        if module in _UNSEEN:
            self._note("outside", f"it loaded {module}")

    def _connected(self, _socket: Any, address: Any) -> None:
        place = ":".join(map(str, address[:2])) if isinstance(address, tuple) else "a local socket"
        self._note("outside", f"it connected to {place}")

    def _ran(self, program: Any, *_: Any) -> None:
        name = os.fsdecode(program).split(" ")[0].rpartition("/")[2]
        self._note("outside", f"it ran {name}")

    def _note(self, kind: str, text: str) -> None:
        if (kind, text) in self._noted or len(self._noted) > _MOST or self._is_of_library(sys._getframe(1)):
            return
        self._noted.add((kind, text))
        if len(self._noted) > _MOST:
            kind, text = "outside", "it read from more places than are noted"
        self.write(kind, text)

    def write(self, kind: str, text: str) -> None:
        """Append a line to the journal."""
        line = json.dumps([time.time_ns() // 1_000_000, kind, text]) + "\n"
        os.write(self.descriptor, line.encode("utf-8", "surrogateescape"))

    def _is_library(self, file: str) -> bool:
        return file.startswith(self._libraries) or "-packages/" in file

    def _is_of_library(self, innermost: FrameType) -> bool:
        """Whether PySpark or Python itself asked for it: no frame of the program comes before one of these."""
        frame: FrameType | None = innermost
        while frame is not None:
            if str(frame.f_globals.get("__name__")).split(".")[0] in _SPARK:
                if frame.f_globals.get("__name__") != __name__:
                    return True
            elif not self._is_library(frame.f_code.co_filename):
                return False
            frame = frame.f_back
        return True


def _imports(frame: FrameType | None) -> bool:
    """Whether modules are looked for in an archive: its other content is asked for by another function."""
    names = set[str]()
    while frame is not None and frame.f_globals.get("__name__") in (__name__, "zipimport"):
        if frame.f_globals.get("__name__") == "zipimport":
            names.add(frame.f_code.co_name)
        frame = frame.f_back
    return bool(names) and "get_data" not in names


def _caller(frame: FrameType | None) -> str:
    """The module that has called what this one was asked about."""
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals.get("__name__"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _ending(name: str) -> str:
    return name.rpartition(".")[2].lower()


_watch: _Watch | None = None


def watch(journal: str | None = None) -> str:
    """Note what this program reads from now on; the journal, which is a temporary file unless one is named.

    It is the journal of an earlier call, if there was one. Raises ``OSError`` where the journal cannot be written.
    """
    global _watch  # noqa: PLW0603 - a hook cannot be taken away, so that there is one for the process
    if _watch is None:
        _watch = _Watch(journal or _temporary())
        sys.addaudithook(_watch)
        for module in sorted(_UNSEEN.intersection(sys.modules)):
            _watch.write("outside", f"it loaded {module}")
        _watch.program()
    return _watch.journal


def is_watching() -> bool:
    """Whether this process is being watched."""
    return _watch is not None


def note_unwatched(why: str) -> None:
    """Note that nobody saw what was read until now."""
    if _watch is not None:
        _watch.write("unwatched", why)


def _temporary() -> str:
    """A new file, which is removed when the process ends; the agent's process has it open by then."""
    import atexit  # noqa: PLC0415 - needed by few programs
    from contextlib import suppress  # noqa: PLC0415

    descriptor, name = tempfile.mkstemp(prefix="headwater-program-")
    os.close(descriptor)

    def remove(owner: int = os.getpid()) -> None:
        if os.getpid() == owner:
            with suppress(OSError):
                os.remove(name)  # noqa: PTH107 - no object is made while Python ends

    atexit.register(remove)
    return name
