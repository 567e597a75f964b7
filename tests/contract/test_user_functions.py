"""The user functions of jobs, listed from what their agents say, in every store."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.catalog.user_functions import FunctionOfJob, cursor, user_functions
from kit.openlineage import dataset, event, facet, run_id

READ = {"name": "city", "sort": "PYTHON_UDF", "known": "ANALYSED"}
OPAQUE = {
    "name": "score",
    "sort": "PYTHON_UDF",
    "known": "OPAQUE",
    "why": [{"code": "OUTSIDE", "reason": "it opens a file (open)", "line": 3}],
}
DIFFERENT = {
    "name": "hide",
    "sort": "PYTHON_UDF",
    "known": "DECLARED",
    "code": {"function": "hide", "file": "job.py", "line": 9},
    "differences": [{"difference": "UNDECLARED", "argument": 1, "from": ["zip"], "to": []}],
}
ODD = {"name": "later", "sort": "PYTHON_UDF", "known": "PROVEN"}


def ran(job: str, *functions: dict[str, Any], minute: int = 1, body: Any = None) -> dict[str, Any]:
    run = event("COMPLETE", minute, run_id(job), [dataset("in", "a")], [dataset(f"out_{job}", "a")], job)
    run["job"]["facets"] = {"headwater_functions": body or facet(functions=list(functions))}
    return run


def receive(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [outcome.error for outcome in ingest(store, events)] == [None] * len(events)


def names(found: tuple[FunctionOfJob, ...]) -> list[tuple[str, str]]:
    return [(each.job.name, each.function.name) for each in found]


@pytest.fixture
def filled(store: LineageStore) -> LineageStore:
    receive(
        store,
        ran("a", READ, OPAQUE),
        ran("b"),
        ran("c", DIFFERENT, ODD, READ),
        ran("d", body=facet(functions=7)),
    )
    return store


def test_functions_are_listed_by_job_page_by_page(filled: LineageStore) -> None:
    everything = [("a", "city"), ("a", "score"), ("c", "hide"), ("c", "later"), ("c", "city")]
    assert names(user_functions(filled).items) == everything
    pages, after = [], None
    while True:
        page = user_functions(filled, first=2, after=after)
        pages += names(page.items)
        if not page.has_next:
            break
        after = cursor(page.items[-1])
    assert pages == everything


def test_functions_are_listed_by_what_is_known_of_them(filled: LineageStore) -> None:
    assert names(user_functions(filled, known=["OPAQUE"]).items) == [("a", "score")]
    assert names(user_functions(filled, differing=True).items) == [("c", "hide")]
    assert names(user_functions(filled, "C", ["ANALYSED"]).items) == [("c", "city")]
    (found,) = user_functions(filled, known=["DECLARED"]).items
    assert found.function.code is not None
    assert (found.function.code.file, found.function.code.line) == ("job.py", 9)


def test_a_later_run_replaces_what_its_job_reported(filled: LineageStore) -> None:
    receive(filled, ran("c", READ, minute=5))
    assert names(user_functions(filled, differing=True).items) == []
