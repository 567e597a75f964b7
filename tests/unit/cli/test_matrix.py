"""``headwater matrix``: which datasets hold which personal data, as a table, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from kit.command import headwater
from kit.reports import REPORTS

RULES = """
- dataset: {namespace: parcels, name: shop.customers}
  path: email
  category: user.contact.email
- dataset: {namespace: parcels, name: shop.customers}
  path: name
  category: user.name
"""


@pytest.fixture
def rules(workdir: Path) -> Path:
    file = workdir / "rules.yaml"
    file.write_text(RULES, "utf-8")
    return file


def test_a_row_for_each_dataset_and_a_column_for_each_category(target: Sequence[str], rules: Path) -> None:
    answer = headwater("matrix", "--rules", rules, "--csv", *target)
    assert answer.exit_code == 0, answer.output
    heading, *rows = csv.reader(io.StringIO(answer.stdout))
    assert heading == ["namespace", "dataset", "user.contact.email", "user.name"]
    table = {row[1]: row[2:] for row in rows}
    assert table["shop.customers"] == ["declared", "declared"]
    assert table["shop.vouchers"][0] == "identity"


def test_rows_may_be_namespaces_and_columns_attributes(store: str, rules: Path) -> None:
    options = ("--rules", rules, "--store", store, "--columns", "attribute", "--rows", "namespace")
    answer = headwater("matrix", *options, "--json")
    found = json.loads(answer.stdout)
    assert {(cell["namespace"], cell["name"], cell["category"]) for cell in found["cells"]} >= {
        ("parcels", None, None)
    }
    assert {cell["attribute"]["label"] for cell in found["cells"]} == {"email", "name"}
    assert "email of shop.customers" in headwater("matrix", *options).stdout


def test_rows_may_be_recipients_and_columns_subjects(target: Sequence[str], rules: Path) -> None:
    stated: tuple[str | Path, ...] = ("--rules", rules, "--organisation", REPORTS / "organisation.yaml")
    options = (*stated, "--rows", "recipient", "--columns", "subject", "--csv", *target)
    answer = headwater("matrix", *options)
    assert answer.exit_code == 0, answer.output
    heading, *rows = csv.reader(io.StringIO(answer.stdout))
    assert heading == ["recipient", "customer"]
    assert rows == [["(not stated)", "declared"], ["Voucher Ltd", "identity"]]


def test_recipients_that_nothing_personal_reaches_are_named(workdir: Path, store: str, rules: Path) -> None:
    file = workdir / "organisation.yaml"
    idle = '{name: Idle Ltd, datasets: "* shop.parcels_by_depot"}'
    file.write_text(f'recipients: [{idle}, {{name: Lost Ltd, datasets: "* nowhere"}}]', "utf-8")
    options = ("--rules", rules, "--organisation", file, "--rows", "recipient", "--store", store)
    answer = headwater("matrix", *options, "--strict")
    assert answer.exit_code == 4
    assert "nothing that is known as personal reaches: Idle Ltd\n" in answer.output
    assert "no known dataset: '* nowhere'" in answer.output


def test_without_a_classification_an_empty_table_means_nothing(store: str) -> None:
    assert headwater("matrix", "--store", store).exit_code == 5


def test_only_special_categories_are_shown_where_these_are_asked_for(
    target: Sequence[str], rules: Path
) -> None:
    rules.write_text(RULES.replace("user.name", "user.health_and_medical"), "utf-8")
    answer = headwater("matrix", "--special", "--rules", rules, "--csv", *target)
    assert answer.exit_code == 0, answer.output
    heading, *_ = csv.reader(io.StringIO(answer.stdout))
    assert heading == ["namespace", "dataset", "user.health_and_medical"]


@pytest.mark.parametrize(("subject", "shown"), [("customer", True), ("employee", False)])
def test_only_data_of_a_subject_are_shown_where_it_is_asked_for(
    target: Sequence[str], rules: Path, subject: str, shown: bool
) -> None:
    stated: tuple[str | Path, ...] = ("--rules", rules, "--organisation", REPORTS / "organisation.yaml")
    answer = headwater("matrix", "--subject", subject, *stated, "--csv", *target)
    assert answer.exit_code == 0, answer.output
    assert ("shop.customers" in answer.stdout) is shown


@pytest.mark.parametrize(("owner", "shown"), [("", True), ("sales", False)])
def test_only_datasets_of_an_owner_or_of_none_are_shown_where_these_are_asked_for(
    target: Sequence[str], rules: Path, owner: str, shown: bool
) -> None:
    answer = headwater("matrix", "--owner", owner, "--rules", rules, "--csv", *target)
    assert answer.exit_code == 0, answer.output
    assert ("shop.customers" in answer.stdout) is shown
