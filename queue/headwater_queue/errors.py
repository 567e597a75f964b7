"""The errors of a queue.

QueueError          the file cannot be used now: no permission, a full disk, …
├── QueueInUseError      another process has it open, or this one
└── QueueDamagedError    its content is not a queue's, or not any more
"""

from __future__ import annotations


class QueueError(Exception):
    """A queue's file that cannot be read or written."""

    code = "FILE"


class QueueInUseError(QueueError):
    """A file that is open already, in another process or in this one."""


class QueueDamagedError(QueueError):
    """A file with another content than that of a queue."""
