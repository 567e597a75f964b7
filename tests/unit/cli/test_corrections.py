"""``headwater corrections`` on a store and on a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timezone
from typing import Any

import pytest

from headwater_backend.domain.moments import micros
from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from kit.command import headwater
from kit.openlineage import NAMESPACE, columns, dataset, event

BECAUSE = ("--reason", "the job's code was looked at")
OUT = f"{NAMESPACE} out"


@pytest.fixture
def corrected(store: str) -> None:
    """A run made ``out`` of ``in``, as was first stated, and of ``elsewhere``, as was stated after it had ended."""
    with closing(open_store(store)) as opened:
        for minute, source in enumerate(("in", "elsewhere")):
            lineage = columns({"mail": [(source, "mail")]})
            made = event("COMPLETE", minute, "run", [], [dataset("out", "mail", columnLineage=lineage)])
            ingest(opened, [made], received=micros(datetime(2026, 3, 1 + minute, tzinfo=timezone.utc)))


def query_json(*arguments: str) -> Any:
    return json.loads(headwater(*arguments, "--json").stdout)


@pytest.mark.usefixtures("corrected")
def test_a_correction_is_listed_accepted_and_reopened(target: Sequence[str]) -> None:
    (found,) = query_json("corrections", "list", *target)
    assert (found["dataset"]["name"], found["job"]["name"], found["by"]) == ("out", "job", "local")
    assert headwater("corrections", "history", *target).stdout == "no decisions about corrections\n"
    tried = headwater("corrections", "accept", OUT, *BECAUSE, "--dry-run", *target).stdout
    assert tried == f"would be accepted: {OUT}\n"
    assert len(query_json("corrections", "list", *target)) == 1
    assert headwater("corrections", "accept", OUT, *BECAUSE, *target).stdout == f"accepted: {OUT}\n"
    assert headwater("corrections", "list", *target).stdout == "no corrections\n"
    assert headwater("corrections", "reopen", OUT, *BECAUSE, *target).stdout == f"reopened: {OUT}\n"
    assert len(query_json("corrections", "list", *target)) == 1
    assert [each["accepted"] for each in query_json("corrections", "history", *target)] == [False, True]


@pytest.mark.usefixtures("corrected")
def test_lineage_is_answered_as_it_was_known_on_a_day(target: Sequence[str]) -> None:
    def sources(*known: str) -> set[str]:
        found = query_json("lineage", "backward", "out", "mail", *known, *target)
        return {node["name"] for node in found["nodes"]} - {"out"}

    assert sources() == {"in", "elsewhere"}
    assert sources("--as-known-at", "2026-03-01T12:00:00Z") == {"in"}
    assert sources("--as-known-at", "2026-02-28T12:00:00Z") == set()
