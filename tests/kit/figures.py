"""Figures that tests print at the end of a file, whether they pass or not."""

from __future__ import annotations

import sys

import pytest


def say(request: pytest.FixtureRequest, text: str) -> None:
    """Print a text past pytest's capture; a worker has no standard output."""
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\n{text}", file=sys.stderr)
