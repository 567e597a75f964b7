"""All commands that are known, by Catalyst's class: a command that is called otherwise in a later Spark gets a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from headwater_spark.decode.commands.changes import CHANGES
from headwater_spark.decode.commands.columns import COLUMNS
from headwater_spark.decode.commands.command import Command, Effect
from headwater_spark.decode.commands.moves import MOVES
from headwater_spark.decode.commands.writes import WITHOUT_DATA, WRITES

COMMANDS: Final[Mapping[str, Command]] = {
    **WRITES,
    **CHANGES,
    **COLUMNS,
    **MOVES,
    **dict.fromkeys(WITHOUT_DATA, Command()),
}

_BY_BEGINNING: Final = {
    "Create": Effect.CREATE,
    "SaveAsV1Table": Effect.CREATE,
    "ReplaceTable": Effect.OVERWRITE,
    "AtomicReplace": Effect.OVERWRITE,
    "AtomicCreate": Effect.CREATE,
    "Truncate": Effect.TRUNCATE,
    "Drop": Effect.DROP,
    "Alter": Effect.ALTER,
}
"""How the names of commands begin that are not known, and what they do."""
_INSERTING: Final = "TableAsSelect"
"""In the name of such a command: it creates a table of what a query gives."""
_KEEPS_ROWS: Final = frozenset(
    {
        *("InsertIntoHadoopFsRelationCommand", "CreateDataSourceTableAsSelectCommand", "InsertIntoHiveTable"),
        *("CreateHiveTableAsSelectCommand", "OptimizedCreateHiveTableAsSelectCommand", "AppendData"),
        *("OverwriteByExpression", "OverwritePartitionsDynamic", "CreateTableAsSelect"),
        *("ReplaceTableAsSelect", "WriteIntoDelta", "SaveIntoDataSourceCommand", "CreateDeltaTableCommand"),
        "SaveAsV1TableCommand",
    }
)


def keeps_rows(command: str) -> bool:
    """Whether the command writes the rows of its query, as they are, beside or instead of all others."""
    return command in _KEEPS_ROWS


def effect_of(command: str) -> Effect | None:
    """What the command does to its target; None where the mode of the write says it."""
    if (row := COMMANDS.get(command)) is not None:
        return row.effect
    return next((effect for head, effect in _BY_BEGINNING.items() if command.startswith(head)), None)


def inserts_into_new_table(command: str) -> bool:
    """Whether the command runs an insert into the table that it creates, which alone knows where that lies."""
    row = COMMANDS.get(command)
    return _INSERTING in command if row is None else row.inserts
