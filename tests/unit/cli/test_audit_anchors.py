"""Anchors of the audit log: made by a server outside its store, and compared by ``headwater audit verify``."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.access.anchoring import AuditAnchoring
from headwater_backend.access.signed_messages import SignedReceiver
from headwater_backend.audit.anchors import anchors_in, read
from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.records import Batch
from headwater_backend.stores import open_store
from kit.command import headwater, served
from unit.cli.test_findings import SECRET, receiver, wait_for


def noted(store: str, *actions: str) -> None:
    with closing(open_store(store)) as opened:
        opened.apply(Batch(notes=tuple(AuditNote("key 1", action, "stored") for action in actions)))


def truncated(store: str, number: int) -> None:
    """Cut the log off after that entry, as whoever owns the file can."""
    with closing(sqlite3.connect(store.removeprefix("sqlite:///"))) as db:
        triggers = db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'")
        for (name,) in triggers.fetchall():
            db.execute(f'DROP TRIGGER "{name}"')
        db.execute("DELETE FROM audit WHERE number > ?", (number,))
        db.commit()


@pytest.fixture
def file(workdir: Path) -> Path:
    return workdir / "elsewhere.ndjson"


def test_a_log_that_was_cut_off_is_found_by_each_kind_of_anchor(
    workdir: Path, store: str, file: Path
) -> None:
    messages: list[Any] = []
    noted(store, "a", "b", "c")
    with receiver(messages) as url:
        settings = {
            "HEADWATER_AUDIT_ANCHOR_FILE": str(file),
            "HEADWATER_AUDIT_ANCHOR_URL": url,
            "HEADWATER_AUDIT_ANCHOR_SECONDS": "0.2",
            "HEADWATER_WEBHOOK_SECRET": SECRET,
        }
        with served(workdir, "--store", store, **settings) as (_, process):
            wait_for(lambda: messages and file.exists())
            noted(store, "d")
            wait_for(lambda: len(messages) > 1)
            process.terminate()
            log = process.first_lines + process.communicate()[0]
    (workdir / "server.log").write_text(log, "utf-8")
    (workdir / "messages.ndjson").write_text("\n".join(map(json.dumps, messages)), "utf-8")
    kinds = (file, workdir / "server.log", workdir / "messages.ndjson")
    assert read(file) == read(kinds[2])
    assert {*read(kinds[1])} <= {*read(file)}
    assert messages[0]["type"] == "audit.anchored"

    sound = headwater("audit", "verify", "--store", store, HEADWATER_AUDIT_ANCHOR_FILE=str(file))
    assert sound.exit_code == 0, sound.output
    assert "2 of 2 anchors are in the log" in sound.stdout
    truncated(store, 2)
    alone = headwater("audit", "verify", "--store", store)
    assert alone.exit_code == 0, alone.output
    assert "whether its end was cut off is not known" in alone.stdout
    for each in kinds:
        cut = headwater("audit", "verify", "--anchors", each, "--store", store)
        assert cut.exit_code == 1, cut.output
        assert "the log was truncated or rewritten" in cut.stderr
    noted(store, "other", "other", "other")
    grown = headwater("audit", "verify", "--json", "--store", store, HEADWATER_AUDIT_ANCHOR_FILE=str(file))
    assert grown.exit_code == 1
    assert len(json.loads(grown.stdout)["missing"]) == 2


def test_a_server_says_at_its_start_that_the_log_was_cut_off(workdir: Path, store: str, file: Path) -> None:
    noted(store, "a", "b", "c")
    settings = {"HEADWATER_AUDIT_ANCHOR_FILE": str(file), "HEADWATER_AUDIT_ANCHOR_SECONDS": "0.2"}
    with served(workdir, "--store", store, **settings):
        wait_for(file.exists)
    truncated(store, 1)
    before = len(read(file))
    with served(workdir, "--store", store, **settings) as (_, process):
        wait_for(lambda: len(read(file)) > before)
        process.terminate()
        log = process.first_lines + process.communicate()[0]
    assert "the audit log was cut off, or written anew" in log
    assert headwater("audit", "verify", "--anchors", file, "--store", store).exit_code == 1


def test_what_cannot_be_anchored_in_one_place_is_anchored_in_the_others(store: str, file: Path) -> None:
    noted(store, "a")
    closed = SignedReceiver("http://127.0.0.1:9/", SECRET)
    with closing(open_store(store)) as opened:
        anchoring = AuditAnchoring(opened, seconds=60, file=file, receiver=closed)
        assert not anchoring.anchor()
        assert not anchoring.anchor()
        assert len(read(file)) == len(file.read_text("utf-8").splitlines()) == 1


def test_anchors_that_are_gone_are_no_sound_log(store: str, workdir: Path, file: Path) -> None:
    gone = headwater("audit", "verify", "--store", store, HEADWATER_AUDIT_ANCHOR_FILE=str(file))
    assert gone.exit_code == 1
    assert "elsewhere.ndjson" in gone.stderr
    (workdir / "empty").touch()
    assert headwater("audit", "verify", "--anchors", workdir / "empty", "--store", store).exit_code == 1


def test_lines_without_an_anchor_are_no_anchors() -> None:
    lines = ["", "number=1 hash=abc", "{}", f"x number=12 hash={'a' * 64} y", f"number=1 hash={'a' * 65}"]
    assert [each.number for each in anchors_in(lines)] == [12]
