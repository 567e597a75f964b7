"""``headwater exposure``: what arrived where, and that "nobody" is only said where it is known."""

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


def _rules(here: Path, *named: tuple[str, str]) -> Path:
    file = here / "rules.yaml"
    file.write_text("".join(RULE % each for each in named), "utf-8")
    return file


@pytest.fixture
def rules(here: Path) -> Path:
    return _rules(here, ("customers", "email"))


def _cells(answer: Result) -> set[tuple[str, str, str]]:
    rows = [line.split("\t") for line in answer.stdout.splitlines()[1:]]
    return {(row[2], row[3], row[6]) for row in rows if len(row) > 6}


def test_rules_go_with_the_question_to_a_server(place: Sequence[str], rules: Path) -> None:
    answer = headwater("exposure", "--rules", rules, *place)
    assert answer.exit_code == 0, answer.output
    assert ("shop.vouchers", "customer_email", "shop.customers") in _cells(answer)


@pytest.mark.parametrize(
    ("named", "near"),
    [(("custommers", "email"), "shop.customers"), (("customers", "emial"), "'email'")],
)
def test_a_rule_that_fits_nothing_is_refused_with_the_nearest_names(
    here: Path, place: Sequence[str], named: tuple[str, str], near: str
) -> None:
    file = _rules(here, ("customers", "email"), named)
    answer = headwater("exposure", "--rules", file, *place)
    assert answer.exit_code == 3
    assert "RULE_UNMATCHED" in answer.stderr
    assert "line 6" in answer.stderr
    assert near in answer.stderr
    assert answer.stdout == ""


def test_a_lenient_question_warns_of_a_rule_that_fits_nothing(here: Path, place: Sequence[str]) -> None:
    file = _rules(here, ("customers", "email"), ("nowhere", "x"))
    answer = headwater("exposure", "--rules", file, "--lenient", *place)
    assert answer.exit_code == 0
    assert ("shop.vouchers", "customer_email", "shop.customers") in _cells(answer)
    assert "UNMATCHED_RULE" in answer.stdout
    assert headwater("exposure", "--rules", file, "--lenient", "--strict", *place).exit_code == 4


def test_without_classification_nobody_is_not_an_answer(place: Sequence[str]) -> None:
    answer = headwater("exposure", *place)
    assert answer.exit_code == 5
    assert "Nothing is classified" in answer.stderr
    assert "UNCLASSIFIED" in answer.stdout
    found = headwater("exposure", "--json", *place)
    assert found.exit_code == 5
    assert json.loads(found.stdout)["complete"] is False


def test_an_empty_answer_says_what_was_looked_for(store: str, rules: Path) -> None:
    answer = headwater("exposure", "--category", "user.financial", "--rules", rules, "--store", store)
    assert answer.exit_code == 0
    assert "No known path holds any of them. Looked for: 0 of 1 personal attributes" in answer.stderr


@pytest.mark.parametrize("path", [(), ("customer_email",)])
def test_what_is_in_a_dataset_is_what_arrived_there(
    place: Sequence[str], rules: Path, path: tuple[str, ...]
) -> None:
    answer = headwater("exposure", "shop.vouchers", *path, "--rules", rules, *place)
    assert answer.exit_code == 0, answer.output
    assert ("shop.vouchers", "customer_email", "shop.customers") in _cells(answer)


def test_what_arrived_is_told_of_the_asked_path_alone(store: str, rules: Path) -> None:
    answer = headwater("exposure", "shop.vouchers", "id", "--rules", rules, "--store", store, "--json")
    arrived = json.loads(answer.stdout)["arrived"]
    assert (arrived["attributes"], arrived["totalCount"]) == ([], 0)


def test_a_limit_says_how_many_more_there_are(store: str, rules: Path) -> None:
    answer = headwater("exposure", "--rules", rules, "--limit", "1", "--store", store)
    assert len(_cells(answer)) == 1
    assert "2 more: --limit" in answer.stderr


def test_csv_and_json_have_all_of_it(place: Sequence[str], rules: Path) -> None:
    as_csv = headwater("exposure", "--rules", rules, "--csv", *place)
    rows = list(csv.DictReader(io.StringIO(as_csv.stdout)))
    as_json = json.loads(headwater("exposure", "--rules", rules, "--json", *place).stdout)
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


def test_a_report_without_classification_says_so(here: Path, store: str) -> None:
    answer = headwater("report", "exposure", "--out", here / "out.html", "--store", store)
    assert answer.exit_code == 5
    assert "Nothing is classified as personal" in (here / "out.html").read_text("utf-8")


def test_a_report_refuses_a_rule_that_fits_nothing(here: Path, store: str) -> None:
    file = _rules(here, ("nowhere", "x"))
    answer = headwater("report", "exposure", "--out", here / "out.html", "--rules", file, "--store", store)
    assert answer.exit_code == 3
    assert not (here / "out.html").exists()


def test_the_answers_of_a_server_tell_of_its_rules_that_fit_nothing(here: Path, store: str) -> None:
    file = _rules(here, ("customers", "email"), ("to_come", "x"))
    with served(here, "--store", store, "--rules", str(file)) as (address, _):
        answer = headwater("exposure", "--url", address)
    assert answer.exit_code == 0, answer.output
    assert "UNMATCHED_RULE" in answer.stdout
    assert ("shop.vouchers", "customer_email", "shop.customers") in _cells(answer)


def test_a_server_that_starts_warns_of_its_rules_that_fit_nothing(
    here: Path, store: str, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(open_store(store)) as opened:
        warn_of_idle_rules(opened, _rules(here, ("customers", "email"), ("to_come", "x")))
    (warning,) = caplog.messages
    assert "the rule in line 6 fits no known dataset: 'parcels shop.to_come'" in warning
