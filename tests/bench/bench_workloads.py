"""What an agent costs four kinds of jobs: none, ours and the official one, turn by turn in one run.

    python tests/bench/bench_workloads.py [--full] [--turns 5] [--only small_writes]

prints, for each job, wall and processor time of all its processes (start-up of Spark included) as ratios to the same
turn without an agent, the number of events and their bytes, and of ours what they are packed, and whether each write's
lineage is complete.
The aim: at most 1.03 of wall and 1.10 of processor time, and 1 MB for 150 small writes. On a machine that others use as
well, processor time is the figure to go by. Without `--full` the jobs are small and there are two turns; with it they
are 3 million nested rows, 150 writes, 800 columns in 50 steps, and 30 joins before a union of 20.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import statistics
import tempfile
from pathlib import Path

from kit.agents import AGENTS, NONE, OURS, Cost, settings, submitted
from kit.spark_lines import SPARK_35

JOBS = Path(__file__).with_name("jobs")
FULL = {
    "nested_rows": ["3000000"],
    "small_writes": ["150"],
    "wide": ["800", "50", "0"],
    "joins": ["30", "20"],
}
QUICK = {
    "nested_rows": ["100000"],
    "small_writes": ["20"],
    "wide": ["200", "10", "0"],
    "joins": ["8", "5"],
}


def main() -> None:
    options = arguments()
    sizes = FULL if options.full else QUICK
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as name:
        for job in options.only or sizes:
            report(
                job,
                sizes[job],
                turns(Path(name), job, sizes[job], options.turns or (5 if options.full else 2)),
            )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, help="of none, ours, official")
    parser.add_argument("--only", nargs="+", choices=FULL)
    parser.add_argument("--full", action="store_true")
    return parser.parse_args()


def turns(folder: Path, job: str, sizes: list[str], count: int) -> list[dict[str, Cost]]:
    """The job under each agent, in turn; one turn before them warms the disk's cache."""
    once(folder, job, sizes, NONE)
    return [{each: once(folder, job, sizes, each) for each in AGENTS} for _ in range(count)]


def once(folder: Path, job: str, sizes: list[str], agent: str) -> Cost:
    """The job under one agent, in a new folder."""
    place = folder / agent
    shutil.rmtree(place, ignore_errors=True)
    return submitted(SPARK_35, place, JOBS / f"{job}.py", settings(agent, place), *sizes)


def report(job: str, sizes: list[str], taken: list[dict[str, Cost]]) -> None:
    none = [turn[NONE] for turn in taken]
    print(
        f"{job} {' '.join(sizes)}, {len(taken)} turns: without an agent {median([c.wall for c in none]):.2f} s,"
        f" processor {median([c.cpu for c in none]):.2f} s",
        flush=True,
    )
    for agent in AGENTS[1:]:
        costs = [turn[agent] for turn in taken]
        wall = [one.wall / other.wall for one, other in zip(costs, none, strict=True)]
        cpu = [one.cpu / other.cpu for one, other in zip(costs, none, strict=True)]
        last = costs[-1]
        more = f", {packed(last) / 1e6:.2f} MB packed, {completeness_text(last)}" if agent == OURS else ""
        print(
            f"  {agent:8} wall × {spread(wall)}, processor × {spread(cpu)};"
            f" {len(last.events)} events, {last.bytes / 1e6:.2f} MB, the largest"
            f" {max(map(len, last.events)) / 1e3:.0f} KB{more}",
            flush=True,
        )


def packed(cost: Cost) -> int:
    """Bytes of the events as they go to a receiver that says that it takes gzip."""
    return sum(len(gzip.compress(event, compresslevel=3)) for event in cost.events)


def completeness_text(cost: Cost) -> str:
    """How many writes' lineage is complete."""
    outputs = [output for event in cost.written() for output in event["outputs"]]
    complete = sum(output["facets"]["headwater_pathLineage"]["complete"] for output in outputs)
    return f"{complete} of {len(outputs)} writes complete"


def spread(ratios: list[float]) -> str:
    return f"{median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"


def median(values: list[float]) -> float:
    return statistics.median(values)


if __name__ == "__main__":
    main()
