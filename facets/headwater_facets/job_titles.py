"""What a person calls a job of Spark, which is named after its application, Spark's own command and what it writes::

    etl.execute_insert_into_hadoop_fs_relation_command.lake_people      etl: write lake_people
    etl.atomic_replace_table_as_select.sales.people                     etl: replace sales.people

Names of other jobs are what somebody called them, and stay. A title is for people to read: two jobs may have the same.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Final

_COMMAND: Final = re.compile(r"execute_(?P<command>\w+)_command")
_VERBS: Final = tuple(
    (re.compile(pattern), verb)
    for pattern, verb in json.loads((files(__package__) / "job_verbs.json").read_text("utf-8"))
)
"""What a command does, by its name in job names; the first that fits. The explorer reads the same file."""


def title_of(name: str) -> str:
    """The title of the job with that name: the name, if it is none that an agent in Spark gives."""
    parts = name.split(".")
    for at, part in enumerate(parts[1:], 1):
        if verb := _verb(part):
            done = " ".join((verb, ".".join(parts[at + 1 :]))).strip()
            return f"{'.'.join(parts[:at])}: {done}"
    return name


def _verb(part: str) -> str | None:
    known = _COMMAND.fullmatch(part)
    command = known["command"] if known else part
    found = next((verb for pattern, verb in _VERBS if pattern.fullmatch(command)), None)
    if found is None and known:
        return command.replace("_", " ")
    return found if known or "_" in part else None
