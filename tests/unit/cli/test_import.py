"""Taking events in from files: each whole or not at all, and each refusal with its line and place."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from headwater_cli.intake import intake
from kit.command import headwater, served
from kit.shared import DATA

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
    file, where = DATA / "parcels.ndjson", ("--store", f"sqlite:///{here}/l.db")
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


def test_a_compressed_file_is_read_whatever_it_is_called(here: Path) -> None:
    file = here / "events.json"
    file.write_bytes(gzip.compress("\n".join(event(name) for name in "ab").encode()))
    assert headwater("import", file, "--store", f"sqlite:///{here}/l.db").stdout == "2 events stored\n"


def test_what_stands_before_the_break_of_a_compressed_file_is_stored(here: Path) -> None:
    file = here / "events.ndjson.gz"
    lines = "\n".join(event(f"out {number}") for number in range(2_000)).encode()
    file.write_bytes(gzip.compress(lines)[:-100])
    told = headwater("import", file, "--store", f"sqlite:///{here}/l.db")
    assert told.exit_code == 1
    assert "events stored, 1 refused" in told.stdout
    assert f"{file}:" in told.stderr and "BROKEN_FILE" in told.stderr


@pytest.mark.parametrize("document", ["[\n%s\n]", "{\n%s\n}"])
def test_a_document_over_several_lines_is_named_as_such_and_nothing_of_it_stored(
    here: Path, document: str
) -> None:
    file = here / "events.json"
    file.write_text(document % event("out"), "utf-8")
    told = headwater("import", file, "--store", f"sqlite:///{here}/l.db")
    assert told.exit_code == 1
    assert "NOT_NDJSON" in told.stderr and "jq -c" in told.stderr


def test_refusals_are_summed_up_by_their_reason_with_the_first_places(here: Path) -> None:
    file = here / "many.ndjson"
    wrong = [event("out", outputs=[{"namespace": "n"}]) for _ in range(50)]
    file.write_text("\n".join([*wrong, "{", event("good")]), "utf-8")
    told = headwater("import", file, "--store", f"sqlite:///{here}/l.db")
    assert told.stdout == "1 events stored, 51 refused\n"
    assert f"{file}:1: " in told.stderr and f"{file}:3: " in told.stderr and f"{file}:4: " not in told.stderr
    assert "and 47 more lines at /outputs/*/name [MISSING]" in told.stderr
    assert f"{file}:51: " in told.stderr
    answer = json.loads(headwater("import", file, "--json", "--store", f"sqlite:///{here}/l.db").stdout)
    assert [(each["code"], each["count"]) for each in answer["reasons"]] == [("MISSING", 50), ("NOT_JSON", 1)]
    assert (answer["refusedCount"], len(answer["refused"])) == (51, 51)


def test_several_processes_store_what_one_does(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = here / "events.ndjson"
    lines = [event(f"out {number % 7}") for number in range(1_200)]
    file.write_text("\n".join([*lines[:600], "{", *lines[600:]]), "utf-8")
    for processes in (1, 2):
        monkeypatch.setattr(intake, "_processes", lambda size, processes=processes: processes)
        told = headwater("import", file, "--store", f"sqlite:///{here}/{processes}.db")
        assert told.stdout == "1200 events stored, 1 refused\n"
        assert f"{file}:601: " in told.stderr
    equal = headwater(
        "store", "verify", "--store", f"sqlite:///{here}/1.db", "--against", f"sqlite:///{here}/2.db"
    )
    assert "the stores are equal" in equal.stdout
