"""Writers and readers that name a dataset's columns differently: what is certain is followed, what is not is a gap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.model import DatasetKey, Direction, JobKey, LineageType, NodeKey
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy import exposure_search
from headwater_backend.privacy.classification import deciding
from headwater_backend.privacy.classification.decided import PathClass
from headwater_backend.privacy.exposure import exposed, exposure
from headwater_backend.questions.closure import LineageGraph, backward, forward
from headwater_backend.questions.impact import impact
from headwater_backend.questions.levels import Level
from headwater_backend.questions.lineage import Scope, jobs, lineage
from headwater_backend.questions.origins import golden_sources, sources
from headwater_backend.questions.traversal import Bounds
from headwater_backend.questions.witness import witnesses
from headwater_backend.stores import open_store
from headwater_backend.stores.copying.copy import migrate
from headwater_facets.kinds import Replaced
from headwater_facets.schemas import ACCESS, EXTENT, LAYOUT
from kit import sqlite
from kit.looked import look_at
from kit.openlineage import NAMESPACE, at, digest, event, facet, node

Column = str | tuple[str, str, Sequence[Any]]


def schema(*names: Column) -> list[dict[str, Any]]:
    """Schema fields: a name, or a name, its type and the fields below it."""
    return [
        {"name": name, "type": "string"}
        if isinstance(name, str)
        else {"name": name[0], "type": name[1], "fields": schema(*name[2])}
        for name in names
    ]


def data(name: str, kind: str, *names: Column, replaced: str = "", **layout: Any) -> dict[str, Any]:
    """A dataset in that format; ``layout`` is what the agent knows beyond its schema, ``replaced`` of an overwrite."""
    storage = facet(storageLayer="file", fileFormat=kind) if kind else None
    change = facet(lifecycleStateChange="OVERWRITE") if replaced else None
    known = {
        "schema": facet(fields=schema(*names)),
        "storage": storage,
        "lifecycleStateChange": change,
        EXTENT: facet(replaced=replaced) if replaced in tuple(Replaced) else None,
        LAYOUT: facet(**layout) if layout else None,
    }
    facets = {key: value for key, value in known.items() if value}
    return {"namespace": NAMESPACE, "name": name, "facets": facets}


def ids(*columns: str, below: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """The identifiers of columns, such as ``"1 name"``; ``below`` are those of each one's members."""
    more = {"fields": list(below)} if below else {}
    return [{"id": number, "name": name, **more} for number, name in map(str.split, columns)]


def struct(name: str, *members: str) -> dict[str, Any]:
    """A Delta table with a struct, whose identifier is 1, and members such as ``"2 name"``."""
    column = (name, "struct", [each.split()[1] for each in members])
    return data("d", "delta", column, fieldIds=ids(f"1 {name}", below=ids(*members)))


def paths(*entries: tuple[Sequence[str], str, Sequence[str]]) -> dict[str, Any]:
    """A ``headwater_pathLineage`` facet of (output path, dataset, input path): all copied."""
    how = {"type": "DIRECT", "subtype": "IDENTITY", "masking": False, "manipulation": ["COPY"]}
    fields = [
        {
            "path": list(target),
            "inputFields": [
                {"namespace": NAMESPACE, "name": name, "path": list(source), "transformations": [how]}
            ],
        }
        for target, name, source in entries
    ]
    return facet(fields=fields, complete=True, incomplete=[])


def writes(minute: int, output: dict[str, Any], *entries: Any, job: str = "writer") -> dict[str, Any]:
    """A run that copies columns of ``people`` into the output."""
    output["facets"]["headwater_pathLineage"] = paths(*((to, "people", of) for to, of in entries))
    people = data("people", "parquet", "name", "ssn", "city")
    return event("COMPLETE", minute, f"{job} {minute}", [people], [output], job)


def reads(minute: int, read: dict[str, Any], *path: str, job: str = "reader") -> dict[str, Any]:
    """A run that copies one path of the dataset into ``out.x``."""
    output = data("out", "parquet", "x")
    output["facets"]["headwater_pathLineage"] = paths((["x"], read["name"], path))
    return event("COMPLETE", minute, f"{job} {minute}", [read], [output], job)


def ingest_all(store: LineageStore, *events: dict[str, Any]) -> None:
    assert all(outcome.stored for outcome in ingest(store, events))


def paths_of(graph: LineageGraph) -> set[str]:
    return {f"{each.key.dataset.name}.{'.'.join(each.key.path)}" for each in graph.nodes}


def drifts(graph: LineageGraph) -> list[tuple[str, str]]:
    return [(".".join(gap.path), gap.detail) for gap in graph.incomplete if gap.reason == "SCHEMA_DRIFT"]


def assert_linked(store: LineageStore, person: str) -> None:
    """``out.x`` is made of that path of ``people``, and no gap is reported in either direction."""
    back, ahead = backward(store, node("out", "x")), forward(store, node("people", person))
    assert f"people.{person}" in paths_of(back)
    assert "out.x" in paths_of(ahead)
    assert (drifts(back), drifts(ahead)) == ([], [])
    assert back.complete
    assert ahead.complete


