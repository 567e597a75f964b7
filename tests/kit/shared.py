"""Where the shared material lies: real data, other producers' events, the OpenLineage schemas."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"


def shared(name: str) -> Path:
    """The shared file or folder of that name; skips without ``../shared``, but fails in CI."""
    path = SHARED / name
    if path.exists():
        return path
    message = f"../shared/{name} does not exist beside the project"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
