"""The folders of the spool: one for each destination, mode 0700, with a description of the destination.

They are below ``spark.headwater.spool.dir`` or ``$XDG_CACHE_HOME/headwater/spool``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from headwater_spark.delivery.destination import Destination

DIRECTORY: Final = "spark.headwater.spool.dir"
_DESCRIPTION: Final = "destination.json"


def spool_root(conf: Mapping[str, str]) -> Path:
    """The folder that holds the folders of all destinations."""
    if configured := conf.get(DIRECTORY):
        return Path(configured).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "headwater" / "spool"


def described_folders(root: Path) -> list[Path]:
    """The folders of all destinations."""
    return sorted(path.parent for path in root.glob(f"*/{_DESCRIPTION}"))


def write_description(folder: Path, destination: Destination) -> None:
    """Write the destination, without secrets, into its folder."""
    text = json.dumps({"type": destination.kind, **destination.public})
    try:
        (folder / _DESCRIPTION).write_text(text)
    except OSError:
        return  # the journal in this folder cannot be written either, and reports it


def read_description(folder: Path) -> Destination | None:
    """The destination of a folder, without secrets; None if its description cannot be read."""
    try:
        config = json.loads((folder / _DESCRIPTION).read_text())
    except (OSError, ValueError):
        return None
    return Destination.from_public(config)
