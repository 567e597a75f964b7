"""Which writes leave data of before in their output, by what their events say."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.ingest.decoding.replacing import keeps_content

SPARK = {"jobType": {"integration": "SPARK"}}


def written(change: str | None = None, extent: str | None = None) -> dict[str, Any]:
    facets = {"lifecycleStateChange": {"lifecycleStateChange": change}} if change else {}
    return {**facets, "headwater_extent": {"replaced": extent}} if extent else facets


@pytest.mark.parametrize(
    ("output", "keeps"),
    [
        (written(), True),
        (written("ALTER"), True),
        (written("OVERWRITE"), False),
        (written("CREATE"), True),
        (written("CREATE", "WHOLE"), False),
        (written("TRUNCATE"), False),
        (written("OVERWRITE", "WHOLE"), False),
        (written("OVERWRITE", "PART"), True),
        (written(None, "PART"), True),
        (written(None, "NONE"), True),
        (written("CREATE", "NONE"), True),
    ],
)
def test_agents_in_spark_report_each_overwrite(output: dict[str, Any], *, keeps: bool) -> None:
    assert keeps_content(output, SPARK) is keeps


@pytest.mark.parametrize("job", [{}, {"jobType": {"integration": "AIRFLOW"}}])
def test_jobs_of_others_make_their_outputs_anew(job: dict[str, Any]) -> None:
    assert not keeps_content(written(), job)


def test_how_much_was_replaced_is_known_whoever_says_it() -> None:
    assert keeps_content(written("OVERWRITE", "PART"), {})
