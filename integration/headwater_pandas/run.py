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

from headwater_pandas import observe, spark
from headwater_pandas.held import held
from headwater_pandas.interception import replaced
from headwater_pandas.tracking import tracking

if TYPE_CHECKING:
    from openlineage.client.event_v2 import RunEvent

    from headwater_pandas.lineage.events import FramesRun
    from headwater_spark.delivery.outbox import Outbox

LONGEST_FLUSH: Final = 10.0
"""Seconds that the end of a run waits for receivers at most; it gives up on one that is away long before."""
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

    found = FramesRun(
        namespace or os.environ.get("OPENLINEAGE_NAMESPACE") or "default", job, parent=spark.application()
    )
    with _outbox(url) as outbox:
        _guarded(lambda: _emit(found, found.started(), outbox))
        error: BaseException | None = None
        try:
            with tracking(found.has_read), _watching(found):
                yield found
        except BaseException as raised:
            error = raised
            raise
        finally:
            with observe.alone():
                _guarded(lambda: _emit(found, found.ended(error), outbox))
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


@contextmanager
def _outbox(url: str | None) -> Iterator[Outbox]:
    """Where events are kept until a receiver has them, also those of runs before; the agent's, with its spool."""
    from headwater_spark.delivery.outbox import DEFAULT_MAX_BYTES, Outbox  # noqa: PLC0415 - loads the client
    from headwater_spark.delivery.spool_folder import spool_root  # noqa: PLC0415
    from headwater_spark.delivery.transport_settings import (  # noqa: PLC0415
        destinations,
        is_silence_intended,
        receiver,
    )

    receivers = destinations(receiver(url) if url else {})
    if not receivers and not is_silence_intended({}):
        _warn("no receiver is configured: events are not sent; name one by url or OPENLINEAGE_URL")
    outbox = Outbox(receivers, spool_root({}), DEFAULT_MAX_BYTES)
    outbox.start()
    try:
        yield outbox
    finally:
        outbox.flush(LONGEST_FLUSH)
        outbox.close()
        if outbox.waiting:
            _warn(
                f"{outbox.waiting} events wait in {spool_root({})}: the next run to that receiver sends them"
            )
        if outbox.lost:
            _warn(f"{outbox.lost} events are lost: {spool_root({})} is full")


def _emit(found: FramesRun, event: RunEvent, outbox: Outbox) -> None:
    found.events.append(event)
    outbox.emit(event)


def _guarded(step: Callable[[], None]) -> None:
    """Do it; what fails is a warning that names no value."""
    try:
        with observe.alone():
            step()
    except Exception as error:
        if observe.STRICT:
            raise
        _warn(
            f"the lineage of this run is not complete: {type(error).__name__}; python {platform.python_version()}"
        )


def _warn(text: str) -> None:
    warnings.warn(f"headwater: {text}", RuntimeWarning, stacklevel=3)
