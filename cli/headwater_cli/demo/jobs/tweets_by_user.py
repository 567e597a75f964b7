"""A plain PySpark job: each user with the texts that they wrote or are mentioned in.

Tweets without retweets count for their author; every tweet counts for the users it mentions.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

source, target = sys.argv[1:]
spark = SparkSession.builder.appName("tweets_by_user").getOrCreate()
tweets = spark.read.json(source)

written = tweets.where("retweet_count = 0").select("text", F.struct("user.id_str", "user.name").alias("user"))
mentioned = tweets.select("text", F.explode("entities.user_mentions").alias("mention")).select(
    "text", F.struct("mention.id_str", "mention.name").alias("user")
)
by_user = written.union(mentioned).groupBy("user").agg(F.collect_list(F.struct("text")).alias("tweets"))

by_user.write.mode("overwrite").parquet(target)
spark.stop()
