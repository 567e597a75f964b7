"""UPDATE, DELETE, MERGE and time travel, on the lake formats that are released for each Spark line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kit.completed_writes import Write, names, runs, writes, written
from kit.connectors import DELTA, ICEBERG, LAKES, jars
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import installed

pytestmark = pytest.mark.spark

NEAR = {
    "spark.sql.catalog.near": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.near.type": "hadoop",
    "spark.sql.catalog.near.warehouse": "near",
}
DDL = ("CREATE TABLE", "SET TBLPROPERTIES")
UPDATES = ("execute_update_command", "replace_data", "write_delta")
ITSELF = {f"{name} <- target:{name} IDENTITY" for name in ("id", "name", "address", "total")}
UPDATED = {
    *ITSELF,
    "name <- target:name TRANSFORMATION",
    "address.city <- target:address.city TRANSFORMATION",
    "address.zip <- target:address.zip IDENTITY",
}
MERGED = {
    *ITSELF,
    "id <- source:id IDENTITY",
    "name <- source:who IDENTITY",
    "address.city <- source:city IDENTITY",
    "total <- target:total TRANSFORMATION",
    "total <- source:amount TRANSFORMATION",
    "total <- source:amount IDENTITY",
}
DECIDING = {
    "target:id JOIN",
    "source:id JOIN",
    "source:amount FILTER",
    "source:flag FILTER",
}


@pytest.fixture(scope="module", params=LAKES)
def lake(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    line, kind = request.param
    installed(line)
    folder = tmp_path_factory.mktemp(kind)
    conf = {"spark.jars": jars(line, kind), "spark.sql.shuffle.partitions": "1"}
    conf["spark.headwater.literals"] = "show"  # a constant says which thread has written
    place = {"spark.sql.catalog.lake.warehouse": str(folder / "lake")}
    conf |= DELTA if kind == "delta" else {**ICEBERG, **NEAR, **place}
    job = run_job(line, folder, "lakes.py", kind, conf=conf)
    assert job.code == 0, job.output
    return job


def changes(job: Job) -> list[Any]:
    """What happened to the target in place, in order."""
    target = (write for write in writes(job) if write.name.endswith("/target"))
    return [write for write in target if write.command != "append_data"]


def test_every_event_is_valid_and_every_write_has_a_start_and_an_end(lake: Job) -> None:
    for event in lake.events:
        validate_event(event)
    kinds = runs(lake).values()
    assert all([each for each in types if each != "RUNNING"] == ["START", "COMPLETE"] for types in kinds)
    assert not any("unknown" in name for name in runs(lake))


def test_everything_is_traced(lake: Job) -> None:
    gaps = [(write.name, write.facets["headwater_pathLineage"]["incomplete"]) for write in writes(lake)]
    found = {
        (name.rpartition("/")[2], gap["reason"], *map(tuple, gap["paths"]))
        for name, all_ in gaps
        for gap in all_
    }
    # To find a snapshot of Iceberg's, the program opens a file: what it puts together since then may be of it.
    assert found == (set() if (lake.folder / "changes").exists() else {("shared", "DRIVER", ("who",))})


def of_delta(job: Job) -> Job:
    if not (job.folder / "changes").exists():
        pytest.skip("Delta alone has it")
    return job


def of_iceberg(job: Job) -> Job:
    if (job.folder / "changes").exists():
        pytest.skip("Iceberg alone has it")
    return job


def test_what_a_table_computes_of_its_columns_is_made_of_them(lake: Job) -> None:
    appended, streamed = (w for w in writes(of_delta(lake)) if w.name.endswith("/computed"))

    assert appended.direct == {
        "id <- source:id IDENTITY",
        "who <- source:who IDENTITY",
        "loud <- source:who TRANSFORMATION",
    }
    assert {"who <- source:city IDENTITY", "loud <- source:city TRANSFORMATION"} <= streamed.direct


def test_columns_that_a_merge_adds_are_those_of_its_source(lake: Job) -> None:
    assert "city <- source:city IDENTITY" in written(of_delta(lake), "evolved").direct


def test_a_change_feed_is_made_of_its_table_and_of_its_log(lake: Job) -> None:
    for name in ("changes", "changes_by_path"):
        changes = written(of_delta(lake), name)
        generated = {".".join(g["path"]) for g in changes.facets["headwater_pathLineage"]["generated"]}
        assert changes.direct == {"id <- fed:id IDENTITY", "who <- fed:who IDENTITY"}
        assert generated == {"_change_type", "_commit_version", "_commit_timestamp"}


def test_where_a_row_of_iceberg_lies_holds_what_its_table_is_partitioned_by(lake: Job) -> None:
    lying = written(of_iceberg(lake), "lying")

    assert lying.direct == {
        "f <- parted:who TRANSFORMATION",
        "f <- parted:id TRANSFORMATION",
        "w <- parted:who IDENTITY",
        "b <- parted:id TRANSFORMATION",
    }
    assert [g["path"] for g in lying.facets["headwater_pathLineage"]["generated"]] == [["p"], ["s"]]


@pytest.mark.parametrize("name", ["in_path", "in_table", "in_place"])
def test_a_stream_of_iceberg_has_tables_by_name_in_place_of_paths(lake: Job, name: str) -> None:
    streamed = [
        write
        for write in writes(of_iceberg(lake))
        if write.name.endswith(f"/lake/db/{name}") and write.direct
    ]

    assert [write.direct for write in streamed] == [
        {"id <- source:id IDENTITY", "who <- source:who IDENTITY"}
    ]


def test_a_table_that_exists_is_not_written_by_who_spares_it(lake: Job) -> None:
    (spared,) = (w for w in writes(of_delta(lake)) if w.name.endswith("/changes_spared"))

    assert set(spared.inputs) == {"fed"}


def test_an_update_keeps_the_rest_and_traces_what_it_sets(lake: Job) -> None:
    for update in changes(lake)[::3]:
        assert {line for line in update.direct if not line.endswith("CONDITIONAL")} == UPDATED
        assert update.influences == {"target:total FILTER"}


def test_a_delete_keeps_the_rows_as_they_are_and_says_what_decided(lake: Job) -> None:
    for delete in changes(lake)[1::3]:
        assert delete.direct == ITSELF
        assert delete.influences == {"target:address.zip FILTER", "target:total FILTER"}


def test_a_merge_traces_each_clause_and_what_decides_between_them(lake: Job) -> None:
    for merge in changes(lake)[2::3]:
        assert merge.direct == MERGED
        assert merge.influences == DECIDING
        assert {g["how"] for g in merge.facets["headwater_pathLineage"]["generated"]} == {"'0'"}


def test_a_version_that_is_asked_for_is_reported(lake: Job) -> None:
    now = next(w for w in writes(lake) if w.name.endswith("/cities") and w.command != "append_data")
    then = written(lake, "cities")
    versions = [w.inputs["target"]["facets"]["version"]["datasetVersion"] for w in (then, now)]

    assert then.direct == {"id <- target:id IDENTITY", "city <- target:name IDENTITY"}
    assert now.direct == {"id <- target:id IDENTITY", "city <- target:address.city IDENTITY"}
    assert len(set(versions)) == 2


EXTENTS = {
    "over_all": "WHOLE",
    "over_part": "PART",
    "over_rows": "PART",
    "over_replaced": "WHOLE",
    "over_saved": "WHOLE",
    "over_parts": "PART",
    "over_path": "WHOLE",
    "over_where": "PART",
    "over_saved_where": "PART",
    "over_option": "PART",
    "over_mode": None,
}


def test_the_condition_of_an_overwrite_decides_about_the_rows(lake: Job) -> None:
    left = json.loads((lake.folder / "left.json").read_text("utf-8"))
    names = {"over_rows", "over_where", "over_saved_where"} & left.keys()
    assert names
    for name in names:
        entries = written(lake, name).facets["headwater_pathLineage"]["dataset"]
        assert ["day"] in [each["path"] for each in entries if each["name"].endswith(name)], name


def test_an_overwrite_says_how_much_it_replaced(lake: Job) -> None:
    left = json.loads((lake.folder / "left.json").read_text("utf-8"))
    found = {name: written(lake, name).facets.get("headwater_extent", {}).get("replaced") for name in left}

    assert found == {name: EXTENTS[name] for name in left}
    assert left == {name: extent != "WHOLE" for name, extent in found.items()}


def history(table: str) -> list[tuple[str, str]]:
    """Each version that the table's own log knows, in order, with whoever the log says has written it."""
    commits = sorted(Path(table, "_delta_log").glob("*.json"))
    if commits:
        made = [(commit.stem.lstrip("0") or "0", _commit_info(commit)) for commit in commits]
        return [
            (version, info.get("userMetadata", "")) for version, info in made if info["operation"] not in DDL
        ]
    newest = Path(table, "metadata", "version-hint.text").read_text("utf-8").strip()
    metadata = json.loads(Path(table, "metadata", f"v{newest}.metadata.json").read_text("utf-8"))
    snapshots = sorted(metadata["snapshots"], key=lambda each: each["sequence-number"])
    return [(str(each["snapshot-id"]), each["summary"].get("who", "")) for each in snapshots]


