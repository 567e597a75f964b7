"""TPC-H's tables in three regions, one of them empty: a customer's orders and items lie where the customer does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kit.shared import ROOT, shared

REGIONS = ("north", "south", "empty")
SHARED = ("part", "partsupp", "supplier", "nation", "region")
"""No table of these speaks of a customer."""
CATEGORIES_OF = {
    "q13": ("user.unique_id", "user.content.private"),
    "q22": ("user.contact.phone_number", "user.financial"),
}
"""Queries whose groups are by something that is made of each customer's data, and the categories of these."""
NOT_AS_THEY_ARE = ("transformed", "derived", "aggregated", "masked", "influenced")
_OF_REGION = {"north": "{} % 2 = 0", "south": "{} % 2 = 1", "empty": "false"}
_CUSTOMER = {"customer": "c_custkey", "orders": "o_custkey", "lineitem": "o_custkey"}

RULES = """
- {dataset: "* */customer", path: c_custkey, category: user.unique_id}
- {dataset: "* */customer", path: c_name, category: user.name}
- {dataset: "* */customer", path: c_address, category: user.contact.address.street}
- {dataset: "* */customer", path: c_phone, category: user.contact.phone_number}
- {dataset: "* */customer", path: c_acctbal, category: user.financial}
- {dataset: "* */customer", path: c_comment, category: user.content.private}
- {dataset: "* */orders", path: o_orderkey, category: user.unique_id}
- {dataset: "* */orders", path: o_custkey, category: user.unique_id}
- {dataset: "* */orders", path: o_comment, category: user.content.private}
- {dataset: "* */lineitem", path: l_orderkey, category: user.unique_id}
"""


def policy(data: Path, out: Path, **more: Any) -> dict[str, Any]:
    """The policy of the company that has these data."""
    return {
        "shared": [f"*/{table}" for table in SHARED],
        "places": {f"{data}/all/": f"{data}/{{region}}/", f"{out}/": f"{out}/inside/{{region}}/"},
        "colocated": {
            "customer": ["*/customer c_custkey", "*/orders o_custkey"],
            "order": ["*/orders o_orderkey", "*/lineitem l_orderkey"],
        },
        "sketches": True,
        **more,
    }


def write(spark: Any, data: Path) -> None:
    """Write the tables of all regions, their union in ``all``, and there what is the same everywhere."""
    tables = {file.stem: spark.read.parquet(str(file)) for file in shared("data/tpch").glob("*.parquet")}
    for name in SHARED:
        _write(tables[name], data / "all" / name)
    owners = tables["orders"].selectExpr("o_orderkey AS l_orderkey", "o_custkey")
    tables["lineitem"] = (
        tables["lineitem"].join(owners, "l_orderkey").select(*tables["lineitem"].columns, "o_custkey")
    )
    for name, customer in _CUSTOMER.items():
        extra = [customer] if name == "lineitem" else []
        _write(tables[name].drop(*extra), data / "all" / name)
        for region, condition in _OF_REGION.items():
            _write(tables[name].where(condition.format(customer)).drop(*extra), data / region / name)


def _write(frame: Any, folder: Path) -> None:
    frame.coalesce(1).write.mode("overwrite").parquet(str(folder))


def tokens() -> Iterator[str]:
    """What stands in personal values, and nowhere else."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(
        shared("data/tpch") / "customer.parquet", columns=["c_name", "c_phone"]
    )
    for row in table.to_pylist():
        yield from row.values()


def queries() -> dict[str, str]:
    """TPC-H's queries, by name."""
    text = (ROOT / "tests" / "live" / "jobs" / "tpch.sql").read_text("utf-8")
    parts = (part.split("\n", 1) for part in text.split("\n-- ")[1:])
    return {name.strip(): query for name, query in parts}


def jobs() -> Iterator[tuple[str, str]]:
    """A program for each of TPC-H's queries, without the beginning that all programs have in common."""
    tables = (*SHARED, *_CUSTOMER)
    views = "".join(
        f'spark.read.parquet(f"{{data}}/{table}").createOrReplaceTempView("{table}")\n' for table in tables
    )
    for name, query in queries().items():
        answer = f'answer = spark.sql("""\n{query}""")\nanswer.write.parquet(f"{{out}}/{name}")\n'
        yield name, views + answer
        if categories := CATEGORIES_OF.get(name):
            forms = dict.fromkeys(categories, NOT_AS_THEY_ARE)
            yield f"{name}_allowed", f"# policy: {json.dumps({'forms': forms})}\n{views}{answer}"