NAME_SSN = ((["name"], ["name"]), (["ssn"], ["ssn"]))
PLAIN_CASES: dict[str, tuple[dict[str, Any], list[Any], dict[str, Any], tuple[str, ...]]] = {
    "csv without a header": (
        data("d", "csv", "name", "ssn"),
        [*NAME_SSN],
        data("d", "csv", "_c0", "_c1"),
        ("_c1",),
    ),
    "csv by the reader's own names": (
        data("d", "csv", "name", "ssn"),
        [*NAME_SSN],
        data("d", "csv", "wer", "nummer"),
        ("nummer",),
    ),
    "csv whose partition column moves to the end": (
        data("d", "csv", "name", "city", "ssn", partitions=["city"]),
        [*NAME_SSN, (["city"], ["city"])],
        data("d", "csv", "_c0", "_c1", "city", partitions=["city"]),
        ("_c1",),
    ),
    "columns of folders by the names of files": (
        data("d", "parquet", "name", "ssn", partitions=["ssn"]),
        [*NAME_SSN],
        data("d", "parquet", "name", ("_metadata", "struct", ["file_path"])),
        ("_metadata", "file_path"),
    ),
    "columns of folders by the names of binary files": (
        data("d", "json", "name", "ssn", partitions=["ssn"]),
        [*NAME_SSN],
        data("d", "binaryfile", "path", "modificationTime", "length", "content"),
        ("path",),
    ),
    "csv with the names in another order": (
        data("d", "csv", "name", "ssn"),
        [*NAME_SSN],
        data("d", "csv", "ssn", "name"),
        ("name",),
    ),
    "csv by another separator": (
        data("d", "csv", "name", "ssn"),
        [*NAME_SSN],
        data("d", "csv", "_c0", separator="|"),
        ("_c0",),
    ),
    "csv by separators that are not stated": (
        data("d", "csv", "name", "ssn", separator=""),
        [*NAME_SSN],
        data("d", "csv", "_c0", "_c1", separator=""),
        ("_c1",),
    ),
    "csv by an agent that reports no format": (
        data("d", "", "name", "ssn"),
        [*NAME_SSN],
        data("d", "", "_c0", "_c1"),
        ("_c1",),
    ),
    "text": (data("d", "text", "line"), [(["line"], ["ssn"])], data("d", "text", "value"), ("value",)),
    "csv as text": (data("d", "csv", "name", "ssn"), [*NAME_SSN], data("d", "text", "value"), ("value",)),
    "text as csv": (
        data("d", "text", "line"),
        [(["line"], ["ssn"])],
        data("d", "csv", "_c0", "_c1"),
        ("_c1",),
    ),
    "json as bytes": (
        data("d", "json", "name", "ssn"),
        [*NAME_SSN],
        data("d", "binaryfile", "path", "modificationTime", "length", "content"),
        ("content",),
    ),
    "another case": (
        data("d", "parquet", "SsnNumber"),
        [(["SsnNumber"], ["ssn"])],
        data("d", "parquet", "ssnnumber"),
        ("ssnnumber",),
    ),
    "another case below": (
        data("d", "parquet", ("Person", "struct", ["Ssn", "Name"])),
        [(["Person", "Ssn"], ["ssn"])],
        data("d", "parquet", ("person", "struct", ["ssn"])),
        ("person", "ssn"),
    ),
    "another case in an array": (
        data("d", "orc", ("P", "array", [("_element", "struct", ["Ssn"])])),
        [(["P", "_element", "Ssn"], ["ssn"])],
        data("d", "orc", ("p", "array", [("_element", "struct", ["ssn"])])),
        ("p", "_element", "ssn"),
    ),
    "a map as a struct": (
        data("d", "json", ("props", "map", ["key", "value"])),
        [(["props", "value"], ["ssn"])],
        data("d", "json", ("props", "struct", ["lang", "size"])),
        ("props", "lang"),
    ),
    "a struct as a map": (
        data("d", "json", ("props", "struct", ["lang", "size"])),
        [(["props", "lang"], ["ssn"])],
        data("d", "json", ("props", "map", ["key", "value"])),
        ("props", "value"),
    ),
    "a map of structs as a struct of structs": (
        data("d", "json", ("m", "map", ["key", ("value", "struct", ["a", "b"])])),
        [(["m", "value", "a"], ["ssn"])],
        data("d", "json", ("m", "struct", [("de", "struct", ["a"])])),
        ("m", "de", "a"),
    ),
    "a struct that is read as text": (
        data("d", "json", ("p", "struct", ["a", "b"])),
        [(["p", "a"], ["ssn"])],
        data("d", "json", "p"),
        ("p",),
    ),
    "orc by position": (
        data("d", "orc", "name", "ssn"),
        [*NAME_SSN],
        data("d", "orc", "a", "b", matching="position"),
        ("b",),
    ),
    "orc by position, with the names in another order": (
        data("d", "orc", "name", "ssn"),
        [*NAME_SSN],
        data("d", "orc", "ssn", "name", matching="position"),
        ("name",),
    ),
    "orc by position, whose partition column moves to the end": (
        data("d", "orc", "name", "city", "ssn", partitions=["city"]),
        [*NAME_SSN, (["city"], ["city"])],
        data("d", "orc", "a", "b", "city", partitions=["city"], matching="position"),
        ("b",),
    ),
    "avro by position below": (
        data("d", "avro", ("person", "struct", ["name", "ssn"])),
        [(["person", "ssn"], ["ssn"])],
        data("d", "avro", ("p", "struct", ["a", "b"]), matching="position"),
        ("p", "b"),
    ),
    "parquet by the ids of fields": (
        data("d", "parquet", "name", "ssn"),
        [*NAME_SSN],
        data("d", "parquet", "name", matching="id"),
        ("name",),
    ),
    "a column that was renamed by another engine": (
        data("d", "iceberg", "name", "ssn", fieldIds=ids("1 name", "2 ssn")),
        [*NAME_SSN],
        data("d", "iceberg", "name", "number", fieldIds=ids("1 name", "2 number")),
        ("number",),
    ),
    "columns that changed their names with each other": (
        data("d", "iceberg", "name", "ssn", fieldIds=ids("1 name", "2 ssn")),
        [*NAME_SSN],
        data("d", "iceberg", "ssn", "name", fieldIds=ids("1 ssn", "2 name")),
        ("name",),
    ),
    "members that changed their names with each other": (
        struct("who", "2 name", "3 ssn"),
        [(["who", "ssn"], ["ssn"])],
        struct("who", "3 name", "2 ssn"),
        ("who", "name"),
    ),
    "a struct that was renamed": (
        struct("who", "2 name", "3 ssn"),
        [(["who", "ssn"], ["ssn"])],
        struct("person", "2 name", "3 ssn"),
        ("person", "ssn"),
    ),
    "members of a list that were renamed": (
        data(
            "d",
            "iceberg",
            ("all", "array", [("_element", "struct", ["ssn"])]),
            fieldIds=ids("1 all", below=ids("2 _element", below=ids("3 ssn"))),
        ),
        [(["all", "_element", "ssn"], ["ssn"])],
        data(
            "d",
            "iceberg",
            ("all", "array", [("_element", "struct", ["no"])]),
            fieldIds=ids("1 all", below=ids("2 _element", below=ids("3 no"))),
        ),
        ("all", "_element", "no"),
    ),
    "a column of a writer that knows no identifiers": (
        data("d", "iceberg", "name", "ssn"),
        [*NAME_SSN],
        data("d", "iceberg", "name", "ssn", fieldIds=ids("1 name", "2 ssn")),
        ("ssn",),
    ),
    "rows that could not be parsed": (
        data("d", "json", "ssn"),
        [(["ssn"], ["ssn"])],
        data("d", "json", "ssn", "_corrupt_record"),
        ("_corrupt_record",),
    ),
    "rows of CSV that could not be parsed": (
        data("d", "csv", "ssn", "name"),
        [*NAME_SSN],
        data("d", "csv", "first", "_corrupt_record"),
        ("_corrupt_record",),
    ),
}


