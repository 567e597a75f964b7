"""A run of a program of frames sends which columns it wrote, what they were made of, and what it does not know."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from openlineage.client.serde import Serde

import headwater_pandas as hp
from headwater_cli.main import cli
from headwater_facets.locations import DatasetId
from headwater_pandas.stored.locations import read_at, stored_at
from kit.frames import strict
from kit.receiver import Receiver
from kit.spooled import spooled_events

Facet = dict[str, Any]
INCOMPLETE = 4
SENT = 2
"""Events of one run."""


@pytest.fixture(autouse=True)
def _strict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "file")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__LOG_FILE_PATH", str(tmp_path / "events.ndjson"))
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__APPEND", "true")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENLINEAGE_DISABLED", raising=False)
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    visits().to_csv("visits.csv", index=False)
    with strict():
        yield


def people() -> Any:
    return pd.DataFrame(
        {
            "id": [1, 2, 3],
            "mail": ["A@x", "b@y", "c@z"],
            "age": [20, np.nan, 40],
            "city": ["Bern", "Basel", "Bern"],
        }
    )


def visits() -> Any:
    return pd.DataFrame({"id": [1, 1, 3], "cost": [5.0, 6.0, 7.0], "reason": ["flu", "flu", "leg"]})


def events(tmp_path: Path) -> list[Facet]:
    return [json.loads(line) for line in (tmp_path / "events.ndjson").read_text().splitlines()]


def outputs(run: Any) -> dict[str, Facet]:
    """The outputs of the run's last event by the name of their file."""
    event = json.loads(Serde.to_json(run.events[-1]))
    return {Path(each["name"]).name: each["facets"] for each in event["outputs"]}


def direct(facet: Facet) -> set[tuple[str, str, str]]:
    """Output column, input column and subtype of what flows."""
    return {
        (field["path"][0], source["path"][0], each["subtype"])
        for field in facet["fields"]
        for source in field["inputFields"]
        for each in source["transformations"]
        if each["type"] == "DIRECT"
    }


def of_rows(facet: Facet) -> set[tuple[str, str]]:
    return {
        (source["path"][0], each["access"])
        for source in facet.get("dataset", ())
        for each in source["transformations"]
    }


def reasons(facet: Facet) -> list[str]:
    return [each["reason"] for each in facet.get("incomplete", ())]


def test_each_column_lists_what_it_was_made_of_and_what_decided(tmp_path: Path) -> None:
    with hp.run("etl") as run:
        person, visit = pd.read_csv("people.csv"), pd.read_csv("visits.csv")
        person["age"] = person["age"].fillna(person["age"].mean())
        person["lower"] = person["mail"].str.lower()
        both = person[person["age"] > 18].merge(visit, on="id", how="left").drop(columns=["mail"])
        both["dear"] = np.where(both["cost"] > 5, "yes", "no")
        both.to_csv("out.csv", index=False)
    facet = outputs(run)["out.csv"]["headwater_pathLineage"]
    assert direct(facet) == {
        ("id", "id", "IDENTITY"),
        ("age", "age", "IDENTITY"),
        ("age", "age", "AGGREGATION"),
        ("city", "city", "IDENTITY"),
        ("lower", "mail", "TRANSFORMATION"),
        ("cost", "cost", "IDENTITY"),
        ("reason", "reason", "IDENTITY"),
    }
    assert {("id", "JOIN"), ("age", "FILTER")} <= of_rows(facet)
    (dear,) = (each for each in facet["fields"] if each["path"] == ["dear"])
    assert [(each["path"], each["transformations"][0]["subtype"]) for each in dear["inputFields"]] == [
        (["cost"], "CONDITIONAL")
    ]
    assert facet["complete"]
    assert [event["eventType"] for event in events(tmp_path)] == ["START", "COMPLETE"]
    assert {Path(each["name"]).name for each in events(tmp_path)[-1]["inputs"]} == {
        "people.csv",
        "visits.csv",
    }


