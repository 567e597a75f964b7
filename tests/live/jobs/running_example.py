"""Structural provenance's running example, over tweets as JSON and as Parquet, to Parquet, JSON and a table.

running_example.py TWEETS.ndjson OUT
"""

import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def users_with_their_tweets(tweets: DataFrame) -> DataFrame:
    upper = tweets.where("retweet_count = 0").select("text", "user.id_str", "user.name")
    mentions = tweets.select("text", F.explode("entities.user_mentions").alias("mention"))
    lower = mentions.select("text", "mention.id_str", "mention.name")
    users = upper.union(lower).select("text", F.struct("id_str", "name").alias("user"))
    return users.groupBy("user").agg(F.collect_list(F.struct("text")).alias("tweets"))


def main(tweets: str, out: str) -> None:
    spark = SparkSession.builder.appName("Running Example").getOrCreate()
    as_json = spark.read.json(tweets)
    as_json.write.parquet(f"{out}/tweets_parquet")
    sources = {"json": as_json, "parquet": spark.read.parquet(f"{out}/tweets_parquet")}
    for name, source in sources.items():
        result = users_with_their_tweets(source)
        result.write.parquet(f"{out}/from_{name}_to_parquet")
        result.write.json(f"{out}/from_{name}_to_json")
        result.write.saveAsTable(f"users_from_{name}")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
