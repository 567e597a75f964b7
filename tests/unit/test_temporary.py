"""Temporary files of tests are in memory only where there is room for them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kit import temporary
from kit.shared import ROOT


def meminfo(folder: Path, available_kib: int) -> Path:
    file = folder / "meminfo"
    file.write_text(f"MemTotal: 99999999 kB\nMemAvailable: {available_kib} kB\n", "ascii")
    return file


@pytest.fixture
def some_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mebibyte is enough."""
    monkeypatch.setattr(temporary, "NEEDED_BYTES", 1 << 20)


@pytest.mark.usefixtures("some_room")
def test_there_is_room_if_folder_and_memory_have_it(tmp_path: Path) -> None:
    assert temporary.has_room(tmp_path, meminfo(tmp_path, 1024))
    assert not temporary.has_room(tmp_path, meminfo(tmp_path, 1023))


def test_a_small_folder_has_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporary, "NEEDED_BYTES", 1 << 60)
    assert not temporary.has_room(tmp_path, meminfo(tmp_path, 1 << 60))


@pytest.mark.usefixtures("some_room")
def test_without_the_folder_or_the_figures_files_stay_where_they_are(tmp_path: Path) -> None:
    assert not temporary.has_room(tmp_path / "none", meminfo(tmp_path, 1024))
    assert not temporary.has_room(tmp_path, tmp_path / "none")


@pytest.mark.usefixtures("some_room")
def test_no_program_can_be_started_in_the_kernels_own_folder(tmp_path: Path) -> None:
    # Linux mounts it for no programs.
    assert not temporary.has_room(Path("/proc"), meminfo(tmp_path, 1024))


@pytest.mark.usefixtures("some_room")
def test_where_somebody_chose_a_folder_it_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporary, "IN_MEMORY", tmp_path)
    monkeypatch.setattr(temporary, "MEMORY", meminfo(tmp_path, 1024))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", "/somewhere")
    temporary.choose()
    assert os.environ["TMPDIR"] == "/somewhere"
    monkeypatch.delenv("TMPDIR")
    temporary.choose()
    assert tempfile.gettempdir() == os.environ["TMPDIR"] == str(tmp_path)


def test_what_tests_start_puts_its_files_there_as_well() -> None:
    asked = "import tempfile; print(tempfile.gettempdir())"
    answer = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == tempfile.gettempdir()
