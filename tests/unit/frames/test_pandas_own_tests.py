"""Pandas' own tests have the same outcomes where everything that they make is tracked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOME = (
    "apply.test_str", "frame.methods.test_describe", "frame.methods.test_drop", "frame.methods.test_fillna",
    "frame.methods.test_pop", "frame.methods.test_select_dtypes",
)  # fmt: skip
ALL = (
    "apply", "frame.indexing", "frame.methods", "frame.test_arithmetic", "frame.test_constructors",
    "frame.test_query_eval", "groupby", "indexing", "reductions", "resample", "reshape", "series.indexing",
    "series.methods", "strings", "tools", "window",
)  # fmt: skip
BY_REFERENCES = {
    "test_cache_updating", "test_fillna_on_column_view", "test_frame_setitem_copy_no_write",
    "test_frame_setitem_copy_raises", "test_getitem_loc_assignment_slice_state", "test_interp_inplace",
    "test_iloc_setitem_chained_assignment", "test_partial_set", "test_setitem_cache_updating_slices",
    "test_setitem_chained_setfault", "test_setitem_column_update_inplace",
    "test_slice_consolidate_invalidate_item_cache", "test_underlying_data_conversion", "test_update", "test_xs_view",
    *(
        f"test_detect_chained_assignment{each}"
        for each in ("", "_changing_dtype", "_object_dtype", "_raises", "_undefined_column")
    ),
}  # fmt: skip
"""Pandas warns of values that are set into a part by how many know that part; under tracking more do."""
ITS_CALLER = {
    "test_inference_on_pandas_objects", "test_keyword_quantile_deprecated", "test_where_datetimelike_noop",
}  # fmt: skip
"""A warning names the file of whoever called pandas, and not the first one outside of pandas: that is ours."""


@pytest.mark.parametrize(
    "names", [SOME, *(pytest.param((each,), marks=pytest.mark.slow, id=each) for each in ALL)]
)
@pytest.mark.timeout(7200)
def test_outcomes_are_the_same_where_all_is_tracked(names: tuple[str, ...], tmp_path: Path) -> None:
    plain, tracked = (outcomes(names, tmp_path / each, each) for each in ("", "tracked"))
    assert len(plain) > 20
    different = {test for test, outcome in tracked.items() if plain[test] != outcome}
    assert {each for each in different if _name(each) not in BY_REFERENCES | ITS_CALLER} == set()


def _name(test: str) -> str:
    return test.rpartition("::")[2].partition("[")[0]


def outcomes(names: tuple[str, ...], folder: Path, tracked: str) -> dict[str, str]:
    """The outcome of each test of these modules, by its node."""
    folder.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(ROOT / each) for each in ("tests", "integration", "facets")),
        "PYTEST_ADDOPTS": "",
        "OUTCOMES": str(folder / "outcomes"),
        "TRACKED": tracked,
    }
    modules = [f"pandas.tests.{each}" for each in names]
    options = [
        "-c",
        os.devnull,
        "--rootdir",
        str(folder),
        "-p",
        "kit.tracked_pandas",
        "-p",
        "no:cacheprovider",
    ]
    chosen = ["-m", "not slow and not single_cpu and not network and not db"]
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, "--pyargs", *modules, *chosen],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode in {0, 1}, found.stdout[-2000:] + found.stderr[-2000:]
    lines = (folder / "outcomes").read_text("utf-8").splitlines()
    return {test: outcome for outcome, _, test in (line.partition(" ") for line in lines)}
