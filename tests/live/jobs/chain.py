"""Three jobs, one after the other: a file, a table, and a file again.

chain.py TWEETS.ndjson OUT
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(tweets: str, out: str) -> None:
    spark = SparkSession.builder.appName("Chain").getOrCreate()
    mentions = spark.read.json(tweets).select("id_str", F.explode("entities.user_mentions").alias("mention"))
    mentions.write.parquet(f"{out}/mentions")

    seen = spark.read.parquet(f"{out}/mentions").select("mention.*", F.col("id_str").alias("tweet"))
    seen.groupBy("id_str", "name").agg(F.collect_set("tweet").alias("tweets")).write.saveAsTable("mentioned")

    people = spark.table("mentioned").select(
        F.struct(F.col("name").alias("known_as"), "id_str").alias("person"), F.size("tweets").alias("count")
    )
    people.where("count > 1").write.json(f"{out}/often_mentioned")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