def test_statistics_of_groups_are_distinguished_from_values_that_were_picked() -> None:
    with hp.run("etl") as run:
        person = pd.read_csv("people.csv")
        found = person.groupby("city").agg(many=("id", "nunique"), old=("age", "mean"), last=("mail", "max"))
        found.reset_index().to_csv("cities.csv", index=False)
        person.groupby("city", as_index=False).sum(numeric_only=True).to_csv("sums.csv", index=False)
    facet = outputs(run)["cities.csv"]["headwater_pathLineage"]
    retains = {
        field["path"][0]: field["inputFields"][0]["transformations"][0].get("retains")
        for field in facet["fields"]
    }
    assert retains == {"city": None, "many": "STATISTIC", "old": "STATISTIC", "last": None}
    assert of_rows(facet) == {("city", "GROUP_BY")}
    sums = outputs(run)["sums.csv"]["headwater_pathLineage"]
    assert ("city", "city", "IDENTITY") in direct(sums)
    assert ("age", "age", "AGGREGATION") in direct(sums)


def test_the_columns_of_an_encoding_hold_the_value_that_they_are_named_after() -> None:
    with hp.run("etl") as run:
        pd.get_dummies(pd.read_csv("visits.csv"), columns=["reason"]).to_json("d.json", orient="records")
    facet = outputs(run)["d.json"]["headwater_pathLineage"]
    (flu,) = (each for each in facet["fields"] if each["path"] == ["reason_flu"])
    assert {each.get("retains") for each in flu["inputFields"][0]["transformations"]} == {"CONTAINS", None}
    assert ("cost", "cost", "IDENTITY") in direct(facet)


def test_an_index_is_stored_where_pandas_stores_it_and_moves_with_its_records() -> None:
    with hp.run("etl") as run:
        by_mail = pd.read_csv("people.csv").set_index("mail")
        by_mail.isna().to_csv("missing.csv")
        by_mail.to_csv("without.csv", index=False)
    found = outputs(run)
    assert ("mail", "mail", "IDENTITY") in direct(found["missing.csv"]["headwater_pathLineage"])
    assert [each["name"] for each in found["missing.csv"]["schema"]["fields"]] == [
        "mail",
        "id",
        "age",
        "city",
    ]
    assert "mail" not in {pair[0] for pair in direct(found["without.csv"]["headwater_pathLineage"])}


@pytest.mark.parametrize(
    "taken", ["dict(zip(p.id, p.mail))", "p.mail.tolist()", "p.mail.max()", "p.to_csv()"]
)
def test_values_that_a_program_took_may_be_in_its_constants(taken: str) -> None:
    with hp.run("etl") as run:
        p = pd.read_csv("people.csv")
        eval(taken, {"p": p})
        visit = pd.read_csv("visits.csv")
        visit["of"] = "constant"
        visit.to_csv("out.csv", index=False)
    facet = outputs(run)["out.csv"]["headwater_pathLineage"]
    assert not facet["complete"]
    assert reasons(facet) == ["DRIVER"]
    assert ("mail", "DRIVER") in of_rows(facet)


def test_a_loop_that_takes_one_column_and_then_another_is_listed_with_both() -> None:
    with hp.run("etl") as run:
        person, visit = pd.read_csv("people.csv"), pd.read_csv("visits.csv")
        taken = [person.at[row, "mail"] for row in range(3)] + [person.at[0, "city"]]
        visit["of"] = len(taken)
        visit.to_csv("out.csv", index=False)
    facet = outputs(run)["out.csv"]["headwater_pathLineage"]
    assert {("mail", "DRIVER"), ("city", "DRIVER")} <= of_rows(facet)
    assert ("age", "DRIVER") not in of_rows(facet)


def test_a_frame_that_nobody_saw_come_is_a_gap_and_so_is_one_without_a_place() -> None:
    outside = people()
    with hp.run("etl") as run:
        outside.to_csv("outside.csv", index=False)
        hp.track(people(), "survey").to_csv("survey.csv", index=False)
        hp.track(people(), "known", location="known.csv").to_csv("copy.csv", index=False)
    found = {name: each["headwater_pathLineage"] for name, each in outputs(run).items()}
    assert reasons(found["outside.csv"]) == ["PROGRAM"]
    assert reasons(found["survey.csv"]) == ["UNKNOWN_SOURCE"]
    assert found["survey.csv"]["generated"] == []
    assert found["copy.csv"]["complete"]
    assert ("mail", "mail", "IDENTITY") in direct(found["copy.csv"])


def test_a_step_that_is_not_understood_lists_all_and_says_so() -> None:
    with hp.run("etl") as run:
        pd.read_csv("visits.csv").pivot_table(index="reason", margins=True).to_csv("pivot.csv")
    facet = outputs(run)["pivot.csv"]["headwater_pathLineage"]
    assert {"pivot_table"} == {each["name"] for each in facet["opaque"]}
    assert {pair[1] for pair in direct(facet)} == {"id", "cost", "reason"}


