"""Data of three regions, one of them empty, with names, mails and ids that can be searched for in what left a
region.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

REGIONS = ("north", "south", "empty")
_COUNTRIES = ("DE", "FR", "IT", "PL", None)
_LANGS = ("en", "de", "fr")
_DDL = {
    "customers": "id long, name string, email string, country string, segment string, born date, age int",
    "orders": "order_id long, customer_id long, product_id int, amount decimal(12,2), quantity int, price double, "
    "ordered timestamp, status string, channel string, note string",
    "tweets": "id long, text string, lang string, retweet_count int, user struct<id_str:string,name:string,"
    "followers:int>, mentions array<struct<id_str:string,name:string>>, tags array<string>, day date",
    "telemetry": "device string, owner string, model string, metric string, value double, at timestamp, ok boolean",
    "licences": "licence string, holder string, email string, product string, seats int, starts date, ends date, "
    "renewed boolean, features map<string,string>",
    "products": "product_id int, product string, category string, cost decimal(8,2), weight double",
    "countries": "country string, area string, population long",
}
REGIONAL = ("customers", "orders", "tweets", "telemetry", "licences")
SHARED = ("products", "countries")

RULES = """
- {dataset: "* */customers", path: "id", category: user.unique_id}
- {dataset: "* */customers", path: "name", category: user.name}
- {dataset: "* */customers", path: "email", category: user.contact.email}
- {dataset: "* */orders", path: "customer_id", category: user.unique_id}
- {dataset: "* */orders", path: "note", category: user.content.private}
- {dataset: "* */tweets", path: "user.id_str", category: user.unique_id}
- {dataset: "* */tweets", path: "user.name", category: user.name}
- {dataset: "* */tweets", path: "text", category: user.content.public}
- {dataset: "* */tweets", path: "mentions[].id_str", category: user.unique_id}
- {dataset: "* */tweets", path: "mentions[].name", category: user.name}
- {dataset: "* */telemetry", path: "owner", category: user.unique_id}
- {dataset: "* */licences", path: "holder", category: user.name}
- {dataset: "* */licences", path: "email", category: user.contact.email}
"""


def policy(data: Path, out: Path, **more: Any) -> dict[str, Any]:
    """The policy of the company that has these data."""
    return {
        "shared": ["*/products", "*/countries"],
        "places": {f"{data}/all/": f"{data}/{{region}}/", f"{out}/": f"{out}/inside/{{region}}/"},
        "colocated": {
            "customer": ["*/orders customer_id", "*/customers id"],
            "author": ["*/tweets user.id_str"],
            "owner": ["*/telemetry owner"],
            "licence": ["*/licences licence", "*/licences holder"],
        },
        "sketches": True,
        **more,
    }


def person(region: str, number: int) -> str:
    """A token that stands in the personal values of one person alone."""
    return f"zq{region[:1]}{number:03d}x"


def rows(region: str, seed: int) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of one region: none of the empty one."""
    import datetime as dt

    if region == "empty":
        return {name: [] for name in REGIONAL}
    r = random.Random(f"{region}{seed}")
    first = {"north": 1_000, "south": 5_000}[region]
    customers = [
        (
            first + n,
            f"Name {person(region, n)}",
            f"{person(region, n)}@mail.example",
            r.choice(_COUNTRIES),
            r.choice(("retail", "business", "state")),
            dt.date(1950 + r.randrange(50), 1 + r.randrange(12), 3),
            r.choice((None, 20 + r.randrange(50))),
        )
        for n in range(30)
    ]
    base = dt.datetime(2025, 1, 1)
    orders = [
        (
            first * 1_000 + n,
            first + r.randrange(30),
            r.choice((1, 2, 3, 4, 5, 99, None)),
            r.choice((None, Decimal(r.randrange(1, 100_000)) / 100)),
            r.randrange(1, 9),
            r.choice((None, r.random() * 50)),
            base + dt.timedelta(hours=r.randrange(8_000)),
            r.choice(("open", "paid", "sent", "returned")),
            r.choice(("web", "shop", None)),
            r.choice((None, f"for {person(region, r.randrange(30))}")),
        )
        for n in range(160)
    ]
    tweets = [
        (
            first * 1_000 + n,
            f"hello {person(region, r.randrange(30))}",
            r.choice(_LANGS),
            r.choice((0, 0, 3, 12, None)),
            (f"u{person(region, n % 20)}", f"N {person(region, n % 20)}", r.randrange(900)),
            [
                (f"u{person(region, m)}", f"M {person(region, m)}")
                for m in r.sample(range(30), r.randrange(4))
            ],
            r.sample(["spark", "sql", "data", "news", "fun"], r.randrange(4)),
            dt.date(2025, 1 + r.randrange(6), 1 + r.randrange(27)),
        )
        for n in range(90)
    ]
    telemetry = [
        (
            f"dev{first + r.randrange(25)}",
            f"o{person(region, r.randrange(25))}",
            r.choice(("a1", "b2", "c3")),
            r.choice(("temp", "load", "rpm")),
            r.choice((None, r.gauss(1000, 3))),
            base + dt.timedelta(minutes=r.randrange(9_000)),
            r.choice((True, False, None)),
        )
        for n in range(150)
    ]
    licences = [
        (
            f"L{first + n}",
            f"H {person(region, n % 25)}",
            f"{person(region, n % 25)}@firm.example",
            r.choice(("basic", "pro", "max")),
            r.randrange(1, 50),
            dt.date(2024, 1 + r.randrange(12), 1),
            r.choice((None, dt.date(2026, 1 + r.randrange(12), 1))),
            r.random() < 0.5,
            {"tier": r.choice(("x", "y")), "sso": r.choice(("on", "off"))},
        )
        for n in range(60)
    ]
    return {
        "customers": customers,
        "orders": orders,
        "tweets": tweets,
        "telemetry": telemetry,
        "licences": licences,
    }


def shared_rows() -> dict[str, list[tuple[Any, ...]]]:
    """The rows of what is the same everywhere."""
    return {
        "products": [(n, f"product {n}", "ab"[n % 2], Decimal(n) / 4, n * 1.5) for n in range(1, 7)],
        "countries": [("DE", "west", 83), ("FR", "west", 68), ("IT", "south", 59), ("ES", "south", 48)],
    }


def write(spark: Any, data: Path, seed: int = 7) -> None:
    """Write all regions, their union in ``all``, and what is shared in each of them."""
    parts = {region: rows(region, seed) for region in REGIONS}
    for name in REGIONAL:
        for region in REGIONS:
            _write(spark, data / region / name, parts[region][name], _DDL[name])
        _write(
            spark, data / "all" / name, [row for region in REGIONS for row in parts[region][name]], _DDL[name]
        )
    for name, given in shared_rows().items():
        _write(spark, data / "all" / name, given, _DDL[name])


def _write(spark: Any, folder: Path, given: list[tuple[Any, ...]], ddl: str) -> None:
    spark.createDataFrame(given, ddl).coalesce(1).write.mode("overwrite").parquet(str(folder))


def tokens() -> Iterator[str]:
    """What stands in personal values."""
    for region in ("north", "south"):
        for number in range(30):
            yield person(region, number)
