"""``headwater copies`` on a store and on a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import pytest

from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from kit.command import headwater
from kit.openlineage import NAMESPACE, columns, dataset, event, facet

PAIR = (f"{NAMESPACE} /archive/2026", "people")
BECAUSE = ("--reason", "moved by a script")


@pytest.fixture
def copied(store: str) -> None:
    """A job writes ``/out/people``; another reads ``/archive/2026``, which has the same size and nobody wrote."""
    out = dataset("/out/people", "mail", columnLineage=columns({"mail": [("source", "mail")]}))
    out["outputFacets"] = {"outputStatistics": facet(rowCount=40, size=5_000)}
    read = dataset("/archive/2026", "mail")
    read["inputFacets"] = {"inputStatistics": facet(rowCount=40, size=5_000)}
    with closing(open_store(store)) as opened:
        ingest(
            opened,
            [
                event("COMPLETE", 1, "write", [dataset("source", "mail")], [out], job="write"),
                event("COMPLETE", 2, "read", [read], [dataset("report")], job="read"),
            ],
        )


def query_json(*arguments: str) -> Any:
    return json.loads(headwater(*arguments, "--json").stdout)


@pytest.mark.usefixtures("copied")
def test_a_copy_is_proposed_confirmed_and_reopened(target: Sequence[str]) -> None:
    (proposed,) = query_json("copies", "propose", *target)
    assert (proposed["dataset"]["name"], proposed["original"]["name"]) == ("/archive/2026", "/out/people")
    tried = headwater("copies", "confirm", *PAIR, *BECAUSE, "--dry-run", *target).stdout
    pair = f"{NAMESPACE} /archive/2026 as a copy of {NAMESPACE} /out/people"
    assert tried == f"would be confirmed: {pair}\n"
    assert headwater("copies", "history", *target).stdout == "no decisions about copies\n"
    assert headwater("copies", "confirm", *PAIR, *BECAUSE, *target).stdout == f"confirmed: {pair}\n"
    assert headwater("copies", "confirm", *PAIR, *BECAUSE, *target).stdout == "no change: already in force\n"
    assert headwater("copies", "propose", *target).stdout == "no proposals\n"
    backward = headwater("lineage", "backward", "/archive/2026", "mail", *target).stdout
    assert backward.splitlines()[-1].split("\t")[-2:] == ["source", "mail"]
    assert headwater("copies", "reopen", *PAIR, *BECAUSE, *target).stdout == f"reopened: {pair}\n"
    listed = query_json("copies", "history", *target)
    assert [(each["verdict"], each["reason"]) for each in listed] == [
        ("REOPENED", "moved by a script"),
        ("CONFIRMED", "moved by a script"),
    ]


@pytest.mark.usefixtures("copied")
def test_a_refused_copy_is_not_proposed_again(target: Sequence[str]) -> None:
    assert headwater("copies", "refuse", *PAIR, *BECAUSE, *target).stdout.startswith("refused: ")
    assert query_json("copies", "propose", *target) == []
