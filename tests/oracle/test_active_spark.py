"""Active lineage against Spark: no way that a token took is left out, and most ways that none can take are.

Slow runs are of more than 500 pipelines. ``python -m oracle.active --seeds 7 --show`` prints one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from kit.spark_lines import LINES, SPARK_4, SparkLine
from oracle.active.pipelines import pipeline
from oracle.active.running import judged_batches
from oracle.active.tally import Tally
from oracle.companies.executor import Executor

pytestmark = pytest.mark.spark

IN_CI = range(6)
SHARE = 0.8
"""Of the ways that no token can take, so many are to be left out."""
ALL = [pytest.param(line, hostile, id=f"{line}-{'hostile' if hostile else 'plain'}", marks=pytest.mark.slow)
       for line in LINES for hostile in (False, True)]  # fmt: skip


def executed(
    line: SparkLine, seeds: range, tmp_path_factory: pytest.TempPathFactory, *, hostile: bool
) -> Iterator[Tally]:
    """The tally after each pipeline, of which no seen way is left out."""
    tally = Tally()
    with closing(Executor(line, tmp_path_factory.mktemp("active"))) as executor:
        for made, failed, found in judged_batches(
            executor, seeds, hostile=hostile, collations=line is SPARK_4
        ):
            tally.add(made, failed, found)
            assert not found.missed, f"{found.missed}\n{made.text}"
            assert not found.unlisted, f"{found.unlisted}\n{made.text}"
            yield tally
    print(f"\nactive lineage on {line}, {'hostile' if hostile else 'plain'}: {tally.text}", file=sys.stderr)


def test_no_way_that_a_token_took_is_left_out(tmp_path_factory: pytest.TempPathFactory) -> None:
    *_, tally = executed(SPARK_4, IN_CI, tmp_path_factory, hostile=True)
    assert tally.counts["ways"] > 0 and tally.counts["excluded"] > 0


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(("line", "hostile"), ALL)
def test_of_many_pipelines_no_way_is_left_out_and_most_others_are(
    line: SparkLine, hostile: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    *_, tally = executed(line, range(150), tmp_path_factory, hostile=hostile)
    assert hostile or tally.share >= SHARE, tally.text


def test_a_seed_is_always_the_same_pipeline() -> None:
    assert pipeline(11, hostile=True) == pipeline(11, hostile=True) != pipeline(12, hostile=True)
