"""What decoding adds about the rows of inputs, beside what lineage says of their paths."""

from __future__ import annotations

from typing import Any

from headwater_backend.domain.node_keys import node_of
from headwater_backend.ingest.decoding import rows
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ingest.decoding.limits import Limits
from kit.openlineage import columns, dataset, event, paths, written

UNKNOWN: dict[str, Any] = {"complete": False, "incomplete": [{"reason": "ERROR", "paths": []}]}


def added(
    *inputs: str, named: str = "out", limits: Limits | None = None, **facets: Any
) -> set[tuple[str, str]]:
    """The edges from rows, of a job that reads the inputs."""
    made = event(inputs=[dataset(each) for each in inputs], outputs=[dataset(named, **facets)])
    (version,) = decode(made, limits or Limits()).versions
    return {
        (written(node_of(edge.source)), written(node_of(edge.target)))
        for edge in version.edges
        if "ROWS" in edge.transformations
    }


def lineage(*entries: Any, constants: Any = (), **more: Any) -> dict[str, Any]:
    generated = [{"path": list(path), "how": "1"} for path in constants]
    return {"headwater_pathLineage": paths(*entries, generated=generated, **more)}


COPY = (["a"], "t", ["a"], "IDENTITY")


def test_a_constant_follows_from_the_rows_of_each_input() -> None:
    found = added("t", "u", **lineage(COPY, (["b"], "u", ["b"], "IDENTITY"), constants=[["d"]]))
    assert found == {("t:", "out:d"), ("u:", "out:d"), ("t:", "out:b"), ("u:", "out:a")}


def test_an_input_that_leads_to_every_path_has_no_edge_from_its_rows() -> None:
    assert added("t", **lineage(COPY)) == set()
    assert added("t", **lineage((["a", "x"], "t", ["a"], "IDENTITY"), constants=[])) == set()


def test_a_constant_member_follows_from_rows_and_its_neighbours_do_not() -> None:
    found = added("t", **lineage((["s", "a"], "t", ["a"], "IDENTITY"), constants=[["s", "d"]]))
    assert found == {("t:", "out:s/d")}


def test_an_input_of_which_nothing_leads_anywhere_decides_about_all() -> None:
    assert added("t", "u", **lineage(COPY)) == {("u:", "out:")}
    assert added("t", **lineage(constants=[["d"]])) == {("t:", "out:")}


def test_the_output_itself_is_none_of_its_inputs() -> None:
    assert added("out", **lineage(constants=[["d"]])) == set()


def test_only_what_is_reported_to_be_generated_follows_where_something_is_unknown() -> None:
    assert added("t", "u", **lineage(COPY, constants=[["d"]], **UNKNOWN)) == {
        ("t:", "out:d"),
        ("u:", "out:d"),
    }


def test_lineage_of_columns_says_nothing_of_rows() -> None:
    assert added("t", "u", columnLineage=columns({"a": [("t", "a")]})) == set()


def test_very_many_constants_follow_from_rows_as_one_whole() -> None:
    many = [[f"c{number}"] for number in range(rows.MOST_PATHS + 1)]
    assert added("t", **lineage(COPY, constants=many)) == {("t:", "out:")}
    assert len(added("t", **lineage(COPY, constants=many[1:]))) == rows.MOST_PATHS


def test_the_same_lineage_of_other_inputs_is_another_version() -> None:
    same = lineage(COPY)
    assert added("t", **same) == set()
    assert added("t", "u", **same) == {("u:", "out:")}
