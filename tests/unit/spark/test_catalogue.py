"""The ladder of Spark's versions, and what commands do to their targets."""

from __future__ import annotations

import pytest

from headwater_spark.decode import Effect, effect_of, inserts_into_new_table, keeps_rows
from headwater_spark.decode.catalogue import decoders_of
from headwater_spark.decode.commands.catalogue import COMMANDS
from headwater_spark.decode.commands.writes import WRITES


@pytest.mark.parametrize(
    ("version", "known"),
    [
        ("3.3.2", set()),
        ("3.5.9", set()),
        ("4.0.1", {"With"}),
        ("4.1.1", {"With"}),
        ("4.2.0", {"With", "TranspiledPythonUDF"}),
        ("4.10.0", {"With", "TranspiledPythonUDF"}),
        ("5.0.0-preview1", {"With", "TranspiledPythonUDF"}),
        ("", {"With", "TranspiledPythonUDF"}),
        ("a fork", {"With", "TranspiledPythonUDF"}),
    ],
)
def test_a_plan_is_decoded_by_the_steps_up_to_its_version(version: str, known: set[str]) -> None:
    decoders = decoders_of(version)
    assert {"With", "TranspiledPythonUDF"} & decoders.keys() == known
    assert {"Project", "Coalesce", "AppendData", "MergeIntoTable"} <= decoders.keys()


def test_a_command_says_what_it_does_to_its_target_unless_the_mode_does() -> None:
    assert effect_of("CreateTableAsSelect") is Effect.CREATE
    assert effect_of("ReplaceTableAsSelect") is Effect.OVERWRITE
    assert effect_of("AppendData") is None
    assert {name for name in COMMANDS if inserts_into_new_table(name)} == {
        "CreateDataSourceTableAsSelectCommand",
        "CreateHiveTableAsSelectCommand",
        "OptimizedCreateHiveTableAsSelectCommand",
        "SaveAsV1TableCommand",
        "CreateTableAsSelect",
        "ReplaceTableAsSelect",
    }


def test_it_is_decided_of_each_write_whether_it_writes_the_rows_of_its_query() -> None:
    assert {name for name in WRITES if not keeps_rows(name)} == {
        "CreateViewCommand",
        "DeltaDynamicPartitionOverwriteCommand",
        "InsertIntoDataSourceCommand",
        "InsertIntoDataSourceDirCommand",
        "InsertIntoDir",
        "InsertIntoHiveDirCommand",
        "WriteToContinuousDataSource",
        "WriteToDataSourceV2",
        "WriteToMicroBatchDataSource",
        "WriteToMicroBatchDataSourceV1",
        "WriteToStream",
    }


def test_a_command_that_is_not_known_goes_by_its_name() -> None:
    assert effect_of("DropLakeCommand") is Effect.DROP
    assert effect_of("MergeLakeCommand") is None
    assert inserts_into_new_table("CreateLakeTableAsSelectCommand")
