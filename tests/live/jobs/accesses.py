"""Reads without writes, in each of the ways that there are, and one write between them.

accesses.py TWEETS.ndjson OUT
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(tweets: str, out: str) -> None:
    spark = SparkSession.builder.appName("Accesses").getOrCreate()
    read = spark.read.json(tweets)
    read.createOrReplaceTempView("tweets")
    read.select("user.id_str", F.col("text")).where("retweet_count = 0").collect()
    read.select("user.name").show(2)
    read.where("lang = 'en'").count()
    read.select("id_str").take(1)
    spark.sql("SELECT text FROM tweets WHERE lang = 'secret'").collect()
    read.select("text", "lang").write.partitionBy("lang").parquet(f"{out}/texts")
    spark.sql(f"INSERT OVERWRITE DIRECTORY '{out}/sql' USING parquet SELECT text, 'secret' AS s FROM tweets")
    spark.sql("SHOW TABLES").collect()
    spark.createDataFrame([(1,)], "a int").collect()
    try:
        read.select(F.assert_true(F.col("retweet_count") < 0)).collect()
    except Exception as e:  # noqa: BLE001 - any failure will do
        print("caught", type(e).__name__)
    for arrow in ("true", "false"):
        spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", arrow)
        read.select("lang").toPandas()
    read.select("text").where("lang = 'en'").foreach(lambda row: None)
    read.select("text").foreachPartition(lambda rows: None)
    read.select("lang").rdd.map(lambda row: row.lang).collect()
    spark.read.parquet(f"{out}/texts").where("lang = 'zh'").select("text").rdd.count()
    spark.sparkContext.textFile(tweets).count()
    spark.sparkContext.parallelize([1, 2]).count()
    try:
        read.select("id_str").rdd.map(lambda row: 1 // 0).count()
    except Exception as e:  # noqa: BLE001
        print("caught", type(e).__name__)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