@pytest.mark.parametrize("case", PLAIN_CASES)
def test_what_is_certain_is_followed_both_ways(store: LineageStore, case: str) -> None:
    written, entries, read, path = PLAIN_CASES[case]
    ingest_all(store, writes(1, written, *entries), reads(2, read, *path))
    assert_linked(store, "ssn")


DECIDING_CASES: dict[str, tuple[dict[str, Any], list[Any], dict[str, Any], tuple[str, ...]]] = {
    "keys of a map as a struct": (
        data("d", "json", ("props", "map", ["key", "value"])),
        [(["props", "key"], ["ssn"])],
        data("d", "json", ("props", "struct", ["lang", "size"])),
        ("props", "lang"),
    ),
    "keys of a map of structs as a struct of structs": (
        data("d", "json", ("m", "map", ["key", ("value", "struct", ["a", "b"])])),
        [(["m", "key"], ["ssn"])],
        data("d", "json", ("m", "struct", [("de", "struct", ["a"])])),
        ("m", "de", "a"),
    ),
    "the keys that a struct gets as a map": (
        data("d", "json", ("props", "struct", ["lang", "size"])),
        [(["props", "lang"], ["ssn"])],
        data("d", "json", ("props", "map", ["key", "value"])),
        ("props", "key"),
    ),
}


@pytest.mark.parametrize("case", DECIDING_CASES)
def test_what_decides_about_the_members_is_followed_both_ways(store: LineageStore, case: str) -> None:
    written, entries, read, path = DECIDING_CASES[case]
    ingest_all(store, writes(1, written, *entries), reads(2, read, *path))
    types = frozenset(LineageType)
    assert "people.ssn" in paths_of(backward(store, node("out", "x"), types))
    assert "out.x" in paths_of(forward(store, node("people", "ssn"), types))
    assert "people.ssn" not in paths_of(backward(store, node("out", "x")))


def test_only_the_column_at_the_position_is_followed(store: LineageStore) -> None:
    written, read = data("d", "csv", "name", "ssn"), data("d", "csv", "_c0", "_c1")
    ingest_all(store, writes(1, written, *NAME_SSN), reads(2, read, "_c0"))
    assert paths_of(backward(store, node("out", "x"))) == {"out.x", "d._c0", "d.name", "people.name"}
    assert "out.x" not in paths_of(forward(store, node("people", "ssn")))


def test_a_case_sensitive_session_reads_another_column(store: LineageStore) -> None:
    written = data("d", "parquet", "Ssn", "ssn")
    ingest_all(
        store,
        writes(1, written, (["Ssn"], ["ssn"]), (["ssn"], ["name"])),
        reads(2, data("d", "parquet", "ssn"), "ssn"),
    )
    assert paths_of(backward(store, node("out", "x"))) == {"out.x", "d.ssn", "people.name"}
    exact = data("d", "parquet", "SSN", caseSensitive=True)
    ingest_all(store, reads(3, exact, "SSN", job="exact"))
    assert drifts(backward(store, node("d", "SSN"))) == [("SSN", "written as (Ssn, ssn), read as (SSN)")]


UNKNOWN = "written as (name, ssn), read as (name, nummer)"


