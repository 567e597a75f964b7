"""Which test files took longest, printed at the end of a run."""

from __future__ import annotations

from collections import Counter

import pytest

FILES = 25
PHASES = ("setup", "call", "teardown")
AT_LEAST_SECONDS = 1.0


def longest_files(reporter: pytest.TerminalReporter) -> list[tuple[str, float, int]]:
    """Files with the seconds that they took, set-up and tear-down included, and their numbers of tests; longest first.

    With workers, seconds are summed over them.
    """
    seconds: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for reports in reporter.stats.values():
        for report in reports:
            # Also holds warnings and files that could not be collected, which have no phase.
            if (phase := getattr(report, "when", None)) in PHASES:
                seconds[report.location[0]] += report.duration
                tests[report.location[0]] += phase == "setup"
    return [
        (file, took, tests[file]) for file, took in seconds.most_common(FILES) if took >= AT_LEAST_SECONDS
    ]


def print_longest_files(reporter: pytest.TerminalReporter) -> None:
    """Print them as a section of the summary, if any took long."""
    if files := longest_files(reporter):
        reporter.section("longest files")
        for file, took, tests in files:
            reporter.write_line(f"{took:7.1f} s  {tests:5} tests  {file}")
