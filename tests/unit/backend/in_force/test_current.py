"""What stores find by index is enough to choose from: by random histories, against the choice among everything."""

from __future__ import annotations

import random
from itertools import groupby
from operator import attrgetter

from headwater_backend.in_force.corrections import versions_reported_again
from headwater_backend.in_force.current import FOREVER, Corrections, Kept, chosen, kept, versions_of
from headwater_backend.in_force.observed import Observed

SLOT = "n/job/n/out/"


def history(draw: random.Random) -> list[Observed]:
    """What some runs reported of a slot."""
    found = []
    for run in range(draw.randint(1, 7)):
        began, ended = draw.randint(1, 9), draw.choice([None, draw.randint(1, 12)])
        failed = draw.choice([None, None, None, ended])
        for version in draw.sample("abcd", draw.randint(1, 3)):
            first = draw.randint(began, 12)
            found.append(
                Observed(
                    SLOT,
                    f"run {run}",
                    version,
                    rank=draw.randint(0, 2),
                    static=False,
                    first=first,
                    last=draw.randint(first, 14),
                    keeps=draw.random() < 0.6,
                    completed=ended if failed is None else None,
                    failed=failed,
                    began=began,
                    known=draw.randint(1, 14),
                    settled=ended,
                )
            )
    return found


def found_by_index(observed: list[Observed]) -> list[Observed]:
    """What ``CurrentStatements.newest`` is to return, by what is kept beside observations."""
    beside = {(each.run, each.version): each for each in kept(observed)}
    standing = [each for each in beside.values() if each.standing is not None]
    runs = {each.run for each in beside.values() if each.late}
    replacing = [each for each in standing if not each.keeps]
    runs |= {max(replacing, key=_newest).run} if replacing else set()
    keeping = sorted((each for each in standing if each.keeps), key=attrgetter("version"))
    runs |= {max(some, key=_newest).run for _, some in groupby(keeping, attrgetter("version"))}
    return [
        seen._replace(keeps=beside[seen.run, seen.version].keeps) for seen in observed if seen.run in runs
    ]


def _newest(each: Kept) -> tuple[int | None, int, str]:
    return each.standing, each.reported, each.run


def current(observed: list[Observed]) -> dict[str, dict[str, object]]:
    found = chosen(observed, FOREVER, {}, Corrections())
    return {slot: dict(versions_of(some)) for slot, some in found.items()}


def test_what_is_found_by_index_is_enough_to_choose_from() -> None:
    several = corrected = 0
    for seed in range(3_000):
        everything = history(random.Random(seed))
        part = found_by_index(everything)
        assert current(part) == current(everything), seed
        several += len(part) < len(everything)
        corrected += bool(versions_reported_again(everything))
    assert min(several, corrected) > 500


def test_corrections_are_looked_for_where_a_run_reported_versions_at_several_moments() -> None:
    one = Observed(SLOT, "r", "a", 1, False, 1, 1, False, None, None, 1, known=1)
    assert versions_reported_again([one, one._replace(version="b")]) == {}
    assert versions_reported_again([one, one._replace(version="b", run="s", known=2)]) == {}
    assert versions_reported_again([one, one._replace(version="b", known=2)]) == {SLOT: {"a", "b"}}


def test_a_version_that_a_run_reports_by_itself_is_not_only_beside_a_correction() -> None:
    one = Observed(SLOT, "new", "a", 1, False, 2, 2, True, None, None, 2)
    before = one._replace(run="old", cleared=9, cleared_by="who")
    assert versions_of([one, before])["a"] == ("new", None, "")
    assert versions_of([before])["a"] == ("old", 9, "who")
