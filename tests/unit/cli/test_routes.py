"""``headwater witness`` and ``headwater impact``: routes between paths, and effects of changes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kit.command import headwater


def test_a_witness_names_the_jobs_on_the_route(target: Sequence[str]) -> None:
    answer = headwater("witness", "customers#email", "vouchers#customer_email", "--json", *target)
    (route,) = json.loads(answer.stdout)["witnesses"]
    assert [step["job"]["name"] for step in route["steps"]] == [
        "collect_recent_parcels",
        "rate_recent_parcels",
    ]
    lines = headwater("witness", "customers#email", "vouchers#customer_email", *target).stdout.splitlines()
    assert [line.split("\t")[1] for line in lines] == ["step", "1", "2"]


def test_a_missing_route_is_reported_with_a_hint_about_influences(store: str) -> None:
    answer = headwater("witness", "vouchers", "customers", "--store", store)
    assert answer.exit_code == 0
    assert "vouchers has no route to customers" in answer.stderr
    assert "--indirect" in answer.stderr
    assert answer.stdout == ""


def test_an_unknown_end_of_a_witness_is_not_found(store: str) -> None:
    answer = headwater("witness", "customers#emai", "vouchers", "--store", store)
    assert answer.exit_code == 3
    assert "'email'" in answer.stderr


def test_impact_lists_outputs_and_jobs(target: Sequence[str]) -> None:
    answer = headwater("impact", "customers", "email", "--json", *target)
    found = json.loads(answer.stdout)
    assert [(job["name"], job["reads"]) for job in found["jobs"]] == [
        ("collect_recent_parcels", True),
        ("rate_recent_parcels", False),
    ]
    assert found["outputs"][0]["name"] == "shop.recent_parcels"
    rows = [
        line.split("\t") for line in headwater("impact", "customers", "email", *target).stdout.splitlines()
    ]
    assert {row[0] for row in rows[1:]} == {"job", "output"}


def test_cut_impact_is_reported_by_the_exit_code(store: str) -> None:
    answer = headwater("impact", "customers", "email", "--depth", "1", "--strict", "--store", store)
    assert answer.exit_code == 4
    assert "incomplete: DEPTH" in answer.stdout
