"""Files of tables of Delta and Iceberg, read by pandas and followed to first records: tokens in the values judge."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_pandas.stored.tables import DELETED, GONE, MORE_THAN_APPENDS
from kit.connectors import of_tables
from kit.jobs import SETTINGS, found_by
from kit.spark_lines import SPARK_35, installed

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module", params=["delta", "iceberg"])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The kind of table, and what the job found."""
    installed(SPARK_35)
    folder = tmp_path_factory.mktemp(request.param)
    conf = {**SETTINGS, **of_tables(SPARK_35, request.param, folder)}
    return request.param, found_by(
        SPARK_35, "records_of_lake_frames.py", request.param, str(folder), conf=conf
    )


def test_what_is_known_is_of_the_records_whose_tokens_the_values_have(found: Any) -> None:
    known = [
        (table, token, of)
        for table, each in found[1]["files"].items()
        for token, of, unknown in each
        if not unknown
    ]
    exact = [each for each in known if not each[1].startswith("M03")]
    assert exact and [(table, token, of) for table, token, of in exact if of != [token]] == []
    assert [each for each in known if each[1] not in each[2]] == []


def test_a_table_of_which_nothing_was_deleted_is_known(found: Any) -> None:
    assert found[1]["files"]["whole lazily"] == [["P03X", ["P03X"], []]]


def test_records_that_are_gone_are_not_known_and_why(found: Any) -> None:
    kind, claims = found
    changed = {table: each for table, each in claims["files"].items() if not table.startswith("whole")}
    assert len(changed) == (5 if kind == "delta" else 4)
    for table, each in changed.items():
        lazily = kind == "delta" and table.endswith("lazily")
        reason = MORE_THAN_APPENDS if kind == "iceberg" else DELETED if lazily else GONE
        assert any(token == "P03X" and unknown == [reason] for token, _, unknown in each), table


def test_what_delta_has_written_anew_is_known(found: Any) -> None:
    kind, claims = found
    anew = {"deleted eagerly": "P01X", "updated lazily": "P03X", "merged eagerly": "M09X"}
    for table, wanted in anew.items() if kind == "delta" else ():
        assert any(token == wanted and not unknown for token, _, unknown in claims["files"][table]), table


def test_rows_of_to_pandas_are_of_the_version_that_was_read(found: Any) -> None:
    rows = found[1]["rows"]
    assert rows["of a version"] == [["P01X", ["P01X"], []], ["P03X", ["P03X"], []]]
    assert sorted(token for token, _, _ in rows["of a change"]) == ["M03X", "M09X"]
    assert [each for each in rows["of a change"] if each[0] not in each[1] or each[2]] == []
