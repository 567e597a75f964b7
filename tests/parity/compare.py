"""The same jobs under the official agent and ours, and the standard `columnLineage` facets compared as sets.

    python tests/parity/compare.py [--out docs/parity.md]

The official agent runs as it comes, and with ``columnLineage.descriptionsEnabled=true``, which changes its kinds; ours
runs once. All run on Spark 3.5 over the same tables. Every difference must have its reason in `reasons.json`. The page
of all differences is written; one without a reason, or a reason without a difference, ends with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kit.connectors import jars
from kit.spark_lines import SPARK_35
from parity.differences import Entry, differences, filed_reasons, page, summary

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYTHON = Path(os.environ.get("HEADWATER_SPARK35_PYTHON", ROOT / ".venv-spark35" / "bin" / "python"))
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "headwater" / "parity"
SESSIONS = {
    "jobs": {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
    },
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    },
}
"""Each file of jobs with its session: where Delta is switched on, the official agent leaves out other writes."""
LISTENER = "io.openlineage.spark.agent.OpenLineageSparkListener"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, help="write the table here as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="headwater-parity-") as name:
        text, unexplained = compared(Path(name))
    print(text)
    if options.out is not None:
        options.out.write_text(text + "\n", "utf-8")
    return 1 if unexplained else 0


def compared(folder: Path) -> tuple[str, bool]:
    """The table of differences, and whether one has no reason. The folder is worked in."""
    described = {"columnLineage.descriptionsEnabled": "true"}
    ours = entries(events_under(folder / "ours", None))
    theirs = {
        "as it comes": entries(events_under(folder / "plain", {})),
        "with descriptions": entries(events_under(folder / "described", described)),
    }
    return table(ours, theirs)


def events_under(folder: Path, keys: dict[str, str] | None) -> list[dict[str, Any]]:
    """The events of all jobs under the official agent with these keys; None: under ours."""
    events = []
    for jobs, lake in SESSIONS.items():
        place = folder / jobs
        events += run(place, jobs, lake, {} if keys is None else official(place, keys))
    return events


def official(folder: Path, more: dict[str, str]) -> dict[str, str]:
    """The settings of the official agent, its jar fetched once."""
    jars = list(CACHE.glob("openlineage-spark_*.jar"))
    if not jars:
        goal = ["dependency:copy-dependencies", "-DexcludeTransitive=true", f"-DoutputDirectory={CACHE}"]
        subprocess.run(
            ["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), *goal], check=True, stdout=subprocess.DEVNULL
        )
        jars = list(CACHE.glob("openlineage-spark_*.jar"))
    keys = {"transport.type": "file", "transport.location": str(folder / "events.ndjson"), **more}
    settings = {f"spark.openlineage.{key}": value for key, value in keys.items()}
    return {"spark.jars": str(jars[0]), "spark.extraListeners": LISTENER, **settings}


def run(folder: Path, jobs: str, lake: dict[str, str], settings: dict[str, str]) -> list[dict[str, Any]]:
    """The events of a file of jobs under the agent that the settings switch on; none: ours."""
    conf = folder / "conf"
    conf.mkdir(parents=True)
    common = {"spark.master": "local[2]", "spark.ui.enabled": "false", "spark.driver.memory": "1g"}
    both = ",".join(filter(None, [settings.get("spark.jars"), jars(SPARK_35, "delta", "iceberg", "h2")]))
    everything = {**common, **lake, **_warehouses(folder), **settings, "spark.jars": both}
    lines = [f"{key} {value}" for key, value in everything.items()]
    (conf / "spark-defaults.conf").write_text("\n".join(lines) + "\n", "utf-8")
    script = [str(HERE / "jobs.py"), str(HERE / "tables.json"), str(HERE / f"{jobs}.json"), str(folder)]
    agent = [] if settings else ["-m", "headwater_cli", "run", "--events", str(folder / "events.ndjson")]
    with (folder / "log").open("wb") as log:
        subprocess.run(
            [str(PYTHON), *agent, *script],
            check=True,
            cwd=folder,
            env={**os.environ, "SPARK_CONF_DIR": str(conf), "SPARK_LOCAL_IP": "127.0.0.1"},
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
    return [json.loads(line) for line in (folder / "events.ndjson").read_text("utf-8").splitlines()]


def _warehouses(folder: Path) -> dict[str, str]:
    places = {"spark.sql.warehouse.dir": folder / "out", "spark.sql.catalog.lake.warehouse": folder / "out"}
    return {key: str(place) for key, place in places.items()}


def entries(events: list[dict[str, Any]]) -> set[Entry]:
    """What the completed writes say, over names without folders."""
    found: set[Entry] = set()
    for event in events:
        if event["eventType"] == "COMPLETE":
            for output in event.get("outputs", []):
                facet = output.get("facets", {}).get("columnLineage")
                if facet is not None and "/in/" not in output["name"]:
                    found.update(_entries(_last(output["name"]), facet))
    return found


def _last(name: str) -> str:
    """``t1`` of ``/warehouse/t1`` and of ``PUBLIC.T1``."""
    return re.split(r"[/.]", name)[-1].lower()


def _entries(job: str, facet: dict[str, Any]) -> Iterator[Entry]:
    for column, field in facet.get("fields", {}).items():
        for each in field["inputFields"]:
            yield from _kinds(job, column, each)
    for each in facet.get("dataset", []):
        yield from _kinds(job, "", each)


def _kinds(job: str, column: str, each: dict[str, Any]) -> Iterator[Entry]:
    source = f"{_last(each['name'])}.{each['field'].lower()}"
    for way in each.get("transformations") or [{"type": "DIRECT", "subtype": "unspecified"}]:
        masking = " masking" if way.get("masking") else ""
        yield Entry(job, column, source, f"{way['subtype']}{masking}")


def table(ours: set[Entry], theirs: dict[str, set[Entry]]) -> tuple[str, bool]:
    """The page of differences; and whether one has no reason, or a reason is filed for none."""
    filed = filed_reasons()
    found = differences(ours, theirs, filed)
    used = {each.key for each in found}
    for key in (stale := sorted(set(filed) - used)):
        print(f"reason without a difference: {key}", file=sys.stderr)
    return page(summary(ours, theirs), found, filed), "" in used or bool(stale)


if __name__ == "__main__":
    sys.exit(main())
