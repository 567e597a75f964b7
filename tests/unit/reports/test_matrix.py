"""The whole exposure matrix as CSV and JSON."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from headwater_backend.privacy.exposure import exposure
from headwater_backend.reports.exposure_matrix import write_csv, write_json
from kit.memory_store import MemoryStore, graph, node


def test_the_files_have_every_path(tmp_path: Path) -> None:
    edges = "t:user.mail -IDENTITY-> m:mail @=copy()\nm:mail -HASH-> o:token @hash"
    store = MemoryStore(graph(edges), tags=[(node("t:user.mail"), "pii", "true")])
    report = exposure(store)
    write_csv(store, report, tmp_path / "all.csv")
    write_json(store, report, tmp_path / "all.json")
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["holder dataset"], row["holder path"], row["form"]) for row in rows] == [
        ("m", "mail", "IDENTITY"),
        ("o", "token", "PSEUDONYMISED"),
    ]
    assert [row["jobs"] for row in rows] == ["'=copy()", "'=copy() → hash"]
    whole = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert whole["complete"] and whole["totalCount"] == 2
    (attribute,) = whole["attributes"]
    assert [out["form"] for out in attribute["outputs"]] == ["IDENTITY", "PSEUDONYMISED"]
