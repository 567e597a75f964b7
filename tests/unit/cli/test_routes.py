"""``headwater witness`` and ``headwater impact``: how a path gets somewhere, and whom it touches."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kit.command import headwater


def test_a_witness_names_the_jobs_on_the_way(place: Sequence[str]) -> None:
    answer = headwater("witness", "customers#email", "vouchers#customer_email", "--json", *place)
    (route,) = json.loads(answer.stdout)["witnesses"]
    assert [step["job"]["name"] for step in route["steps"]] == [
        "collect_recent_parcels",
        "rate_recent_parcels",
    ]
    lines = headwater("witness", "customers#email", "vouchers#customer_email", *place).stdout.splitlines()
    assert [line.split("\t")[1] for line in lines] == ["step", "1", "2"]


def test_that_nothing_gets_there_is_said_and_how_to_ask_for_influences(store: str) -> None:
    answer = headwater("witness", "vouchers", "customers", "--store", store)
    assert answer.exit_code == 0
    assert "vouchers does not get to customers" in answer.stderr
    assert "--indirect" in answer.stderr
    assert answer.stdout == ""


def test_an_unknown_end_of_a_witness_is_not_found(store: str) -> None:
    answer = headwater("witness", "customers#emai", "vouchers", "--store", store)
    assert answer.exit_code == 3
    assert "'email'" in answer.stderr


def test_impact_tells_outputs_and_jobs(place: Sequence[str]) -> None:
    answer = headwater("impact", "customers", "email", "--json", *place)
    found = json.loads(answer.stdout)
    assert [(job["name"], job["reads"]) for job in found["jobs"]] == [
        ("collect_recent_parcels", True),
        ("rate_recent_parcels", False),
    ]
    assert found["outputs"][0]["name"] == "shop.recent_parcels"
    rows = [
        line.split("\t") for line in headwater("impact", "customers", "email", *place).stdout.splitlines()
    ]
    assert {row[0] for row in rows[1:]} == {"job", "output"}


def test_impact_that_is_cut_is_told_by_the_exit_code(store: str) -> None:
    answer = headwater("impact", "customers", "email", "--depth", "1", "--strict", "--store", store)
    assert answer.exit_code == 4
    assert "incomplete: DEPTH" in answer.stdout