def _commit_info(commit: Path) -> dict[str, Any]:
    actions = (json.loads(line) for line in commit.read_text("utf-8").splitlines())
    return next(action["commitInfo"] for action in actions if "commitInfo" in action)


def version(facets: Mapping[str, Any]) -> str | None:
    found: str | None = facets.get("version", {}).get("datasetVersion")
    return found


def who(write: Write) -> str:
    """Whom a thread calls itself in what it writes."""
    generated = [each["how"] for each in write.facets["headwater_pathLineage"]["generated"]]
    return next((how.strip("'") for how in generated if how.startswith("'")), "")


def test_each_write_tells_the_version_that_it_has_made(lake: Job) -> None:
    others = ("/shared", "/changes", "/changes_by_path")
    alone = [write for write in writes(lake) if not write.name.endswith(others)]
    tables = {write.name for write in alone}

    assert len(tables) >= 3
    for table in tables:
        versions = [version(write.facets) for write in alone if write.name == table]
        assert versions == [made for made, _ in history(table)], table


def test_of_writes_at_once_each_tells_its_own_version_or_none(lake: Job) -> None:
    shared = [write for write in writes(lake) if write.name.endswith("/shared")]
    appended = {who(write): version(write.facets) for write in shared[:-1]}
    made = {by: made for made, by in history(shared[0].name) if by}

    assert set(made) == set(appended) == {"t1000", "t2000", "t3000", "same0", "same1", "same2"}
    assert [by for by in made if by.startswith("t") and appended[by] != made[by]] == []
    assert [by for by in made if appended[by] not in (None, made[by])] == []


