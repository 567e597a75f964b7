"""Backing up, moving and comparing stores on the command line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from kit.command import headwater, program


def test_a_backup_is_made_and_a_store_is_made_of_it(here: Path, store: str) -> None:
    told = headwater("store", "export", "--store", store, "-o", "backup.ndjson.gz", "--json")
    digest = json.loads(told.stderr)["digest"]
    assert json.loads(gzip.decompress((here / "backup.ndjson.gz").read_bytes()).splitlines()[-1])["record"]
    again = f"sqlite:///{here}/again.db"
    filled = json.loads(headwater("store", "import", "backup.ndjson.gz", "--store", again, "--json").stdout)
    assert (filled["equal"], filled["digest"]) == (True, digest)
    assert headwater("datasets", "--store", again).stdout == headwater("datasets", "--store", store).stdout
    assert headwater("audit", "verify", "--store", again).exit_code == 0


def test_a_backup_goes_through_a_pipe(here: Path, store: str) -> None:
    told = program("store", "export", "--store", store, folder=here)
    assert told.returncode == 0
    assert "records written" in told.stderr
    filled = headwater("store", "import", "-", "--store", f"sqlite:///{here}/again.db", stdin=told.stdout)
    assert "as its source's" in filled.stdout


def test_a_store_is_moved_and_compared(here: Path, store: str) -> None:
    again = f"sqlite:///{here}/again.db"
    assert headwater("store", "migrate", "--store", store, "--to", again).exit_code == 0
    told = headwater("store", "verify", "--store", store, "--against", again)
    assert told.exit_code == 0
    assert "the stores are equal" in told.stdout
    assert json.loads(headwater("store", "verify", "--store", store, "--json").stdout)["counts"]["run"] == 8


@pytest.mark.neo4j
def test_a_second_store_may_have_a_password_of_its_own(neo4j_url: str, store: str) -> None:
    """In its URL, which the environment holds."""
    parts = urlsplit(neo4j_url)
    assert parts.password
    stranger = urlunsplit(parts._replace(netloc=f"nobody:hunter2@{parts.hostname}:{parts.port}"))
    migrate, verify = ("store", "migrate", "--store", store), ("store", "verify", "--store", store)
    refused = headwater(*migrate, HEADWATER_OTHER_STORE=stranger, NEO4J_PASSWORD="")
    assert (refused.exit_code, "hunter2" in refused.output) == (1, False)
    moved = headwater(*migrate, HEADWATER_OTHER_STORE=neo4j_url, NEO4J_PASSWORD="")
    assert (moved.exit_code, parts.password in moved.output) == (0, False), moved.output
    told = headwater(*verify, HEADWATER_OTHER_STORE=neo4j_url, NEO4J_PASSWORD="")
    assert "the stores are equal" in told.stdout


def test_stores_that_differ_are_told_with_the_kinds_that_do(here: Path, store: str) -> None:
    again = f"sqlite:///{here}/again.db"
    headwater("store", "migrate", "--store", store, "--to", again)
    changed = {
        "eventTime": "2026-06-11T08:00:00Z",
        "producer": "urn:test",
        "dataset": {"namespace": "test", "name": "new"},
    }
    headwater("import", "-", "--store", again, stdin=json.dumps(changed))
    told = headwater("store", "verify", "--store", store, "--against", again, "--json")
    assert told.exit_code == 1
    verdict = json.loads(told.stdout)
    assert (verdict["equal"], verdict["differ"]) == (False, ["dataset"])


def test_what_cannot_be_done_is_told(here: Path, store: str) -> None:
    headwater("store", "export", "--store", store, "-o", "backup.ndjson")
    told = headwater("store", "import", "backup.ndjson", "--store", store)
    assert (told.exit_code, "[STORE_NOT_EMPTY]" in told.stderr, "--merge" in told.stderr) == (1, True, True)
    (here / "cut.ndjson").write_bytes((here / "backup.ndjson").read_bytes()[:1000])
    told = headwater("store", "import", "cut.ndjson", "--store", f"sqlite:///{here}/cut.db")
    assert (told.exit_code, "[STREAM_INVALID]" in told.stderr) == (1, True)
    assert headwater("store", "verify", "--store", "sqlite:///nothing.db").exit_code == 3
    assert headwater("store", "migrate", "--store", store, "--to", store).exit_code == 2
    assert headwater("store", "export", "--store", store, "-o", "missing/backup").exit_code == 1
    assert list(here.glob(".*unfinished")) == []


def test_old_runs_are_forgotten_when_told_so_and_that_is_in_the_audit_log(here: Path) -> None:
    url = f"sqlite:///{here}/runs.db"
    runs = [
        {
            "eventType": "COMPLETE",
            "eventTime": f"2026-0{month}-01T00:00:00Z",
            "producer": "urn:test",
            "run": {"runId": f"01902f0c-6a3e-7000-8000-00000000000{month}"},
            "job": {"namespace": "test", "name": "job"},
        }
        for month in range(1, 6)
    ]
    headwater("import", "-", "--store", url, stdin="\n".join(map(json.dumps, runs)))
    told = headwater("store", "prune", "--store", url, "--before", "2026-04-01", "--dry-run")
    assert told.stdout == "3 runs would be forgotten\n"
    told = headwater("store", "prune", "--store", url, "--before", "2026-04-01", "--json")
    assert json.loads(told.stdout)["runs"] == 3
    entries = json.loads(headwater("audit", "list", "--store", url, "--json").stdout)
    assert [entry["action"] for entry in entries] == ["store.prune", "store.prune", "events"]
    assert headwater("store", "prune", "--store", url).exit_code == 2
    assert headwater("store", "prune", "--store", url, "--before", "yesterday").exit_code == 2
