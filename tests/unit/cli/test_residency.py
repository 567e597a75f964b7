"""``headwater residency``: in which countries personal data are, and whether they may be there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from kit.command import headwater
from kit.reports import REPORTS

STATED = 'locations: [{datasets: "parcels *", country: DE}, {datasets: "parcels shop.v*", country: US}]'
POLICY = "- {policy: in Europe, category: user, countries: [EEA]}"


@pytest.fixture
def files(workdir: Path) -> tuple[str | Path, ...]:
    (workdir / "stated.yaml").write_text(STATED, "utf-8")
    (workdir / "policy.yaml").write_text(POLICY, "utf-8")
    return ("--organisation", workdir / "stated.yaml", "--policy", workdir / "policy.yaml")


def test_what_is_outside_is_listed_with_the_country_and_the_policy(
    target: Sequence[str], files: tuple[str | Path, ...]
) -> None:
    options = ("--rules", REPORTS / "rules.yaml", *files, *target)
    answer = headwater("residency", *options, "--json")
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)
    verdicts = {
        (each["dataset"]["name"], each["category"]): (each["verdict"], each["outside"])
        for each in found["categories"]
    }
    assert verdicts["shop.vouchers", "user.contact.email"] == ("OUTSIDE", ["US"])
    assert verdicts["shop.customers", "user.contact.email"] == ("WITHIN", [])
    assert found["totalCount"] == len(verdicts) == sum(each["count"] for each in found["totals"])
    rows = [line.split("\t") for line in headwater("residency", *options).stdout.splitlines()]
    assert ["DE, US", "OUTSIDE", "in Europe", "US"] in [row[3:] for row in rows if row[0] == "shop.vouchers"]


def test_without_locations_and_policies_nothing_is_known(
    workdir: Path, store: str, files: tuple[str | Path, ...]
) -> None:
    options = ("--rules", REPORTS / "rules.yaml", "--store", store, "--strict")
    answer = headwater("residency", *options)
    assert answer.exit_code == 4, answer.output
    rows = [line.split("\t") for line in answer.stdout.splitlines()]
    assert {row[4] for row in rows if row[0].startswith("shop.")} == {"not known"}
    assert "no policy" in answer.stdout and "0 within" in answer.output
    unstated = headwater("residency", *files[2:], *options)
    assert "no stated location" in unstated.stdout and ": 0 within, 0 outside" in unstated.output


def test_without_a_classification_nothing_is_known(store: str) -> None:
    assert headwater("residency", "--store", store).exit_code == 5


def test_crossings_are_listed_with_their_safeguards_and_jobs(
    workdir: Path, target: Sequence[str], files: tuple[str | Path, ...]
) -> None:
    options = ("--crossings", "--rules", REPORTS / "rules.yaml", *files, *target)
    answer = headwater("residency", *options)
    assert answer.exit_code == 0, answer.output
    rows = [line.split("\t") for line in answer.stdout.splitlines()]
    wrong = [row for row in rows if row[0] == "shop.vouchers" and "shop.customers email" in row[2]]
    assert wrong and all(row[4:8] == ["DE", "US", "VIOLATION", "in Europe"] and row[8] for row in wrong)
    assert "DE → US" in answer.output
    stated = workdir / "stated.yaml"
    clauses = "safeguards: [{kind: clauses, countries: [US], until: %s}]"
    stated.write_text(f"{STATED}\n{clauses % '2999-01-01'}", "utf-8")
    found = json.loads(headwater("residency", *options, "--json").stdout)
    verdicts = {each["verdict"] for each in found["crossings"] if each["node"]["name"] == "shop.vouchers"}
    assert "SAFEGUARDED" in verdicts and "VIOLATION" not in verdicts
    stated.write_text(f"{STATED}\n{clauses % '2001-01-01'}", "utf-8")
    assert "not in force: clauses for US until 2001-01-01" in headwater("residency", *options).stdout
