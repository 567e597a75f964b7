"""Whose records leaked rows were made of, judged by plain Python over the same rows."""

from __future__ import annotations

from typing import Any

import pytest

from kit.jobs import found_by
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def described(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the job found, and what it expected."""
    folder = str(tmp_path_factory.mktemp("breached"))
    return found_by(request.param, "breached_records.py", folder, timeout=1800)


def test_each_person_of_a_leaked_row_is_named_and_no_other(described: Any) -> None:
    persons = described["found"]["frame"]["persons"]
    assert {name: found[:2] for name, found in persons.items()} == described["expected"]
    assert len(persons) > 2


def test_what_leaked_is_distinguished_from_what_decided(described: Any) -> None:
    for _, _, leaked, inferred in described["found"]["frame"]["persons"].values():
        assert leaked == ["visits.cost", "visits.doctor"]
        assert inferred == ["patients.id", "patients.illness", "visits.patient"]


def test_every_mode_answers_the_same(described: Any) -> None:
    found = described["found"]
    assert found["demand"] == found["ends"] == found["full"] == found["frame"]


def test_records_without_a_person_are_counted(described: Any) -> None:
    found = described["found"]["patients alone"]
    assert set(found["persons"]) == set(described["expected"])
    assert list(found["unknown"]) == ["visits"]
    assert found["unknown"]["visits"] > 0
    assert described["found"]["frame"]["unknown"] == {}


def test_a_row_of_one_person_is_of_this_one_alone(described: Any) -> None:
    ((person, (rows, among, leaked, _)),) = described["found"]["rows"]["persons"].items()
    assert (person, rows, among) == ("person-1", 1, 1)
    assert leaked == ["patients.name", "visits.cost"]
