"""Data that others stored where jobs write: what a run found there is compared with what runs left, in every store."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

import pytest

from headwater_backend.copies.proposals import proposals
from headwater_backend.domain.model import DatasetKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import exposure
from headwater_backend.privacy.files import parse_rules
from kit.looked import look_at
from kit.openlineage import NAMESPACE, at, columns, dataset, event, facet

TABLE = DatasetKey(NAMESPACE, "table")
RULE = "- {dataset: {namespace: test, name: source}, path: mail, category: user.contact.email}"
ALL = {
    "lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"),
    "headwater_extent": facet(replaced="WHOLE"),
}
State = dict[str, Any]


def version(number: int) -> State:
    return {"version": str(number)}


def files(number: int, size: int) -> State:
    return {"files": number, "size": size}


def rows(number: int) -> State:
    return {"rows": number}


def write(minute: int, base: State | None = None, state: State | None = None, **more: Any) -> dict[str, Any]:
    """A run of two minutes that appends to ``table``, and ends in that minute.

    Of ``more``, ``kind`` is that of its event, ``wrote`` what it counted, ``found`` and ``whole`` are of its extent,
    and ``name`` is another name of the table.
    """
    stated = {
        key: value
        for key, value in (("found", more.get("found")), ("base", base), ("state", state))
        if value is not None
    }
    whole = more.get("whole", False)
    facets = {"headwater_extent": facet(replaced="WHOLE" if whole else "NONE", **stated)}
    if whole:
        facets["lifecycleStateChange"] = ALL["lifecycleStateChange"]
    lineage = columns({"mail": [("source", "mail")]})
    out = dataset(more.get("name", "table"), "mail", columnLineage=lineage, **facets)
    if (wrote := more.get("wrote")) is not None:
        counted = {"fileCount": wrote.get("files"), "size": wrote.get("size"), "rowCount": wrote.get("rows")}
        out["outputFacets"] = {
            "outputStatistics": facet(**{name: each for name, each in counted.items() if each is not None})
        }
    made = event(
        more.get("kind", "COMPLETE"),
        minute,
        f"write {minute}",
        [dataset("source", "mail")],
        [out],
        job="write",
    )
    made["job"]["facets"] = {"jobType": facet(processingType="BATCH", integration="SPARK")}
    return made


def read(minute: int, *bases: State, **more: Any) -> dict[str, Any]:
    """A run that reads ``table`` in these states, and ends in that minute; ``at`` is the minute at which it read it."""
    facets: dict[str, Any] = {"headwater_extent": facet(bases=list(bases))}
    if "at" in more:
        facets["headwater_access"] = facet(paths=[], readAt=at(more["at"]).isoformat())
    out = dataset("report", "mail", columnLineage=columns({"mail": [("table", "mail")]}), **ALL)
    made = event(
        "COMPLETE", minute, f"read {minute}", [dataset("table", "mail", **facets)], [out], job="read"
    )
    made["job"]["facets"] = {"jobType": facet(processingType="BATCH", integration="SPARK")}
    return made


def merged(minute: int, *bases: State, since: str | None = None, **stated: Any) -> dict[str, Any]:
    """A run as `write` that reads ``table`` as well, in these states; ``since`` is when it was read."""
    made = write(minute, **stated)
    facets: dict[str, Any] = {"headwater_extent": facet(bases=list(bases))} if bases else {}
    if since is not None:
        facets["headwater_access"] = facet(paths=[], readAt=since)
    made["inputs"].append(dataset("table", "mail", **facets))
    return made


def begun(run: dict[str, Any], minute: int) -> dict[str, Any]:
    """The start of the run."""
    start = {**run, "eventType": "START", "eventTime": at(minute).isoformat()}
    return {**start, "outputs": [{key: run["outputs"][0][key] for key in ("namespace", "name")}]}


def created(minute: int, replaced: str = "NONE") -> dict[str, Any]:
    """A run that creates the table unless it is there, without a row."""
    out = dataset(
        "table",
        "mail",
        lifecycleStateChange=facet(lifecycleStateChange="CREATE"),
        headwater_extent=facet(replaced=replaced),
    )
    made = event("COMPLETE", minute, f"create {minute}", [], [out], job="create")
    made["job"]["facets"] = {"jobType": facet(processingType="BATCH", integration="SPARK")}
    return made


OWN = {
    "created": [write(1, {}, version(0))],
    "appended to": [write(1, {}, version(0)), write(2, version(0), version(1))],
    "with hours between": [write(1, {}, version(0)), write(90, version(0), version(1))],
    "replaced": [write(1, version(6), version(7), whole=True), write(2, version(7), version(8))],
    "by one that does not say its version": [
        write(1, {}, version(0)),
        write(2),
        write(3, version(1), version(2)),
    ],
    "by an older agent": [write(1), write(2, version(0), version(1))],
    "files": [write(1, {}, files(2, 20)), write(2, files(2, 20), files(3, 35))],
    "files that somebody deleted": [write(1, {}, files(2, 20)), write(2, files(1, 10), files(2, 25))],
    "files of a part": [
        write(1, {}, files(2, 20)),
        write(2, wrote=files(2, 30)),
        write(3, files(4, 50), files(5, 60), wrote=files(1, 10)),
    ],
    "files of runs at once": [
        begun(write(4, {}, files(1, 10), wrote=files(1, 10)), 1),
        begun(write(5, files(1, 10), files(4, 40), wrote=files(3, 30)), 2),
        write(5, files(1, 10), files(4, 40), wrote=files(3, 30)),
        write(4, files(3, 30), files(4, 40), wrote=files(1, 10)),
    ],
    "files of one that does not count": [
        write(1, {}, files(2, 20)),
        write(2),
        write(3, files(9, 90), files(10, 99)),
    ],
    "tried again": [
        write(1, {}, version(0)),
        write(2, kind="FAIL"),
        write(3, version(0), version(1)),
    ],
    "a stream": [
        write(1, {}, version(0), kind="RUNNING"),
        {**write(1, version(0), version(1), kind="RUNNING"), "eventTime": at(2).isoformat()},
        {**write(1, version(1), version(2), kind="ABORT"), "eventTime": at(3).isoformat()},
        write(9, version(1), version(2)),
    ],
    "created without a row, and nothing found": [created(1), write(2, {}, version(1))],
    "read": [write(1, {}, version(0)), write(2, version(0), version(1)), read(3, version(1))],
    "read while it was written": [
        write(1, {}, version(0)),
        begun(write(4, version(0), version(1)), 2),
        read(3, version(1)),
        write(4, version(0), version(1)),
    ],
    "read in two versions": [
        write(1, {}, version(0)),
        write(2, version(0), version(1)),
        read(3, version(1), version(0)),
    ],
    "read when it was replaced": [
        write(1, {}, files(3, 30), wrote=files(3, 30)),
        write(2, state=files(1, 10), wrote=files(1, 10), whole=True),
        read(3, files(3, 30)),
    ],
    "files of a part that was read": [write(1, {}, files(2, 20), wrote=files(2, 20)), read(2, files(1, 12))],
    "files read while they were written": [
        write(1, {}, files(2, 20), wrote=files(2, 20)),
        begun(write(4, files(2, 20), files(5, 50), wrote=files(3, 30)), 2),
        read(3, files(4, 40)),
        write(4, files(2, 20), files(5, 50), wrote=files(3, 30)),
    ],
    "read after one that does not say its version": [
        write(1, {}, version(0)),
        write(2),
        read(3, version(1)),
    ],
    "kept since it was written by one that does not say its version": [
        write(1, {}, version(0)),
        begun(write(3), 2),
        write(3),
        write(5, version(1), version(2)),
        read(7, version(1), at=3),
    ],
    "read while it was empty": [read(1, files(0, 0)), write(2, {}, version(0))],
    "read by who first wrote it, while it was empty": [merged(1, files(0, 0), base={}, state=version(0))],
    "restored": [
        write(1, {}, version(0)),
        write(2, version(0), version(1)),
        merged(3, since="1970-01-01T00:00:00Z"),
    ],
    "in a database": [write(1, whole=True), write(2, found=True), write(3, found=True)],
    "rows of a database": [
        write(1, state=rows(3), wrote=rows(3), whole=True),
        write(2, found=True, wrote=rows(2)),
        read(3, rows(5)),
    ],
    "rows of a database that were read in part": [
        write(1, state=rows(3), wrote=rows(3), whole=True),
        read(3, rows(1)),
    ],
    "rows of a database after one that failed": [
        write(1, state=rows(3), wrote=rows(3), whole=True),
        write(2, kind="FAIL", found=True),
        read(3, rows(4)),
    ],
    "rows of a database after one that does not count": [
        write(1, state=rows(3), wrote=rows(3), whole=True),
        write(2, found=True),
        read(3, rows(9)),
    ],
    "rows of a database that others made": [write(1), read(2, rows(9))],
    "in a database, created by the first": [created(1, "WHOLE"), write(2, found=True)],
}
OTHERS = {
    "before the first": [write(1, version(3), version(4))],
    "before the first, then on and on": [
        write(1, version(3), version(4)),
        write(2, version(4), version(5)),
        write(3, version(5), version(6)),
    ],
    "between two": [write(1, {}, version(0)), write(2, version(1), version(2))],
    "after one that does not say its version, long ago": [
        write(1),
        write(2, version(1), version(2)),
        write(3, version(3), version(4)),
    ],
    "between tries": [write(1, {}, version(0)), write(2, kind="FAIL"), write(3, version(1), version(2))],
    "before, where the table was created only if it was not there": [
        created(1),
        write(2, version(3), version(4)),
    ],
    "files before the first": [write(1, files(1, 10), files(2, 20), wrote=files(1, 10))],
    "files between two": [
        write(1, {}, files(2, 20), wrote=files(2, 20)),
        write(2, files(3, 35), files(4, 45), wrote=files(1, 10)),
    ],
    "larger files": [
        write(1, {}, files(2, 20), wrote=files(2, 20)),
        write(2, files(2, 25), files(3, 35), wrote=files(1, 10)),
    ],
    "as many files, which are smaller": [
        write(1, {}, files(2, 20), wrote=files(2, 20)),
        write(2, files(2, 15), files(3, 25), wrote=files(1, 10)),
    ],
    "files while two wrote": [
        begun(write(4, files(5, 50), files(6, 60), wrote=files(1, 10)), 1),
        begun(write(5, {}, files(3, 30), wrote=files(3, 30)), 2),
        write(5, {}, files(3, 30), wrote=files(3, 30)),
        write(4, files(5, 50), files(6, 60), wrote=files(1, 10)),
    ],
    "files before the first batch of a stream": [
        write(2, files(1, 10), files(2, 20), wrote=files(1, 10), kind="RUNNING"),
        {**write(2, wrote=files(3, 30), kind="RUNNING"), "eventTime": at(3).isoformat()},
        {**write(2, wrote=files(3, 30)), "eventTime": at(4).isoformat()},
    ],
    "before it was read": [write(1, {}, version(0)), read(2, version(1))],
    "read while it was empty, and then": [read(1, files(0, 0), version(3)), write(2)],
    "read by who first wrote it": [merged(1, version(3))],
    "before it was read and replaced": [
        write(1, {}, version(0)),
        read(2, version(1)),
        write(3, state=version(2), whole=True),
    ],
    "in a version before": [
        write(1, {}, version(0)),
        write(3, state=version(2), whole=True),
        read(4, version(2), version(1)),
    ],
    "files before they were read": [
        write(1, {}, files(2, 20), wrote=files(2, 20)),
        read(2, files(3, 25)),
    ],
    "files while it was written": [
        write(1, {}, files(2, 20), wrote=files(2, 20)),
        begun(write(4, files(2, 20), files(5, 50), wrote=files(3, 30)), 2),
        read(3, files(6, 60)),
        write(4, files(2, 20), files(5, 50), wrote=files(3, 30)),
    ],
    "in a database": [write(1, found=True), write(2, found=True)],
    "in a database, created only if it was not there": [created(1), write(2, found=True)],
    "in a database, after it was created": [
        write(1, state=rows(3), wrote=rows(3), whole=True),
        read(2, rows(4)),
    ],
    "in a database, after it was emptied, and appended to": [
        write(1, found=True, wrote=rows(7)),
        write(2, state=rows(3), wrote=rows(3), whole=True),
        write(3, found=True, wrote=rows(2)),
        read(4, rows(6)),
    ],
    "in a database, by two at once": [
        begun(write(4, found=True), 1),
        begun(write(5, found=True), 2),
        write(4, found=True),
        write(5, found=True),
    ],
    "in a database, tried again": [
        begun(write(2, kind="FAIL"), 1),
        write(2, kind="FAIL"),
        write(3, found=True),
    ],
    "in a database, after one that was killed": [begun(write(2), 1), write(3, found=True)],
}


def is_open(store: LineageStore) -> bool:
    """Whether answers say that nobody has decided about the table."""
    there = store.found_there()
    assert (TABLE in store.found_there([TABLE])) is (TABLE in there)
    gaps = exposure(store, rules=parse_rules(RULE)).incomplete
    assert any(gap.reason == "UNDECIDED_ORIGIN" and gap.dataset == TABLE for gap in gaps) is (TABLE in there)
    return TABLE in there


@pytest.mark.parametrize("case", OWN)
def test_what_jobs_wrote_themselves_is_known(store: LineageStore, case: str) -> None:
    assert all(each.stored for each in ingest(store, OWN[case]))
    assert not is_open(store)


@pytest.mark.parametrize("case", OTHERS)
def test_what_others_stored_is_nobodys(store: LineageStore, case: str) -> None:
    assert all(each.stored for each in ingest(store, OTHERS[case]))
    assert is_open(store)


@pytest.mark.parametrize(("cases", "expected"), [(OWN, False), (OTHERS, True)], ids=["own", "others"])
def test_the_order_in_which_it_is_reported_does_not_matter(
    store: LineageStore, cases: dict[str, list[dict[str, Any]]], *, expected: bool
) -> None:
    case = "files of runs at once" if not expected else "files while two wrote"
    for order in itertools.islice(itertools.permutations(cases[case]), 1, 24, 7):
        ingest(store, [*order, *order])
        assert is_open(store) is expected


def test_rows_are_nobodys_that_are_read_where_a_table_was_created_without_any(store: LineageStore) -> None:
    ingest(store, [created(1), read(2, version(1))])
    assert TABLE in store.found_there()


def test_it_is_decided_by_who_looked_at_it(store: LineageStore) -> None:
    ingest(store, OTHERS["between two"])
    assert is_open(store)
    look_at(store, "source", "table")
    assert exposure(store, rules=parse_rules(RULE)).incomplete == ()


def test_it_is_gone_when_all_is_replaced_after_it_was_found(store: LineageStore) -> None:
    ingest(store, [*OTHERS["between two"], write(5, version(2), version(3), whole=True)])
    assert not is_open(store)
    assert TABLE in store.found_there(as_of=at(4))
    assert TABLE not in store.found_there(as_of=at(1))


def test_it_is_found_after_all_was_replaced_before(store: LineageStore) -> None:
    ingest(store, [write(1, {}, version(0), whole=True), write(2, version(1), version(2))])
    assert is_open(store)


def test_what_was_made_of_it_still_comes_from_it(store: LineageStore) -> None:
    made = dataset("report", "mail", columnLineage=columns({"mail": [("table", "mail")]}))
    read = event("COMPLETE", 3, "read", [dataset("table", "mail")], [made], job="read")
    ingest(store, [*OTHERS["between two"], read, write(5, version(2), version(3), whole=True)])
    assert is_open(store)


def test_the_names_of_a_table_have_one_content(store: LineageStore) -> None:
    renamed = dataset(
        "other",
        lifecycleStateChange=facet(
            lifecycleStateChange="RENAME", previousIdentifier={"namespace": NAMESPACE, "name": "table"}
        ),
    )
    moved = event("COMPLETE", 2, "rename", [], [renamed], job="rename")
    ingest(store, [write(1, {}, version(0)), moved, write(3, version(0), version(1), name="other")])
    assert store.found_there().keys() == {DatasetKey(NAMESPACE, "source")}
    ingest(store, [write(4, version(2), version(3), name="other")])
    assert store.found_there().keys() > {DatasetKey(NAMESPACE, "source")}


def test_states_are_no_names_and_no_changes(store: LineageStore) -> None:
    ingest(store, [write(1, version(3), version(4)), write(2, version(4), version(5))])
    found = store.get_datasets([TABLE])[TABLE]
    assert [change.change for change in found.changes] == []
    assert found.names == ()
    assert {each.key.name for each in store.datasets(first=10).items} == {"source", "table"}


@pytest.mark.parametrize("stated", ["base", "state", "found"])
def test_only_who_writes_a_dataset_says_what_is_in_it(store: LineageStore, stated: str) -> None:
    stranger = read(3, version(1))
    stated_of_it = facet(bases=[version(1)], **{stated: True if stated == "found" else version(1)})
    stranger["inputs"][0]["facets"]["headwater_extent"] = stated_of_it
    ingest(store, [write(1, {}, version(0)), stranger])
    assert is_open(store)


def test_states_outlive_their_runs(store: LineageStore) -> None:
    nightly = [write(minute, version(minute - 1), version(minute)) for minute in range(1, 9)]
    nightly[0]["outputs"][0]["facets"]["headwater_extent"] = facet(replaced="NONE", base={}, state=version(1))
    ingest(store, nightly)
    store.prune(at(9) + timedelta(minutes=1))
    ingest(store, [write(12, version(8), version(9))])
    assert not is_open(store)


def test_a_copy_is_looked_for_that_others_stored(store: LineageStore) -> None:
    original = write(1, {}, version(0), name="people")
    ingest(store, [original, *OTHERS["before the first"]])
    assert {each.dataset for each in proposals(store)} <= {TABLE}
