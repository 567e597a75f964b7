"""Fingerprints of rows that Spark gave: equal ones for equal rows, others for others, whatever is in the cells."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from headwater_pandas.stored.rows import collecting, fingerprints
from headwater_records_spark import UntraceableError

VALUES: dict[str, list[Any]] = {
    "whole": [1, 2, -1],
    "texts": ["a", "b", "", None],
    "sizes": [1.5, 2.5, None],
    "large": [2.0**40, 2.0**40 + 1, None],
    "decimals": [Decimal("1.0"), Decimal("1.00"), None],
    "days": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), None],
    "times": [pd.Timestamp("2020-01-01 00:00:00.000001"), pd.Timestamp("2020-01-01"), None],
    "bytes": [b"a", b"b", None],
    "lists": [[1, 2], [2, 1], [], None],
    "arrays": [np.array(["a", None], object), np.array(["a"], object)],
    "tables": [{"a": 1}, {"a": 2}, {"b": 1}],
    "truth": [True, False],
}


@pytest.mark.parametrize("name", VALUES)
def test_other_rows_have_other_fingerprints_and_the_same_ones_the_same(name: str) -> None:
    column = pd.Series(VALUES[name], name="same")
    table = pd.concat([column, pd.Series(range(len(column)), name="same") * 0], axis=1)
    found = fingerprints(table, [])
    assert len(set(found.tolist())) == len(table)
    turned = fingerprints(table.iloc[::-1].reset_index(drop=True), [])
    assert turned.tolist() == found.tolist()[::-1]


def test_last_digits_of_what_may_be_rounded_otherwise_do_not_count() -> None:
    table = pd.DataFrame({"sum": [0.1 + 0.2, 0.3, -0.0, 0.0, np.nan, 1e300, 1.0, 1.001]})
    found = fingerprints(table, [0]).tolist()
    assert found[0] == found[1] and found[2] == found[3] and len(set(found)) == 6
    assert len(set(fingerprints(table, []).tolist())) == 8


def test_a_table_without_columns_or_rows_has_fingerprints_too() -> None:
    assert len(fingerprints(pd.DataFrame(index=range(3)), [])) == 3
    assert len(fingerprints(pd.DataFrame({"a": []}), [])) == 0


def test_of_a_client_of_spark_connect_it_is_not_known() -> None:
    frame = type("DataFrame", (), {"__module__": "pyspark.sql.connect.dataframe"})()
    assert "Spark Connect" in str(collecting(frame)(pd.DataFrame()))
    session = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with pytest.raises(UntraceableError, match="Spark Connect"):
        hp.origins(pd.DataFrame(), spark=session)


def test_what_fails_in_spark_is_a_reason_and_no_error() -> None:
    reason = str(collecting(object())(pd.DataFrame()))
    assert reason.startswith("Spark could not find the rows of toPandas: ")
