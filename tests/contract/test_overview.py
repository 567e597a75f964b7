"""A whole store in groups: sizes and connections, counted by the server, whatever is open."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from headwater_backend.access.visible_store import VisibleStore
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, Use
from headwater_backend.domain.patterns import DatasetPattern
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.ports.overview import Group, OpenGroup, Place, Wanted, place_of
from headwater_backend.privacy.answers.group_exposure import exposed_groups
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.questions.catalog.data_flow import data_flow
from headwater_backend.questions.catalog.overview import StoreOverview, overview
from kit.openlineage import columns, dataset, event, facet

Jobs = Mapping[str, tuple[Sequence[DatasetKey], Sequence[DatasetKey]]]
RAW, MART = OpenGroup("raw", ""), OpenGroup("mart", "")


def ingest_all(store: LineageStore, *events: dict[str, Any]) -> None:
    assert {outcome.error for outcome in ingest(store, list(events))} == {None}


def used(key: DatasetKey) -> dict[str, object]:
    return {**dataset(key.name), "namespace": key.namespace}


def stored(store: LineageStore, jobs: Jobs) -> None:
    """The store with a run of each job, by what it reads and writes."""
    ingest_all(
        store,
        *(
            event("COMPLETE", 1, name, list(map(used, reads)), list(map(used, writes)), name)
            for name, (reads, writes) in jobs.items()
        ),
    )


def collected(key: DatasetKey) -> dict[str, object]:
    """The dataset as an input that a job collects into its program."""
    access = facet(paths=[{"path": ["a"], "access": ["PROJECT", "DRIVER"]}])
    return {**dataset(key.name, "a", headwater_access=access), "namespace": key.namespace}


def keys(namespace: str, *names: str) -> list[DatasetKey]:
    return [DatasetKey(namespace, name) for name in names]


def sizes(found: StoreOverview) -> dict[Place, int]:
    return {group.at: group.size for group in found.grouped.shown}


def lines(found: StoreOverview) -> dict[tuple[Place, Place], int]:
    groups, connections = found.grouped.shown, found.grouped.connections
    return {(groups[each.source].at, groups[each.target].at): each.jobs for each in connections}


def opens(group: Group) -> OpenGroup:
    assert group.prefix is not None
    return OpenGroup(group.namespace, group.prefix)


COMPANY: Jobs = {
    "clean": (
        keys("raw", "/land/crm/people", "/land/crm/orders", "/land/web/clicks"),
        keys("mart", "crm.people", "crm.orders"),
    ),
    "report": (keys("mart", "crm.people"), keys("mart", "finance.totals")),
    "count": (keys("raw", "/land/web/clicks"), keys("mart", "crm.people")),
}


def test_namespaces_are_groups_that_jobs_connect(store: LineageStore) -> None:
    stored(store, COMPANY)
    found = overview(store)
    assert sizes(found) == {("raw", None): 3, ("mart", None): 3}
    assert lines(found) == {(("raw", None), ("mart", None)): 2}
    assert (found.grouped.datasets, found.grouped.groups, found.grouped.cut) == (6, 2, False)


def test_an_open_group_is_replaced_by_what_is_in_it_folders_and_schemas_alike(store: LineageStore) -> None:
    stored(store, COMPANY)
    raw, mart = sorted(overview(store).grouped.shown, key=lambda group: group.namespace, reverse=True)
    assert (raw.prefix, mart.prefix) == ("/land/", "")
    found = overview(store, [opens(raw), opens(mart)])
    assert sizes(found) == {
        ("raw", "/land/crm/"): 2,
        ("raw", "/land/web/"): 1,
        ("mart", "crm."): 2,
        ("mart", "finance."): 1,
    }
    assert {group.place: group.dataset for group in found.grouped.shown if group.size == 1} == {
        "/land/web/": "/land/web/clicks",
        "finance.": "finance.totals",
    }
    assert lines(found) == {
        (("raw", "/land/crm/"), ("mart", "crm.")): 1,
        (("raw", "/land/web/"), ("mart", "crm.")): 2,
        (("mart", "crm."), ("mart", "finance.")): 1,
    }
    within = overview(store, [OpenGroup("mart", "crm.")])
    assert sizes(within) == {
        ("raw", None): 3,
        ("mart", "crm.people"): 1,
        ("mart", "crm.orders"): 1,
        ("mart", None): 1,
    }


def test_groups_lead_to_programs_that_collected_what_they_read(store: LineageStore) -> None:
    stored(store, COMPANY)
    people = DatasetKey("mart", "crm.people")
    ingest_all(store, event("COMPLETE", 2, "x", [collected(people)], [], "notebook"))
    found = overview(store, [MART])
    assert sizes(found)["driver://test", None] == 1
    assert lines(found)[("mart", "crm."), ("driver://test", None)] == 1
    seen = overview(VisibleStore(store, lambda namespace: namespace == "mart"), [MART])
    assert lines(seen)[("mart", "crm."), ("closed", None)] == 1


def test_what_a_limit_leaves_out_is_counted(store: LineageStore) -> None:
    stored(store, COMPANY)
    found = overview(store, [RAW, MART], first=1)
    assert (len(found.grouped.shown), found.grouped.groups, found.grouped.datasets) == (1, 3, 6)
    cut = store.grouped(Wanted([OpenGroup("raw", "/land/"), MART], first=10, most=1))
    assert [each.jobs for each in cut.connections] == [2] and cut.cut
    for bad in (0, 100_000):
        with pytest.raises(BadQuestion):
            overview(store, first=bad)
    with pytest.raises(BadQuestion):
        overview(store, [OpenGroup("raw", str(at)) for at in range(1_000)])


def test_a_dataset_counts_once_whatever_name_a_job_uses_and_not_after_it_was_dropped(
    store: LineageStore,
) -> None:
    write = event("COMPLETE", 1, "w", [dataset("in")], [dataset("out")], "write")
    write["outputs"][0]["facets"]["symlinks"] = facet(
        identifiers=[{"namespace": "other", "name": "alias", "type": "TABLE"}]
    )
    read = event("COMPLETE", 2, "r", [used(DatasetKey("other", "alias"))], [dataset("far")], "read")
    drop = event(
        "COMPLETE",
        3,
        "d",
        [],
        [dataset("in", lifecycleStateChange=facet(lifecycleStateChange="DROP"))],
        "drop",
    )
    ingest_all(store, write, read)
    found = overview(store, [OpenGroup("test", "")])
    assert sizes(found) == {("test", "far"): 1, ("test", "in"): 1, ("test", "out"): 1}
    assert lines(found) == {(("test", "in"), ("test", "out")): 1, (("test", "out"), ("test", "far")): 1}
    ingest_all(store, drop)
    assert sizes(overview(store)) == {("test", None): 2}


def test_gaps_are_counted_at_the_group_that_they_are_in(store: LineageStore) -> None:
    stored(store, COMPANY)
    ingest_all(store, event("COMPLETE", 1, "x", keys_of("raw", "/a"), keys_of("mart", "crm.x"), "no lineage"))
    found = overview(store, [MART])
    gaps = dict(zip((group.at for group in found.grouped.shown), found.gaps, strict=True))
    assert gaps[("raw", None)] == 0 and gaps[("mart", "crm.")] > 0
    assert found.gap_count == sum(found.gaps)


def test_gaps_of_what_a_limit_leaves_out_are_counted_in_groups_and_in_the_data_flow(
    store: LineageStore,
) -> None:
    stored(store, COMPANY)
    known = len(store.incomplete(store.dataset_keys()))
    assert known > 1
    for first in (1, 500):
        assert overview(store, [RAW, MART], first).gap_count == known
        assert data_flow(store, first=first).gap_count == known
    among = [gap for gap in store.incomplete(store.dataset_keys()) if gap.dataset.name.startswith("crm.")]
    assert data_flow(store, [DatasetPattern(name="crm.*")], first=1).gap_count == len(among) < known


def keys_of(namespace: str, *names: str) -> list[dict[str, object]]:
    return list(map(used, keys(namespace, *names)))


def test_a_reader_of_some_namespaces_sees_all_others_as_one_closed_group(store: LineageStore) -> None:
    hidden = {"secret": (keys("hr", "salaries"), keys("board", "plan")), **COMPANY}
    hidden["leak"] = (keys("hr", "salaries"), keys("mart", "crm.people"))
    stored(store, hidden)
    seen = VisibleStore(store, lambda namespace: namespace == "mart")
    found = overview(seen, [MART, OpenGroup("hr", ""), OpenGroup("closed", "")])
    assert sizes(found) == {("closed", None): 5, ("mart", "crm."): 2, ("mart", "finance."): 1}
    assert lines(found)[("closed", None), ("mart", "crm.")] == 3
    assert not {"hr", "salaries", "board", "plan", "raw", "clean"} & set(str(found).replace("'", " ").split())
    closed = next(group for group in found.grouped.shown if group.namespace == "closed")
    assert (closed.prefix, closed.dataset) == (None, None)


def test_groups_are_marked_by_the_personal_data_in_their_datasets(store: LineageStore) -> None:
    tagged = facet(
        tags=[{"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "a"}]
    )
    copied = columns({"a": [("/land/crm/people", "a")]})
    for each in copied["fields"]["a"]["inputFields"]:
        each["namespace"] = "raw"
    source = {**dataset("/land/crm/people", "a", tags=tagged), "namespace": "raw"}
    target = {**dataset("crm.people", "a", columnLineage=copied), "namespace": "mart"}
    stored(store, COMPANY)
    ingest_all(store, event("COMPLETE", 5, "copy", [source], [target], "copy"))

    def marks(*opened: OpenGroup) -> dict[Place, tuple[int, Form]]:
        found = exposed_groups(store, Scope(), Ruling(), Snapshots(), opened)
        assert {group.place for group in found.groups} <= sizes(overview(store, opened)).keys()
        return {group.place: (group.datasets, group.form) for group in found.groups}

    assert marks() == {("raw", None): (1, Form.IDENTITY), ("mart", None): (1, Form.IDENTITY)}
    assert marks(MART, OpenGroup("raw", "/land/")) == {
        ("mart", "crm."): (1, Form.IDENTITY),
        ("raw", "/land/crm/"): (1, Form.IDENTITY),
    }


PARTS = ("a", "b", "ab", "", "é", "𝒳", "%", "in ", "'", "\\", "A")


def random_jobs(chance: random.Random) -> Jobs:
    def some() -> list[DatasetKey]:
        separator = chance.choice("/.")
        names = (
            separator.join(chance.choice(PARTS) for _ in range(chance.randint(1, 4))) or "x"
            for _ in range(chance.randint(0, 4))
        )
        return [DatasetKey(chance.choice(("n", "m.n", "s3://x/y")), name) for name in names]

    return {f"job {at}": (some(), some()) for at in range(6)}


def counted(jobs: Jobs, opened: Sequence[OpenGroup]) -> dict[tuple[Place, Place], int]:
    """The connections between groups, counted job by job."""
    found: dict[tuple[Place, Place], set[str]] = defaultdict(set)
    for job, (reads, writes) in jobs.items():
        for source in placed(reads, opened):
            for target in placed(writes, opened) - {source}:
                found[source, target].add(job)
    return {ends: len(between) for ends, between in found.items()}


def placed(some: Iterable[DatasetKey], opened: Sequence[OpenGroup]) -> set[Place]:
    return {place_of(opened, key) for key in some}


@pytest.mark.parametrize("seed", range(12))
def test_groups_hold_every_dataset_once_and_opening_ends_at_datasets(store: LineageStore, seed: int) -> None:
    jobs = random_jobs(random.Random(seed))
    stored(store, jobs)
    known = {key for both in jobs.values() for some in both for key in some}
    opened: list[OpenGroup] = []
    while True:
        found = overview(store, opened)
        expected: dict[Place, int] = defaultdict(int)
        for key in known:
            expected[place_of(opened, key)] += 1
        assert sizes(found) == expected
        assert lines(found) == counted(jobs, opened)
        more = [opens(group) for group in found.grouped.shown if group.size > 1]
        if not more:
            break
        assert not set(more) & set(opened)  # each opening shows something else
        opened += more
    assert {DatasetKey(group.namespace, group.dataset or "") for group in found.grouped.shown} == known


@pytest.mark.parametrize("seed", range(6))
def test_groups_are_connected_as_all_datasets_are_those_in_programs_included(
    store: LineageStore, seed: int
) -> None:
    chance = random.Random(seed)
    for at, (name, (reads, writes)) in enumerate(random_jobs(chance).items()):
        inputs = [(collected if chance.random() < 0.5 else used)(key) for key in reads]
        ingest_all(store, event("COMPLETE", at, name, inputs, list(map(used, writes)), name))
    flows = data_flow(store).flows
    jobs: Jobs = {
        f"{flow.job}": (
            [each.dataset for each in flows if each.job == flow.job and each.use is Use.INPUT],
            [each.dataset for each in flows if each.job == flow.job and each.use is Use.OUTPUT],
        )
        for flow in flows
    }
    assert any(each.dataset.namespace == "driver://test" for each in flows)
    for opened in ([], [OpenGroup("n", ""), OpenGroup("driver://test", "")]):
        assert lines(overview(store, opened)) == counted(jobs, opened)