def test_what_is_not_certain_is_a_gap_both_ways(store: LineageStore) -> None:
    written, read = data("d", "parquet", "name", "ssn"), data("d", "parquet", "name", "nummer")
    ingest_all(store, writes(1, written, *NAME_SSN), reads(2, read, "nummer"))
    back, ahead = backward(store, node("out", "x")), forward(store, node("people", "ssn"))
    assert drifts(back) == [("nummer", UNKNOWN)]
    assert drifts(ahead) == [("ssn", UNKNOWN)]
    assert back.incomplete[0].job == JobKey(NAMESPACE, "reader")
    assert back.incomplete[0].dataset == DatasetKey(NAMESPACE, "d")
    # The gap is of paths: the other column is whole.
    assert forward(store, node("people", "name")).complete
    assert backward(store, node("d", "name")).complete
    assert backward(store, node("d", "ssn")).complete
    assert not impact(store, node("people", "ssn")).complete
    assert [(drift.path, drift.written) for drift in store.drifts()] == [
        (("nummer",), False),
        (("ssn",), True),
    ]


def test_what_is_below_a_column_is_compared_at_its_level(store: LineageStore) -> None:
    written = data("d", "json", ("user", "struct", ["name", "ssn"]))
    read = data("d", "json", ("user", "struct", ["name", "id"]))
    ingest_all(store, writes(1, written, (["user", "ssn"], ["ssn"])), reads(2, read, "user", "id"))
    text = "written as (name, ssn), read as (id, name) in user"
    assert drifts(backward(store, node("out", "x"))) == [("user.id", text)]
    assert drifts(forward(store, node("people", "ssn"))) == [("user.ssn", text)]


@pytest.mark.parametrize(
    ("first", "second", "read", "path"),
    [
        pytest.param(("a", "b"), None, ("a",), "a", id="a subset"),
        pytest.param(("a",), ("a", "b"), ("a",), "a", id="a column more than is read"),
        pytest.param(("a",), ("b",), ("a", "b"), "b", id="merged schemas"),
        pytest.param(("b", "a"), None, ("a", "b"), "a", id="another order"),
    ],
)
def test_schemas_that_grow_are_no_gap(
    store: LineageStore, first: Any, second: Any, read: Any, path: str
) -> None:
    ingest_all(store, writes(1, data("d", "parquet", *first), ([path], ["ssn"])))
    if second:
        ingest_all(store, writes(2, data("d", "parquet", *second), ([path], ["ssn"])))
    ingest_all(store, reads(3, data("d", "parquet", *read), path))
    assert_linked(store, "ssn")
    assert store.drifts() == []


def test_those_who_write_a_dataset_are_those_of_all_edges_into_it(store: LineageStore) -> None:
    link = {"symlinks": facet(identifiers=[{"namespace": "glue", "name": "d", "type": "TABLE"}])}
    named = data("d", "parquet", "city")
    named["facets"] |= link
    written, entries, read, path = PLAIN_CASES["a column of a writer that knows no identifiers"]
    ingest_all(
        store,
        writes(1, written, *entries),
        writes(2, named, (["city"], ["city"]), job="another"),
        reads(3, read, *path),
        writes(4, data("d", "parquet", "name", replaced="WHOLE"), (["name"], ["name"])),
        writes(5, data("e", "parquet", "name"), (["name"], ["name"])),
        event("COMPLETE", 6, "nothing 6", [], [data("d", "parquet", "name")], "nothing"),
    )
    asked = [DatasetKey(NAMESPACE, "d"), DatasetKey(NAMESPACE, "e")]
    whole = [NodeKey(dataset, ()) for dataset in asked]
    found = []
    for moment in (None, *map(at, range(8))):
        fans = store.neighbours(whole, Direction.BACKWARD, frozenset(LineageType), moment).fans
        edges = {(fan.job.name, fan.near.dataset.name, fan.version) for fan in fans}
        writers = [(job.name, output.name, version) for job, output, version in store.writers(asked, moment)]
        assert (set(writers), len(writers)) == (edges, len(edges)), moment
        found.append(len(edges))
    assert max(found) > min(found) == 0


def test_what_was_replaced_after_it_was_read_is_no_gap(store: LineageStore) -> None:
    ingest_all(
        store,
        writes(1, data("d", "parquet", "ssn", replaced="WHOLE"), (["ssn"], ["ssn"])),
        reads(2, data("d", "parquet", "ssn"), "ssn"),
        writes(3, data("d", "parquet", "social", replaced="WHOLE"), (["social"], ["ssn"])),
    )
    assert backward(store, node("out", "x")).complete
    assert store.drifts() == []
    # Who goes on to read it as before reads what nobody writes any more.
    ingest_all(store, reads(4, data("d", "parquet", "ssn"), "ssn"))
    assert drifts(backward(store, node("out", "x"))) == [("ssn", "written as (social), read as (ssn)")]
    assert drifts(forward(store, node("people", "ssn"))) == [("social", "written as (social), read as (ssn)")]


def test_rows_that_were_kept_are_read_by_the_schema_of_their_time(store: LineageStore) -> None:
    old, new = data("d", "text", "value"), data("d", "parquet", "name", "ssn", replaced="WHOLE")
    kept = data("d", "text", "value")
    kept["inputFacets"] = {ACCESS: facet(paths=[], readAt=at(2).isoformat())}
    ingest_all(store, writes(1, old, (["value"], ["city"])), writes(3, new, *NAME_SSN, job="other"))
    ingest_all(store, reads(4, kept, "value"))
    assert "people.ssn" not in paths_of(backward(store, node("out", "x")))
    assert drifts(backward(store, node("out", "x"))) == []


def takes(minute: int, read: dict[str, Any], text: str, *names: str) -> dict[str, Any]:
    """A run that takes what is packed under the names out of the text, into ``out.x``."""
    run = reads(minute, read, text)
    lineage = run["outputs"][0]["facets"]["headwater_pathLineage"]
    lineage["fields"][0]["inputFields"][0]["transformations"] = [
        {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": False, "manipulation": ["PARSE"],
         "unpacked": list(names)}
    ]  # fmt: skip
    return run


