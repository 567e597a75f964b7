"""``headwater subject``: where the data of a person are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from kit.command import headwater

RULES = """
- dataset: {namespace: parcels, name: shop.customers}
  path: email
  category: user.contact.email
"""


@pytest.fixture
def rules(workdir: Path) -> Path:
    file = workdir / "rules.yaml"
    file.write_text(RULES, "utf-8")
    return file


def test_each_path_is_listed_with_its_keys_and_the_jobs(target: Sequence[str], rules: Path) -> None:
    answer = headwater("subject", "customers", "--rules", rules, *target)
    assert answer.exit_code == 0, answer.output
    rows = [line.split("\t") for line in answer.stdout.splitlines()]
    assert rows[0][:7] == ["dataset", "path", "attribute", "of dataset", "as", "found by", "erasable"]
    assert rows[1][:8] == [
        "shop.customers",
        "email",
        "email",
        "shop.customers",
        "identity",
        "email",
        "yes",
        "(source)",
    ]
    assert ["shop.vouchers", "customer_email", "email"] in [row[:3] for row in rows]


def test_the_order_may_go_back_from_the_copies(store: str, rules: Path) -> None:
    options = ("--rules", rules, "--store", store, "--json")
    first = json.loads(headwater("subject", *options).stdout)["datasets"]
    last = json.loads(headwater("subject", "--order", "sources-last", *options).stdout)["datasets"]
    assert [each["name"] for each in first] == [each["name"] for each in reversed(last)]
    assert first[0]["name"] == "shop.customers"


def test_without_a_classification_it_is_not_known_where_the_data_are(store: str) -> None:
    assert headwater("subject", "--store", store).exit_code == 5
