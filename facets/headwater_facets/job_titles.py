"""What a person calls a job of Spark, which is named after its application, Spark's own command and what it writes::

    etl.execute_insert_into_hadoop_fs_relation_command.lake_people      etl: write lake_people
    etl.atomic_replace_table_as_select.sales.people                     etl: replace sales.people

Names of other jobs are what somebody called them, and stay. A title is for people to read: two jobs may have the same.
"""

from __future__ import annotations

import re
from typing import Final

_COMMAND: Final = re.compile(r"execute_(?P<command>\w+)_command")
_VERBS: Final = (
    (re.compile(r"create_(local_temp_|global_temp_)?view|cache_table"), "define"),
    (re.compile(r"(atomic_)?replace_table(_as_select)?"), "replace"),
    (re.compile(r"(optimized_)?(atomic_)?create_\w*(table|model)\w*|save_as_v1_table"), "create"),
    (re.compile(r"merge_into\w*|merge_rows"), "merge into"),
    (re.compile(r"delete_from\w*|delete"), "delete from"),
    (re.compile(r"update\w*"), "update"),
    (re.compile(r"append_data"), "append to"),
    (re.compile(r"overwrite_\w+"), "overwrite"),
    (re.compile(r"replace_data|write_delta"), "change"),
    (re.compile(r"load_data"), "load"),
    (re.compile(r"(drop|truncate)_\w+"), "empty"),
    (re.compile(r"alter_\w+"), "alter"),
    (re.compile(r"\w*insert_into_\w+|save_into_\w+|write_to_\w+|write_files|adaptive_spark_plan"), "write"),
)
"""What a command does, by its name in OpenLineage's job names; the first that fits."""


def title_of(name: str) -> str:
    """The title of the job with that name: the name, if it is none that an agent in Spark gives."""
    parts = name.split(".")
    for at, part in enumerate(parts[1:], 1):
        if verb := _verb(part):
            said = " ".join((verb, ".".join(parts[at + 1 :]))).strip()
            return f"{'.'.join(parts[:at])}: {said}"
    return name


def _verb(part: str) -> str | None:
    known = _COMMAND.fullmatch(part)
    command = known["command"] if known else part
    found = next((verb for pattern, verb in _VERBS if pattern.fullmatch(command)), None)
    if found is None and known:
        return command.replace("_", " ")
    return found if known or "_" in part else None
