"""What the agent costs a job: the demo's pipeline with and without it, turn by turn in one run (aim: at most 1.03).

    python tests/bench/bench_agent.py [--tweets 200000] [--pairs 5]

prints the wall times of the whole processes, start-up of Spark included, and the ratio pair by pair. Without the
agent the script is started by plain Python, with it by `headwater run` with events to a file.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from headwater_cli.demo.tweets import tweets

JOB = Path(__file__).resolve().parents[2] / "cli" / "headwater_cli" / "demo" / "jobs" / "tweets_by_user.py"
AIM = 1.03


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as name:
        folder = Path(name)
        source = folder / "tweets.ndjson"
        with source.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(t) + "\n" for t in tweets(options.tweets))
        plain = [sys.executable, str(JOB), str(source), str(folder / "out")]
        watched = [
            sys.executable,
            "-m",
            "headwater_cli",
            "run",
            "--events",
            str(folder / "events.ndjson"),
            *plain[1:],
        ]
        timed(plain, folder), timed(watched, folder)
        pairs = [(timed(watched, folder), timed(plain, folder)) for _ in range(options.pairs)]
        events = (folder / "events.ndjson").read_text("utf-8").splitlines()
    report(options.tweets, pairs, len(events))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tweets", type=int, default=200_000)
    parser.add_argument("--pairs", type=int, default=5)
    return parser.parse_args()


def timed(command: list[str], folder: Path) -> float:
    """Seconds that the command takes; a command that fails ends the benchmark."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    start = time.perf_counter()
    subprocess.run(
        command,
        cwd=folder,
        check=True,
        capture_output=True,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
    )
    return time.perf_counter() - start


def report(count: int, pairs: list[tuple[float, float]], events: int) -> None:
    ratios = [watched / plain for watched, plain in pairs]
    watched, plain = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(
        f"{count} tweets, {len(pairs)} pairs: with the agent {watched:.2f} s, without {plain:.2f} s (medians);"
        f" ratio median {statistics.median(ratios):.3f}, from {min(ratios):.3f} to {max(ratios):.3f}"
        f" (aim {AIM}); {events} events in all"
    )


if __name__ == "__main__":
    main()
