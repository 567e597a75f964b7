"""Every difference from the official agent's column lineage has its reason, and the table of them is current."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.shared import ROOT
from parity import compare

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_every_difference_is_explained_and_written_down(tmp_path: Path) -> None:
    text, unexplained = compare.compared(tmp_path)
    assert not unexplained, text
    assert (ROOT / "docs" / "parity.md").read_text("utf-8") == text + "\n"
