"""Values traced through tables of Delta and Iceberg that several jobs changed, to the tokens that rows carry along."""

from __future__ import annotations

from typing import Any

import pytest

from kit.connectors import LAKES, of_tables
from kit.jobs import SETTINGS, found_by
from kit.spark_lines import installed

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module", params=LAKES)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the job found."""
    line, kind = request.param
    installed(line)
    folder = tmp_path_factory.mktemp(kind)
    conf = {**SETTINGS, **of_tables(line, kind, folder)}
    return found_by(line, "lake_records_across.py", kind, str(folder), conf=conf)


def test_a_value_is_traced_through_the_versions_of_a_table(found: Any) -> None:
    claims = found["ends"]["claims"]
    assert len(claims) == 2 and found["ends"]["unknown"] == []
    assert [carried for carried, traced in claims if carried != traced] == []


def test_what_became_of_a_record_is_in_the_newest_version_and_in_the_report(found: Any) -> None:
    assert found["ends"]["outputs"] == ["kept_ends", "report_ends"]
    assert found["ends"]["members"] > 1 and found["ends"]["alone"] == [False, True]
