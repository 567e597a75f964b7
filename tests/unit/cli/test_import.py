"""``headwater import``: events are stored completely or not at all; refusals have line and pointer."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from headwater_backend.stores import open_store
from headwater_cli.intake import import_events
from kit.command import headwater, served
from kit.openlineage import digest
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
def mixed(workdir: Path) -> Path:
    """A file with lines that are valid, not JSON, blank, invalid by schema, and valid."""
    file = workdir / "mixed.ndjson"
    lines = [event("first"), "{nonsense", "", event("third", job={"namespace": "test"}), event("last")]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


@pytest.mark.parametrize("over", ["store", "server"])
def test_refused_lines_are_reported_and_all_others_are_stored(over: str, workdir: Path, mixed: Path) -> None:
    store = ("--store", f"sqlite:///{workdir}/lineage.db")
    if over == "store":
        _check(mixed, store)
        return
    with served(workdir, *store) as (address, _):
        _check(mixed, ("--url", address))


def _check(mixed: Path, where: Sequence[str]) -> None:
    result = headwater("import", mixed, "--json", *where)
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert answer["stored"] == 2
    refused = {each["line"]: (each["code"], each["pointer"]) for each in answer["refused"]}
    assert refused == {2: ("NOT_JSON", ""), 4: ("MISSING", "/job/name")}
    names = [node["name"] for node in json.loads(headwater("datasets", "--json", *where).stdout)]
    assert names == ["first", "last"]


def test_refusals_are_printed_with_file_line_and_pointer(workdir: Path, mixed: Path) -> None:
    result = headwater("import", mixed, "--store", f"sqlite:///{workdir}/lineage.db")
    assert result.stdout == "2 events stored, 2 refused\n"
    assert f"{mixed}:4: " in result.stderr
    assert "/job/name" in result.stderr


def test_events_are_imported_from_stdin(workdir: Path) -> None:
    result = headwater("import", "-", "--store", f"sqlite:///{workdir}/l.db", stdin=event("one"))
    assert result.stdout == "1 events stored\n"


def test_importing_again_changes_nothing(workdir: Path) -> None:
    file, where = DATA / "parcels.ndjson", ("--store", f"sqlite:///{workdir}/l.db")
    headwater("import", file, *where)
    before = headwater("datasets", *where).stdout
    assert headwater("import", file, file, *where).exit_code == 0
    assert headwater("datasets", *where).stdout == before


def test_an_unknown_kind_of_store_is_refused_with_a_hint(mixed: Path) -> None:
    result = headwater("import", mixed, "--store", "postgres://nowhere")
    assert result.exit_code == 1
    assert "sqlite:///FILE" in result.stderr


def test_a_missing_file_is_wrong_usage() -> None:
    assert headwater("import").exit_code == 2
    assert headwater("import", "missing.ndjson").exit_code == 2


def test_a_compressed_file_is_read_whatever_its_name(workdir: Path) -> None:
    file = workdir / "events.json"
    file.write_bytes(gzip.compress("\n".join(event(name) for name in "ab").encode()))
    assert headwater("import", file, "--store", f"sqlite:///{workdir}/l.db").stdout == "2 events stored\n"


def test_events_before_the_corruption_of_a_compressed_file_are_stored(workdir: Path) -> None:
    file = workdir / "events.ndjson.gz"
    lines = "\n".join(event(f"out {number}") for number in range(2_000)).encode()
    file.write_bytes(gzip.compress(lines)[:-100])
    result = headwater("import", file, "--store", f"sqlite:///{workdir}/l.db")
    assert result.exit_code == 1
    assert "events stored, 1 refused" in result.stdout
    assert f"{file}:" in result.stderr and "BROKEN_FILE" in result.stderr


@pytest.mark.parametrize("document", ["[\n%s\n]", "{\n%s\n}"])
def test_a_multi_line_document_is_reported_and_not_stored(workdir: Path, document: str) -> None:
    file = workdir / "events.json"
    file.write_text(document % event("out"), "utf-8")
    result = headwater("import", file, "--store", f"sqlite:///{workdir}/l.db")
    assert result.exit_code == 1
    assert "NOT_NDJSON" in result.stderr and "jq -c" in result.stderr


def test_refusals_are_summarized_by_reason_with_examples(workdir: Path) -> None:
    file = workdir / "many.ndjson"
    wrong = [event("out", outputs=[{"namespace": "n"}]) for _ in range(50)]
    file.write_text("\n".join([*wrong, "{", event("good")]), "utf-8")
    result = headwater("import", file, "--store", f"sqlite:///{workdir}/l.db")
    assert result.stdout == "1 events stored, 51 refused\n"
    assert (
        f"{file}:1: " in result.stderr
        and f"{file}:3: " in result.stderr
        and f"{file}:4: " not in result.stderr
    )
    assert "and 47 more lines at /outputs/*/name [MISSING]" in result.stderr
    assert f"{file}:51: " in result.stderr
    answer = json.loads(headwater("import", file, "--json", "--store", f"sqlite:///{workdir}/l.db").stdout)
    assert [(each["code"], each["count"]) for each in answer["reasons"]] == [("MISSING", 50), ("NOT_JSON", 1)]
    assert (answer["refusedCount"], len(answer["refused"])) == (51, 51)


def test_several_processes_store_the_same_as_one(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = workdir / "events.ndjson"
    lines = [event(f"out {number % 7}") for number in range(1_200)]
    file.write_text("\n".join([*lines[:600], "{", *lines[600:]]), "utf-8")
    for processes in (1, 2):
        monkeypatch.setattr(import_events, "_processes", lambda size, processes=processes: processes)
        result = headwater("import", file, "--store", f"sqlite:///{workdir}/{processes}.db")
        assert result.stdout == "1200 events stored, 1 refused\n"
        assert f"{file}:601: " in result.stderr
    with (
        closing(open_store(f"sqlite:///{workdir}/1.db")) as one,
        closing(open_store(f"sqlite:///{workdir}/2.db")) as other,
    ):
        assert digest(one) == digest(other)
