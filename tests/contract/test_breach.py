"""What a leak exposes: attributes and their forms, rows, jobs, and what it can be joined with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from headwater_backend.domain.errors import UnknownDataset, UnknownPath
from headwater_backend.domain.model import DatasetKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.breach import Breach, breach
from headwater_backend.privacy.answers.dataset_runs import DATASETS_AT_ONCE
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.exposure import Ruling
from kit.openlineage import NAMESPACE, dataset, event, facet, paths

TAGS = facet(
    tags=[
        {"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"},
        {"key": "data_category", "value": "user.demographic.age_range", "source": "CONFIG", "field": "age"},
    ]
)


def people() -> dict[str, Any]:
    return dataset("people", "mail", "age", tags=TAGS)


def made(output: str, rows: int | None, *entries: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    """A run that makes the output from people: (column, source column, subtype)."""
    traced = paths(*(([column], "people", [source], subtype) for column, source, subtype in entries), **more)
    columns = [column for column, _, _ in entries]
    counted = {} if rows is None else {"outputFacets": {"outputStatistics": facet(rowCount=rows, size=1)}}
    return event(
        "COMPLETE",
        1,
        f"run of {output}",
        [people()],
        [{**dataset(output, *columns, headwater_pathLineage=traced), **counted}],
        f"makes {output}",
    )


def stored(store: LineageStore, *events: dict[str, Any]) -> LineageStore:
    assert all(outcome.stored for outcome in ingest(store, events))
    return store


def leak(store: LineageStore, name: str, path: str = "**") -> Breach:
    return breach(store, [PlacePattern((NAMESPACE, name), path, 1)], Ruling())


def test_a_leak_has_its_attributes_rows_and_jobs(store: LineageStore) -> None:
    filtered = {"type": "INDIRECT", "subtype": "FILTER", "masking": False}
    by_age = [{"namespace": NAMESPACE, "name": "people", "path": ["age"], "transformations": [filtered]}]
    stored(
        store,
        made("mailing", 1_200, ("to", "mail", "IDENTITY"), dataset=by_age),
        event("COMPLETE", 2, "reads", [dataset("mailing", "to")], [dataset("sent", "x")], "sends"),
    )
    found = leak(store, "mailing")
    (leaked,) = found.datasets
    assert (leaked.dataset.name, leaked.rows) == ("mailing", 1_200)
    assert [job.name for job in leaked.writers] == ["makes mailing"]
    assert [job.name for job in leaked.readers] == ["sends"]
    (value,) = found.values
    assert (value.attribute.node.path, value.node.path, value.forms[0].name) == (
        ("mail",),
        ("to",),
        "IDENTITY",
    )
    assert [edge.job.name for edge in value.witness] == ["makes mailing"]
    assert {each.attribute.node.path for each in found.influences} == {("age",)}


def test_what_is_declared_in_the_leak_is_a_value(store: LineageStore) -> None:
    stored(store, made("mailing", None, ("to", "mail", "IDENTITY")))
    found = leak(store, "people")
    assert {each.node.path for each in found.values} == {("mail",), ("age",)}
    assert all(each.witness == () for each in found.values)
    assert found.datasets[0].rows is None


def test_only_the_leaked_path_counts(store: LineageStore) -> None:
    stored(store, made("mailing", None, ("to", "mail", "IDENTITY"), ("years", "age", "IDENTITY")))
    assert {each.attribute.node.path for each in leak(store, "mailing", "years").values} == {("age",)}


def test_a_leak_can_be_joined_by_an_identifier_and_by_what_is_computed_from_it(store: LineageStore) -> None:
    stored(
        store,
        made("mailing", None, ("to", "mail", "IDENTITY"), ("years", "age", "IDENTITY")),
        made("orders", None, ("customer", "mail", "IDENTITY")),
        made("ages", None, ("age", "age", "IDENTITY")),
        made("lengths", None, ("length", "mail", "TRANSFORMATION")),
    )
    found = {
        (each.node.dataset.name, *each.node.path, each.form.name) for each in leak(store, "mailing").joinable
    }
    assert found == {
        ("people", "mail", "IDENTITY"),
        ("orders", "customer", "IDENTITY"),
        ("lengths", "length", "TRANSFORMED"),
    }


def test_a_leak_of_what_was_computed_can_be_joined_with_copies_and_the_source(store: LineageStore) -> None:
    stored(
        store,
        made("clean", None, ("mail", "mail", "TRANSFORMATION"), ("age", "age", "IDENTITY")),
        event(
            "COMPLETE",
            2,
            "mails",
            [dataset("clean", "mail", "age")],
            [dataset("mailing", "to", headwater_pathLineage=paths((["to"], "clean", ["mail"], "IDENTITY")))],
            "mails",
        ),
    )
    found = {
        (each.node.dataset.name, *each.node.path, each.form.name) for each in leak(store, "mailing").joinable
    }
    assert found == {("people", "mail", "TRANSFORMED"), ("clean", "mail", "TRANSFORMED")}


def test_a_key_table_re_identifies_leaked_pseudonyms(store: LineageStore) -> None:
    hashed = {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True, "functions": ["sha2"]}

    def token(column: str) -> dict[str, Any]:
        entry = {"namespace": NAMESPACE, "name": "people", "path": ["mail"], "transformations": [hashed]}
        return {"path": [column], "inputFields": [entry]}

    plain = paths((["mail"], "people", ["mail"], "IDENTITY"))["fields"]
    events = [
        event("COMPLETE", 1, name, [people()], [dataset(name, *columns, headwater_pathLineage=traced)], name)
        for name, columns, traced in (
            ("research", ["id"], facet(fields=[token("id")], complete=True, incomplete=[])),
            ("tokens", ["token"], facet(fields=[token("token")], complete=True, incomplete=[])),
            ("keys", ["token", "mail"], facet(fields=[token("token"), *plain], complete=True, incomplete=[])),
        )
    ]
    stored(store, *events)
    found = {
        (each.node.dataset.name, each.form.name, each.reidentifies)
        for each in leak(store, "research").joinable
    }
    assert found == {("tokens", "PSEUDONYMISED", False), ("keys", "PSEUDONYMISED", True)}


def test_a_place_that_is_not_known_is_an_error(store: LineageStore) -> None:
    stored(store, made("mailing", None, ("to", "mail", "IDENTITY")))
    with pytest.raises(UnknownDataset, match="no known dataset"):
        leak(store, "mailling")
    with pytest.raises(UnknownPath, match="no known path in 'mailing'"):
        leak(store, "mailing", "too")


def test_a_whole_store_is_looked_up_at_once(store: LineageStore) -> None:
    names = [f"copy {number}" for number in range(DATASETS_AT_ONCE + 1)]
    stored(store, *(made(name, 7, ("to", "mail", "IDENTITY")) for name in names))
    asked: list[int] = []

    class Counted:
        """The store, which notes of how many datasets runs are asked."""

        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

        def runs_with(self, datasets: Sequence[DatasetKey], *more: Any) -> Any:
            asked.append(len(datasets))
            return store.runs_with(datasets, *more)

    found = breach(cast(LineageStore, Counted()), [PlacePattern((NAMESPACE, "copy *"), "**", 1)], Ruling())
    assert {each.rows for each in found.datasets} == {7}
    assert {job.name for each in found.datasets for job in each.writers} == {
        f"makes {name}" for name in names
    }
    assert asked == [DATASETS_AT_ONCE, 1]


def test_every_reader_and_writer_is_listed_however_often_another_ran(store: LineageStore) -> None:
    stored(store, made("mailing", 7, ("to", "mail", "IDENTITY")))
    read = [dataset("mailing", "to")]
    stored(
        store,
        event("COMPLETE", 2, "rare", read, [dataset("kept", "x")], "keeps a copy"),
        event("COMPLETE", 3, "rare", [], [dataset("mailing", "to")], "adds some"),
    )
    for minute in range(4, 30):
        stored(
            store,
            event("COMPLETE", minute, f"nightly {minute}", read, [dataset("sent", "x")], "sends"),
            event("COMPLETE", minute, f"hourly {minute}", [], [dataset("mailing", "to")], "fills"),
        )
    (leaked,) = leak(store, "mailing").datasets
    assert [job.name for job in leaked.readers] == ["keeps a copy", "sends"]
    assert [job.name for job in leaked.writers] == ["adds some", "fills", "makes mailing"]


def test_what_only_a_job_event_declares_to_read_is_a_reader(store: LineageStore) -> None:
    declared = event("COMPLETE", 2, "none", [dataset("mailing", "to")], [], "declared / once")
    del declared["run"], declared["eventType"]
    stored(store, made("mailing", 7, ("to", "mail", "IDENTITY")), declared)
    (leaked,) = leak(store, "mailing").datasets
    assert [job.name for job in leaked.readers] == ["declared / once"]


def test_a_dataset_without_a_known_path_has_leaked_with_what_nobody_decided_of_it(
    store: LineageStore,
) -> None:
    stored(store, made("mails", 3, ("mail", "mail", "IDENTITY")))
    stored(store, event("COMPLETE", 1, "reads", [dataset("bare")], [], "reads"))
    for name in ("*", "bare"):
        found = leak(store, name)
        assert DatasetKey(NAMESPACE, "bare") in [each.dataset for each in found.datasets]
        assert [each.unknown for each in found.matched] == [(DatasetKey(NAMESPACE, "bare"),)]
        assert "bare" in [gap.dataset.name for gap in found.incomplete if gap.reason == "UNDECIDED_ORIGIN"]
    by_path = leak(store, "*", "mail")
    assert "bare" not in [each.dataset.name for each in by_path.datasets]
    assert "bare" in [gap.dataset.name for gap in by_path.incomplete]
    with pytest.raises(UnknownPath):
        leak(store, "bare", "mail")
