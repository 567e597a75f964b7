"""Reports to the agent, if one watches, where the records of a run are kept: names and counts alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from headwater_records.nested.kept import step_of
from headwater_records.nested.steps import Read, steps_of, title_of
from headwater_records_spark.captured.store import Run
from headwater_records_spark.captured.tables import RECORDS
from headwater_records_spark.jvm import Jvm

LISTENER = "io.headwater.spark.HeadwaterListener"


def facet_of(run: Run, folder: str) -> dict[str, Any]:
    """The facet ``headwater_records`` of a run that was kept in a folder."""
    found: dict[str, Any] = {"mode": run.mode, "folder": folder, "entry": run.run}
    if run.refused:
        return found | {"refused": run.code} | ({"operator": run.operator} if run.operator else {})
    found["files"] = len(run.output.files)
    if RECORDS in run.rows:
        found |= {"carried": run.carried, "rows": run.rows[RECORDS], "operators": list(_operators(run))}
    return found


def _operators(run: Run) -> Iterator[dict[str, Any]]:
    for step in sorted(steps_of(step_of(run.steps)), key=lambda each: each.number):
        kept = run.rows.get(str(step.number))
        title = "read" if isinstance(step, Read) else title_of(step)
        yield {"id": step.number, "type": title} | ({} if kept is None else {"rows": kept})


def report(jvm: Jvm, execution: Any, run: Run, folder: str) -> bool:
    """Report a run to the agent, with the execution that wrote; False if no agent has seen that."""
    loader = jvm.spark._jsparkSession.sharedState().jarClassLoader()
    try:
        methods = loader.loadClass(LISTENER).getMethods()
    except Exception:  # noqa: BLE001 - no agent is there
        return False
    entry = next((each for each in methods if each.getName() == "records"), None)
    if entry is None:
        return False
    return bool(entry.invoke(None, jvm.array(execution, json.dumps(facet_of(run, folder)))))
