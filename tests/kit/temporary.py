"""Where tests put their temporary files: in memory where there is room, as stores wait for a disk at each commit.

``TMPDIR`` decides if it is set. What a run writes is below 2 GB; pytest keeps the folders of tests that failed.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

IN_MEMORY = Path("/dev/shm")
NEEDED_BYTES = 8 << 30
"""Free in the folder and in memory: what a run writes, and what its processes take."""
MEMORY = Path("/proc/meminfo")


def choose() -> None:
    """Let this process, and all that it starts, put temporary files into memory if that is possible."""
    if "TMPDIR" not in os.environ and has_room(IN_MEMORY, MEMORY):
        os.environ["TMPDIR"] = str(IN_MEMORY)
        tempfile.tempdir = None  # it may have been looked up before


def has_room(folder: Path, memory: Path) -> bool:
    """Whether the folder takes files, also programs, and there is room for them; ``memory`` is Linux's meminfo."""
    if not (folder.is_dir() and memory.is_file() and os.access(folder, os.W_OK | os.X_OK)):
        return False
    found = os.statvfs(folder)
    free = min(found.f_bavail * found.f_frsize, _available_bytes(memory))
    return free >= NEEDED_BYTES and not found.f_flag & os.ST_NOEXEC


def _available_bytes(memory: Path) -> int:
    lines = (line.split() for line in memory.read_text("ascii").splitlines())
    return next((int(words[1]) << 10 for words in lines if words and words[0] == "MemAvailable:"), 0)
