"""Whose records leaked rows were made of, judged by plain Python over the same rows."""

from __future__ import annotations

from typing import Any

import pytest

from kit.jobs import found_by
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the job found, and what it expected."""
    folder = str(tmp_path_factory.mktemp("breached"))
    return found_by(request.param, "breached_records.py", folder, timeout=1800)


def test_each_person_of_a_leaked_row_is_named_and_no_other(told: Any) -> None:
    persons = told["found"]["frame"]["persons"]
    assert {name: found[:2] for name, found in persons.items()} == told["expected"]
    assert len(persons) > 2


def test_what_leaked_is_told_from_what_decided(told: Any) -> None:
    for _, _, leaked, inferred in told["found"]["frame"]["persons"].values():
        assert leaked == ["visits.cost", "visits.doctor"]
        assert inferred == ["patients.id", "patients.illness", "visits.patient"]


def test_every_mode_tells_the_same(told: Any) -> None:
    found = told["found"]
    assert found["demand"] == found["ends"] == found["full"] == found["frame"]


def test_records_without_a_person_are_counted(told: Any) -> None:
    found = told["found"]["patients alone"]
    assert set(found["persons"]) == set(told["expected"])
    assert list(found["unknown"]) == ["visits"]
    assert found["unknown"]["visits"] > 0
    assert told["found"]["frame"]["unknown"] == {}


def test_a_row_of_one_person_is_of_this_one_alone(told: Any) -> None:
    ((person, (rows, among, leaked, _)),) = told["found"]["rows"]["persons"].items()
    assert (person, rows, among) == ("person-1", 1, 1)
    assert leaked == ["patients.name", "visits.cost"]
