"""What a store holds, moved into a file, out of it, and into a store of the other sort."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.audit_log import AuditNote, breaks
from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import StoreFailedError
from headwater_backend.domain.model import Direction
from headwater_backend.domain.records import Batch
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore, get_dataset
from headwater_backend.stores import open_store
from headwater_backend.stores.copying.copy import (
    CopyDiffersError,
    Filled,
    StoreChangedError,
    StoreNotEmptyError,
    export,
    fill,
    migrate,
    unchanged,
)
from headwater_backend.stores.copying.digest import graph_digest, is_empty
from headwater_backend.stores.copying.ndjson import Reader, StreamError, Writer
from kit.openlineage import NAMESPACE, columns, dataset, event, facet, lines, near, node, paths
from kit.shared import DATA

OUT = AuditNote("somebody", "store.export", "done")
IN = AuditNote("somebody", "store.fill", "filled")


def x_from(column: str, source: str = "in") -> dict[str, Any]:
    return columns({"x": [(source, column)]})


def made_by_hand() -> list[dict[str, Any]]:
    """Several versions, a failed run, a gap, another name, a rename, a deleted facet and a drop."""
    link = facet(identifiers=[{"namespace": NAMESPACE, "name": "table", "type": "TABLE"}])
    before = {"namespace": NAMESPACE, "name": "older"}
    gap = {"complete": False, "incomplete": [{"reason": "UDF", "path": ["x"]}]}
    ingested = [
        ("COMPLETE", "job", dataset("older", "x", columnLineage=x_from("y"), symlinks=link)),
        ("COMPLETE", "job", dataset("older", "x", columnLineage=x_from("z"))),
        ("FAIL", "job", dataset("older", "x", columnLineage=x_from("z", "no"))),
        (
            "COMPLETE",
            "ddl",
            dataset(
                "newer", lifecycleStateChange=facet(lifecycleStateChange="RENAME", previousIdentifier=before)
            ),
        ),
        (
            "COMPLETE",
            "third",
            dataset("other", headwater_pathLineage=paths((["x"], "in", ["y"], "IDENTITY"), **gap)),
        ),
        ("COMPLETE", "fourth", dataset("gone", "x", tags=facet(_deleted=True), columnLineage=x_from("z"))),
        ("COMPLETE", "ddl", dataset("gone", lifecycleStateChange=facet(lifecycleStateChange="DROP"))),
    ]
    return [
        event(kind, minute, f"run {minute}", [dataset("in", "y", "z")], [output], job=job)
        for minute, (kind, job, output) in enumerate(ingested)
    ]


def fill_by_events(store: LineageStore) -> None:
    ingest(store, made_by_hand())
    ingest(store, lines(DATA / "parcels.ndjson"))
    ingest(store, ["not an event"])
    store.keep_dead_letters([letter_of(made_by_hand()[0], StoreFailedError("refused"), "somebody")])


def silent(count: int) -> None:
    assert count > 0


def written(store: LineageStore) -> bytes:
    out = io.BytesIO()
    export(store, Writer(out, "1"), OUT, silent)
    return out.getvalue()


def read(store: LineageStore, stream: bytes, *, merge: bool = False) -> Filled:
    return fill(store, Reader(io.BytesIO(stream)), IN, silent, merge=merge)


@pytest.fixture
def filled(store: LineageStore) -> LineageStore:
    fill_by_events(store)
    return store


@pytest.fixture
def other(tmp_path: Path) -> Iterator[LineageStore]:
    opened = open_store(f"sqlite:///{tmp_path}/other.db")
    yield opened
    opened.close()


def same(one: LineageStore, two: LineageStore) -> bool:
    answers = [
        (
            graph_digest(store).digest,
            near(store, node("newer"), Direction.BACKWARD),
            near(store, node("in"), Direction.FORWARD),
            store.datasets().items,
            [store.dead_letter(letter.key) for letter in store.dead_letters()],
        )
        for store in (one, two)
    ]
    assert answers[0][1] == {("in:z", "newer:x")}
    return answers[0] == answers[1]


def test_a_store_is_the_same_after_it_went_through_a_file(filled: LineageStore, other: LineageStore) -> None:
    result = read(other, written(filled))
    assert result.equal
    assert same(filled, other)


def test_a_store_that_is_filled_from_a_file_is_the_same(store: LineageStore, other: LineageStore) -> None:
    fill_by_events(other)
    assert read(store, written(other)).equal
    assert same(store, other)


def test_a_store_is_moved_and_moved_back(store: LineageStore, other: LineageStore, tmp_path: Path) -> None:
    fill_by_events(other)
    assert migrate(other, store, (OUT, IN), silent).equal
    third = open_store(f"sqlite:///{tmp_path}/third.db")
    assert migrate(store, third, (OUT, IN), silent).equal
    assert same(other, third)
    third.close()


def test_the_audit_log_goes_with_the_graph_and_goes_on(filled: LineageStore, other: LineageStore) -> None:
    before = filled.audit(first=1000)
    result = read(other, written(filled))
    after = other.audit(first=1000)
    assert list(after[: len(before)]) == list(before)
    assert [entry.action for entry in after[len(before) :]] == ["store.export", "store.fill"]
    assert result.audit_entries == len(after) - 1
    assert not list(breaks(after))


def test_entries_that_do_not_continue_a_log_are_refused(filled: LineageStore, other: LineageStore) -> None:
    entries = filled.audit()
    for wrong in (entries[1:], [entries[0], entries[2]]):
        with pytest.raises(StoreFailedError, match="audit log"):
            other.continue_audit(wrong)
    assert other.audit() == []


def test_a_store_that_is_not_empty_is_only_filled_with_merge(
    filled: LineageStore, other: LineageStore
) -> None:
    stream = written(filled)
    ingest(other, [event("COMPLETE", 9, "mine", [], [dataset("mine", "x")], job="mine")])
    with pytest.raises(StoreNotEmptyError, match="is not empty"):
        read(other, stream)
    result = read(other, stream, merge=True)
    assert not result.equal
    assert result.audit_left_out > 0
    assert near(other, node("newer"), Direction.BACKWARD) == {("in:z", "newer:x")}
    assert get_dataset(other, node("mine").dataset) is not None


def test_a_filling_that_broke_off_is_ended_by_another(filled: LineageStore, other: LineageStore) -> None:
    stream = written(filled)
    half = b"".join(stream.splitlines(keepends=True)[:-4])
    with pytest.raises(StreamError, match="cut off"):
        read(other, half)
    assert not is_empty(other)
    result = read(other, stream, merge=True)
    assert result.equal
    assert result.audit_left_out == 0
    assert same(filled, other)


def test_writing_to_a_store_while_it_is_read_is_an_error(filled: LineageStore) -> None:
    with pytest.raises(StoreChangedError), unchanged(filled):
        ingest(filled, [event("COMPLETE", 9)])
    with unchanged(filled):
        filled.apply(Batch(notes=(AuditNote("somebody", "exposure", "answered"),)))


def test_a_copy_that_differs_is_an_error(filled: LineageStore, other: LineageStore) -> None:
    stream = written(filled).splitlines(keepends=True)
    without_a_path = [line for line in stream if b'"kind":"io"' not in line][:-1]
    before = b"".join(without_a_path)
    record = {
        "lines": len(without_a_path) + 1,
        "digest": graph_digest(filled).digest,
        "sha256": hashlib.sha256(before).hexdigest(),
    }
    with pytest.raises(CopyDiffersError):
        read(other, before + json.dumps({"kind": "end", "record": record}).encode())


HEAD = b'{"kind":"headwater-store","record":{"format":2}}\n'


@pytest.mark.parametrize(
    ("stream", "line", "message"),
    [
        (b"", 1, "cut off"),
        (b'{"kind":"dataset"}\n', 1, "not an export"),
        (b'{"kind":"headwater-store","record":{"format":1}}\n', 1, "format 1"),
        (HEAD + b"{nonsense\n", 2, "not JSON"),
        (HEAD + b'{"kind":"path","record":"\\ud800"}\n', 2, "not JSON"),
        (HEAD + b'{"kind":"path","record":7}\n', 2, "valid string"),
        (HEAD + b'{"kind":"dataset","record":{"key":["a"],"first":1,"last":1}}\n', 2, "/record/key"),
        (HEAD + b'{"kind":"planet","record":{}}\n', 2, "planet"),
        (HEAD + b'{"kind":"end","record":{"lines":7,"digest":""}}\n', 2, "number of lines"),
    ],
)
def test_a_stream_that_is_none_is_refused_with_the_line(
    other: LineageStore, stream: bytes, line: int, message: str
) -> None:
    with pytest.raises(StreamError, match=message) as refused:
        read(other, stream)
    assert refused.value.line == line
    assert is_empty(other)


def test_the_digest_shows_every_difference_of_graphs(filled: LineageStore, other: LineageStore) -> None:
    read(other, written(filled))
    ingest(other, [event("COMPLETE", 9, "run 1")])
    assert graph_digest(filled).differ(graph_digest(other)) == ["job", "run"]
