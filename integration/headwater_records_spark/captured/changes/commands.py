"""The commands that are followed, by the format of the table that they change."""

from __future__ import annotations

import json
from typing import Any

from headwater_records_spark.captured.changes import delta, iceberg
from headwater_records_spark.captured.changes.change import Change, Rule
from headwater_records_spark.captured.store import Output
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.inputs import Input, at_one
from headwater_records_spark.jvm import Jvm, has_method, kind, listed
from headwater_records_spark.versioned.formats import format_of, table_of

INSTEAD = "write files, or change a table by INSERT, UPDATE, DELETE or MERGE: these can be asked about"
RULES: dict[str, dict[str, Rule]] = {"delta": delta.RULES, "iceberg": iceberg.RULES}
"""By the format of a table the rule of each command."""


def change_of(jvm: Jvm, execution: Any) -> Change | None:
    """What a command changed; None if it has changed nothing.

    An UntraceableError says why that is not known, or that the command is none of these.
    """
    command = execution.analyzed()
    target = _target(command)
    given = format_of(target) if target is not None else None
    rule = RULES[given.name].get(kind(command)) if given is not None else None
    if rule is None:
        raise UntraceableError(kind(command), "it is no write or change that is followed", hint=INSTEAD)
    return rule(jvm, execution)


def _target(command: Any) -> Any:
    """The leaf that a command changes; None if it changes no table."""
    for name in ("target", "table"):
        if has_method(command, name):
            found = getattr(command, name)()
            return listed(found.collectLeaves())[0] if has_method(found, "collectLeaves") else None
    return None


def read_by(inputs: list[Input], change: Change) -> list[Input]:
    """The inputs of a change: the table as it was before, and others as they were when they were read."""
    read = {root: set(versions) for root, versions in change.read.items()}
    for each in inputs:
        if each.root in read:
            read[each.root].add(each.version)
    read[change.root] = {change.before}
    return [at_one(each, read) if each.root and not each.named else each for each in inputs]


def output_at(jvm: Jvm, change: Change) -> Output:
    """The table as the change left it: its files have no times, as those of a version stay what they are."""
    table = table_of(jvm, change.format, change.root)
    files = dict.fromkeys(table.files(change.after), (0, 0))
    schema = json.loads(table.at(change.after).schema.json())
    return Output(change.root, "", change.format, {}, schema, files, change.after)
