"""Which records made the rows of a table of Delta or Iceberg after a change, judged by the tokens in its files."""

from __future__ import annotations

from typing import Any

import pytest

from kit.connectors import of_tables
from kit.jobs import SETTINGS, found_by
from kit.spark_lines import SPARK_35, SPARK_41, installed

pytestmark = [pytest.mark.spark, pytest.mark.slow]
LINES = (SPARK_35, SPARK_41)
KINDS = ("delta", "copy-on-write", "merge-on-read")
"""Delta, or how Iceberg writes."""
MODES = ("demand", "ends", "full")
CHANGES = {
    "all": ["update", "merge", "delete", "insert", "merge by source", "merge with"],
    "iceberg": ["subqueries", "less subqueries", "several delete", "only inserts"],
}
"""The changes of all tables, and those of Iceberg's."""
REFUSED = {
    "delta": ["SaveIntoDataSourceCommand", "OverwriteByExpression", "", ""],
    "copy-on-write": ["OverwriteByExpression", "DataSourceV2Relation", "AppendData", ""],
    "merge-on-read": ["OverwriteByExpression", "DataSourceV2Relation", "AppendData", ""],
}
"""Of each other write, in order, the operator that is named; none if it is traced."""


@pytest.fixture(
    scope="module",
    params=[(line, kind, mode) for line in LINES for kind in KINDS for mode in MODES],
    ids=lambda each: "-".join(map(str, each)),
)
def changed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, Any]:
    """A kind of table, a mode, and what the job found in it."""
    line, kind, mode = request.param
    folder = tmp_path_factory.mktemp("changed")
    table = "delta" if kind == "delta" else "iceberg"
    conf = {**SETTINGS, **of_tables(installed(line), table, folder)}
    return kind, mode, found_by(line, "changed_tables.py", str(folder), mode, kind, conf=conf, timeout=900)


def test_rows_are_made_of_the_former_version_and_of_the_source(changed: Any) -> None:
    kind, _, found = changed
    for change in CHANGES["all"] + (CHANGES["iceberg"] if kind != "delta" else []):
        assert found[change]["runs"] == [""], change
        claims = found[change]["claims"]
        assert len(claims) == 3, change
        assert [claim for claim in claims if claim[0] != claim[1]] == [], change
        assert found[change]["again"], change


def test_a_command_that_changes_nothing_says_nothing_new(changed: Any) -> None:
    refused, claim = changed[2]["nothing"]
    assert refused == ([] if changed[0] == "delta" else [""]), "Iceberg makes a snapshot of the same rows"
    assert claim[0] == claim[1] != []


def test_a_row_that_several_of_the_source_match_fails_the_merge_and_leaves_no_run(changed: Any) -> None:
    assert changed[2]["several"] == [True, 0]


def test_a_version_that_was_not_captured_is_refused(changed: Any) -> None:
    for table in ("not captured", "anew"):
        assert "was written by no run that was captured" in changed[2][table]


def test_kept_ids_answer_in_a_later_session(changed: Any) -> None:
    _, mode, found = changed
    assert found.get("later", mode == "demand")


def test_rows_that_were_all_deleted_are_made_of_nothing(changed: Any) -> None:
    assert changed[2]["all"] == [[""], []]


def test_what_is_not_followed_is_refused_by_name(changed: Any) -> None:
    operators, _ = changed[2]["others"]
    assert operators == REFUSED[changed[0]]


def test_what_is_written_after_a_refused_write_is_traced_back_to_it(changed: Any) -> None:
    _, claim = changed[2]["others"]
    assert claim[0] == claim[1] != []