def test_what_changes_no_row_tells_the_version_that_a_table_makes_of_it_if_any(lake: Job) -> None:
    vain = [write for write in writes(lake) if write.name.endswith("/shared")][-1]
    made: list[str | None] = [made for made, by in history(vain.name) if not by]

    assert vain.command in UPDATES
    assert [version(vain.facets)] == (made or [None])


def test_a_place_is_reported_where_it_is_however_the_program_calls_it(lake: Job) -> None:
    near = {write.name for write in writes(lake) if "/near/" in write.name}

    assert near in (
        {lake.path(f"near/{name}") for name in ("placed", "saved", "called", "streamed")},
        {lake.path("near/db/towns")},
    )
    assert all(write.name.startswith("/") and Path(write.name).is_dir() for write in writes(lake))


def test_a_dataset_has_one_name_in_all_events_of_a_run(lake: Job) -> None:
    assert len(names(lake)) > 10
    assert [each for each in names(lake).values() if len(each) > 1] == []


def test_a_table_lies_where_its_database_does_or_where_it_has_been(lake: Job) -> None:
    made = {write.name for write in writes(lake) if "/apart/" in write.name}

    assert made in ({lake.path("apart/db/made"), lake.path("apart/kept")}, set())
    assert all(Path(name, "_delta_log").is_dir() for name in made)


def test_a_table_is_its_location_and_known_by_its_name(lake: Job) -> None:
    target = changes(lake)[0]

    assert target.name.startswith("/")
    names = [each["name"] for each in target.facets["symlinks"]["identifiers"]]
    assert names in (["default.target"], ["db.target"])
