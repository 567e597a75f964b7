"""The answer of a job that is split in two stages, as the process that splits gives it."""

from __future__ import annotations

from typing import Any


def placed(number: int, line: int, operator: str, side: str, *inputs: int, **more: Any) -> dict[str, Any]:
    """A row set as the answer of a split has it."""
    usual = {"name": "", "source": "", "stage": 1, "why": "made of one region's rows", "target": False}
    return {
        "number": number, "line": f"job.py:{line}", "operator": operator, "side": side, "inputs": inputs,
        **usual, **more,
    }  # fmt: skip


def crossing(name: str, of: int, line: int, *, back: bool = False, stage: int = 1) -> dict[str, Any]:
    columns = [{"name": "n", "type": "bigint", "why": "a number of rows"}]
    return {
        "name": name, "of": of, "back": back, "stage": stage, "line": f"job.py:{line}", "columns": columns,
        "leastGroup": 5,
    }  # fmt: skip


MADE: dict[str, Any] = {
    "job": {"namespace": "default", "name": "report"},
    "files": {},
    "stages": 2,
    "open": [],
    "leastGroup": 5,
    "intermediates": [
        crossing("by_country", 2, 6),
        crossing("overall", 3, 7),
        crossing("overall_2", 3, 7, back=True),
        crossing("above", 6, 10, stage=2),
    ],
    "placements": [
        placed(0, 3, "LogicalRelation", "inside", name="orders", source="/data/orders",
               why="/data/orders holds personal data"),
        placed(1, 5, "Filter", "inside", 0, name="large"),
        placed(2, 6, "Aggregate", "outside", 1, name="by_country", target=True,
               why="groups of all regions put together"),
        placed(3, 7, "Aggregate", "outside", 0, name="overall", target=True),
        placed(4, 8, "Sort", "outside", 2, name="report"),
        placed(5, 10, "Join", "inside", 0, 3, stage=2),
        placed(6, 10, "Aggregate", "outside", 5, name="above", target=True, stage=2),
    ],
}  # fmt: skip
