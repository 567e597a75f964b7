"""``headwater alias`` and ``headwater namespaces`` on a store and on a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from kit.command import headwater
from kit.openlineage import dataset, event, facet

ONE, OTHER = "postgres://127.0.0.1:5432 db.people", "postgres://localhost:5432 db.people"
BECAUSE = ("--reason", "one machine")


@pytest.fixture
def people(store: str) -> None:
    """``db.people`` at localhost and at 127.0.0.1."""
    at = [text.partition(" ")[0] for text in (ONE, OTHER)]
    named = [{**dataset("db.people", "ssn"), "namespace": namespace} for namespace in at]
    with closing(open_store(store)) as opened:
        ingest(opened, [event("COMPLETE", 1, "r", named[:1], named[1:])])


def query_json(*arguments: str) -> Any:
    return json.loads(headwater(*arguments, "--json").stdout)


@pytest.mark.usefixtures("people")
def test_an_alias_is_proposed_added_listed_and_removed(target: Sequence[str]) -> None:
    (proposed,) = query_json("alias", "propose", *target)
    assert proposed["name"]["name"] == proposed["dataset"]["name"] == "db.people"
    tried = headwater("alias", "add", ONE, OTHER, *BECAUSE, "--dry-run", *target)
    assert f"{ONE} would be {OTHER}" in tried.stdout
    assert headwater("alias", "list", *target).stdout == "no aliases\n"
    added = headwater("alias", "add", ONE, OTHER, *BECAUSE, *target)
    assert "names that change: 1, of 2 datasets" in added.stdout
    assert headwater("alias", "add", ONE, OTHER, *BECAUSE, *target).stdout.startswith(
        "no change: already in force"
    )
    (listed,) = query_json("alias", "list", *target)
    assert (listed["dataset"]["namespace"], listed["reason"]) == ("postgres://localhost:5432", "one machine")
    shown = query_json("dataset", "db.people", *target)
    assert shown["names"] == [{"namespace": "postgres://127.0.0.1:5432", "name": "db.people"}]
    assert query_json("alias", "propose", *target) == []
    assert f"{ONE} is itself" in headwater("alias", "remove", "db.people", *BECAUSE, *target).stdout
    history = headwater("alias", "history", *target).stdout.splitlines()
    assert [line.split("\t")[0] for line in history] == ["what", "removed", "added"]


def test_names_joined_by_events_are_separated_and_rejoined(store: str, target: Sequence[str]) -> None:
    one, other = (dict(zip(("namespace", "name"), text.split(), strict=True)) for text in (ONE, OTHER))
    linked = {**dataset("db.people", symlinks=facet(identifiers=[{**one, "type": "TABLE"}])), **other}
    with closing(open_store(store)) as opened:
        ingest(opened, [event("COMPLETE", 1, "r", [{**dataset("db.people"), **one}], [linked])])
    assert query_json("dataset", "db.people", "--namespace", other["namespace"], *target)["names"] == [one]
    assert headwater("alias", "separations", *target).stdout == "no separations\n"
    tried = headwater("alias", "separate", OTHER, ONE, *BECAUSE, "--dry-run", *target)
    assert f"{ONE} would be itself" in tried.stdout
    assert (
        f"added: {ONE} is not {OTHER}" in headwater("alias", "separate", ONE, OTHER, *BECAUSE, *target).stdout
    )
    assert query_json("dataset", "db.people", "--namespace", other["namespace"], *target)["names"] == []
    (listed,) = query_json("alias", "separations", *target)
    assert (listed["one"], listed["other"], listed["reason"]) == (one, other, "one machine")
    assert headwater("alias", "rejoin", ONE, OTHER, *BECAUSE, *target).exit_code == 0
    assert query_json("dataset", "db.people", "--namespace", other["namespace"], *target)["names"] == [one]
    again = headwater("alias", "rejoin", ONE, OTHER, *BECAUSE, *target)
    assert again.exit_code == 1
    assert "no separation of" in again.stderr


@pytest.mark.usefixtures("people")
def test_a_namespace_rule_is_added_listed_and_removed(target: Sequence[str]) -> None:
    rule = ("--host", "127.0.0.1", "--host", "localhost", "--to", "db.example")
    added = headwater("namespaces", "add", "db", *rule, *BECAUSE, *target)
    assert "names that change: 2" in added.stdout
    assert [each["namespace"] for each in query_json("datasets", "people", *target)] == [
        "postgres://db.example:5432"
    ]
    (listed,) = query_json("namespaces", "list", *target)
    assert (listed["kind"], listed["hosts"]) == ("HOST_LIST", ["127.0.0.1", "localhost"])
    refused = headwater("namespaces", "add", "again", "--regex", "127.0.0.1", "--to", "x", *BECAUSE, *target)
    assert refused.exit_code == 1
    assert "'again'" in refused.stderr and "'db'" in refused.stderr
    headwater("namespaces", "remove", "db", *BECAUSE, *target)
    assert headwater("namespaces", "list", *target).stdout == "no namespace rules\n"
    assert len(query_json("datasets", "people", *target)) == 2


@pytest.mark.usefixtures("people")
def test_a_decision_that_affects_no_known_dataset_is_reported(target: Sequence[str]) -> None:
    rule = headwater("namespaces", "add", "n", "--namespace", "nobody", "--to", "b", *BECAUSE, *target)
    assert "no known dataset is affected" in rule.stderr
    alias = headwater("alias", "add", "a b", OTHER, *BECAUSE, *target)
    assert "no event has named a b yet" in alias.stderr


@pytest.mark.usefixtures("people")
def test_a_file_of_names_is_imported_all_or_none(target: Sequence[str], tmp_path: Path) -> None:
    file = tmp_path / "names.yaml"
    rule = 'rules: [{name: l, kind: pattern, regex: "127.0.0.1|localhost", to: workdir}]\n'
    file.write_text(rule + f"aliases: [{{name: {ONE}, dataset: file /x}}]")
    assert (
        "would be added: l:"
        in headwater("namespaces", "import", str(file), *BECAUSE, "--dry-run", *target).stdout
    )
    assert len(query_json("namespaces", "import", str(file), *BECAUSE, *target)["decisions"]) == 2
    assert query_json("namespaces", "import", str(file), *BECAUSE, *target)["decisions"] == []
    file.write_text("aliases: [{name: a b, dataset: c d}, {name: c d, dataset: a b}]")
    refused = headwater("namespaces", "import", str(file), *BECAUSE, *target)
    assert (refused.exit_code, "circle" in refused.stderr) == (1, True)
    assert len(query_json("alias", "list", *target)) == 1


def test_a_rule_has_exactly_one_kind(target: Sequence[str]) -> None:
    both = headwater("namespaces", "add", "x", "--host", "a", "--regex", "b", *BECAUSE, *target)
    assert both.exit_code == 2
