"""``headwater alias`` and ``headwater namespaces``: of a store, and of a server."""

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


def asked(*arguments: str) -> Any:
    return json.loads(headwater(*arguments, "--json").stdout)


@pytest.mark.usefixtures("people")
def test_an_alias_is_proposed_added_listed_and_removed(place: Sequence[str]) -> None:
    (proposed,) = asked("alias", "propose", *place)
    assert proposed["name"]["name"] == proposed["dataset"]["name"] == "db.people"
    tried = headwater("alias", "add", ONE, OTHER, *BECAUSE, "--dry-run", *place)
    assert f"{ONE} would be {OTHER}" in tried.stdout
    assert headwater("alias", "list", *place).stdout == "there are no aliases\n"
    added = headwater("alias", "add", ONE, OTHER, *BECAUSE, *place)
    assert "names that change: 1, of 2 datasets" in added.stdout
    assert headwater("alias", "add", ONE, OTHER, *BECAUSE, *place).stdout.startswith(
        "all of that is in force"
    )
    (listed,) = asked("alias", "list", *place)
    assert (listed["dataset"]["namespace"], listed["reason"]) == ("postgres://localhost:5432", "one machine")
    shown = asked("dataset", "db.people", *place)
    assert shown["names"] == [{"namespace": "postgres://127.0.0.1:5432", "name": "db.people"}]
    assert asked("alias", "propose", *place) == []
    assert f"{ONE} is itself" in headwater("alias", "remove", "db.people", *BECAUSE, *place).stdout
    history = headwater("alias", "history", *place).stdout.splitlines()
    assert [line.split("\t")[0] for line in history] == ["what", "removed", "added"]


def test_what_events_joined_is_separated_and_joined_again(store: str, place: Sequence[str]) -> None:
    one, other = (dict(zip(("namespace", "name"), text.split(), strict=True)) for text in (ONE, OTHER))
    linked = {**dataset("db.people", symlinks=facet(identifiers=[{**one, "type": "TABLE"}])), **other}
    with closing(open_store(store)) as opened:
        ingest(opened, [event("COMPLETE", 1, "r", [{**dataset("db.people"), **one}], [linked])])
    assert asked("dataset", "db.people", "--namespace", other["namespace"], *place)["names"] == [one]
    assert headwater("alias", "separations", *place).stdout == "no names are kept apart\n"
    tried = headwater("alias", "separate", OTHER, ONE, *BECAUSE, "--dry-run", *place)
    assert f"{ONE} would be itself" in tried.stdout
    assert (
        f"added: {ONE} is not {OTHER}" in headwater("alias", "separate", ONE, OTHER, *BECAUSE, *place).stdout
    )
    assert asked("dataset", "db.people", "--namespace", other["namespace"], *place)["names"] == []
    (listed,) = asked("alias", "separations", *place)
    assert (listed["one"], listed["other"], listed["reason"]) == (one, other, "one machine")
    assert headwater("alias", "rejoin", ONE, OTHER, *BECAUSE, *place).exit_code == 0
    assert asked("dataset", "db.people", "--namespace", other["namespace"], *place)["names"] == [one]
    again = headwater("alias", "rejoin", ONE, OTHER, *BECAUSE, *place)
    assert again.exit_code == 1
    assert "there is no separation" in again.stderr


@pytest.mark.usefixtures("people")
def test_a_namespace_rule_is_added_listed_and_removed(place: Sequence[str]) -> None:
    rule = ("--host", "127.0.0.1", "--host", "localhost", "--to", "db.example")
    added = headwater("namespaces", "add", "db", *rule, *BECAUSE, *place)
    assert "names that change: 2" in added.stdout
    assert [each["namespace"] for each in asked("datasets", "people", *place)] == [
        "postgres://db.example:5432"
    ]
    (listed,) = asked("namespaces", "list", *place)
    assert (listed["kind"], listed["hosts"]) == ("HOST_LIST", ["127.0.0.1", "localhost"])
    refused = headwater("namespaces", "add", "again", "--regex", "127.0.0.1", "--to", "x", *BECAUSE, *place)
    assert refused.exit_code == 1
    assert "'again'" in refused.stderr and "'db'" in refused.stderr
    headwater("namespaces", "remove", "db", *BECAUSE, *place)
    assert headwater("namespaces", "list", *place).stdout == "there are no namespace rules\n"
    assert len(asked("datasets", "people", *place)) == 2


@pytest.mark.usefixtures("people")
def test_what_concerns_no_known_dataset_is_said(place: Sequence[str]) -> None:
    rule = headwater("namespaces", "add", "n", "--namespace", "nobody", "--to", "b", *BECAUSE, *place)
    assert "no dataset that is known is concerned" in rule.stderr
    alias = headwater("alias", "add", "a b", OTHER, *BECAUSE, *place)
    assert "no event named a b so far" in alias.stderr


@pytest.mark.usefixtures("people")
def test_a_file_is_imported_as_a_whole(place: Sequence[str], tmp_path: Path) -> None:
    file = tmp_path / "names.yaml"
    rule = 'rules: [{name: l, kind: pattern, regex: "127.0.0.1|localhost", to: here}]\n'
    file.write_text(rule + f"aliases: [{{name: {ONE}, dataset: file /x}}]")
    assert (
        "would be added: l:"
        in headwater("namespaces", "import", str(file), *BECAUSE, "--dry-run", *place).stdout
    )
    assert len(asked("namespaces", "import", str(file), *BECAUSE, *place)["decisions"]) == 2
    assert asked("namespaces", "import", str(file), *BECAUSE, *place)["decisions"] == []
    file.write_text("aliases: [{name: a b, dataset: c d}, {name: c d, dataset: a b}]")
    refused = headwater("namespaces", "import", str(file), *BECAUSE, *place)
    assert (refused.exit_code, "circle" in refused.stderr) == (1, True)
    assert len(asked("alias", "list", *place)) == 1


def test_a_rule_is_of_one_kind(place: Sequence[str]) -> None:
    both = headwater("namespaces", "add", "x", "--host", "a", "--regex", "b", *BECAUSE, *place)
    assert both.exit_code == 2
