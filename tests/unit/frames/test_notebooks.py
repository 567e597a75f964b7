"""Programs in the manner of notebooks, over samples of real files: the same result, and cells of the files are changed.

Where a changed cell made more or fewer records, or brought a record into another group, it is enough that its column is
listed at all.
"""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from headwater_pandas import observe
from headwater_pandas.held import held
from headwater_pandas.memory.changed import PROGRAM
from kit.frame_notebooks import NOTEBOOKS
from kit.frames import cells, same, strict
from kit.shared import shared

CHANGES, VALUES = 30, 8
ROWS = {
    "german/german": 1,
    "census/census": 400,
    "compas/compas": 80,
    "healthcare/patients": 1,
    "healthcare/histories": 1,
}
"""Which records of each file are taken: each so many."""
TABLES = ("customer", "orders", "lineitem", "part", "partsupp", "supplier", "nation", "region")
FREE = {"lists_of_dicts"}
"""What makes its result of lists, which nobody follows."""
ORDERED = {"census_pivot", "tpch_arrow"}
"""What is sorted by what may be changed."""


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, data = tmp_path_factory.mktemp("files"), shared("data")
    for name, each in ROWS.items():
        lines = (data / f"{name}.csv").read_text("utf-8").splitlines(keepends=True)
        (folder / f"{Path(name).name}.csv").write_text("".join([lines[0], *lines[1::each][:80]]), "utf-8")
    for path in (*(data / "orders").glob("*.csv"), *data.glob("*/*.ndjson")):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        (folder / path.name).write_text("".join(lines[:30]), "utf-8")
    tables = {name: pd.read_parquet(data / f"tpch/{name}.parquet") for name in TABLES}
    tables["customer"], tables["part"] = tables["customer"].head(60), tables["part"].head(40)
    for name, key, of, limit in (
        ("orders", "o_custkey", "customer", 150),
        ("lineitem", "l_orderkey", "orders", 200),
        ("partsupp", "ps_partkey", "part", 160),
    ):
        wanted = tables[of].iloc[:, 0]
        tables[name] = tables[name][tables[name][key].isin(wanted)].head(limit).reset_index(drop=True)
    for name, table in tables.items():
        table.to_parquet(folder / f"{name}.parquet")
    return folder


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_has_the_same_result_and_its_records_are_known(name: str, folder: Path) -> None:
    plain = NOTEBOOKS[name](folder)
    with hp.tracking():
        result = NOTEBOOKS[name](folder)
    same(plain, result)
    assert (held(result) is None) == (name in FREE)
    if name not in FREE:
        assert any(Path(each).suffix for each in hp.why(result)["dataset"])


@pytest.mark.slow
@pytest.mark.parametrize("name", [each for each in NOTEBOOKS if each not in FREE | ORDERED])
def test_a_notebook_lists_each_cell_that_changes_a_value(name: str, folder: Path, tmp_path: Path) -> None:
    program, chance = NOTEBOOKS[name], random.Random(name)
    with hp.tracking():
        result = program(folder)
    read = {
        each for each in hp.transformations(result)["step"] if Path(str(each)).suffix in {".csv", ".parquet"}
    }
    columns = {column: listed(result, None, column) for column in result.columns}
    shown = 0
    for _ in range(CHANGES if read else 0):
        shutil.copytree(folder, tmp_path / "changed", dirs_exist_ok=True)
        file = chance.choice(sorted(read))
        wanted = {its for made in columns.values() for each, _, its in made if each == file}
        row, column = changed(tmp_path / "changed" / file, wanted, chance)
        try:
            with observe.alone():
                after = program(tmp_path / "changed")
        except (ValueError, TypeError, KeyError, IndexError, pd.errors.InvalidIndexError):
            continue
        where = different(result, after, chance)
        shown += bool(where)
        for place, label in where:
            made = listed(result, place, label) if place is not None else columns[label]
            known = (file, row, column) in made or any(each == PROGRAM for each, *_ in made)
            assert known or any((each, its) == (file, column) for each, _, its in columns[label])
    assert shown or not read


def listed(result: Any, row: int | None, column: Any) -> set[Any]:
    return cells(hp.why(result, row, [column])) | cells(hp.influence(result, row, [column]))


def changed(file: Path, wanted: set[Any], chance: random.Random) -> tuple[int, Any]:
    """Put another value of its column into a cell of a file, of one of these columns if there are any; its place."""
    text = file.suffix == ".csv"
    headed = 1 if f"{file.stem}" in {Path(each).name for each in ROWS} else 0
    table = (
        pd.read_csv(file, dtype=str, keep_default_na=False, header=None) if text else pd.read_parquet(file)
    )
    first = headed if text else 0
    names = list(table.iloc[0] if headed and text else table.columns)
    places = [place for place, name in enumerate(names) if name in wanted] or list(range(len(names)))
    row, place = chance.randrange(first, len(table)), chance.choice(places)
    others = [
        each for each in table.iloc[first:, place] if each is not None and each != table.iat[row, place]
    ]
    if others:
        table.iat[row, place] = chance.choice(others)
    if text:
        table.to_csv(file, index=False, header=False)
    else:
        table.to_parquet(file)
    return row - first, names[place]


def different(before: Any, after: Any, chance: random.Random) -> list[tuple[int | None, Any]]:
    """Some values that differ, by row and column; no row where there are other records or columns."""
    if list(map(str, before.columns)) != list(map(str, after.columns)):
        return []
    if not before.index.equals(after.index):
        return [(None, before.columns[0])] if len(before) != len(after) else []
    one, other = (each.astype(object).to_numpy() for each in (before, after))
    missing, gone = before.isna().to_numpy(), after.isna().to_numpy()
    found = [
        (row, before.columns[place])
        for row, place in zip(*np.nonzero(~(missing & gone)), strict=True)
        if missing[row, place] or gone[row, place] or not close(one[row, place], other[row, place])
    ]
    return chance.sample(found, min(VALUES, len(found)))


def close(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-12 * max(1.0, abs(one))
    return bool(np.all(one == other))
