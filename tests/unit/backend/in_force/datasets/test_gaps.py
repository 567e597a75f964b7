"""What is not known of lineage, over records alone."""

from __future__ import annotations

from headwater_backend.domain.model import AFTER_THE_FACT, EARLIER_LINEAGE, HANDED_OVER, SCHEMA_DRIFT
from headwater_backend.domain.records import Gap
from headwater_backend.in_force.copies import End, Left
from headwater_backend.in_force.datasets.gaps import (
    NO_LINEAGE_FACET,
    GapRow,
    Hiding,
    Untraced,
    by_read,
    drifts_into,
    drifts_out_of,
    hiding,
    left_at,
    left_of_versions,
    of_outputs,
)
from headwater_backend.in_force.datasets.use import Deciding, Input, inputs_then
from headwater_backend.in_force.drift import DriftRow
from headwater_backend.in_force.earlier import Earlier

JOB, OUT, IN = "n/job/", "n/out/", "n/in/"
CURRENT = Deciding(OUT, JOB, "v", "run")
UDF = Gap("OPAQUE", OUT + "x/", "udf")
NONE = Untraced(0, ())
MISSING = GapRow(NO_LINEAGE_FACET, OUT, "", JOB)


def test_lineage_is_missing_of_a_run_that_had_inputs_by_then() -> None:
    read = [Input("run", IN, first=5, known=7)]
    assert of_outputs([CURRENT], {"v": NONE}, inputs_then(read, 5, 7)) == [MISSING]
    assert of_outputs([CURRENT], {"v": NONE}, inputs_then(read, 4, 7)) == [], "it read later"
    assert of_outputs([CURRENT], {"v": NONE}, inputs_then(read, 5, 6)) == [], "nobody knew"
    assert of_outputs([CURRENT], {"v": Untraced(1, ())}, inputs_then(read, 5, 7)) == []


def test_gaps_are_those_of_deciding_versions_and_what_was_reported_before_is_one() -> None:
    cleared = CURRENT._replace(version="w", cleared=3, cleared_by="who")
    found = of_outputs([CURRENT, cleared], {"v": Untraced(2, (UDF,)), "old": Untraced(2, (UDF,))}, {})
    assert [(row.reason, row.path) for row in found] == [("OPAQUE", UDF.path), (AFTER_THE_FACT, OUT)]


def test_an_output_hides_what_its_run_read_unless_its_gaps_list_it() -> None:
    read = {"run": {IN, "n/other/"}}
    assert hiding([CURRENT], {"v": NONE}, read, {IN}) == [Hiding([MISSING], {IN})]
    assert hiding([CURRENT], {"v": NONE}, read, {"n/third/"}) == []
    assert hiding([CURRENT], {}, read, {IN}) == []


def test_a_gap_of_the_whole_output_replaces_those_of_its_paths() -> None:
    handed = Gap(HANDED_OVER, OUT, "")
    whole = hiding([CURRENT], {"v": Untraced(0, (handed, UDF))}, {"run": {IN}}, {IN})
    assert whole == [Hiding([MISSING], {IN})]


def test_a_drift_is_a_gap_into_where_it_is_read_and_out_of_where_it_is_written() -> None:
    read = DriftRow("n/in/", JOB, "INPUT", "n/in/x/", "not written")
    written = read._replace(use="OUTPUT", path="n/in/y/")
    assert drifts_into([read, written]) == [GapRow(SCHEMA_DRIFT, "n/in/x/", "not written", JOB)]
    out = drifts_out_of([read, written])
    assert by_read(out) == {"n/in/": [GapRow(SCHEMA_DRIFT, "n/in/y/", "not written", JOB)]}


def test_what_is_left_of_an_earlier_version_has_its_gaps_and_says_why() -> None:
    earlier = Earlier({("n/job/n/out/", "now")}, {("n/job/n/out/", "v"): Left()})
    untraced = {"v": Untraced(2, (UDF,)), "now": Untraced(2, (UDF,))}
    (left,) = left_of_versions(earlier, untraced)
    assert (left.output, left.gaps) == (OUT, [GapRow(*UDF, JOB)])
    assert left_at(OUT, JOB, None).reason == EARLIER_LINEAGE
    late = left_at(OUT, JOB, End(IN, 1, 2, "run", 3, "who"))
    assert late.reason == AFTER_THE_FACT
    assert "n in" in late.detail