def test_what_is_appended_adds_to_what_was_written_and_an_overwrite_replaces_it() -> None:
    with hp.run("etl") as run:
        person, visit = pd.read_csv("people.csv"), pd.read_csv("visits.csv")
        visit[["id"]].to_csv("ids.csv", index=False)
        person[["id"]].to_csv("ids.csv", mode="a", header=False, index=False)
        visit.to_csv("last.csv", index=False)
        person.to_csv("last.csv", index=False)
    found = outputs(run)
    sources = {
        Path(each["name"]).name
        for field in found["ids.csv"]["headwater_pathLineage"]["fields"]
        for each in field["inputFields"]
    }
    assert sources == {"people.csv", "visits.csv"}
    assert {pair[0] for pair in direct(found["last.csv"]["headwater_pathLineage"])} == {
        "id",
        "mail",
        "age",
        "city",
    }
    assert found["last.csv"]["headwater_extent"]["replaced"] == "WHOLE"


def test_a_database_s_tables_are_datasets_too() -> None:
    connection = sqlite3.connect("shop.db")
    with hp.run("etl") as run:
        pd.read_csv("people.csv").to_sql("people", connection, index=False)
        pd.read_sql("SELECT mail FROM people", connection).to_csv("mails.csv", index=False)
    connection.close()
    found = outputs(run)
    assert ("mail", "mail", "IDENTITY") in direct(found["people"]["headwater_pathLineage"])
    assert reasons(found["mails.csv"]["headwater_pathLineage"]) == ["UNKNOWN_SOURCE"]


def test_an_error_of_the_program_is_its_error_and_the_run_has_failed(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="nowhere"), hp.run("etl"):
        pd.read_csv("people.csv").to_csv("out.csv", index=False)
        pd.read_csv("people.csv")["nowhere"]
    last = events(tmp_path)[-1]
    assert last["eventType"] == "FAIL"
    assert last["run"]["facets"]["errorMessage"]["message"] == "KeyError"
    assert [Path(each["name"]).name for each in last["outputs"]] == ["out.csv"]


def test_events_wait_while_the_receiver_is_away_and_the_next_run_sends_them(tmp_path: Path) -> None:
    receiver = Receiver()
    with pytest.warns(RuntimeWarning, match="2 events wait in"), hp.run("first", url=receiver.url):
        pd.read_csv("people.csv").to_csv("out.csv", index=False)
    assert Path("out.csv").exists()
    assert len(spooled_events(tmp_path / "cache" / "headwater" / "spool")) == SENT
    with receiver, hp.run("second", url=receiver.url):
        pd.read_csv("out.csv").to_csv("again.csv", index=False)
    assert [(each["job"]["name"], each["eventType"]) for each in receiver.events] == [
        (job, state) for job in ("first", "second") for state in ("START", "COMPLETE")
    ]
    assert spooled_events(tmp_path / "cache" / "headwater" / "spool") == []


def test_a_refused_event_stops_neither_the_program_nor_later_runs(tmp_path: Path) -> None:
    with Receiver(lambda event: 400 if event["job"]["name"] == "refused" else 201) as receiver:
        for job in ("refused", "taken"):
            with hp.run(job, url=receiver.url):
                pd.read_csv("people.csv").to_csv("out.csv", index=False)
    assert [each["job"]["name"] for each in receiver.events] == ["taken"] * SENT
    assert list((tmp_path / "cache" / "headwater" / "spool").glob("*/rejected.ndjson"))


def test_a_receiver_gets_the_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_API_KEY", "of this test")
    with Receiver() as receiver, hp.run("etl", url=receiver.url):
        pd.read_csv("people.csv").to_csv("out.csv", index=False)
    assert [headers["Authorization"] for _, headers in receiver.requests] == ["Bearer of this test"] * SENT


def test_without_a_receiver_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TYPE", "LOG_FILE_PATH", "APPEND"):
        monkeypatch.delenv(f"OPENLINEAGE__TRANSPORT__{name}")
    with pytest.warns(RuntimeWarning, match="no receiver is configured"), hp.run("etl") as run:
        pd.read_csv("people.csv").to_csv("out.csv", index=False)
    assert len(run.events) == SENT