@pytest.mark.parametrize("written", [True, False], ids=["by a known writer", "by nobody known"])
@pytest.mark.parametrize("kind", ["text", "csv"])
def test_lines_of_json_that_are_read_as_texts_have_their_members_packed(
    store: LineageStore, kind: str, written: bool
) -> None:
    columns = (("person", "struct<name:string,ssn:string>", ["name", "ssn"]), "city")
    moved = ((["person", "name"], ["name"]), (["person", "ssn"], ["ssn"]), (["city"], ["city"]))
    first = writes(1, data("d", "json", *columns), *moved)
    if not written:
        first = reads(1, data("d", "json", *columns), "city", job="other")
    read = data("d", kind, "value", **({"separator": "~"} if kind == "csv" else {}))
    ingest_all(store, first, takes(2, read, "value", "person", "name"))
    found = paths_of(backward(store, node("out", "x")))
    assert "d.person.name" in found
    assert not {"d.person.ssn", "people.ssn"} & found
    assert drifts(backward(store, node("out", "x"))) == []


def test_the_whole_line_of_json_is_all_of_its_members(store: LineageStore) -> None:
    ingest_all(store, writes(1, data("d", "json", "name", "ssn"), *NAME_SSN))
    ingest_all(store, reads(2, data("d", "text", "value"), "value"))
    assert {"people.name", "people.ssn"} <= paths_of(backward(store, node("out", "x")))


def test_a_text_that_is_read_as_json_is_taken_apart_by_name(store: LineageStore) -> None:
    packed = writes(1, data("d", "text", "value"), (["value"], ["name"]), (["value"], ["ssn"]))
    fields = packed["outputs"][0]["facets"]["headwater_pathLineage"]["fields"]
    for field in fields:
        each = field["inputFields"][0]
        each["transformations"] = [
            {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": False, "manipulation": ["SERIALIZE"],
             "packed": each["path"]}
        ]  # fmt: skip
    ingest_all(store, packed, reads(2, data("d", "json", "name", "ssn"), "name"))
    found = paths_of(backward(store, node("out", "x")))
    assert "people.name" in found
    assert "people.ssn" not in found


