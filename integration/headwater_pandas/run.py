"""A run of a program of frames, as OpenLineage's events: what it read, what it wrote, and which column came of which.

What pandas reads inside a run is tracked, and what it writes is an output, of frames that are not tracked too, with a
gap then. The events go where openlineage-python is configured to send them, or to a URL. Whatever fails here is a
warning, and never an error of the program; values are in no event.
"""

from __future__ import annotations

import functools
import os
import platform
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from headwater_pandas import observe
from headwater_pandas.held import held
from headwater_pandas.interception import replaced
from headwater_pandas.tracking import tracking

if TYPE_CHECKING:
    from openlineage.client import OpenLineageClient
    from openlineage.client.event_v2 import RunEvent

    from headwater_pandas.lineage.events import FramesRun

WRITERS: Final = (
    "to_csv",
    "to_excel",
    "to_feather",
    "to_gbq",
    "to_hdf",
    "to_html",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_orc",
    "to_parquet",
    "to_pickle",
    "to_sql",
    "to_stata",
    "to_string",
    "to_xml",
)


@contextmanager
def run(job: str, *, namespace: str | None = None, url: str | None = None) -> Iterator[FramesRun]:
    """Send OpenLineage events of what happens inside as a run of ``job``.

    ``namespace`` is the job's, ``OPENLINEAGE_NAMESPACE`` or ``default`` without it. ``url`` is the receiver's, which
    gets the key in ``HEADWATER_API_KEY``; without it, openlineage-python's own configuration says where events go.
    """
    from headwater_pandas.lineage.events import FramesRun  # noqa: PLC0415 - loads OpenLineage's client

    found = FramesRun(namespace or os.environ.get("OPENLINEAGE_NAMESPACE") or "default", job)
    send = _sender(url)
    _guarded(lambda: _emit(found, found.started(), send))
    error: BaseException | None = None
    try:
        with tracking(found.has_read), _watching(found):
            yield found
    except BaseException as raised:
        error = raised
        raise
    finally:
        with observe.alone():
            _guarded(lambda: _emit(found, found.ended(error), send))
            for writer in dict.fromkeys(found.unnamed):
                _warn(f"{writer} wrote to a place that has no name: it is no output of {job}")


@contextmanager
def _watching(found: FramesRun) -> Iterator[None]:
    """Note what frames and series write, and what leaves them as plain values."""
    writers = [
        (owner, name, _writing(name, getattr(owner, name), found))
        for owner in (pd.DataFrame, pd.Series)
        for name in WRITERS
        if hasattr(owner, name)
    ]
    observe.TAKEN.append(found.has_taken)
    try:
        with replaced(writers):
            yield
    finally:
        observe.TAKEN.remove(found.has_taken)


def _writing(name: str, function: Callable[..., Any], found: FramesRun) -> Callable[..., Any]:
    @functools.wraps(function)
    def write(frame: Any, *args: Any, **named: Any) -> Any:
        if observe.STATE.busy:
            return function(frame, *args, **named)
        before = held(frame)
        with observe.alone():
            result = function(frame, *args, **named)
        if result is None or name == "to_sql":
            _guarded(lambda: found.has_written(name, frame, args, named))
        elif before is not None:
            _guarded(lambda: found.has_taken(before.dataset))
        return result

    return write


def _sender(url: str | None) -> Callable[[RunEvent], None]:
    from openlineage.client import OpenLineageClient  # noqa: PLC0415 - slow to load, and for runs alone

    client: list[OpenLineageClient] = []

    def send(event: RunEvent) -> None:
        if not client:
            client.append(OpenLineageClient(config={"transport": _http(url)}) if url else OpenLineageClient())
        client[0].emit(event)

    return send


def _http(url: str) -> dict[str, Any]:
    key = os.environ.get("HEADWATER_API_KEY")
    return {"type": "http", "url": url, **({"auth": {"type": "api_key", "apiKey": key}} if key else {})}


def _emit(found: FramesRun, event: RunEvent, send: Callable[[RunEvent], None]) -> None:
    found.events.append(event)
    send(event)


def _guarded(step: Callable[[], None]) -> None:
    """Do it; what fails is a warning that names no value."""
    try:
        step()
    except Exception as error:
        if observe.STRICT:
            raise
        _warn(
            f"the lineage of this run is not complete: {type(error).__name__}; python {platform.python_version()}"
        )


def _warn(text: str) -> None:
    warnings.warn(f"headwater: {text}", RuntimeWarning, stacklevel=3)