def test_a_store_follows_a_path_through_programs_of_frames(tmp_path: Path) -> None:
    with hp.run("load"):
        person = pd.read_csv("people.csv")
        person["address"] = person["mail"].str.lower()
        person[["id", "address", "city"]].to_parquet("clean.parquet")
    with hp.run("report"):
        clean = pd.read_parquet("clean.parquet")
        clean.groupby("city").size().to_frame("many").to_csv("many.csv")
        clean[["address"]].to_csv("addresses.csv", index=False)
    store = ["--store", f"sqlite:///{tmp_path / 'lineage.db'}"]
    runner = CliRunner()
    assert runner.invoke(cli, ["import", "events.ndjson", *store]).exit_code == 0
    answer = runner.invoke(
        cli, ["lineage", "backward", str(tmp_path / "addresses.csv"), "address", "--json", *store]
    )
    found = {(Path(each["name"]).name, each["label"]) for each in json.loads(answer.output)["nodes"]}
    assert {("people.csv", "mail"), ("clean.parquet", "address")} <= found
    Path("rules.yaml").write_text(
        "- {dataset: {namespace: file, name: '*/people.csv'}, path: mail, category: user.contact.email}\n"
    )
    holders = runner.invoke(cli, ["exposure", "--rules", "rules.yaml", "--strict", *store])
    assert "addresses.csv" in holders.output
    assert holders.exit_code == INCOMPLETE  # the city looks personal, and nobody has decided
    assert "many.csv" not in holders.output


def test_no_value_is_in_an_event(tmp_path: Path) -> None:
    with hp.run("etl"):
        person = pd.read_csv("people.csv")
        person[person["mail"] == "A@x"].replace("A@x", "Zebra").to_csv("out.csv", index=False)
    text = (tmp_path / "events.ndjson").read_text()
    assert not any(value in text for value in ("A@x", "b@y", "Zebra", "Basel"))


def test_pandas_is_as_it_was_behind_a_run() -> None:
    before = {owner: dict(vars(owner)) for owner in (pd.DataFrame, pd.Series, pd, np)}
    with hp.run("etl"):
        pd.read_csv("people.csv").to_csv("out.csv")
    hp.stop()
    assert {owner: dict(vars(owner)) for owner in (pd.DataFrame, pd.Series, pd, np)} == before


@pytest.mark.parametrize(
    ("given", "dataset"),
    [
        ("/data//people.csv", ("file", "/data/people.csv")),
        (
            "/lake/people/day=1/part-00000-00000000-0000-0000-0000-000000000000.parquet",
            ("file", "/lake/people"),
        ),
        ("s3://bucket/a/b.csv", ("s3://bucket", "a/b.csv")),
        ("s3a://key:secret@bucket/a", ("s3://bucket", "a")),
        ("https://user:word@host/a%20b.csv", ("https://host", "/a b.csv")),
        (["/lake/p/k=1/part-0-1.parquet", "/lake/p/k=2/part-1-1.parquet"], None),
        (["/lake/p/k=1", "/lake/p/k=2"], ("file", "/lake/p")),
        (["/lake/p", "/lake/q"], None),
        ([], None),
        ("a,b\n1,2", None),
        (None, None),
    ],
)
def test_a_file_has_the_name_that_spark_s_readers_give_it(
    given: Any, dataset: tuple[str, str] | None
) -> None:
    assert stored_at(given) == (DatasetId(*dataset) if dataset else None)


@pytest.mark.parametrize(
    ("url", "schema", "dataset"),
    [
        ("postgresql+psycopg://me:word@db/shop", None, ("postgres://db:5432", "shop.public.people")),
        ("postgresql://db:99/shop?user=a@b", "hr", ("postgres://db:99", "shop.hr.people")),
        ("mysql+pymysql://me@db/shop", None, ("mysql://db:3306", "shop.people")),
        ("mssql+pyodbc://me:word@db/shop", None, ("sqlserver://db:1433", "shop.dbo.people")),
        ("sqlite:////data/shop.db", None, ("sqlite:/data/shop.db", "people")),
        ("sqlite://", None, None),
        ("sqlite:///:memory:", None, None),
        ("no database", None, None),
    ],
)
def test_a_table_has_the_name_that_spark_s_readers_give_it(
    url: str, schema: str | None, dataset: tuple[str, str] | None
) -> None:
    assert read_at("read_sql_table", ("people", url), {"schema": schema}) == (
        DatasetId(*dataset) if dataset else None
    )
