"""The frame of an RDD is noted where the program takes its rows, and nothing of the program changes by that."""

from __future__ import annotations

import importlib
import subprocess
import sys
from functools import cached_property
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from headwater_spark.activation import frame_rows


def getter(frame: Any) -> Any:
    """As PySpark's: it asks the JVM for the rows."""
    frame.asked += 1
    return SimpleNamespace(_jrdd=frame.javaToPython())


@pytest.mark.parametrize("kind", [property, cached_property])
def test_rows_are_given_as_before_where_nothing_can_be_noted(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, own = ModuleType(frame_rows._MODULES[0]), kind(getter)
    frames = type("DataFrame", (), {"asked": 0, "javaToPython": lambda _: "rows", "rdd": own})
    if isinstance(own, cached_property):
        own.__set_name__(frames, "rdd")
    module.__dict__["DataFrame"] = frames
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])

    frame_rows.note_frames()
    replaced = vars(frames)["rdd"]
    frame_rows.note_frames()

    assert replaced is vars(frames)["rdd"] is not own
    frame: Any = frames()
    assert frame.rdd._jrdd == "rows"
    assert frame.asked == 1
    assert type(replaced) is kind
    assert sum(isinstance(each, frame_rows._Import) for each in sys.meta_path) == 1


def test_frames_that_are_imported_later_are_changed_then_and_keep_their_loader() -> None:
    program = (
        "from headwater_spark.activation import frame_rows\n"
        "frame_rows.note_frames()\n"
        "import sys; assert 'pyspark' not in sys.modules\n"
        "import pyspark.sql.classic.dataframe as found\n"
        "import pyspark.sql.dataframe as interface\n"
        "print(type(found.__loader__).__name__, hasattr(found.DataFrame.rdd.func, '_notes_frames'))\n"
        "print(hasattr(interface.DataFrame.rdd, '_notes_frames'))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["SourceFileLoader", "True", "False"]


def test_what_is_no_module_of_frames_is_found_as_before() -> None:
    assert frame_rows._Import().find_spec("json", None) is None
    assert importlib.import_module("json").__name__ == "json"
