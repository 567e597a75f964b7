"""Titles of jobs, by the names that agents in Spark give them. The explorer's function is tested by the same cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headwater_facets.job_titles import title_of

CASES = json.loads((Path(__file__).parents[2] / "data/job_titles.json").read_text("utf-8"))


@pytest.mark.parametrize(("name", "title"), CASES)
def test_a_job_of_spark_is_called_by_application_deed_and_dataset_and_others_as_they_are(
    name: str, title: str
) -> None:
    assert title_of(name) == title
