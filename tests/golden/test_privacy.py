"""The exposure of real data, against matrices that were verified by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from headwater_backend.domain.model import NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.privacy.classification.rules import Rule, Rules
from headwater_backend.privacy.exposure import ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.stores import open_store
from kit.openlineage import lines
from kit.shared import shared

MATRIX: Final = Path(__file__).parent / "privacy" / "food_delivery.matrix"
CATEGORIES: Final = {
    "customers": {
        "id": "user.unique_id",
        "name": "user.name",
        "email": "user.contact.email",
        "address": "user.contact.address",
        "phone": "user.contact.phone_number",
    },
    "drivers": {
        "id": "user.unique_id",
        "name": "user.name",
        "email": "user.contact.email",
        "phone": "user.contact.phone_number",
        "car_license_plate": "user.unique_id",
    },
    "order_status": {"customer_id": "user.unique_id", "driver_id": "user.unique_id"},
    "restaurants": {"email": "user.contact.email", "address": "user.contact.address"},
}
RULES: Final = Rules(
    tuple(
        Rule.of("food_delivery", f"public.{table}", column, category, 1)
        for table, columns in CATEGORIES.items()
        for column, category in columns.items()
    )
)


@pytest.fixture
def report(store_url: str) -> Iterator[ExposureReport]:
    with closing(open_store(store_url)) as store:
        outcomes = ingest(store, lines(shared("events/food-delivery.ndjson")))
        assert all(outcome.stored for outcome in outcomes)
        yield exposed(store, Scope(influenced=True), Ruling(RULES))


def test_the_food_delivery_exposes_exactly_what_was_verified_by_hand(report: ExposureReport) -> None:
    expected = [
        " ".join(line.split())
        for line in MATRIX.read_text().splitlines()
        if line and not line.startswith("#")
    ]
    assert list(cells(report)) == expected


def cells(report: ExposureReport) -> Iterator[str]:
    """The lines of the matrix, without alignment."""
    for each in report.attributes:
        found = [
            f"{text(each.attribute.node)} -> {text(output.node)} {output.form.name} "
            + " ".join(edge.job.name for edge in output.witness)
            for output in each.outputs
        ]
        yield from sorted(found) or [f"{text(each.attribute.node)} -> nothing"]


def text(node: NodeKey) -> str:
    return f"{node.dataset.name.removeprefix('public.')}.{'.'.join(node.path)}"
