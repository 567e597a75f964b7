"""What a program calls to have frames tracked, and to have that end."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, Final, TypeVar

import pandas as pd

from headwater_pandas import collected, held, interception, observe, spark
from headwater_pandas.call import data_in
from headwater_pandas.learning import watch as learning
from headwater_pandas.shape import is_data, shape_of
from headwater_pandas.stored.files import Files, reading
from headwater_pandas.stored.locations import read_at, stored_at
from headwater_pandas.stored.rows import collecting
from headwater_records.graph import Dataset

T = TypeVar("T")
READERS: Final = [name for name in dir(pd) if name.startswith("read_")]


def track(frame: T, name: str = "", *, location: str | tuple[str, str] | None = None) -> T:
    """The same frame (or series, or array), which is a source of its own from now on.

    ``location`` is where its records are stored: a path or URL, or namespace and name as OpenLineage has them.
    """
    _hold(frame, name, location)
    with observe.alone():
        held.share_what_others_have(frame)
    return frame


def _hold(frame: Any, name: str, location: str | tuple[str, str] | None, files: Files = "") -> None:
    if not is_data(frame):
        raise TypeError(_refused(type(frame)))
    interception.install()
    learning.install()
    shape = shape_of(frame)
    place = location if isinstance(location, tuple) else stored_at(location)
    held.hold(frame, Dataset(name or "frame", shape.rows, shape.labels, location=place, files=files))


def _refused(kind: type) -> str:
    library = kind.__module__.partition(".")[0]
    reason = (
        "polars runs its plans by itself and does not say which records it took; what to_pandas gives can be tracked"
        if library == "polars"
        else "convert it first"
    )
    named = f"{library}.{kind.__name__}"
    return f"only frames, series and arrays of pandas and NumPy are tracked, not {named}: {reason}"


@contextmanager
def tracking(read: Callable[[Any], None] | None = None) -> Iterator[None]:
    """Track what pandas reads inside, and what Spark's `toPandas` gives, if PySpark was imported before.

    Frames stay tracked behind it, for as long as the program has them.
    ``read`` is called with each frame that was read.
    """
    interception.install()
    learning.install()
    readers = [(pd, name, _watched(name, getattr(pd, name), read)) for name in READERS]
    collecting = [(owner, spark.COLLECTS, _collecting(function, read)) for owner, function in spark.owners()]
    with interception.replaced(readers + collecting):
        yield


def stop() -> None:
    """Track nothing any more, and leave pandas as it was."""
    interception.remove()
    held.forget_all()
    collected.forget_all()


def _collecting(function: Callable[..., Any], notify: Callable[[Any], None] | None) -> Callable[..., Any]:
    """`toPandas` of Spark's frames."""

    @functools.wraps(function)
    def collect(frame: Any, *args: Any, **named: Any) -> Any:
        if observe.STATE.busy:
            return function(frame, *args, **named)
        with observe.alone():
            origin, rows_of = spark.origin_of(frame), collecting(frame)
            result = function(frame, *args, **named)
            shape = shape_of(result)
            source = Dataset(spark.COLLECTS, shape.rows, shape.labels, origin=origin, files=rows_of(result))
            held.hold(result, source)
            if notify is not None:
                notify(result)
        return result

    return collect


def _watched(
    name: str, reader: Callable[..., Any], notify: Callable[[Any], None] | None
) -> Callable[..., Any]:
    @functools.wraps(reader)
    def read(*args: Any, **kwargs: Any) -> Any:
        if observe.STATE.busy:
            return reader(*args, **kwargs)
        with observe.alone():
            files_of = reading(name, args, kwargs)
            frame = reader(*args, **kwargs)
        location, source = read_at(name, args, kwargs), _source(name, args, kwargs)

        def found(each: Any, behind: int = 0) -> None:
            with observe.alone():
                _hold(each, f"{source} from record {behind}" if behind else source, location, files_of(each))
                if notify is not None:
                    notify(each)

        for each in data_in(frame):
            if isinstance(each, pd.DataFrame | pd.Series):
                found(each)
        if callable(getattr(frame, "read", None)) and hasattr(frame, "__next__"):
            frame.read = _in_chunks(frame.read, found)
        return frame

    return read


def _in_chunks(read: Callable[..., Any], found: Callable[[Any, int], None]) -> Callable[..., Any]:
    """What gives a file in parts: each part is a source, named by where it begins."""
    records = 0

    @functools.wraps(read)
    def part(*args: Any, **named: Any) -> Any:
        nonlocal records
        with observe.alone():
            frame = read(*args, **named)
        found(frame, records)
        records += len(frame)
        return frame

    return part


def _source(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The name of what is read: the file's, without its folder, or the reader's."""
    given = args[0] if args else next(iter(kwargs.values()), None)
    return PurePath(given).name if isinstance(given, str | PurePath) and "\n" not in str(given) else name
