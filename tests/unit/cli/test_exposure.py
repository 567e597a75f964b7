"""``headwater exposure``: holders of personal data, and incomplete classification."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from headwater_backend.stores import open_store
from headwater_cli.operations.serve import warn_of_idle_rules
from kit.command import headwater, served

RULE = """
- dataset: {namespace: parcels, name: shop.%s}
  path: "%s"
  category: user.contact.email
"""


def _rules(workdir: Path, *named: tuple[str, str]) -> Path:
    file = workdir / "rules.yaml"
    file.write_text("".join(RULE % each for each in named), "utf-8")
    return file


@pytest.fixture
def rules(workdir: Path) -> Path:
    return _rules(workdir, ("customers", "email"))


def _cells(answer: Result) -> set[tuple[str, str, str]]:
    rows = [line.split("\t") for line in answer.stdout.splitlines()[1:]]
    return {(row[2], row[3], row[6]) for row in rows if len(row) > 6}


def test_rules_are_sent_to_a_server_with_the_query(target: Sequence[str], rules: Path) -> None:
    answer = headwater("exposure", "--rules", rules, *target)
    assert answer.exit_code == 0, answer.output
    assert ("shop.vouchers", "customer_email", "shop.customers") in _cells(answer)


@pytest.mark.parametrize(
    ("named", "near"),
    [(("custommers", "email"), "shop.customers"), (("customers", "emial"), "'email'")],
)
def test_an_unmatched_rule_is_refused_with_the_nearest_names(
    workdir: Path, target: Sequence[str], named: tuple[str, str], near: str
) -> None:
    file = _rules(workdir, ("customers", "email"), named)
    answer = headwater("exposure", "--rules", file, *target)
    assert answer.exit_code == 3
    assert "RULE_UNMATCHED" in answer.stderr
    assert "line 6" in answer.stderr
    assert near in answer.stderr
    assert answer.stdout == ""


def test_a_lenient_query_warns_of_an_unmatched_rule(workdir: Path, target: Sequence[str]) -> None:
    file = _rules(workdir, ("customers", "email"), ("nowhere", "x"))
    answer = headwater("exposure", "--rules", file, "--lenient", *target)
    assert answer.exit_code == 0
    assert ("shop.vouchers", "customer_email", "shop.customers") in _cells(answer)
    assert "UNMATCHED_RULE" in answer.stdout
    assert headwater("exposure", "--rules", file, "--lenient", "--strict", *target).exit_code == 4


def test_without_classification_holders_cannot_be_determined(target: Sequence[str]) -> None:
    answer = headwater("exposure", *target)
    assert answer.exit_code == 5
    assert "Nothing is classified" in answer.stderr
    assert "UNCLASSIFIED" in answer.stdout
    found = headwater("exposure", "--json", *target)
    assert found.exit_code == 5
    assert json.loads(found.stdout)["complete"] is False


def test_an_empty_answer_reports_what_was_checked(store: str, rules: Path) -> None:
    answer = headwater("exposure", "--category", "user.financial", "--rules", rules, "--store", store)
    assert answer.exit_code == 0
    assert "No known path holds any of them. Checked: 0 of 1 personal attributes" in answer.stderr


@pytest.mark.parametrize("path", [(), ("customer_email",)])
def test_a_datasets_holdings_are_those_that_flow_there(
    target: Sequence[str], rules: Path, path: tuple[str, ...]
) -> None:
    answer = headwater("exposure", "shop.vouchers", *path, "--rules", rules, *target)
    assert answer.exit_code == 0, answer.output
    assert ("shop.vouchers", "customer_email", "shop.customers") in _cells(answer)


def test_inflow_is_listed_for_the_requested_path_only(store: str, rules: Path) -> None:
    answer = headwater("exposure", "shop.vouchers", "id", "--rules", rules, "--store", store, "--json")
    arrived = json.loads(answer.stdout)["arrived"]
    assert (arrived["attributes"], arrived["totalCount"]) == ([], 0)


def test_a_limit_reports_how_many_more_there_are(store: str, rules: Path) -> None:
    answer = headwater("exposure", "--rules", rules, "--limit", "1", "--store", store)
    assert len(_cells(answer)) == 1
    assert "2 more: --limit" in answer.stderr


def test_csv_and_json_are_complete(target: Sequence[str], rules: Path) -> None:
    as_csv = headwater("exposure", "--rules", rules, "--csv", *target)
    rows = list(csv.DictReader(io.StringIO(as_csv.stdout)))
    as_json = json.loads(headwater("exposure", "--rules", rules, "--json", *target).stdout)
    (attribute,) = as_json["attributes"]
    assert len(rows) == len(attribute["outputs"]) == as_json["totalCount"] == 3
    assert {row["form"] for row in rows} == {"IDENTITY"}


@pytest.mark.parametrize(
    "options",
    [("--namespace", "parcels"), ("--csv", "--json"), ("--lenient",)],
)
def test_an_option_that_does_not_apply_is_refused(store: str, options: tuple[str, ...]) -> None:
    answer = headwater("exposure", *options, "--store", store)
    assert answer.exit_code == 2, answer.output
    assert options[0] in answer.stderr


def test_a_report_without_classification_is_marked(workdir: Path, store: str) -> None:
    answer = headwater("report", "exposure", "--out", workdir / "out.html", "--store", store)
    assert answer.exit_code == 5
    assert "Nothing is classified as personal" in (workdir / "out.html").read_text("utf-8")


def test_a_report_refuses_an_unmatched_rule(workdir: Path, store: str) -> None:
    file = _rules(workdir, ("nowhere", "x"))
    answer = headwater("report", "exposure", "--out", workdir / "out.html", "--rules", file, "--store", store)
    assert answer.exit_code == 3
    assert not (workdir / "out.html").exists()


def test_the_answers_of_a_server_report_its_unmatched_rules(workdir: Path, store: str) -> None:
    file = _rules(workdir, ("customers", "email"), ("to_come", "x"))
    with served(workdir, "--store", store, "--rules", str(file)) as (address, _):
        answer = headwater("exposure", "--url", address)
    assert answer.exit_code == 0, answer.output
    assert "UNMATCHED_RULE" in answer.stdout
    assert ("shop.vouchers", "customer_email", "shop.customers") in _cells(answer)


def test_a_starting_server_warns_of_its_unmatched_rules(
    workdir: Path, store: str, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(open_store(store)) as opened:
        warn_of_idle_rules(opened, _rules(workdir, ("customers", "email"), ("to_come", "x")))
    (warning,) = caplog.messages
    assert "the rule in line 6 fits no known dataset: 'parcels shop.to_come'" in warning


def test_changes_since_a_moment_are_listed_with_the_forms(target: Sequence[str], rules: Path) -> None:
    answer = headwater("exposure", "--rules", rules, "--since", "2000-01-01", *target)
    assert answer.exit_code == 0, answer.output
    rows = [line.split("\t") for line in answer.stdout.splitlines()]
    assert rows[0] == ["change", "in dataset", "at path", "attribute", "of dataset", "was", "is", "by"]
    assert ["new", "shop.vouchers", "customer_email", "email", "shop.customers", "", "identity"] in [
        row[:7] for row in rows
    ]


def test_changes_go_with_json_and_not_with_csv(store: str, rules: Path) -> None:
    options = ("--rules", rules, "--since", "2000-01-01", "--store", store)
    found = json.loads(headwater("exposure", *options, "--json").stdout)
    assert found["totalCount"] == len(found["changes"]) > 0
    refused = headwater("exposure", *options, "--csv")
    assert refused.exit_code == 2
    assert "--csv lists holdings, not changes" in refused.stderr
