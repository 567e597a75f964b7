"""The process that plans a script, and splits it if that is asked: an argument in JSON, and a file for the answer."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from openlineage.client.serde import Serde
from pyspark.sql import SparkSession

from headwater_backend.privacy.classification.rules import NO_RULES
from headwater_backend.privacy.files import read_rules
from headwater_boundary.judging import events_of
from headwater_boundary.planning.program import Program
from headwater_boundary.planning.watch import plan
from headwater_boundary.policy import read_policy
from headwater_boundary.split.errors import CannotSplitError
from headwater_boundary.split.split import split
from headwater_records_spark.jvm import Jvm
from headwater_spark.capture.application import Application


def main() -> None:
    """Plan the script, and write the answer."""
    asked, answer = json.loads(sys.argv[1]), Path(sys.argv[2])
    program = plan(Path(asked["script"]), asked["arguments"])
    found: dict[str, Any] = {
        "server": program.server,
        "writes": [
            {
                "line": str(w.line),
                "kind": w.to.kind,
                "place": w.to.place,
                "mode": w.to.mode,
                "format": w.to.format,
            }
            for w in program.writes
        ],
        "stops": [{"line": str(s.line), "reason": s.reason, "ended": s.ended} for s in program.stops],
    }
    session = SparkSession.getActiveSession()
    if session is None:
        found["stops"].append(
            {"line": str(asked["script"]), "reason": "no Spark session was made", "ended": True}
        )
    else:
        session.sparkContext.setLogLevel("OFF")  # texts that Spark cannot read are tried, and would be logged
        jvm = Jvm(session)
        commands = [write.command for write in program.writes if write.command is not None]
        name = str(session.conf.get("spark.app.name"))
        found["events"] = [Serde.to_json(each) for each in events_of(jvm, commands, name)]
        if asked.get("split"):
            found["split"] = _split(jvm, program, asked)
    answer.write_text(json.dumps(found), "utf-8")


def _split(jvm: Jvm, program: Program, asked: dict[str, Any]) -> dict[str, Any]:
    rules = read_rules(Path(asked["rules"])) if asked.get("rules") else NO_RULES
    policy = read_policy(Path(asked["policy"]) if asked.get("policy") else None)
    try:
        made = split(jvm, program, rules, policy)
    except CannotSplitError as error:
        return {"refused": str(error), "operator": error.operator, "line": error.line}
    job = _application(jvm.spark).job
    return {
        "job": {"namespace": job.namespace, "name": job.name},
        "files": made.files.contents,
        "stages": made.files.stages,
        "intermediates": [
            {
                "name": each.name, "of": each.of, "stage": each.stage, "back": each.back, "line": each.line,
                "leastGroup": each.least_group,
                "columns": [{"name": c.name, "type": c.type, "why": c.why} for c in each.columns],
            }
            for each in made.intermediates
        ],
        "placements": [asdict(each) for each in made.placements],
        "leastGroup": policy.least_group,
        "open": made.open,
    }  # fmt: skip


def _application(session: SparkSession) -> Application:
    """The application that the script would be, as the agent knows it."""
    name = str(session.conf.get("spark.app.name"))
    conf = dict(session.sparkContext.getConf().getAll())
    return Application.from_document({"application": {"name": name}, "conf": conf})


if __name__ == "__main__":
    main()
