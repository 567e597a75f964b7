"""Files that the log of a table has removed, or deleted records of: pandas reads them, and the table has them not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import headwater_pandas as hp
from headwater_pandas.answers import dataset_of
from headwater_pandas.stored.tables import DELETED, GONE, MORE_THAN_APPENDS, reasons


@pytest.fixture(autouse=True)
def tracked() -> Iterator[None]:
    with hp.tracking():
        yield
    hp.stop()


def add(path: str, **more: Any) -> dict[str, Any]:
    return {"add": {"path": path, **more}}


def remove(path: str) -> dict[str, Any]:
    return {"remove": {"path": path}}


def delta(folder: Path, *commits: list[dict[str, Any]], first: int = 0) -> Path:
    log = folder / "_delta_log"
    log.mkdir(exist_ok=True)
    for number, actions in enumerate(commits, first):
        (log / f"{number:020}.json").write_text("\n".join(map(json.dumps, actions)))
    return folder


def reasons_of(folder: Path, *names: str) -> list[str]:
    found = reasons(str(folder / each) for each in names)
    return [found.get(str(folder / each), "") for each in names]


def test_a_file_that_the_log_has_removed_and_one_that_it_never_had(tmp_path: Path) -> None:
    delta(tmp_path, [add("a"), add("b%20c"), add("k=1/d")], [remove("a"), add("e")])
    assert reasons_of(tmp_path, "a", "b c", "k=1/d", "e", "other") == [GONE, "", "", "", GONE]


def test_records_that_a_file_has_and_the_table_has_not(tmp_path: Path) -> None:
    vector = {"storageType": "u"}
    delta(tmp_path, [add("a"), add("b")], [add("a", deletionVector=vector), remove("a")])
    assert reasons_of(tmp_path, "a", "b") == [DELETED, ""]


def test_whole_addresses_are_paths(tmp_path: Path) -> None:
    delta(tmp_path, [add(f"file://{tmp_path}/a"), add(f"{tmp_path}/b")])
    assert reasons_of(tmp_path, "a", "b", "c") == ["", "", GONE]


def test_a_log_of_which_only_the_end_is_left(tmp_path: Path) -> None:
    delta(tmp_path, [add("d"), remove("a")], first=4)
    assert reasons_of(tmp_path, "a") == ["the log of its table of Delta could not be read: ValueError"]
    checkpoint = pd.DataFrame({"add": [{"path": "a"}, {"path": "b"}, None]})
    checkpoint.to_parquet(tmp_path / "_delta_log" / f"{3:020}.checkpoint.parquet")
    assert reasons_of(tmp_path, "a", "b", "c", "d") == [GONE, "", GONE, ""]


def test_a_checkpoint_of_which_a_part_is_missing_is_none(tmp_path: Path) -> None:
    delta(tmp_path, [add("a")], [add("b")])
    checkpoint = pd.DataFrame({"add": [{"path": "c"}]})
    checkpoint.to_parquet(tmp_path / "_delta_log" / f"{1:020}.checkpoint.{1:010}.{2:010}.parquet")
    assert reasons_of(tmp_path, "a", "b", "c") == ["", "", GONE]


def iceberg(folder: Path, *operations: str, current: int | None = None) -> Path:
    (folder / "metadata").mkdir(exist_ok=True)
    snapshots = [
        {
            "snapshot-id": number,
            "summary": {"operation": each},
            **({"parent-snapshot-id": number - 1} if number else {}),
        }
        for number, each in enumerate(operations)
    ]
    now = len(operations) - 1 if current is None else current
    text = json.dumps({"current-snapshot-id": now, "snapshots": snapshots})
    (folder / "metadata" / f"v{len(operations)}.metadata.json").write_text(text)
    return folder


def test_tables_of_iceberg_that_have_had_appends_alone(tmp_path: Path) -> None:
    iceberg(tmp_path, "append", "append")
    assert reasons_of(tmp_path, "data/a", "data/k=1/b") == ["", ""]
    iceberg(tmp_path, "append", "append", "overwrite")
    assert reasons_of(tmp_path, "data/a") == [MORE_THAN_APPENDS]


def test_a_table_of_iceberg_that_went_back_or_has_forgotten(tmp_path: Path) -> None:
    iceberg(tmp_path, "append", "append", current=0)
    assert reasons_of(tmp_path, "data/a") == [MORE_THAN_APPENDS]
    text = {
        "current-snapshot-id": 2,
        "snapshots": [{"snapshot-id": 2, "parent-snapshot-id": 1, "summary": {"operation": "append"}}],
    }
    (tmp_path / "metadata" / "v3.metadata.json").write_text(json.dumps(text))
    assert reasons_of(tmp_path, "data/a") == [MORE_THAN_APPENDS]
    (tmp_path / "metadata" / "v4.metadata.json").write_text("{")
    assert reasons_of(tmp_path, "data/a") == [
        "the metadata of its table of Iceberg could not be read: JSONDecodeError"
    ]


def test_files_of_no_table(tmp_path: Path) -> None:
    assert reasons_of(tmp_path, "a", "b/c") == ["", ""]


def test_what_pandas_reads_of_a_table_says_which_files_are_none_of_it(tmp_path: Path) -> None:
    delta(tmp_path, [add("a.parquet"), add("b.parquet")], [remove("a.parquet")])
    for name in ("a", "b"):
        pd.DataFrame({"x": [1, 2]}).to_parquet(tmp_path / f"{name}.parquet")
    for read, unknown in ((tmp_path, [GONE, ""]), (tmp_path / "a.parquet", [GONE])):
        files: Any = dataset_of(pd.read_parquet(read)).files
        assert [each.unknown for each in files] == unknown
