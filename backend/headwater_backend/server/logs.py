"""The server's log: a line an event, as text or as JSON, on stderr.

Everything goes through Python's ``logging``, ours and the libraries'; structlog gives each line its time, its level,
the id of the request it belongs to, and what was said beside the message.
"""

from __future__ import annotations

import logging
import sys

import structlog
from structlog.types import Processor

from headwater_backend.settings import LogFormat

_FOREIGN = ("uvicorn", "uvicorn.error", "uvicorn.access", "neo4j", "httpx")


def set_up(form: LogFormat, level: str) -> None:
    """Have all log lines of this process look so, from that level on; libraries' from WARNING on."""
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
    """Writes a record, and what came beside its message, as one line."""
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
    # The default traceback shows the values of local variables: bodies, keys, whatever there is.
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0, exception_formatter=plain)]
