"""``headwater reidentified``: pseudonyms that are readable again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from kit.command import headwater
from kit.openlineage import columns, dataset, event

PARCELS = (
    "- dataset: {namespace: parcels, name: shop.customers}\n  path: email\n  category: user.contact.email\n"
)
RULES = "- dataset: {namespace: test, name: people}\n  path: mail\n  category: user.contact.email\n"


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A file with the events of a job that makes a key table, and of one that counts by town."""
    lineage = columns({"token": [("people", "mail")], "mail": [("people", "mail")]})
    (hashed,) = lineage["fields"]["token"]["inputFields"]
    hashed["transformations"] = [{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}]
    counts = columns({"mails": [("people", "mail")]})
    (counted,) = counts["fields"]["mails"]["inputFields"]
    counted["transformations"] = [{"type": "DIRECT", "subtype": "AGGREGATION"}]
    grouped = [{"type": "INDIRECT", "subtype": "GROUP_BY"}]
    counts["dataset"] = [{"namespace": "test", "name": "people", "field": "town", "transformations": grouped}]
    people = dataset("people", "mail", "town")
    events = [
        event(
            "COMPLETE", 1, "keys", [people], [dataset("keys", "token", "mail", columnLineage=lineage)], "keys"
        ),
        event(
            "COMPLETE", 2, "counts", [people], [dataset("counts", "mails", columnLineage=counts)], "counts"
        ),
    ]
    file = tmp_path / "events.ndjson"
    file.write_text("".join(json.dumps(each) + "\n" for each in events), "utf-8")
    return file


def test_each_finding_is_listed_with_its_jobs_and_the_keys_that_nothing_classifies(
    workdir: Path, keys: Path
) -> None:
    (workdir / "rules.yaml").write_text(RULES, "utf-8")
    at = ("--store", f"sqlite:///{workdir}/own.db")
    assert headwater("import", keys, *at).exit_code == 0
    answer = headwater("reidentified", "--rules", workdir / "rules.yaml", *at)
    assert answer.exit_code == 0, answer.output
    rows = [line.split("\t") for line in answer.stdout.splitlines()]
    assert rows[1] == [
        "keys",
        "mail",
        "people",
        "token",
        "keys",
        "mail",
        "identity",
        "keys",
        "in the same rows",
    ]
    assert rows[-1] == ["counts", "counts", "town", "people"]


def test_a_server_and_a_store_have_no_finding_alike(target: Sequence[str], workdir: Path) -> None:
    (workdir / "rules.yaml").write_text(PARCELS, "utf-8")
    answer = headwater("reidentified", "--rules", workdir / "rules.yaml", "--json", *target)
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["findingCount"] == 0


def test_without_a_classification_it_is_not_known_what_the_pseudonyms_are_of(store: str) -> None:
    assert headwater("reidentified", "--store", store).exit_code == 5
