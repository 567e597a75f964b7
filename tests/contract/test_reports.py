"""Reports: the same to the byte on both stores."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.decided import Declassification
from headwater_backend.privacy.classification.deciding import Wanted, decide
from headwater_backend.reports.document.canonical import as_json
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind
from kit.reports import BEFORE, REPORTS, look_at_parcels, question
from kit.shared import DATA


@pytest.fixture
def filled(store: LineageStore) -> LineageStore:
    """The store with the parcels' events."""
    events = map(json.loads, (DATA / "parcels.ndjson").read_text("utf-8").splitlines())
    assert all(outcome.stored for outcome in ingest(store, events))
    look_at_parcels(store)
    return store


def test_the_record_of_processing_is_the_golden_one(filled: LineageStore) -> None:
    found = as_json(build(filled, question(Kind.ART30)))
    golden = json.loads((REPORTS / "art30.json").read_text("utf-8"))["report"]
    assert found["sections"][:-1] == golden["sections"][:-1]
    assert _digest_of_lineage(found) == _digest_of_lineage(golden)


def _digest_of_lineage(report: dict[str, Any]) -> Any:
    facts = next(block for block in report["sections"][-1]["blocks"] if block["block"] == "facts")
    return next(fact["values"] for fact in facts["facts"] if fact["key"] == "graph")


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_is_answered(kind: Kind, filled: LineageStore) -> None:
    document = build(filled, question(kind))
    # The organisation does not state in which countries its datasets are.
    assert document.classified and document.complete is (kind is not Kind.TRANSFERS)


def test_declassifications_in_force_are_printed(filled: LineageStore) -> None:
    node = NodeKey(DatasetKey("parcels", "shop.vouchers"), ("customer_email",))
    wanted = Wanted(declassified=(Declassification(node),))
    decide(filled, wanted, Steward(everything("Ada"), "addresses are invented", now=BEFORE))
    printed = json.dumps(as_json(build(filled, question(Kind.EXPOSURE))))
    assert (
        "customer_email: addresses are invented (Ada, since 2026-01-01 00:00:00 UTC, until it is" in printed
    )
