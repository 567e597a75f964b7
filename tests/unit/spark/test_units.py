from __future__ import annotations

import pytest

from headwater_spark.units import seconds, size


@pytest.mark.parametrize(
    ("text", "expected"),
    [("500ms", 0.5), ("10s", 10), ("10", 10), ("2m", 120), ("2min", 120), ("1h", 3600), ("", 7), ("soon", 7)],
)
def test_durations_are_read_as_spark_writes_them(text: str, expected: float) -> None:
    assert seconds(text, 7) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("100", 100), ("8k", 8192), ("4MB", 4 * 2**20), (" 1g ", 2**30), ("", 7), ("-1", 7), ("4 parsecs", 7)],
)
def test_sizes_are_read_as_spark_writes_them(text: str, expected: int) -> None:
    assert size(text, 7) == expected
