"""Queries on the command line: the same answers from a store and from a server, as text and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from headwater_cli.client.graphql_client import GraphQLClient
from headwater_cli.privacy.exposure import show_exposure
from headwater_cli.privacy.holdings import query_holdings, rule_variables
from kit.command import headwater

EMAILS = {
    ("shop.recent_parcels", "customer_email"),
    ("shop.vouchers", "customer_email"),
    ("shop.slow_parcels", "customer_email"),
}
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


def test_forward_lineage_is_the_same_from_a_store_and_a_server(target: Sequence[str]) -> None:
    answer = headwater("lineage", "forward", "customers", "email", "--json", *target)
    graph = json.loads(answer.stdout)
    assert {(node["name"], node["label"]) for node in graph["nodes"] if node["distance"]} == EMAILS


def test_a_pipe_gets_tab_separated_lines_without_colours(store: str) -> None:
    answer = headwater("lineage", "backward", "vouchers", "customer_email", "--store", store)
    lines = [line.split("\t") for line in answer.stdout.splitlines()]
    assert lines[0] == ["distance", "reach", "namespace", "name", "path"]
    assert lines[-1] == ["2", "DIRECT", "parcels", "shop.customers", "email"]
    assert "\x1b" not in answer.stdout


def test_a_dataset_is_resolved_by_full_name_or_end_of_name(store: str) -> None:
    short = headwater("lineage", "forward", "customers", "email", "--store", store)
    full = headwater(
        "lineage", "forward", "shop.customers", "email", "--namespace", "parcels", "--store", store
    )
    assert short.stdout == full.stdout != ""


def test_an_unknown_path_is_not_found_and_the_nearest_is_suggested(target: Sequence[str]) -> None:
    answer = headwater("lineage", "forward", "customers", "emai", *target)
    assert answer.exit_code == 3
    assert "UNKNOWN_PATH" in answer.stderr
    assert "email" in answer.stderr
    assert answer.stdout == ""


def test_an_unknown_dataset_is_not_found(target: Sequence[str]) -> None:
    answer = headwater("lineage", "backward", "nothing_of_the_kind", *target)
    assert answer.exit_code == 3
    assert "UNKNOWN_DATASET" in answer.stderr


def test_an_invalid_path_reports_its_position(store: str) -> None:
    answer = headwater("lineage", "backward", "customers", "a[.b", "--store", store)
    assert answer.exit_code == 1
    assert "at character" in answer.stderr


def test_exposure_follows_the_rules(store: str, rules: Path) -> None:
    answer = headwater("exposure", "--rules", rules, "--store", store)
    rows = [line.split("\t") for line in answer.stdout.splitlines()[1:] if "\t" in line]
    assert {(row[2], row[3]) for row in rows} == EMAILS
    assert {row[1] for row in rows} == {"user.contact.email"}


def test_exposure_is_printed_by_attribute_with_short_names(store: str, rules: Path) -> None:
    drawn = StringIO()
    found = query_holdings(GraphQLClient(store), rule_variables(rules))
    show_exposure(Console(file=drawn, width=40), found)
    first, *lines = drawn.getvalue().splitlines()
    assert first == "email  is user.contact.email"
    assert lines[0].startswith("  identity       customer_email in shop.recent_parcels")
    assert len([line for line in lines if line.startswith("  identity")]) == len(EMAILS)


def test_influenced_paths_are_listed_on_request(store: str, rules: Path) -> None:
    held = headwater("exposure", "--rules", rules, "--store", store).stdout.splitlines()
    more = headwater("exposure", "--influenced", "--rules", rules, "--store", store).stdout.splitlines()
    assert set(held) <= set(more)


def test_exposure_of_another_category_is_empty(store: str, rules: Path) -> None:
    answer = headwater(
        "exposure", "--category", "user.financial", "--rules", rules, "--store", store, "--json"
    )
    assert json.loads(answer.stdout)["attributes"] == []


def test_the_report_is_a_single_page(workdir: Path, store: str, rules: Path) -> None:
    answer = headwater(
        "report", "exposure", "--out", workdir / "out.html", "--rules", rules, "--store", store
    )
    assert answer.exit_code == 0, answer.output
    page = (workdir / "out.html").read_text("utf-8")
    assert "customer_email" in page
    assert "default-src 'none'" in page
    assert not re.search(r"<[^>]*(src|href)=\"(?!#|data:)", page), "it is self-contained"


def test_datasets_are_listed(target: Sequence[str]) -> None:
    answer = headwater("datasets", "CUSTOMERS", "--json", *target)
    assert [node["name"] for node in json.loads(answer.stdout)] == ["shop.customers"]


def test_a_query_creates_no_store(workdir: Path) -> None:
    answer = headwater("datasets", "--store", "sqlite:///nowhere.db")
    assert answer.exit_code == 3
    assert "headwater import" in answer.stderr
    assert not (workdir / "nowhere.db").exists()


def test_the_environment_may_set_the_store(store: str) -> None:
    assert "shop.customers" in headwater("datasets", HEADWATER_STORE=store).stdout


def test_an_unreachable_server_is_reported(workdir: Path) -> None:
    answer = headwater("datasets", "--url", "http://127.0.0.1:9")
    assert answer.exit_code == 1
    assert "SERVER_AWAY" in answer.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--store", "sqlite:///a.db", "--url", "http://127.0.0.1:9"),
        ("--url", "http://127.0.0.1:9", "--depth", "-1"),
    ],
)
def test_contradicting_or_invalid_options_are_wrong_usage(options: tuple[str, ...]) -> None:
    answer = headwater("lineage", "backward", "customers", *options)
    assert answer.exit_code == 2


def test_strict_reports_an_incomplete_answer_by_the_exit_code(workdir: Path, store: str) -> None:
    complete = headwater("lineage", "forward", "customers", "email", "--strict", "--store", store)
    assert complete.exit_code == 0
    cut = headwater("lineage", "forward", "customers", "email", "--strict", "--depth", "1", "--store", store)
    assert cut.exit_code == 4
    assert "incomplete: DEPTH" in cut.stdout


@pytest.mark.parametrize("elsewhere", [("--store", "sqlite:///none.db"), ("--url", "http://127.0.0.1:9")])
@pytest.mark.parametrize(
    "command", [("search", "a\udcff"), ("impact", "a\udcff"), ("lineage", "backward", "a\udcff", "b")]
)
def test_an_argument_that_is_not_utf_8_is_reported(command: Sequence[str], elsewhere: Sequence[str]) -> None:
    result = headwater(*command, *elsewhere)
    assert result.exit_code == 1
    assert "not valid UTF-8" in result.stderr and "BAD_TEXT" in result.stderr
