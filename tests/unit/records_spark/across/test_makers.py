"""Which captured run wrote a file, where folders have two names."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headwater_records_spark.across.makers import Makers, Read, UnknownMakerError
from headwater_records_spark.captured.store import Output, Run

PART = "part-0.parquet"


class Jvm:
    """Addresses without anything to decode."""

    def type(self, name: str) -> Any:
        return lambda text: SimpleNamespace(toString=lambda: text) if name.endswith("Path") else text


def makers(root: Path) -> Makers:
    """Those of a run that wrote one file below the root."""
    output = Output(f"file:{root}", "", "parquet", {}, {}, {f"file:{root}/{PART}": (1, 2)})
    run = Run("one", "ends", "2026-01-01T00:00:00Z", output, [])
    store: Any = SimpleNamespace(runs=lambda: [run])
    jvm: Any = Jvm()
    return Makers(jvm, [store])


def read(root: Path) -> Read:
    return Read({f"file:{root}/{PART}": (1, 2)}, "~")


def test_a_file_is_of_the_run_that_wrote_it_as_it_was_read(tmp_path: Path) -> None:
    made = makers(tmp_path / "out").of(f"file://{tmp_path}/out/{PART}", read(tmp_path / "out"))
    assert made is not None and made.run.run == "one"


@pytest.mark.parametrize(("written", "asked"), [("out", "link"), ("link", "out")])
def test_a_file_that_was_read_by_another_name_of_its_folder_is_no_first_source(
    tmp_path: Path, written: str, asked: str
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "out")
    with pytest.raises(UnknownMakerError, match="by another name"):
        makers(tmp_path / written).of(f"file://{tmp_path}/{asked}/{PART}", read(tmp_path / asked))


def test_a_file_of_another_folder_is_of_nobody(tmp_path: Path) -> None:
    assert makers(tmp_path / "out").of(f"file://{tmp_path}/other/{PART}", read(tmp_path / "other")) is None
