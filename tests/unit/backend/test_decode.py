"""What an event must be, what it may lack, and what becomes of its lineage."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater_backend.domain.errors import EventError
from headwater_backend.domain.moments import micros
from headwater_backend.domain.node_keys import node_text
from headwater_backend.domain.transformations import transformations_of
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ingest.decoding.limits import Limits
from kit.openlineage import at, columns, dataset, event, facet, node, paths, written


def refusal(document: Any, limits: Limits | None = None) -> tuple[str, str]:
    with pytest.raises(EventError) as caught:
        decode(document, limits or Limits())
    return caught.value.code, caught.value.pointer


def without(document: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in keys}


def mapped(document: dict[str, Any]) -> set[tuple[str, str]]:
    """The (source, target) pairs of the event's edges, subtypes aside."""
    from headwater_backend.domain.node_keys import node_of

    edges = (edge for version in decode(document).versions for edge in version.edges)
    return {(written(node_of(edge.source)), written(node_of(edge.target))) for edge in edges}


NESTED = ("user", [("name", ["first", "last"]), "id"])


@pytest.mark.parametrize(
    ("document", "code", "pointer"),
    [
        (b"{", "NOT_JSON", ""),
        (b"\xff\xfe", "NOT_JSON", ""),
        (b"[]", "NOT_AN_OBJECT", ""),
        (b"{}", "MISSING", "/eventTime"),
        (b'{"a": NaN}', "BAD_NUMBER", "/a"),
        (b'{"a": 1e999}', "BAD_NUMBER", "/a"),
        (b'{"a/b": ["\\ud800"]}', "BAD_TEXT", "/a~1b/0"),
        (b'{"\\udfff": 1}', "BAD_TEXT", ""),
        (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "TOO_DEEP", ""),
        (b'{"a":' + b"[" * 500 + b"]" * 500 + b"}", "TOO_DEEP", ""),
        (without(event(), "eventTime"), "MISSING", "/eventTime"),
        (without(event(), "producer"), "MISSING", "/producer"),
        (without(event(), "job"), "MISSING", "/job"),
        ({**event(), "eventTime": "yesterday"}, "INVALID", "/eventTime"),
        ({**event(), "eventTime": "2026-01-01T00:00:61Z"}, "INVALID", "/eventTime"),
        ({**event(), "eventTime": "2026-01-01T00:60:60Z"}, "INVALID", "/eventTime"),
        ({**event(), "eventTime": 1_700_000_000}, "INVALID", "/eventTime"),
        ({**event(), "eventTime": "0001-01-01T00:00:00+14:00"}, "INVALID", "/eventTime"),
        ({**event(), "eventTime": "9999-12-31T23:59:59-14:00"}, "INVALID", "/eventTime"),
        ({**event(), "eventTime": "2026-02-30T00:00:00Z"}, "INVALID", "/eventTime"),
        ({**event(), "eventType": "DONE"}, "INVALID", "/eventType"),
        ({**event(), "run": {"runId": "7"}}, "INVALID", "/run/runId"),
        ({**event(), "inputs": [{"namespace": "n"}]}, "MISSING", "/inputs/0/name"),
        ({**event(), "outputs": [dataset("out", schema=7)]}, "INVALID", "/outputs/0/facets/schema"),
        ({**event(), "job": {"namespace": "n", "name": "x" * 9_000}}, "NAME_TOO_LONG", ""),
    ],
)
def test_a_bad_event_is_refused_with_its_place(document: Any, code: str, pointer: str) -> None:
    assert refusal(document) == (code, pointer)


def test_an_event_above_the_limit_is_refused_as_text_and_as_object() -> None:
    document = event(outputs=[dataset("out", documentation=facet(description="x" * 2_000))])
    small = Limits(event_bytes=1_000)
    assert refusal(json.dumps(document).encode(), small) == ("TOO_LARGE", "")
    assert refusal(document, small) == ("TOO_LARGE", "")


LONG = "x" * 4_100


