"""``headwater store``: backup, migration, comparison and pruning."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from kit.command import headwater, program


def test_a_backup_is_exported_and_imported(workdir: Path, store: str) -> None:
    result = headwater("store", "export", "--store", store, "-o", "backup.ndjson.gz", "--json")
    digest = json.loads(result.stderr)["digest"]
    assert json.loads(gzip.decompress((workdir / "backup.ndjson.gz").read_bytes()).splitlines()[-1])["record"]
    again = f"sqlite:///{workdir}/again.db"
    filled = json.loads(headwater("store", "import", "backup.ndjson.gz", "--store", again, "--json").stdout)
    assert (filled["equal"], filled["digest"]) == (True, digest)
    assert headwater("datasets", "--store", again).stdout == headwater("datasets", "--store", store).stdout
    assert headwater("audit", "verify", "--store", again).exit_code == 0


def test_a_backup_is_piped(workdir: Path, store: str) -> None:
    result = program("store", "export", "--store", store, folder=workdir)
    assert result.returncode == 0
    assert "records written" in result.stderr
    filled = headwater(
        "store", "import", "-", "--store", f"sqlite:///{workdir}/again.db", stdin=result.stdout
    )
    assert "equal to the source's" in filled.stdout


def test_a_store_is_migrated_and_compared(workdir: Path, store: str) -> None:
    again = f"sqlite:///{workdir}/again.db"
    assert headwater("store", "migrate", "--store", store, "--to", again).exit_code == 0
    result = headwater("store", "verify", "--store", store, "--against", again)
    assert result.exit_code == 0
    assert "the stores are equal" in result.stdout
    assert json.loads(headwater("store", "verify", "--store", store, "--json").stdout)["counts"]["run"] == 8


@pytest.mark.neo4j
def test_a_second_store_may_have_its_own_password(neo4j_url: str, store: str) -> None:
    """The password is in the URL, which is set in the environment."""
    parts = urlsplit(neo4j_url)
    assert parts.password
    stranger = urlunsplit(parts._replace(netloc=f"nobody:hunter2@{parts.hostname}:{parts.port}"))
    migrate, verify = ("store", "migrate", "--store", store), ("store", "verify", "--store", store)
    refused = headwater(*migrate, HEADWATER_OTHER_STORE=stranger, NEO4J_PASSWORD="")
    assert (refused.exit_code, "hunter2" in refused.output) == (1, False)
    moved = headwater(*migrate, HEADWATER_OTHER_STORE=neo4j_url, NEO4J_PASSWORD="")
    assert (moved.exit_code, parts.password in moved.output) == (0, False), moved.output
    result = headwater(*verify, HEADWATER_OTHER_STORE=neo4j_url, NEO4J_PASSWORD="")
    assert "the stores are equal" in result.stdout


def test_different_stores_are_reported_with_the_kinds_that_differ(workdir: Path, store: str) -> None:
    again = f"sqlite:///{workdir}/again.db"
    headwater("store", "migrate", "--store", store, "--to", again)
    changed = {
        "eventTime": "2026-06-11T08:00:00Z",
        "producer": "urn:test",
        "dataset": {"namespace": "test", "name": "new"},
    }
    headwater("import", "-", "--store", again, stdin=json.dumps(changed))
    result = headwater("store", "verify", "--store", store, "--against", again, "--json")
    assert result.exit_code == 1
    verdict = json.loads(result.stdout)
    assert (verdict["equal"], verdict["differ"]) == (False, ["dataset"])


def test_stores_that_received_the_same_at_different_times_are_equal_but_for_receipts(
    workdir: Path, store: str
) -> None:
    again, run = f"sqlite:///{workdir}/again.db", f"sqlite:///{workdir}/run.db"
    event = {
        "eventType": "COMPLETE",
        "eventTime": "2026-06-11T08:00:00Z",
        "producer": "urn:test",
        "run": {"runId": "01902f0c-6a3e-7000-8000-000000000001"},
        "job": {"namespace": "test", "name": "job"},
        "inputs": [{"namespace": "test", "name": "a"}],
    }
    for url in (run, again):
        assert headwater("import", "-", "--store", url, stdin=json.dumps(event)).exit_code == 0
    compare = ("store", "verify", "--store", run, "--against", again)
    assert "the stores are equal" in headwater(*compare).stdout
    apart = headwater(*compare, "--receipts", "--json")
    assert (apart.exit_code, json.loads(apart.stdout)["differ"]) == (1, ["io", "run"])


def test_an_impossible_copy_is_reported(workdir: Path, store: str) -> None:
    headwater("store", "export", "--store", store, "-o", "backup.ndjson")
    result = headwater("store", "import", "backup.ndjson", "--store", store)
    assert (result.exit_code, "[STORE_NOT_EMPTY]" in result.stderr, "--merge" in result.stderr) == (
        1,
        True,
        True,
    )
    (workdir / "cut.ndjson").write_bytes((workdir / "backup.ndjson").read_bytes()[:1000])
    result = headwater("store", "import", "cut.ndjson", "--store", f"sqlite:///{workdir}/cut.db")
    assert (result.exit_code, "[STREAM_INVALID]" in result.stderr) == (1, True)
    assert headwater("store", "verify", "--store", "sqlite:///nothing.db").exit_code == 3
    assert headwater("store", "migrate", "--store", store, "--to", store).exit_code == 2
    assert headwater("store", "export", "--store", store, "-o", "missing/backup").exit_code == 1
    assert list(workdir.glob(".*unfinished")) == []


def test_old_runs_are_pruned_on_request_and_audited(workdir: Path) -> None:
    url = f"sqlite:///{workdir}/runs.db"
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
    result = headwater("store", "prune", "--store", url, "--before", "2026-04-01", "--dry-run")
    assert result.stdout == "3 runs would be deleted\n"
    result = headwater("store", "prune", "--store", url, "--before", "2026-04-01", "--json")
    assert json.loads(result.stdout)["runs"] == 3
    entries = json.loads(headwater("audit", "list", "--store", url, "--json").stdout)
    assert [entry["action"] for entry in entries] == ["store.prune", "store.prune", "events"]
    assert headwater("store", "prune", "--store", url).exit_code == 2
    assert headwater("store", "prune", "--store", url, "--before", "yesterday").exit_code == 2
