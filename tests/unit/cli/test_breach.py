"""``headwater breach``: what a leak exposes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from kit.command import headwater
from kit.openlineage import dataset, event, facet

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


def test_a_leak_is_reported_with_what_it_can_be_joined_with(target: Sequence[str], rules: Path) -> None:
    answer = headwater("breach", "vouchers", "--rules", rules, *target)
    assert answer.exit_code == 0, answer.output
    assert "leaked dataset\trows\tlast written\twritten by\tread by\nshop.vouchers\t" in answer.stdout
    assert "\nValues in the leak: 1\n" in answer.stdout
    assert (
        "email\tuser.contact.email\tshop.customers\tcustomer_email\tshop.vouchers\tidentity" in answer.stdout
    )
    assert "email of shop.customers\tidentity\temail\tshop.customers\n" in answer.stdout


def test_a_path_or_a_whole_store_may_have_leaked(store: str, rules: Path) -> None:
    options = ("--rules", rules, "--json", "--store", store)
    path = json.loads(headwater("breach", "shop.vouchers#customer_email", *options).stdout)
    assert path["valueCount"] == 1
    whole = json.loads(headwater("breach", "--in-namespace", "parcels", *options).stdout)
    assert whole["valueCount"] > 1
    assert whole["joinable"] == []


@pytest.mark.parametrize(
    ("pattern", "datasets", "paths"),
    [
        ("shop.*", 8, 31),
        ("parcels shop.v*", 1, 3),
        ("*#**email", 4, 4),
        ("shop.vouchers#customer*", 1, 1),
        ("*vouchers#customer_email", 1, 1),
    ],
)
def test_all_that_a_pattern_matches_has_leaked(
    pattern: str, datasets: int, paths: int, store: str, rules: Path
) -> None:
    answer = headwater("breach", pattern, "--rules", rules, "--store", store)
    assert answer.exit_code == 0, answer.output
    assert f"{pattern!r} matches {paths} path" in answer.stdout
    found = json.loads(headwater("breach", pattern, "--rules", rules, "--json", "--store", store).stdout)
    (matched,) = found["matched"]
    assert matched["count"] == len(matched["nodes"]) == paths
    assert len(found["datasets"]) == datasets
    assert found["valueCount"] >= 1


@pytest.mark.parametrize("pattern", ["crm.*", "shop.vouchers#phone*", "*#*fax*"])
def test_a_pattern_that_matches_nothing_is_an_error(pattern: str, store: str, rules: Path) -> None:
    answer = headwater("breach", pattern, "--rules", rules, "--store", store)
    assert answer.exit_code == 3, answer.output
    assert "the leak fits no known" in answer.stderr


def test_an_unknown_leak_is_an_error(store: str, rules: Path) -> None:
    answer = headwater("breach", "shop.vouchers#custommer_email", "--rules", rules, "--store", store)
    assert answer.exit_code == 3, answer.output
    assert "customer_email" in answer.stderr


def test_a_leak_must_be_named(store: str) -> None:
    assert headwater("breach", "--store", store).exit_code == 2


def test_without_a_classification_it_is_not_known_what_leaked(store: str) -> None:
    assert headwater("breach", "vouchers", "--store", store).exit_code == 5


@pytest.mark.parametrize(
    ("function", "retains", "form"),
    [
        ("lower", "CONTAINS", "contained (lower)"),
        ("to_json", "CONTAINS", "contained (to_json)"),
        ("left", "PART", "transformed"),
        ("my_udf", None, "transformed"),
    ],
)
@pytest.mark.parametrize("command", [("breach", "out"), ("exposure",), ("subject", "in")])
def test_what_can_be_read_in_another_notation_is_contained_with_the_function(
    command: Sequence[str], function: str, retains: str | None, form: str, workdir: Path
) -> None:
    how = {
        "type": "DIRECT",
        "subtype": "TRANSFORMATION",
        "functions": [function],
        "manipulation": ["COMPUTE"],
        **({"retains": retains} if retains else {}),
    }
    source = {"namespace": "test", "name": "in", "path": ["email"], "transformations": [how]}
    lineage = facet(fields=[{"path": ["x"], "inputFields": [source]}], complete=True, incomplete=[])
    run = event(
        "COMPLETE", 1, "r", [dataset("in", "email")], [dataset("out", "x", headwater_pathLineage=lineage)]
    )
    (workdir / "run.ndjson").write_text(json.dumps(run), "utf-8")
    (workdir / "rules.yaml").write_text(
        RULES.replace("shop.customers", "in").replace("parcels", "test"), "utf-8"
    )
    url = f"sqlite:///{workdir}/lineage.db"
    assert headwater("import", "run.ndjson", "--store", url).exit_code == 0
    answer = headwater(*command, "--rules", "rules.yaml", "--store", url)
    assert form in [cell for line in answer.stdout.splitlines() for cell in line.split("\t")], answer.stdout
