"""Taking events in from files: each whole or not at all, and each refusal with its line and place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from kit.command import headwater, served
from kit.shared import shared

SCHEMA_URL = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"


def event(output: str, **changes: object) -> str:
    made = {
        "eventType": "COMPLETE",
        "eventTime": "2026-06-11T08:00:00Z",
        "producer": "urn:test",
        "schemaURL": SCHEMA_URL,
        "run": {"runId": "01902f0c-6a3e-7000-8000-000000000001"},
        "job": {"namespace": "test", "name": "job"},
        "outputs": [{"namespace": "test", "name": output}],
    }
    return json.dumps({**made, **changes})


@pytest.fixture
def mixed(here: Path) -> Path:
    """Good, not JSON, blank, against the schema, good."""
    file = here / "mixed.ndjson"
    lines = [event("first"), "{nonsense", "", event("third", job={"namespace": "test"}), event("last")]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


@pytest.mark.parametrize("over", ["store", "server"])
def test_refused_lines_are_told_and_all_others_are_stored(over: str, here: Path, mixed: Path) -> None:
    store = ("--store", f"sqlite:///{here}/lineage.db")
    if over == "store":
        _check(mixed, store)
        return
    with served(here, *store) as (address, _):
        _check(mixed, ("--url", address))


def _check(mixed: Path, where: Sequence[str]) -> None:
    told = headwater("import", mixed, "--json", *where)
    assert told.exit_code == 1
    answer = json.loads(told.stdout)
    assert answer["stored"] == 2
    refused = {each["line"]: (each["code"], each["pointer"]) for each in answer["refused"]}
    assert refused == {2: ("NOT_JSON", ""), 4: ("MISSING", "/job/name")}
    names = [node["name"] for node in json.loads(headwater("datasets", "--json", *where).stdout)]
    assert names == ["first", "last"]


def test_people_read_file_line_and_place(here: Path, mixed: Path) -> None:
    told = headwater("import", mixed, "--store", f"sqlite:///{here}/lineage.db")
    assert told.stdout == "2 events stored, 2 refused\n"
    assert f"{mixed}:4: " in told.stderr
    assert "/job/name" in told.stderr


def test_events_may_come_through_a_pipe(here: Path) -> None:
    told = headwater("import", "-", "--store", f"sqlite:///{here}/l.db", stdin=event("one"))
    assert told.stdout == "1 events stored\n"


def test_importing_again_changes_nothing(here: Path) -> None:
    file, where = shared("events/food-delivery.ndjson"), ("--store", f"sqlite:///{here}/l.db")
    headwater("import", file, *where)
    before = headwater("datasets", *where).stdout
    assert headwater("import", file, file, *where).exit_code == 0
    assert headwater("datasets", *where).stdout == before


def test_a_store_of_an_unknown_kind_is_refused_with_a_hint(mixed: Path) -> None:
    told = headwater("import", mixed, "--store", "postgres://nowhere")
    assert told.exit_code == 1
    assert "sqlite:///FILE" in told.stderr


def test_no_file_is_wrong_usage() -> None:
    assert headwater("import").exit_code == 2
    assert headwater("import", "missing.ndjson").exit_code == 2
