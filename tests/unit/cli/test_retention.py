"""``headwater retention``: data that are kept for longer than the organisation states."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from kit.command import headwater
from kit.reports import REPORTS

AS_OF = ("--as-of", "2099-01-01")


def stated(workdir: Path, retention: str) -> tuple[str | Path, ...]:
    file = workdir / "stated.yaml"
    activity = f'{{activity: Orders, outputs: "* shop.customers", retention: {retention}}}'
    file.write_text(f"processing: [{activity}]", "utf-8")
    return ("--rules", REPORTS / "rules.yaml", "--organisation", file)


def test_what_is_older_than_stated_is_listed_with_its_limit(target: Sequence[str], workdir: Path) -> None:
    options = (*stated(workdir, "1 year"), *AS_OF, *target)
    answer = headwater("retention", *options, "--json")
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)
    listed = {each["dataset"]["name"]: each for each in found["overdue"]}
    assert listed.keys() >= {"shop.vouchers"}
    vouchers = listed["shop.vouchers"]
    assert (vouchers["limit"]["dataset"]["name"], vouchers["limit"]["activity"]) == (
        "shop.customers",
        "Orders",
    )
    assert vouchers["limit"]["before"].startswith("2098-01-01")
    assert vouchers["held"][0]["witness"]
    row = next(
        line
        for line in headwater("retention", *options).stdout.splitlines()
        if line.startswith("shop.vouchers")
    )
    assert row.split("\t")[3:6] == ["1 year", "shop.customers", "Orders"]
    assert row.endswith("not stated")


def test_what_is_not_known_makes_it_incomplete(workdir: Path, store: str) -> None:
    options = (*stated(workdir, "until the end"), *AS_OF, "--store", store, "--strict")
    answer = headwater("retention", *options)
    assert answer.exit_code == 4, answer.output
    assert "UNCLEAR_RETENTION" in answer.output
    assert "no period of retention is stated" in answer.output


def test_without_a_classification_nothing_is_known(workdir: Path, store: str) -> None:
    assert headwater("retention", "--store", store).exit_code == 5


def test_more_than_the_limit_are_counted(target: Sequence[str], workdir: Path) -> None:
    options = (*stated(workdir, "1 year"), *AS_OF, *target)
    every = json.loads(headwater("retention", *options, "--json").stdout)["overdue"]
    answer = headwater("retention", *options, "--limit", "1")
    assert f"{len(every) - 1} more: --limit" in answer.output
