"""Five jobs over orders, sales and tweets; the last reads what the others kept, in part what they cannot have kept."""

import sys

from pyspark.sql import SparkSession

orders, tweets, out = sys.argv[1:]
spark = SparkSession.builder.appName("five").getOrCreate()

sales = spark.read.schema("category string, amount int").csv(
    [f"{orders}/sales_part1.csv", f"{orders}/sales_part2.csv"]
)
sales.where("category IN ('electronics', 'toys')").write.parquet(f"{out}/chosen")

ordered = spark.read.schema("id string, customer string, amount int").csv(f"{orders}/orders2.csv")
ordered.where("amount >= 100").write.parquet(f"{out}/large")

customers = spark.read.schema("customer string, name string").csv(f"{orders}/customers.csv")
large = spark.read.parquet(f"{out}/large")
large.join(customers, "customer").select("id", "name", "amount").write.parquet(f"{out}/named")

plain = spark.read.json(tweets).where("retweet_count = 0")
plain.selectExpr("text", "user.name AS name", "retweet_count AS count").write.parquet(f"{out}/plain")

chosen, named, plain = (spark.read.parquet(f"{out}/{name}") for name in ("chosen", "named", "plain"))
toys = chosen.where("category = 'toys'").selectExpr("category AS what", "amount AS number")
small = named.where("amount < 100").selectExpr("id AS what", "amount AS number")
shared = plain.where("count > 0").selectExpr("text AS what", "int(count) AS number")
toys.union(small).union(shared).write.parquet(f"{out}/report")
spark.stop()
