"""Log of the server: one line per record on stderr, as text or as JSON.

All records, including the libraries', go through Python's ``logging``; structlog adds the time, the level, the request
id and extra values to each line.
"""

from __future__ import annotations

import logging
import sys

import structlog
from structlog.types import Processor

from headwater_backend.settings import LogFormat

_FOREIGN = ("uvicorn", "uvicorn.error", "uvicorn.access", "neo4j", "httpx")


def set_up(form: LogFormat, level: str) -> None:
    """Configure logging of this process at that level; libraries' at WARNING."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(form))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _FOREIGN:
        library = logging.getLogger(name)
        library.handlers.clear()
        library.propagate = True
        library.setLevel(max(logging.WARNING, root.level))


def formatter(form: LogFormat) -> logging.Formatter:
    """Return a formatter that writes a record and its extra values as one line."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_last(form)],
    )


def _last(form: LogFormat) -> list[Processor]:
    if form is LogFormat.JSON:
        return [
            structlog.processors.EventRenamer("message"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str),
        ]
    # The default traceback prints local variables, which may contain bodies or keys.
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0, exception_formatter=plain)]
