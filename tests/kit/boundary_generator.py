"""Generates reports over the boundary's data: chains of selections, joins and groups, as programs of PySpark."""

from __future__ import annotations

import random
from collections.abc import Iterator

_TABLES = {
    "orders": {
        "keys": [
            "status",
            "channel",
            "product_id",
            "F.year('ordered')",
            "F.col('quantity') % 3",
            "F.upper('status')",
        ],
        "numbers": [
            "amount",
            "quantity",
            "price",
            "F.col('quantity') * F.col('price')",
            "F.coalesce('amount', F.lit(0))",
        ],
        "filters": [
            "quantity > 3",
            "status = 'paid'",
            "amount IS NOT NULL",
            "price < 30 OR channel = 'web'",
            "month(ordered) < 6",
        ],
        "plain": ["quantity", "order_id", "ordered", "channel"],
        "distinct": ["product_id", "channel", "customer_id"],
    },
    "tweets": {
        "keys": ["lang", "day", "F.month('day')", "F.size('tags')"],
        "numbers": ["retweet_count", "F.size('mentions')", "F.col('user.followers')", "F.length('text')"],
        "filters": ["lang <> 'fr'", "retweet_count > 0", "size(tags) > 1", "user.followers > 300"],
        "plain": ["retweet_count", "day", "lang"],
        "distinct": ["lang", "user.id_str", "day"],
    },
    "telemetry": {
        "keys": ["model", "metric", "ok", "F.hour('at')", "F.concat_ws('-', 'model', 'metric')"],
        "numbers": ["value", "F.col('ok').cast('int')", "F.round('value')"],
        "filters": ["value > 1000", "ok", "metric IN ('temp', 'rpm')", "at > timestamp'2025-01-03 00:00:00'"],
        "plain": ["value", "at", "model"],
        "distinct": ["device", "owner", "metric"],
    },
    "licences": {
        "keys": ["product", "renewed", "F.year('starts')", "F.col('features')['tier']"],
        "numbers": ["seats", "F.datediff('ends', 'starts')", "F.when(F.col('renewed'), F.col('seats'))"],
        "filters": ["seats > 10", "renewed", "ends IS NOT NULL", "product <> 'max'"],
        "plain": ["seats", "starts", "product"],
        "distinct": ["product", "holder", "starts"],
    },
}
_FIGURES = (
    *("sum", "avg", "stddev", "var_pop", "count", "var_samp", "stddev_pop"),
    *("skewness", "kurtosis", "median", "sum_distinct"),
)
_OF_TWO = (
    "corr",
    "covar_pop",
    "covar_samp",
    "regr_slope",
    "regr_intercept",
    "regr_r2",
    "regr_sxy",
    "regr_count",
)
_EXTREMES = ("min", "max", "collect_set")


def programs(seeds: range) -> Iterator[tuple[str, str]]:
    """A program for each seed, without its beginning."""
    for seed in seeds:
        yield f"generated_{seed}", _program(random.Random(seed))


def _program(r: random.Random) -> str:
    name = r.choice(list(_TABLES))
    table = _TABLES[name]
    lines = [f'{name} = spark.read.parquet(f"{{data}}/{name}")']
    frame = name
    for _ in range(r.randrange(3)):
        lines.append(f'{frame}_part = {frame}.filter("{r.choice(table["filters"])}")')
        frame += "_part"
    keys = r.sample(table["keys"], r.choice((0, 1, 1, 2, 2)))
    if name == "orders" and r.random() < 0.4:
        kind = r.choice(("inner", "left"))
        lines.append('products = spark.read.parquet(f"{data}/products")')
        lines.append(f'with_products = {frame}.join(products, "product_id", "{kind}")')
        frame, keys = "with_products", [*keys[:1], "category"]
    if name == "orders" and r.random() < 0.3:
        lines.append(
            'people = spark.read.parquet(f"{data}/customers")'
            '.select(F.col("id").alias("customer_id"), "country", "segment")'
        )
        lines.append(f'with_people = {frame}.join(people, "customer_id")')
        frame, keys = "with_people", [*keys[:1], r.choice(("country", "segment"))]
    if r.random() < 0.25:
        number = r.choice(table["numbers"])
        column = f"({number})" if number.startswith("F.") else f'F.col("{number}")'
        lines.append(f'mean = {frame}.agg(F.avg({column}).alias("mean_value"))')
        lines.append(f'above = {frame}.crossJoin(mean).filter({column} > F.col("mean_value"))')
        frame = "above"
    lines.append(f"groups = {_grouped(r, frame, keys)}.agg({', '.join(_aggregates(r, table))})")
    lines += _after(r, len(keys))
    return "\n".join(lines) + "\n"


def _grouped(r: random.Random, frame: str, keys: list[str]) -> str:
    columns = [each if each.startswith("F.") else f'F.col("{each}")' for each in keys]
    named = [f'({each}).alias("k{number}")' for number, each in enumerate(columns)]
    how = r.choice(("groupBy", "groupBy", "groupBy", "rollup", "cube")) if keys else "groupBy"
    return f"{frame}.{how}({', '.join(named)})"


def _aggregates(r: random.Random, table: dict[str, list[str]]) -> list[str]:
    made = []
    for n in range(r.randrange(1, 5)):
        sort = r.random()
        if sort < 0.6:
            value, other = (_column(r.choice(table["numbers"])) for _ in range(2))
            figure = r.random()
            if figure < 0.7:
                made.append(f'F.{r.choice(_FIGURES)}({value}).alias("a{n}")')
            elif figure < 0.9:
                made.append(f'F.{r.choice(_OF_TWO)}({value}, {other}).alias("a{n}")')
            else:
                made.append(f'F.percentile_approx({value}, [0.1, 0.{r.randrange(2, 9)}]).alias("a{n}")')
        elif sort < 0.75:
            made.append(f'F.countDistinct("{r.choice(table["distinct"])}").alias("a{n}")')
        else:
            made.append(f'F.{r.choice(_EXTREMES)}("{r.choice(table["plain"])}").alias("a{n}")')
    return [*made, 'F.count("*").alias("n")']


def _column(text: str) -> str:
    return text if text.startswith("F.") else f'F.col("{text}")'


def _after(r: random.Random, keys: int) -> list[str]:
    lines, frame = [], "groups"
    if r.random() < 0.4:
        lines.append(f'large = {frame}.filter("n > {r.randrange(4)}")')
        frame = "large"
    if keys and r.random() < 0.4:
        lines.append('window = Window.partitionBy(groups.columns[0]).orderBy(F.desc("n"))')
        lines.append(f'{frame}_ranked = {frame}.withColumn("place", F.rank().over(window))')
        frame += "_ranked"
    if r.random() < 0.3:
        lines.append(f'total = {frame}.agg(F.sum("n").alias("total"))')
        share = 'withColumn("share", F.col("n") / F.col("total"))'
        lines.append(f"{frame}_share = {frame}.crossJoin(total).{share}")
        frame += "_share"
    lines.append(f'{frame}.write.mode("overwrite").parquet(f"{{out}}/result")')
    return lines