@pytest.mark.parametrize(
    "document",
    [
        {**event(outputs=[dataset(LONG)]), "job": {"namespace": "n", "name": LONG}},
        {**event(inputs=[dataset(LONG)]), "job": {"namespace": "n", "name": LONG}},
        event(
            outputs=[
                dataset(LONG, symlinks=facet(identifiers=[{"namespace": "n", "name": LONG, "type": "TABLE"}]))
            ]
        ),
        event(
            outputs=[
                dataset(
                    LONG,
                    lifecycleStateChange=facet(
                        lifecycleStateChange="RENAME", previousIdentifier={"namespace": "n", "name": LONG}
                    ),
                )
            ]
        ),
        {
            **event(),
            "run": {
                "runId": "01940000-0000-7000-8000-000000000000",
                "facets": {
                    "parent": facet(run={"runId": "y" * 9_000}, job={"namespace": "n", "name": "above"})
                },
            },
        },
    ],
    ids=["job and output", "job and input", "symlink", "rename", "parent"],
)
def test_names_that_are_too_long_together_are_refused(document: Any) -> None:
    assert refusal(document) == ("NAME_TOO_LONG", "")


@pytest.mark.parametrize(
    ("lineage", "pointer"),
    [
        ({"columnLineage": {"fields": []}}, "/columnLineage/fields"),
        (
            {"columnLineage": {"fields": {"a/b": {"inputFields": [7]}}}},
            "/columnLineage/fields/a~1b/inputFields/0",
        ),
        (
            {"columnLineage": {"fields": {}, "dataset": [{"namespace": 1}]}},
            "/columnLineage/dataset/0/namespace",
        ),
        (
            {"headwater_pathLineage": {"fields": [{}], "complete": True}},
            "/headwater_pathLineage/fields/0/path",
        ),
        ({"symlinks": {"identifiers": [{"namespace": "n"}]}}, "/symlinks/identifiers/0"),
    ],
)
def test_a_lineage_facet_that_cannot_be_read_is_refused_with_its_place(
    lineage: dict[str, Any], pointer: str
) -> None:
    code, place = refusal(event(outputs=[dataset("out", **lineage)]))
    assert code.startswith("FACET_")
    assert place == f"/outputs/0/facets{pointer}"


@pytest.mark.parametrize("state", ["START", "COMPLETE", "FAIL", "ABORT"])
@pytest.mark.parametrize("name", [True, 7, None, [], {}, ["a"]])
def test_symlinks_that_are_not_names_are_refused_whatever_the_run_became(state: str, name: Any) -> None:
    links = facet(identifiers=[{"namespace": "n", "name": name, "type": "TABLE"}])
    described = {**event(outputs=[dataset("out", symlinks=links)]), "eventType": state}
    assert refusal(described) == ("FACET_SHAPE", "/outputs/0/facets/symlinks/identifiers/0")


@pytest.mark.parametrize(
    "document",
    [
        without(event(), "schemaURL"),
        without(event(), "eventType"),
        {**event(), "inputs": None, "outputs": None},
        {**event(), "run": {**event()["run"], "facets": None}},
        {**event(), "unknown": {"kept": "out"}},
        {
            **event(),
            "inputs": [{"namespace": "n", "name": "x", "facets": {"made_up": {"a": [1]}, "gone": None}}],
        },
    ],
)
def test_what_real_producers_leave_out_or_add_is_tolerated(document: dict[str, Any]) -> None:
    assert decode(document).runs


def test_a_time_without_zone_is_utc() -> None:
    (run,) = decode({**event(), "eventTime": "2026-01-01T00:05:00"}).runs
    assert run.first == micros(at(5))
    (run,) = decode({**event(), "eventTime": "2026-01-01T10:05:00.000000000+10:00"}).runs
    assert run.first == micros(at(5))


def test_a_time_may_be_in_small_letters() -> None:
    for document in ("2026-01-01t00:05:00z", "2026-01-01T00:05:00z", "2026-01-01t01:05:00+01:00"):
        (run,) = decode({**event(), "eventTime": document}).runs
        assert run.first == micros(at(5))


def test_a_leap_second_is_the_end_of_the_second_before() -> None:
    for document in ("2026-01-01T00:04:60Z", "2026-01-01T00:04:60.25z", "2026-01-01T01:04:60+01:00"):
        (run,) = decode({**event(), "eventTime": document}).runs
        assert run.first == micros(at(5)) - 1


def test_identity_is_expanded_to_the_leaves_of_the_target() -> None:
    lineage = paths((["author"], "in", ["user"], "IDENTITY"))
    out = dataset("out", ("author", [("name", ["first", "last"])]), headwater_pathLineage=lineage)
    assert mapped(event(outputs=[out])) == {
        ("in:user/name/first", "out:author/name/first"),
        ("in:user/name/last", "out:author/name/last"),
    }


