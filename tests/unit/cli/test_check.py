"""``headwater check``: policies on personal data, for people and for build servers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from kit.command import headwater

RULES = """
- dataset: {namespace: parcels, name: shop.customers}
  path: email
  category: user.contact.email
"""
POLICIES = """
- policy: no addresses on vouchers
  category: user.contact
  dataset: {namespace: parcels, name: shop.vouchers}
- policy: pseudonyms on vouchers
  category: user.contact
  dataset: {namespace: parcels, name: shop.vouchers}
  severity: warning
"""


@pytest.fixture
def rules(workdir: Path) -> Path:
    return _file(workdir, "rules.yaml", RULES)


def _file(workdir: Path, name: str, text: str) -> Path:
    file = workdir / name
    file.write_text(text, "utf-8")
    return file


def test_a_violation_names_the_path_the_form_and_the_jobs(
    workdir: Path, target: Sequence[str], rules: Path
) -> None:
    answer = headwater("check", _file(workdir, "policy.yaml", POLICIES), "--rules", rules, *target)
    assert answer.exit_code == 6, answer.output
    assert "✗ no addresses on vouchers: violated\n" in answer.stdout
    assert "✗ pseudonyms on vouchers: violated (warning)\n" in answer.stdout
    assert "    customer_email of shop.vouchers holds email of shop.customers: identity, by" in answer.stdout
    assert "2 policies: 2 violated, 0 unknown, 0 satisfied; 1 personal attribute in 1 of" in answer.stdout


def test_a_policy_that_matches_nothing_is_unknown(workdir: Path, store: str, rules: Path) -> None:
    text = POLICIES.replace("shop.vouchers", "shop.voucers")
    answer = headwater("check", _file(workdir, "policy.yaml", text), "--rules", rules, "--store", store)
    assert answer.exit_code == 4, answer.output
    assert "? no addresses on vouchers: unknown\n" in answer.stdout
    assert "did you mean 'parcels shop.vouchers'" in answer.stdout


def test_without_a_classification_a_policy_is_unknown(workdir: Path, store: str) -> None:
    answer = headwater("check", _file(workdir, "policy.yaml", POLICIES), "--store", store)
    assert answer.exit_code == 4, answer.output
    assert "no known path is classified as user.contact" in answer.stdout


def test_a_wrong_policy_is_refused_with_its_line(workdir: Path, store: str) -> None:
    file = _file(workdir, "policy.yaml", POLICIES.replace("severity", "severety"))
    answer = headwater("check", file, "--store", store)
    assert answer.exit_code == 1
    assert f"{file}, line 8: unknown field 'severety'" in answer.stderr


def test_sarif_has_a_result_at_the_policys_line_with_its_route(
    workdir: Path, looked: str, rules: Path
) -> None:
    store = looked
    file, out = _file(workdir, "policy.yaml", POLICIES), workdir / "check.sarif"
    answer = headwater("check", file, "--rules", rules, "--store", store, "--format", "sarif", "--out", out)
    assert answer.exit_code == 6, answer.output
    assert answer.stdout.startswith(f"{out} written: 2 policies")
    (run,) = json.loads(out.read_text("utf-8"))["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        "no addresses on vouchers",
        "pseudonyms on vouchers",
    ]
    first = run["results"][0]
    assert first["level"] == "error"
    place = first["locations"][0]
    assert place["physicalLocation"]["region"] == {"startLine": 2}
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "parcels shop.vouchers customer_email"
    steps = first["codeFlows"][0]["threadFlows"][0]["locations"]
    names = [step["location"]["logicalLocations"][0]["fullyQualifiedName"] for step in steps]
    assert names[0] == "parcels shop.customers email"
    assert names[-1] == "parcels shop.vouchers customer_email"
    assert {result["level"] for result in run["results"]} == {"error", "warning"}


def test_junit_has_a_failed_case_for_each_error(workdir: Path, store: str, rules: Path) -> None:
    file = _file(workdir, "policy.yaml", POLICIES)
    answer = headwater("check", file, "--rules", rules, "--store", store, "--format", "junit")
    assert answer.exit_code == 6, answer.output
    suite = ET.fromstring(answer.stdout)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    failed, reported = suite
    failure, remark = failed.find("failure"), reported.find("system-out")
    assert failure is not None
    assert "customer_email of shop.vouchers holds" in (failure.text or "")
    assert remark is not None


def test_json_is_the_graphql_answer(workdir: Path, store: str, rules: Path) -> None:
    text = POLICIES.replace("category: user.contact", "category: user.contact.email\n  allow: [identity]")
    file = _file(workdir, "policy.yaml", text)
    answer = headwater("check", file, "--rules", rules, "--store", store, "--format", "json")
    found = json.loads(answer.stdout)
    assert [verdict["category"] for verdict in found["verdicts"]] == ["user.contact.email"] * 2
    assert answer.exit_code == {"SATISFIED": 0, "UNKNOWN": 4, "VIOLATED": 6}[found["outcome"]]


def test_a_rule_on_a_function_decides_on_the_form(workdir: Path, target: Sequence[str], rules: Path) -> None:
    policy = POLICIES.replace("no addresses on vouchers", "p")
    file = _file(workdir, "policy.yaml", policy)
    rules.write_text(RULES + "- function: tokenize\n  form: pseudonymised\n", "utf-8")
    answer = headwater("check", file, "--rules", rules, "--format", "json", *target)
    known = json.loads(answer.stdout)["classification"]
    assert known["functions"] == [{"function": "tokenize", "form": "PSEUDONYMISED"}]


def test_a_file_has_no_colours_of_the_terminal(workdir: Path, store: str, rules: Path) -> None:
    out = workdir / "check.txt"
    headwater(
        "check", _file(workdir, "policy.yaml", POLICIES), "--rules", rules, "--store", store, "--out", out
    )
    assert "\x1b" not in out.read_text("utf-8")


def test_purposes_are_those_that_the_organisation_states(
    workdir: Path, target: Sequence[str], rules: Path
) -> None:
    text = "- {policy: p, category: user.contact, purposes: [essential.service]}"
    policy = _file(workdir, "policy.yaml", text)
    stated = _file(
        workdir,
        "organisation.yaml",
        'processing: [{activity: Letters, outputs: "parcels shop.v*", purpose: marketing.advertising}]',
    )
    options: tuple[str | Path, ...] = ("check", policy, "--rules", rules, *target)
    assert headwater(*options).exit_code == 4
    answer = headwater(*options, "--organisation", stated)
    assert answer.exit_code == 6, answer.output
    assert "customer_email of shop.vouchers holds email of shop.customers" in answer.stdout
    assert "shop.recent_parcels" not in answer.stdout.partition("holds")[2]


def test_a_dataset_outside_the_countries_is_named_with_its_own_in_every_format(
    workdir: Path, target: Sequence[str], rules: Path
) -> None:
    policy = _file(workdir, "policy.yaml", "- {policy: p, category: user.contact, countries: [EEA]}")
    stated = _file(
        workdir,
        "organisation.yaml",
        'locations: [{datasets: "parcels *", country: DE}, {datasets: "parcels shop.v*", country: US}]',
    )
    options: tuple[str | Path, ...] = ("check", policy, "--rules", rules, "--organisation", stated, *target)
    answer = headwater(*options)
    assert answer.exit_code == 6, answer.output
    assert "customer_email of shop.vouchers holds email of shop.customers: identity, by" in answer.stdout
    assert "; the dataset is in US\n" in answer.stdout
    for form in ("sarif", "junit"):
        assert "; the dataset is in US" in headwater(*options, "--format", form).stdout


def test_without_a_location_it_is_not_known(workdir: Path, target: Sequence[str], rules: Path) -> None:
    policy = _file(workdir, "policy.yaml", "- {policy: p, category: user.contact, countries: [EEA]}")
    answer = headwater("check", policy, "--rules", rules, *target)
    assert answer.exit_code == 4, answer.output
    assert "UNSTATED_LOCATION" in answer.stdout
