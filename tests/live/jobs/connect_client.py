"""What a Spark Connect client does: a read, a write, and rows for itself.

connect_client.py sc://HOST:PORT TWEETS.ndjson OUT
"""

import faulthandler
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(server: str, tweets: str, out: str) -> None:
    spark = SparkSession.builder.remote(f"{server}/;user_id=ada").appName("Client job").getOrCreate()
    read = spark.read.json(tweets)
    read.where("retweet_count = 0").select(F.col("user.name").alias("who")).write.parquet(out)
    print(len(read.select("text").toPandas()), "rows")
    spark.stop()


if __name__ == "__main__":
    # A client that waits in vain says where, before the test that runs it gives up.
    faulthandler.dump_traceback_later(240, exit=True)
    main(*sys.argv[1:])
