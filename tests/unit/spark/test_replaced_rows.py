"""Writes that replace the rows of a condition list what the condition is about."""

from __future__ import annotations

from typing import Any

from headwater_facets.kinds import Subtype
from headwater_spark.decode import decode
from headwater_spark.tracing import PlanLineage, trace
from kit.plan_documents import plan

PROVIDER = {"o": "org.apache.spark.sql.delta.sources.DeltaDataSource", "format": "delta"}


def saved(**options: str) -> PlanLineage:
    """The lineage of one row that is saved as Delta."""
    row: tuple[str, dict[str, Any]] = ("OneRowRelation", {})
    given = {"m": [["path", "/out"], *map(list, options.items())]}
    save = {"query": 0, "dataSource": PROVIDER, "options": given, "mode": {"e": "Overwrite"}}
    return trace(decode(plan(row, ("SaveIntoDataSourceCommand", save))))


def deciding(found: PlanLineage) -> list[tuple[Any, ...]]:
    return [
        (found.reads[each.read].source["roots"], each.path, [how.subtype for how in each.transformations])
        for each in found.dataset
    ]


def test_the_columns_of_replace_where_decide_which_rows_stay() -> None:
    found = saved(replaceWhere="city = 'Bern' AND day >= '2026-01-01'")

    place = ["hdfs://nn/out"]
    assert deciding(found) == [(place, ("city",), [Subtype.FILTER]), (place, ("day",), [Subtype.FILTER])]
    assert "Bern" not in repr((found.conditions, found.operators, found.fields))
    assert found.complete


def test_a_condition_that_is_not_understood_is_a_gap() -> None:
    found = saved(replaceWhere="city = = (")

    assert deciding(found) == []
    assert [gap.detail for gap in found.incomplete] == ["the condition of replaceWhere is not understood"]


def test_an_overwrite_without_a_condition_has_nothing_that_decides() -> None:
    assert deciding(saved()) == []
