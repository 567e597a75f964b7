"""`make golden`: capture the cases' plans from every Spark line, and write the lineage that they give into the cases.

    python -m golden.rewrite [CASE …]

Names of cases (of their files, without the suffix) rewrite those only; without any, the page of what is covered is
written as well, and what can be got back from calls of functions is recorded. Cases whose program or rows were edited
are executed, to record which paths change with which; all of them, which takes an hour, with another Spark or another
way of executing them. Fails where the programs of a case give different lineage: then the lines of the first one are
written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches, unified_diff

from golden import changes, readings
from golden.captures import Captured, Captures, capture_file, captures_of, captures_text, digest, made_by
from golden.case_file import Case, rewrite
from golden.cases import CASES, Program, programs
from golden.changes import EXECUTED, Observed, Recorded, observe, record, recorded, recorded_of
from golden.inventory import COVERAGE, coverage
from golden.normalised import normalised
from kit.plan_documents import Plan
from kit.spark_lines import LINES, SPARK_4, Planner, SparkLine, spark_version


def main(arguments: Sequence[str]) -> str | None:
    """What went wrong, None if nothing did."""
    if os.environ.get("CI") == "true":
        return "CI compares and never rewrites"
    for unknown in sorted(set(arguments) - set(map(str, CASES))):
        near = get_close_matches(unknown, map(str, CASES))
        return f"no case is called {unknown!r}" + (f": {', '.join(near)}?" if near else "")
    chosen = [case for case in CASES if not arguments or str(case) in arguments]
    found = {line: _captured(line, chosen, whole=not arguments) for line in LINES}
    for line, captures in found.items():
        capture_file(line).write_text(captures_text(captures), "utf-8")
    _record([case for case in chosen if case in EXECUTED and recorded_of(case) is None])
    if not arguments:
        _record_readings()
        COVERAGE.write_text(coverage(), "utf-8")
    return "\n".join(filter(None, (_expect(case, found) for case in chosen))) or None


def _captured(line: SparkLine, chosen: Sequence[Case], *, whole: bool) -> Captures:
    """The line's captures with the chosen cases' plans; with ``whole``, no others."""
    captures = Captures(made_by=made_by()) if whole else captures_of(line)
    tasks = [program for case in chosen for program in programs(case) if program.line == line]
    for gone in [key for key in captures.plans if key[0] in map(str, chosen)]:
        del captures.plans[gone]
    if not tasks:
        return captures
    planner = Planner(line)
    for program in tasks:
        document, version = _planned(planner, program)
        if captures.version not in ("", version):
            sys.exit(
                f"the captures are from Spark {captures.version}, not {version}: make golden without CASE"
            )
        captures.version = version
        captures.plans[program.key] = Captured(digest(program.case, program.kind), normalised(document))
    planner.close()
    return captures


def _record(cases: Sequence[Case]) -> None:
    """Execute the cases, and record which paths change with which beside those of the others."""
    if not cases:
        return
    kept = recorded().cases if recorded().is_current else {}
    found = Recorded(spark_version(SPARK_4), changes.made_by(), dict(kept))
    planner = Planner(SPARK_4)
    for case in cases:
        found.cases[str(case)] = Observed(changes.digest(case), observe(planner, case))
        record(found)
    planner.close()


def _record_readings() -> None:
    """Execute the calls of functions of which it is not recorded what can be got back, and record it."""
    found = readings.calls(SPARK_4)
    known = readings.recorded_of(found)
    if missing := [call for call in found if call not in known]:
        planner = readings.reader(SPARK_4)
        known = {**known, **readings.observe(planner, missing)}
        planner.close()
    readings.record(known)


def _planned(planner: Planner, program: Program) -> tuple[Plan, str]:
    try:
        return planner.plan(program.case.tables, **{program.kind: program.text})
    except AssertionError as e:
        sys.exit(f"{program}: {e}")


def _expect(case: Case, found: dict[SparkLine, Captures]) -> str | None:
    """Write the case's lineage; how its programs differ, if they do."""
    if not (of_case := programs(case)):
        return f"{case}: no program of it is for one of {', '.join(map(str, LINES))}"
    first, *others = of_case
    lines = _lineage(first, found)
    rewrite(case, lines)
    for other in others:
        if sorted(differing := _lineage(other, found)) != sorted(lines):
            return "\n".join(unified_diff(lines, differing, str(first), str(other), lineterm=""))
    return None


def _lineage(program: Program, found: dict[SparkLine, Captures]) -> tuple[str, ...]:
    captures = found[program.line]
    return program.lineage(captures.plans[program.key].plan, captures.version)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
