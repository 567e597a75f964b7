"""RDDs that are written to files without a query, in each of Spark's ways, and read again.

rdd_writes.py TWEETS.ndjson OUT
"""

import sys

from pyspark.sql import SparkSession


def main(tweets: str, out: str) -> None:
    spark = SparkSession.builder.appName("RDD writes").getOrCreate()
    context = spark.sparkContext
    read = spark.read.json(tweets)
    read.select("lang", "id_str").rdd.map(lambda row: row.lang).saveAsTextFile(f"{out}/text")
    read.select("lang").rdd.saveAsPickleFile(f"{out}/pickle")
    context.textFile(f"{out}/text").map(lambda line: (line, 1)).saveAsSequenceFile(f"{out}/sequence")
    context.textFile(f"{out}/text").map(lambda line: (line, 1)).saveAsNewAPIHadoopFile(
        f"{out}/new",
        "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat",
        keyClass="org.apache.hadoop.io.Text",
        valueClass="org.apache.hadoop.io.IntWritable",
    )
    context.pickleFile(f"{out}/pickle").toDF(["lang"]).write.parquet(f"{out}/again")
    context.parallelize(["a"]).saveAsTextFile(f"{out}/constants")
    try:
        context.textFile(f"{out}/text").map(lambda line: 1 // 0).saveAsTextFile(f"{out}/failed")
    except Exception as e:  # noqa: BLE001 - any failure will do
        print("caught", type(e).__name__)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
