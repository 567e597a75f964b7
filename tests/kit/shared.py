"""Where the tests' data lies: in the project, and beside it the real data and other producers' events."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
"""What tests need in every clone."""
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