def test_identity_is_expanded_to_the_leaves_of_the_source_where_the_target_is_unknown() -> None:
    out = dataset("out", headwater_pathLineage=paths((["author"], "in", ["user"], "IDENTITY")))
    assert mapped(event(inputs=[dataset("in", NESTED)], outputs=[out])) == {
        ("in:user/name/first", "out:author/name/first"),
        ("in:user/name/last", "out:author/name/last"),
        ("in:user/id", "out:author/id"),
    }


def test_a_leaf_that_the_source_does_not_have_comes_from_what_holds_it() -> None:
    lineage = paths((["author"], "in", ["user"], "IDENTITY"))
    out = dataset("out", ("author", [("name", ["middle"])]), headwater_pathLineage=lineage)
    assert mapped(event(inputs=[dataset("in", NESTED)], outputs=[out])) == {
        ("in:user/name", "out:author/name/middle")
    }


def test_other_and_unspecified_mappings_are_not_expanded() -> None:
    unspecified = facet(
        fields={"author": {"inputFields": [{"namespace": "test", "name": "in", "field": "user"}]}}
    )
    computed = paths((["author"], "in", ["user"], "TRANSFORMATION"))
    for lineage in ({"columnLineage": unspecified}, {"headwater_pathLineage": computed}):
        out = dataset("out", ("author", ["a", "b"]), **lineage)
        assert mapped(event(inputs=[dataset("in", NESTED)], outputs=[out])) == {("in:user", "out:author")}


def test_too_many_leaves_leave_the_mapping_as_it_is_in_the_event() -> None:
    lineage = paths((["author"], "in", ["user"], "IDENTITY"))
    out = dataset("out", ("author", [str(n) for n in range(50)]), headwater_pathLineage=lineage)
    (version,) = decode(event(outputs=[out]), Limits(expanded_edges=49)).versions
    assert [edge.target for edge in version.edges] == [node_text(node("out", "author"))]


@pytest.mark.parametrize(
    ("old_style", "subtype", "masking"),
    [
        ("IDENTITY", "IDENTITY", False),
        ("MASKED", "TRANSFORMATION", True),
        ("", "IDENTITY", False),
        (None, "IDENTITY", False),
    ],
)
def test_the_old_style_of_column_lineage_is_understood(
    old_style: str | None, subtype: str, masking: bool
) -> None:
    entry = {"namespace": "test", "name": "in", "field": "a", "transformations": []}
    lineage = facet(fields={"x": {"inputFields": [entry], "transformationType": old_style}})
    (version,) = decode(event(outputs=[dataset("out", columnLineage=lineage)])).versions
    (how,) = transformations_of(version.edges[0].transformations)
    assert (how.type.value, how.subtype, how.masking) == ("DIRECT", subtype, masking)


def test_an_influence_on_the_whole_dataset_ends_at_the_empty_path() -> None:
    entry = {
        "namespace": "test",
        "name": "in",
        "field": "a",
        "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}],
    }
    out = dataset("out", columnLineage=facet(fields={}, dataset=[entry]))
    (version,) = decode(event(outputs=[out])).versions
    assert [(edge.target, edge.direct, edge.indirect) for edge in version.edges] == [
        ("test/out/", False, True)
    ]


def test_a_column_named_with_dots_is_what_the_schema_has() -> None:
    lineage = columns({"user.id": [("in", "user.id")]})
    read = dataset("in", ("user", ["id"]))
    nested = dataset("out", ("user", ["id"]), columnLineage=lineage)
    assert mapped(event(inputs=[read], outputs=[nested])) == {("in:user/id", "out:user/id")}
    flat = dataset("out", "user.id", ("user", ["id"]), columnLineage=lineage)
    assert mapped(event(inputs=[read], outputs=[flat])) == {("in:user/id", "out:user.id")}


def test_a_column_named_with_dots_may_be_either_without_a_schema() -> None:
    lineage = columns({"a": [("in", "user.id")], "b": [("in", "b")]})
    assert mapped(event(outputs=[dataset("out", "a", "b", columnLineage=lineage)])) == {
        ("in:user.id", "out:a"),
        ("in:user/id", "out:a"),
        ("in:b", "out:b"),
    }


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_whatever_stands_in_a_lineage_facet_is_read_or_refused(content: Any) -> None:
    for name in ("columnLineage", "headwater_pathLineage", "schema", "symlinks", "tags"):
        for value in (
            content,
            {"fields": content, "identifiers": content, "dataset": content, "complete": True},
        ):
            with contextlib.suppress(EventError):
                decode(event(outputs=[dataset("out", **{name: value})]))
