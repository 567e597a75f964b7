"""How the command line lists gaps: by kind and place, with their number and what to do."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.reports.languages.catalogue import Language, remedy, words
from headwater_cli.questions.gaps import PLACES, grouped


def gap(reason: str, name: str, path: str = "", job: str = "", detail: str = "") -> dict[str, Any]:
    return {
        "reason": reason,
        "namespace": "test",
        "name": name,
        "path": path.split(".") if path else [],
        "detail": detail,
        "job": {"namespace": "test", "name": job} if job else None,
    }


def test_a_single_gap_of_a_kind_is_one_line_with_what_to_do() -> None:
    assert list(grouped([gap("OPAQUE", "out", "a.y", "job", "f(x)")])) == [
        "incomplete: OPAQUE at out a.y f(x)  by job",
        f"  what to do: {remedy('OPAQUE')}",
    ]


def test_several_gaps_of_a_kind_are_counted_by_dataset() -> None:
    found = [gap("OPAQUE", "out", "x"), gap("RDD", "other"), gap("OPAQUE", "out", "y"), gap("OPAQUE", "in")]
    assert list(grouped(found)) == [
        "incomplete: OPAQUE, 3 gaps",
        "  at out x  and 1 more there",
        "  at in",
        f"  what to do: {remedy('OPAQUE')}",
        "incomplete: RDD at other",
        f"  what to do: {remedy('RDD')}",
    ]


def test_the_datasets_that_are_not_listed_are_counted() -> None:
    found = [gap("OPAQUE", f"out{number}") for number in range(PLACES + 2)]
    assert "  and in 2 more datasets: --json lists all gaps" in list(grouped(found))


def test_a_gap_of_the_whole_store_has_no_place() -> None:
    assert next(grouped([gap("UNCLASSIFIED", "", detail="no rule")])) == "incomplete: UNCLASSIFIED no rule"


@pytest.mark.parametrize("language", Language)
def test_every_reason_has_a_remedy_in_each_language(language: Language) -> None:
    catalogue = words(language).keys()
    reasons = {key.partition(".")[2] for key in catalogue if key.startswith("reasons.")}
    remedies = {key.partition(".")[2] for key in catalogue if key.startswith("remedies.")}
    assert remedies == reasons | {"OTHER"}
    assert remedy("SOMETHING_NEW", language) == words(language)("remedies.OTHER")
