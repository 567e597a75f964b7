"""Which files the records of a frame were read from: judged by values that name their file and their place in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import headwater_pandas as hp
from headwater_pandas.answers import dataset_of
from headwater_pandas.stored.files import File


@pytest.fixture(autouse=True)
def tracked() -> Iterator[None]:
    with hp.tracking():
        yield
    hp.stop()


def frame_of(name: str, rows: int) -> pd.DataFrame:
    return pd.DataFrame({"file": [name] * rows, "place": range(1, rows + 1)})


def files_of(frame: Any) -> Any:
    return dataset_of(frame).files


def places(frame: Any) -> list[tuple[str, int]]:
    """File and position of each record, as the files of the frame tell them."""
    return [(Path(each.path).name, place) for each in files_of(frame) for place in range(1, each.records + 1)]


def test_records_of_a_folder_are_in_its_files_in_the_order_in_which_they_are_read(tmp_path: Path) -> None:
    for name, rows in (("b.parquet", 3), ("a.parquet", 2), ("c.parquet", 0), ("k=2/d.parquet", 4)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        frame_of(Path(name).name, rows).to_parquet(tmp_path / name)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".a.parquet.crc").write_bytes(b"x")
    frame = pd.read_parquet(tmp_path)
    assert places(frame) == list(zip(frame["file"], frame["place"], strict=True))


def test_records_of_several_files_are_in_them_in_the_order_in_which_they_are_named(tmp_path: Path) -> None:
    names = ["k=2/part-1.parquet", "k=1/part-0.parquet", "k=2/part-0.parquet"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        frame_of(Path(name).name, len(name) % 5 + 2).to_parquet(tmp_path / name)
    frame = pd.read_parquet([str(tmp_path / name) for name in names])
    assert places(frame) == list(zip(frame["file"], frame["place"], strict=True))
    assert [Path(each.path).parent.name for each in files_of(frame)] == ["k=2", "k=1", "k=2"]


def test_a_file_is_known_by_what_it_was(tmp_path: Path) -> None:
    file = tmp_path / "one.csv"
    frame_of("one.csv", 3).to_csv(file, index=False)
    status = file.stat()
    frame = pd.read_csv(file)
    file.write_text("something else")
    assert files_of(frame) == (File(str(file), status.st_size, status.st_mtime_ns // 1_000_000, 3),)


@pytest.mark.parametrize(
    ("reader", "given", "reason"),
    [
        ("read_csv", {"nrows": 1}, "read_csv was called with nrows: it may leave out records"),
        ("read_csv", {"skiprows": [1]}, "read_csv was called with skiprows: it may leave out records"),
        ("read_csv", {"comment": "#"}, "read_csv was called with comment: it may leave out records"),
        ("read_fwf", {}, "read_fwf does not say where in a file its records were"),
    ],
)
def test_where_records_may_be_left_out_it_is_not_known(
    tmp_path: Path, reader: str, given: dict[str, Any], reason: str
) -> None:
    frame_of("a", 3).to_csv(tmp_path / "a.csv", index=False)
    assert files_of(getattr(pd, reader)(tmp_path / "a.csv", **given)) == reason


def test_parts_of_a_file_and_open_files_have_no_positions(tmp_path: Path) -> None:
    frame_of("a", 3).to_csv(tmp_path / "a.csv", index=False)
    for part in pd.read_csv(tmp_path / "a.csv", chunksize=2):
        assert files_of(part) == "read_csv was called with chunksize: it may leave out records"
    with (tmp_path / "a.csv").open() as file:
        assert files_of(pd.read_csv(file)) == "read_csv read no path of this machine"


def test_a_file_that_was_changed_while_it_was_read_is_not_known(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    frame_of("a", 3).to_csv(file, index=False)

    def changing(text: str) -> str:
        file.write_text("file,place\nb,1\n")
        return text

    assert (
        files_of(pd.read_csv(file, converters={"file": changing})) == f"{file} was changed while it was read"
    )
