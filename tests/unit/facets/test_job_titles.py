"""Titles of jobs, by the names that agents in Spark give them."""

from __future__ import annotations

import pytest

from headwater_facets.job_titles import title_of

HADOOP = "execute_insert_into_hadoop_fs_relation_command"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        (f"etl.{HADOOP}.lake_people", "etl: write lake_people"),
        ("etl.adaptive_spark_plan.lake_people", "etl: write lake_people"),
        (
            "etl.execute_create_data_source_table_as_select_command.default_people",
            "etl: create default_people",
        ),
        ("etl.atomic_replace_table_as_select.sales.people", "etl: replace sales.people"),
        ("etl.append_data.people", "etl: append to people"),
        ("etl.overwrite_by_expression.people", "etl: overwrite people"),
        ("etl.execute_merge_into_command.people", "etl: merge into people"),
        ("etl.execute_delete_command.people", "etl: delete from people"),
        ("etl.execute_load_data_command.people", "etl: load people"),
        ("etl.execute_create_view_command.people", "etl: define people"),
        ("etl.execute_repair_table_command.people", "etl: repair table people"),
        (f"team.etl.{HADOOP}.people", "team.etl: write people"),
        (f"etl.{HADOOP}", "etl: write"),
    ],
)
def test_a_job_of_spark_is_called_after_application_deed_and_dataset(name: str, title: str) -> None:
    assert title_of(name) == title


@pytest.mark.parametrize(
    "name", ["etl", "dbt_test.main.people", "airflow.update", "etl.collect.people", "", HADOOP, "."]
)
def test_what_somebody_called_a_job_stays(name: str) -> None:
    assert title_of(name) == name
