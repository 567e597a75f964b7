"""Judge many companies and write a report, or show one: ``python -m oracle.companies --help``."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from kit.spark_lines import SPARK_4, SPARK_35
from oracle.companies.executor import Executor
from oracle.companies.features import ALL, Feature
from oracle.companies.generator import company
from oracle.companies.tally import Tally, judged

AT_ONCE = 50
"""So many companies share a JVM."""


def main() -> int:
    """Ends with 1 if there is a miss."""
    asked = _arguments()
    seeds, features = _seeds(asked.seeds), _features(asked.features, lakes=asked.spark35)
    if asked.show:
        print("\n\n".join(company(seed, features).text for seed in seeds))
        return 0
    tally = Tally()
    for at in range(0, len(seeds), AT_ONCE):
        for seed in _judged(seeds[at : at + AT_ONCE], features, asked, tally):
            found = tally.judgements[-1]
            print(f"company {seed}: {found.pairs} pairs, {len(found.misses)} misses", flush=True)
            if asked.report:
                asked.report.write_text(tally.text + "\n", "utf-8")
    print(tally.text)
    return 1 if tally.missed else 0


def _judged(
    seeds: range, features: frozenset[Feature], asked: argparse.Namespace, tally: Tally
) -> Iterator[int]:
    line = SPARK_35 if asked.spark35 else SPARK_4
    with tempfile.TemporaryDirectory(prefix="companies-") as folder:
        place = Path(folder) if asked.keep is None else asked.keep / f"from_{seeds[0]}"
        place.mkdir(parents=True, exist_ok=True)
        with closing(Executor(line, place)) as executor:
            for seed in seeds:
                executed = executor.execute(company(seed, features))
                tally.add(executed, judged(executed))
                if asked.keep is None:
                    shutil.rmtree(executed.folder)
                yield seed


def _seeds(text: str) -> range:
    first, _, end = text.partition(":")
    return range(int(first), int(end or int(first) + 1))


def _features(text: str, *, lakes: bool) -> frozenset[Feature]:
    if text == "all":
        return ALL | {Feature.LAKES} if lakes else ALL
    return frozenset(Feature[name.upper()] for name in text.split(","))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m oracle.companies", description=__doc__)
    parser.add_argument("--seeds", default="0:500", help="one seed, or FIRST:END")
    parser.add_argument("--features", default="all", help="all, or names with commas")
    parser.add_argument("--report", type=Path, help="the file to write the figures to")
    parser.add_argument("--keep", type=Path, help="the folder in which data, events and stores are kept")
    parser.add_argument("--spark35", action="store_true", help="execute under Spark 3.5")
    parser.add_argument("--show", action="store_true", help="print the programs instead")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
