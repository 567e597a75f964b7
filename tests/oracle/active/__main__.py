"""Judge many pipelines, or show one: ``python -m oracle.active --help``."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from kit.spark_lines import SPARK_4, SPARK_35
from oracle.active.running import judged_batches
from oracle.active.tally import Tally
from oracle.companies.executor import Executor


def main() -> int:
    """Ends with 1 if there is a miss."""
    asked = _arguments()
    first, _, end = asked.seeds.partition(":")
    seeds = range(int(first), int(end or int(first) + 1))
    line = SPARK_35 if asked.spark35 else SPARK_4
    folder = asked.keep or Path(tempfile.mkdtemp(prefix="headwater-active-"))
    folder.mkdir(parents=True, exist_ok=True)
    tally = Tally()
    with closing(Executor(line, folder)) as executor:
        for pipeline, failed, found in judged_batches(
            executor, seeds, hostile=asked.hostile, collations=line is SPARK_4, keep=asked.keep is not None
        ):
            tally.add(pipeline, failed, found)
            for title, hop in sorted(found.missed):
                print(f"pipeline {pipeline.seed} misses {hop} in {title}", flush=True)
            for title, hop in sorted(found.unlisted):
                print(f"pipeline {pipeline.seed}: passive lineage lacks {hop} in {title}", flush=True)
            if asked.show:
                print(pipeline.text, *failed.items(), sep="\n")
    if asked.keep is None:
        shutil.rmtree(folder)
    print(tally.text)
    return 1 if tally.missed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m oracle.active", description=__doc__)
    parser.add_argument("--seeds", default="0:100", help="one seed, or FIRST:END")
    parser.add_argument(
        "--hostile", action="store_true", help="all that may be misunderstood, and many formats"
    )
    parser.add_argument("--keep", type=Path, help="the folder in which data, events and stores are kept")
    parser.add_argument("--spark35", action="store_true", help="execute under Spark 3.5")
    parser.add_argument("--show", action="store_true", help="print the programs as well")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
