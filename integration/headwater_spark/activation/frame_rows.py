"""Tells the agent of which frame an RDD has the rows: ``note_frames()``, called once in the driver.

An RDD of Spark does not know the plan that it comes from. With it, the agent reads what functions of Python do to the
rows of ``frame.rdd`` until they are a frame again (``io.headwater.spark.data.FrameRows``). Like ``call_sites``, this
module imports pyspark only inside functions, and never before the program does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Final

_MODULES: Final = ("pyspark.sql.classic.dataframe", "pyspark.sql.dataframe")
"""The modules that have the class of frames: since Spark 4 the first one, in 3.5 the second."""
_ENTRY: Final = "io.headwater.spark.data.FrameRows"
_MARK: Final = "_notes_frames"


def note_frames() -> None:
    """Note the frame of each RDD that a program takes the rows as, from now on. Again, it has no effect."""
    for module in _MODULES:
        if module in sys.modules:
            _note_frames_of(sys.modules[module])
    if not any(isinstance(each, _Import) for each in sys.meta_path):
        sys.meta_path.insert(0, _Import())


class _Import(MetaPathFinder):
    """Finds the modules of frames as Python does, and changes their class when they have been loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _MODULES:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Noting(spec.loader)
        return spec


class _Noting(Loader):
    """A module's own loader, after which its frames are noted."""

    def __init__(self, own: Loader) -> None:
        self._own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._own
        self._own.exec_module(module)
        _note_frames_of(module)


def _note_frames_of(module: ModuleType) -> None:
    """Replace the property of the module's frames that gives their rows; what has none in Python is left as it is."""
    frames: Any = vars(module)["DataFrame"]
    own = vars(frames).get("rdd")
    getter: Callable[[Any], Any] | None = (
        own.func if isinstance(own, cached_property) else getattr(own, "fget", None)
    )
    if getter is None or hasattr(getter, _MARK) or not _has_jvm(getter):
        return
    noting = _noting(getter)
    replaced = cached_property(noting) if isinstance(own, cached_property) else property(noting)
    if isinstance(replaced, cached_property):
        replaced.__set_name__(frames, "rdd")
    frames.rdd = replaced


def _has_jvm(getter: Callable[[Any], Any]) -> bool:
    """Whether it asks the JVM for the rows: since Spark 4 another class is an interface only."""
    return "javaToPython" in getter.__code__.co_names


def _noting(getter: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def rdd(frame: Any) -> Any:
        rows = getter(frame)
        with suppress(Exception):  # the program's own call must go on, also where there is no agent
            _note(frame, rows)
        return rows

    rdd.__doc__ = getter.__doc__
    setattr(rdd, _MARK, True)
    return rdd


def _note(frame: Any, rows: Any) -> None:
    session = frame.sparkSession
    methods = session._jsparkSession.sharedState().jarClassLoader().loadClass(_ENTRY).getMethods()
    note = next(each for each in methods if each.getName() == "note")
    arguments = session.sparkContext._gateway.new_array(session._jvm.java.lang.Object, 2)
    arguments[0], arguments[1] = rows._jrdd, frame._jdf.queryExecution()
    note.invoke(None, arguments)
