"""``headwater check`` of policies that forbid re-identification, and the findings of a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.findings.watch import PolicyWatch
from headwater_backend.stores import open_store
from kit.command import headwater
from kit.pseudonyms import KEYS, NAMED, TOKENS

POLICY = "- policy: no names\n  category: user\n  reidentification: forbidden\n"
ROWS = (
    "token of keys is a pseudonym of mail of people, by makes keys: "
    "readable by mail of keys (identity, by makes keys), in the same rows"
)
JOINED = (
    "the rows of named are joined by token of tokens, a pseudonym of mail of people, by makes tokens → makes named: "
    "readable by mail of keys (identity, by makes keys), in a key table from which who of named came"
)


@pytest.fixture
def at(workdir: Path) -> Sequence[str]:
    """The options of a store with a key table, and with rows that were joined with it."""
    (workdir / "events.ndjson").write_text(
        "".join(json.dumps(each) + "\n" for each in (TOKENS, KEYS, NAMED)), "utf-8"
    )
    (workdir / "policy.yaml").write_text(POLICY, "utf-8")
    options = ("--store", f"sqlite:///{workdir}/own.db")
    assert headwater("import", workdir / "events.ndjson", *options).exit_code == 0
    return options


def test_each_is_listed_with_what_makes_it_readable(workdir: Path, at: Sequence[str]) -> None:
    answer = headwater("check", workdir / "policy.yaml", *at)
    assert answer.exit_code == 6, answer.output
    assert answer.stdout.splitlines()[:3] == ["✗ no names: violated", f"    {ROWS}", f"    {JOINED}"]


def test_nothing_is_found_without_a_key_table(workdir: Path, at: Sequence[str]) -> None:
    (workdir / "policy.yaml").write_text(POLICY + "  dataset: '* tokens'\n", "utf-8")
    answer = headwater("check", workdir / "policy.yaml", *at)
    assert (answer.exit_code, answer.stdout.splitlines()[0]) == (0, "✓ no names: satisfied"), answer.output


def test_sarif_has_the_routes_of_both_and_of_what_tells_the_person(workdir: Path, at: Sequence[str]) -> None:
    answer = headwater("check", workdir / "policy.yaml", "--format", "sarif", *at)
    (run,) = json.loads(answer.stdout)["runs"]
    rows, joined = run["results"]
    assert (rows["message"]["text"], joined["message"]["text"]) == (ROWS, JOINED)
    (location,) = joined["locations"]
    places = [each["fullyQualifiedName"] for each in location["logicalLocations"]]
    assert places == ["test named", "test tokens token", "test keys mail", "test named who"]
    flows = [
        [
            step["location"]["logicalLocations"][0]["fullyQualifiedName"]
            for step in flow["threadFlows"][0]["locations"]
        ]
        for flow in joined["codeFlows"]
    ]
    assert flows == [
        ["test people mail", "test tokens token", "test named"],
        ["test people mail", "test keys mail"],
        ["test people mail", "test keys mail", "test named who"],
    ]


def test_junit_fails_with_both(workdir: Path, at: Sequence[str]) -> None:
    answer = headwater("check", workdir / "policy.yaml", "--format", "junit", *at)
    assert answer.exit_code == 6, answer.output
    failure = ET.fromstring(answer.stdout).find("testcase/failure")
    assert failure is not None and failure.text == f"{ROWS}\n{JOINED}"


def test_json_has_all_of_them(workdir: Path, at: Sequence[str]) -> None:
    answer = headwater("check", workdir / "policy.yaml", "--format", "json", *at)
    (verdict,) = json.loads(answer.stdout)["verdicts"]
    rows, joined = (each["reidentification"] for each in verdict["violations"])
    assert (rows["how"], joined["how"], rows["brought"]) == ("SAME_ROWS", "KEY_TABLE", None)
    assert joined["brought"]["node"]["label"] == "who"


def test_findings_are_listed_with_what_makes_them_readable(workdir: Path, at: Sequence[str]) -> None:
    with closing(open_store(at[1])) as store:
        PolicyWatch(store, parse_policies(POLICY), Ruling(), seconds=1).check()
    answer = headwater("findings", "list", *at)
    rows = sorted(line.split("\t")[3:8] for line in answer.stdout.splitlines()[1:])
    assert rows == [
        [
            "(its rows)",
            "named",
            "mail",
            "people",
            "pseudonymised, readable by mail of keys, joined with a key table",
        ],
        ["token", "keys", "mail", "people", "pseudonymised, readable by mail of keys, in the same rows"],
    ]
