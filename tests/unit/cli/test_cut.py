"""``headwater cut``: the least changes of jobs that end violations of policies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from kit.command import headwater
from kit.reports import REPORTS


@pytest.fixture
def policy(workdir: Path) -> Path:
    file = workdir / "policy.yaml"
    file.write_text("- {policy: vouchers, category: user.contact, dataset: '* shop.vouchers'}", "utf-8")
    return file


def test_the_least_changes_are_listed_with_their_jobs(target: Sequence[str], policy: Path) -> None:
    options: tuple[str | Path, ...] = (policy, "--rules", REPORTS / "rules.yaml", *target)
    answer = headwater("cut", *options, "--json")
    assert answer.exit_code == 6, answer.output
    found = json.loads(answer.stdout)
    (cut,) = found["cuts"]
    costs = [each["cost"] for each in cut["alternatives"]]
    assert costs == sorted(costs) and costs[0] == 1
    (change,) = cut["alternatives"][0]["changes"]
    assert change["kind"] == "MASK"
    shown = headwater("cut", *options).stdout
    assert f"mask {change['node']['name']} {change['node']['label']} in {change['job']['title']}" in shown
    assert "vouchers: shop.vouchers" in shown


def test_what_costs_forbid_is_reported(target: Sequence[str], policy: Path, workdir: Path) -> None:
    costs = workdir / "costs.yaml"
    costs.write_text("kinds: {mask: never, aggregate: never, drop: never}", "utf-8")
    options: tuple[str | Path, ...] = (policy, "--rules", REPORTS / "rules.yaml", "--costs", costs, *target)
    assert "ended by no changes that the costs allow" in headwater("cut", *options).stdout
    costs.write_text("kinds:\n  mask: cheap", "utf-8")
    answer = headwater("cut", *options)
    assert answer.exit_code != 0 and "costs.yaml" in answer.output and "line 2" in answer.output


def test_without_violations_nothing_is_to_change(target: Sequence[str], policy: Path) -> None:
    policy.write_text("- {policy: none, category: user.contact, dataset: '* nowhere'}", "utf-8")
    answer = headwater("cut", policy, "--rules", REPORTS / "rules.yaml", *target)
    assert answer.exit_code == 0 and "no violation is known" in answer.output