def test_a_text_of_unknown_making_that_is_read_as_json_may_be_in_each_column(store: LineageStore) -> None:
    made = writes(1, data("d", "text", "value"), (["value"], ["ssn"]))
    lineage = made["outputs"][0]["facets"]["headwater_pathLineage"]
    lineage["fields"][0]["inputFields"][0]["transformations"] = [
        {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": False, "manipulation": ["COMPUTE"]}
    ]
    ingest_all(store, made, reads(2, data("d", "json", "name", "ssn"), "name"))
    assert "people.ssn" in paths_of(backward(store, node("out", "x")))
    assert "out.x" in paths_of(forward(store, node("people", "ssn")))


def test_a_run_does_not_read_what_it_writes_over_it(store: LineageStore) -> None:
    before, after = data("d", "csv", "a", "b"), data("d", "parquet", "a", "b", replaced="WHOLE")
    after["facets"]["headwater_pathLineage"] = paths((["a"], "d", ["a"]), (["b"], "d", ["b"]))
    ingest_all(store, event("COMPLETE", 2, "convert", [before], [after], "convert"))
    assert "d.b" not in paths_of(backward(store, node("d", "a")))


def test_what_the_same_job_wrote_in_an_earlier_run_is_read_by_it(store: LineageStore) -> None:
    for minute in (2, 4):
        before, after = data("d", "csv", "a", "b"), data("d", "text", "value", replaced="WHOLE")
        after["facets"]["headwater_pathLineage"] = paths((["value"], "d", ["a"]))
        ingest_all(store, event("COMPLETE", minute, f"convert {minute}", [before], [after], "convert"))
    assert "d.value" in paths_of(forward(store, node("d", "value")))
    assert "d.a" in paths_of(forward(store, node("d", "value")))


@pytest.mark.parametrize(
    ("change", "left"), [("", True), ("OVERWRITE", True), (Replaced.PART, True), (Replaced.WHOLE, False)]
)
def test_what_a_job_read_by_another_schema_is_followed_until_its_outputs_are_made_anew(
    store: LineageStore, change: str, left: bool
) -> None:
    """The first run appended a whole record to ``out.x``, the second writes one column of it."""
    first = reads(2, data("d", "text", "value"), "value")
    first["outputs"][0]["facets"]["lifecycleStateChange"] = facet(lifecycleStateChange="CREATE")
    second = reads(3, data("d", "json", "name", "ssn"), "name")
    changed = data("out", "parquet", "x", replaced=change)["facets"] if change else {}
    second["outputs"][0]["facets"] |= changed
    ingest_all(store, writes(1, data("d", "json", "name", "ssn"), *NAME_SSN), first, second)
    found = exposure(store, NodeKey(DatasetKey(NAMESPACE, "people"), ("ssn",)))
    assert bool(found.count > 1 or found.incomplete) == left


def test_a_reader_that_was_mended_is_no_gap_any_more(store: LineageStore) -> None:
    ingest_all(
        store,
        writes(1, data("d", "parquet", "ssn"), (["ssn"], ["ssn"])),
        reads(2, data("d", "parquet", "nummer"), "nummer"),
        reads(3, data("d", "parquet", "ssn"), "ssn"),
    )
    assert_linked(store, "ssn")
    assert store.drifts() == []


def test_nothing_is_missing_where_nobody_is_known_to_write(store: LineageStore) -> None:
    ingest_all(
        store, reads(1, data("d", "csv", "_c0"), "_c0"), reads(2, data("d", "csv", "a"), "a", job="other")
    )
    assert backward(store, node("out", "x")).complete
    assert DatasetKey(NAMESPACE, "d") in {each.key for each in sources(store).items}


def test_topics_and_tables_of_databases_have_columns_of_their_own(store: LineageStore) -> None:
    for minute, namespace in enumerate(("kafka://host:9092", "postgres://host:5432")):
        written, read = data("d", "", "value"), data("d", "", "value", "offset")
        written["namespace"] = read["namespace"] = namespace
        ingest_all(store, writes(minute, written, (["value"], ["ssn"])), reads(minute + 1, read, "offset"))
    assert store.drifts() == []


def test_any_order_of_events_and_repetitions_give_the_same_store(store: LineageStore, tmp_path: Path) -> None:
    events = [
        writes(1, data("d", "csv", "name", "ssn", replaced="WHOLE"), *NAME_SSN),
        reads(2, data("d", "csv", "_c0", "_c1"), "_c1"),
        writes(3, data("d", "csv", "name", "ssn", "city", replaced="WHOLE"), *NAME_SSN),
        reads(4, data("d", "csv", "a", "b", "c", "e"), "e", job="other"),
    ]
    ingest(store, [*events, *events], received=1)
    for number, order in enumerate(permutations(events)):
        other = open_store(sqlite.empty(tmp_path / f"{number}.db"))
        for each in order:
            ingest(other, [each], received=1)
        assert digest(other) == digest(store)
        other.close()


def test_an_overlong_schema_is_shown_in_part(store: LineageStore) -> None:
    many = [f"c{number:02}" for number in range(20)]
    ingest_all(
        store,
        writes(1, data("d", "parquet", *many), (["c00"], ["ssn"])),
        reads(2, data("d", "parquet", "x"), "x"),
    )
    [(_, text)] = drifts(backward(store, node("out", "x")))
    assert text == "written as (c00, c01, c02, c03, c04, c05, c06, c07 and 12 more), read as (x)"


def test_names_of_one_dataset_are_compared_together(store: LineageStore) -> None:
    link = facet(identifiers=[{"namespace": NAMESPACE, "name": "place", "type": "LOCATION"}])
    read = data("table", "csv", "_c0", "_c1")
    ingest_all(store, writes(1, data("place", "csv", "name", "ssn"), *NAME_SSN), reads(2, read, "_c1"))
    assert "people.ssn" not in paths_of(backward(store, node("out", "x")))
    linked = data("table", "csv", "_c0", "_c1")
    linked["facets"]["symlinks"] = link
    ingest_all(store, reads(3, linked, "_c1"))
    assert_linked(store, "ssn")


def test_several_reads_of_one_run_are_compared_one_by_one(store: LineageStore) -> None:
    read = data("d", "csv", "a", "b", "_c0", "_c1", reads=[["a", "b"], ["_c0", "_c1"]])
    ingest_all(store, writes(1, data("d", "csv", "name", "ssn"), *NAME_SSN), reads(2, read, "_c1"))
    assert_linked(store, "ssn")
    assert store.drifts() == []


def chain(store: LineageStore) -> LineageStore:
    ingest_all(
        store,
        writes(1, data("d", "csv", "name", "ssn"), *NAME_SSN),
        reads(2, data("d", "csv", "_c0", "_c1"), "_c1"),
    )
    return store


def test_every_question_follows_it(store: LineageStore) -> None:
    chain(store)
    found = golden_sources(store, node("out", "x"))
    assert [source.key.name for source in found.sources] == ["people"]
    assert found.ends == ()
    assert [each.key.name for each in sources(store).items] == ["people"]
    routes = witnesses(store, node("people", "ssn"), node("out", "x")).witnesses
    assert [len(route.steps) for route in routes] == [3]
    graph = jobs(store, node("people", "ssn"), Direction.FORWARD, Scope())
    assert [job.key.name for job in graph.jobs] == ["writer", "reader"]
    assert [(edge.source.name, edge.target.name) for edge in graph.edges] == [("writer", "reader")]
    by_dataset = lineage(store, node("people", "ssn"), Direction.FORWARD, Scope(), Level.DATASET)
    ends = {(edge.source.dataset.name, edge.target.dataset.name) for edge in by_dataset.edges}
    assert ends == {("people", "d"), ("d", "out")}


def test_who_is_exposed_is_followed_through_it(store: LineageStore) -> None:
    written = writes(1, data("d", "csv", "name", "ssn"), *NAME_SSN)
    tags = facet(tags=[{"key": "pii", "value": "true", "field": "ssn"}])
    written["inputs"][0]["facets"]["tags"] = tags
    ingest_all(store, written, reads(2, data("d", "csv", "_c0", "_c1"), "_c1"))
    look_at(store, "people")
    [found] = exposure(store).attributes
    assert {output.node.dataset.name for output in found.outputs} == {"d", "out"}
    assert exposure(store).complete


def test_what_one_reader_calls_personal_is_so_for_those_who_read_it_by_other_names(
    store: LineageStore,
) -> None:
    chain(store)
    other = reads(3, data("d", "csv", "wer", "nummer"), "nummer", job="other")
    other["outputs"][0]["name"] = "end"
    tagged = reads(4, data("d", "csv", "_c0", "_c1"), "_c1")
    tagged["inputs"][0]["facets"]["tags"] = facet(tags=[{"key": "user.name", "value": "", "field": "_c1"}])
    ingest_all(store, other, tagged)
    for report in (exposure(store), exposure(store, node("d", "_c1"))):
        assert [(each.attribute.node.path, each.attribute.named_by) for each in report.attributes] == [
            (("_c1",), ("tag user.name = ",)),
            (("ssn",), ("read as _c1",)),
        ]
        reached = {output.node.dataset.name for each in report.attributes for output in each.outputs}
        assert reached == {"d", "out", "end"}


def test_what_a_steward_says_of_a_stored_path_overrules_what_its_reader_calls_it(store: LineageStore) -> None:
    chain(store)
    tagged = reads(4, data("d", "csv", "_c0", "_c1"), "_c1")
    tagged["inputs"][0]["facets"]["tags"] = facet(tags=[{"key": "user.name", "value": "", "field": "_c1"}])
    ingest_all(store, tagged)
    denied = deciding.Wanted(classes=(PathClass(node("d", "ssn"), ()),))
    deciding.decide(store, denied, Steward(everything("anna"), "drawn at random"))
    assert [each.attribute.node.path for each in exposure(store).attributes] == [("_c1",)]


def test_at_a_moment_before_the_reader_no_way_existed(store: LineageStore) -> None:
    chain(store)
    before, after = Bounds(as_of=at(1)), Bounds(as_of=at(2))
    assert paths_of(forward(store, node("people", "ssn"), bounds=before)) == {"people.ssn", "d.ssn"}
    assert "out.x" in paths_of(forward(store, node("people", "ssn"), bounds=after))
    assert "people.ssn" in paths_of(backward(store, node("out", "x"), bounds=after))


def test_a_copy_of_the_store_has_it_too(store: LineageStore, tmp_path: Path) -> None:
    chain(store)
    ingest_all(store, reads(4, data("d", "csv", "a", "b", "c"), "c", job="other"))
    copy = open_store(f"sqlite:///{tmp_path / 'copy.db'}")
    note = AuditNote("somebody", "store.fill", "filled")
    assert migrate(store, copy, (note, note), lambda _: None).equal
    assert digest(copy) == digest(store)
    assert copy.drifts() == store.drifts() != []
    copy.close()


def test_forgetting_old_runs_leaves_it(store: LineageStore) -> None:
    ingest_all(
        store,
        writes(1, data("d", "csv", "ssn", replaced="WHOLE"), (["ssn"], ["ssn"])),
        writes(5, data("d", "csv", "name", "ssn", replaced="WHOLE"), *NAME_SSN),
        reads(6, data("d", "csv", "_c0", "_c1"), "_c1"),
    )
    before = [row for row in store.contents() if row[0] in ("read_as", "drift", "layout")]
    store.prune(at(4))
    assert [row for row in store.contents() if row[0] in ("read_as", "drift", "layout")] == before
    assert_linked(store, "ssn")


@pytest.mark.parametrize(
    ("replaced", "linked"), [("WHOLE", False), ("PART", True), ("of another producer", True)]
)
def test_what_an_overwrite_may_have_left_is_read_as_before(
    store: LineageStore, replaced: str, linked: bool
) -> None:
    ingest_all(
        store,
        writes(1, data("d", "parquet", "SSN"), (["SSN"], ["ssn"]), job="first"),
        reads(2, data("d", "parquet", "ssn"), "ssn"),
        writes(3, data("d", "parquet", "city", replaced=replaced), (["city"], ["city"]), job="second"),
        reads(4, data("d", "parquet", "ssn"), "ssn"),
    )
    assert ("out.x" in paths_of(forward(store, node("people", "ssn")))) is linked
    assert ("people.ssn" in paths_of(backward(store, node("out", "x")))) is linked
    assert drifts(backward(store, node("out", "x"))) == [("ssn", "written as (city), read as (ssn)")]


def consumes(minute: int, read: dict[str, Any], *path: str) -> dict[str, Any]:
    """A run of a job of its own that copies one path of the dataset into a dataset of its own."""
    made = reads(minute, read, *path, job=f"reader {minute}")
    made["outputs"][0]["name"] = f"out {minute}"
    return made


def tagged(event_: dict[str, Any], column: str) -> dict[str, Any]:
    event_["inputs"][0]["facets"]["tags"] = facet(
        tags=[{"key": "user.contact.email", "value": "", "field": column}]
    )
    return event_


def reached(store: LineageStore) -> set[str]:
    return {output.node.dataset.name for each in exposure(store).attributes for output in each.outputs} - {
        "d"
    }


BINARY = ("path", "modificationTime", "length", "content")
STRUCTURED = data("d", "json", ("user", "struct", ["email", "name"]), "n")
TWO_READINGS: dict[str, tuple[dict[str, Any], tuple[str, ...], dict[str, Any], tuple[str, ...]]] = {
    "json as text": (STRUCTURED, ("user", "email"), data("d", "text", "value"), ("value",)),
    "json as bytes": (STRUCTURED, ("user", "email"), data("d", "binaryfile", *BINARY), ("content",)),
    "json as csv": (STRUCTURED, ("user", "email"), data("d", "csv", "_c0", "_c1"), ("_c1",)),
    "json as one column": (STRUCTURED, ("user", "email"), data("d", "csv", "_c0"), ("_c0",)),
    "json with a struct as text": (STRUCTURED, ("user", "email"), data("d", "json", "user"), ("user",)),
    "json that could not be parsed": (
        STRUCTURED,
        ("user", "email"),
        data("d", "json", "n", "_corrupt_record"),
        ("_corrupt_record",),
    ),
    "json in another case": (STRUCTURED, ("user", "email"), data("d", "json", "USER"), ("USER",)),
    "json as xml": (STRUCTURED, ("user", "email"), data("d", "xml", "row"), ("row",)),
    "csv as text": (data("d", "csv", "id", "email"), ("email",), data("d", "text", "value"), ("value",)),
    "csv without a header": (
        data("d", "csv", "id", "email"),
        ("email",),
        data("d", "csv", "_c0", "_c1"),
        ("_c1",),
    ),
    "csv as one column": (data("d", "csv", "id", "email"), ("email",), data("d", "csv", "_c0"), ("_c0",)),
    "csv by another separator": (
        data("d", "csv", "id", "email"),
        ("email",),
        data("d", "csv", "_c0", "_c1", separator="|"),
        ("_c0",),
    ),
    "parquet as bytes": (
        data("d", "parquet", "id", "email"),
        ("email",),
        data("d", "binaryfile", *BINARY),
        ("content",),
    ),
    "text as bytes": (data("d", "text", "value"), ("value",), data("d", "binaryfile", *BINARY), ("content",)),
    "a folder's column in the names of files": (
        data("d", "parquet", "id", "email", partitions=["email"]),
        ("email",),
        data("d", "parquet", "id", ("_metadata", "struct", ["file_path"])),
        ("_metadata", "file_path"),
    ),
    "a folder's column in the names of binary files": (
        data("d", "parquet", "id", "email", partitions=["email"]),
        ("email",),
        data("d", "binaryfile", *BINARY),
        ("path",),
    ),
    "an image as bytes": (
        data("d", "image", ("image", "struct", ["origin", "data"])),
        ("image", "data"),
        data("d", "binaryfile", *BINARY),
        ("content",),
    ),
}


@pytest.mark.parametrize("case", TWO_READINGS)
@pytest.mark.parametrize("coarse_first", [False, True])
def test_readers_of_what_nobody_wrote_are_related_to_each_other(
    store: LineageStore, case: str, coarse_first: bool
) -> None:
    fine, path, coarse, other = TWO_READINGS[case]
    events = [tagged(consumes(1, fine, *path), ".".join(path)), consumes(2, coarse, *other)]
    ingest_all(store, *(reversed(events) if coarse_first else events))
    assert reached(store) == {"out 1", "out 2"}
    found = exposed(store, exposure_search.Scope(at=NodeKey(DatasetKey(NAMESPACE, "out 2"), ())))
    assert {each.attribute.node.dataset.name for each in found.attributes} == {"d"}
    assert store.drifts() == []
    assert {each.key.name for each in sources(store).items} == {"d"}


@pytest.mark.parametrize("case", TWO_READINGS)
def test_what_a_coarse_reader_calls_personal_may_be_in_each_path_of_a_finer_one(
    store: LineageStore, case: str
) -> None:
    fine, path, coarse, other = TWO_READINGS[case]
    ingest_all(store, consumes(1, fine, *path), tagged(consumes(2, coarse, *other), ".".join(other)))
    assert reached(store) == {"out 1", "out 2"}


def test_messages_hold_what_others_know_of_their_content(store: LineageStore) -> None:
    fine, coarse = data("d", "", "email", "n"), data("d", "", "key", "value", "topic", "offset")
    fine["namespace"] = coarse["namespace"] = "kafka://host:9092"
    written, read = tagged(consumes(1, fine, "email"), "email"), consumes(2, coarse, "value")
    for each in (written, read):
        [entry] = each["outputs"][0]["facets"]["headwater_pathLineage"]["fields"]
        entry["inputFields"][0]["namespace"] = "kafka://host:9092"
    ingest_all(store, written, read)
    assert reached(store) == {"out 1", "out 2"}
    assert store.drifts() == []


def test_a_reader_that_names_the_positions_in_another_order_contradicts_earlier_ones(
    store: LineageStore,
) -> None:
    ingest_all(
        store,
        tagged(consumes(1, data("d", "csv", "name", "ssn", "city"), "name"), "ssn"),
        consumes(2, data("d", "csv", "ssn", "name", "city"), "name"),
        consumes(3, data("d", "csv", "_c0", "_c1", "_c2"), "_c2"),
    )
    text = "read as (name, ssn, city) by others, as (ssn, name, city) here"
    assert drifts(backward(store, node("out 2", "x"))) == [("name", text)]
    assert {gap.path for gap in exposure(store).attributes[0].incomplete} == {("ssn",)}
    for other in ("out 1", "out 3"):
        assert drifts(backward(store, node(other, "x"))) == []


def test_a_reader_that_gives_up_another_order_contradicts_nobody(store: LineageStore) -> None:
    ingest_all(store, consumes(1, data("d", "csv", "name", "ssn"), "name"))
    ingest_all(store, reads(2, data("d", "csv", "ssn", "name"), "name"))
    assert store.drifts() != []
    ingest_all(store, reads(3, data("d", "csv", "name", "ssn"), "name"))
    assert store.drifts() == []


def test_readers_by_name_are_not_mixed_with_each_other(store: LineageStore) -> None:
    many = [consumes(each, data("d", "json", f"c{each}", "n"), f"c{each}") for each in range(2, 6)]
    ingest_all(store, tagged(consumes(1, data("d", "json", "c1", "n"), "c1"), "c1"), *many)
    assert reached(store) == {"out 1"}


def test_what_a_known_writer_wrote_is_related_to_readers_through_it(store: LineageStore) -> None:
    ingest_all(
        store,
        writes(1, data("d", "csv", "name", "ssn"), *NAME_SSN),
        tagged(consumes(2, data("d", "csv", "name", "ssn"), "name"), "name"),
        consumes(3, data("d", "csv", "_c0", "_c1"), "_c1"),
    )
    assert reached(store) == {"out 2"}
