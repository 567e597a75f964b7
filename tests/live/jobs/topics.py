"""Kafka as a source and as a sink, in batches and in streams.

topics.py BOOTSTRAP_SERVERS ORDERS FOLDER: ORDERS is a topic that has orders in it; other topics are called after it.
"""

import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

ORDER = "id int, customer struct<name:string,mail:string>, items array<struct<sku:string,price:double>>"


def main(servers: str, orders: str, folder: str) -> None:
    spark = SparkSession.builder.appName("Topics").getOrCreate()
    kafka = {"kafka.bootstrap.servers": servers}
    source = {**kafka, "subscribe": orders, "startingOffsets": "earliest"}

    def parsed(read: DataFrame) -> DataFrame:
        order = F.from_json(F.col("value").cast("string"), ORDER)
        return read.select(order.alias("order"), "timestamp")

    batch = parsed(spark.read.format("kafka").options(**source).load())
    flat = batch.where("order.id > 0").select(
        "order.id", F.col("order.customer.mail").alias("mail"), F.explode("order.items.sku").alias("sku")
    )
    flat.write.parquet(f"{folder}/flat")

    message = F.to_json(F.struct("mail", F.col("sku").alias("what"))).alias("value")
    messages = spark.read.parquet(f"{folder}/flat").select(F.col("id").cast("string").alias("key"), message)
    messages.write.format("kafka").options(**kafka, topic=f"{orders}-messages").save()
    named = messages.select("value", F.lit(f"{orders}-named").alias("topic"))
    named.write.format("kafka").options(**kafka).save()

    assigned = f'{{"{orders}": [0], "{orders}-messages": [0]}}'
    both = spark.read.format("kafka").options(**kafka, assign=assigned).load()
    both.select("value", "topic").write.json(f"{folder}/both")

    arriving = parsed(spark.readStream.format("kafka").options(**source).load())

    def to(name: str, frame: DataFrame):
        return frame.writeStream.queryName(name).option("checkpointLocation", f"{folder}/checkpoints/{name}")

    mails = arriving.where("order.id < 9").select(F.col("order.customer.mail").alias("value"))
    query = to("mails", mails).format("kafka").options(**kafka, topic=f"{orders}-mails").start()
    query.processAllAvailable()
    more = spark.range(7, 8).selectExpr("to_json(struct(id, struct(id AS mail) AS customer)) AS value")
    more.write.format("kafka").options(**kafka, topic=orders).save()
    query.processAllAvailable()
    query.stop()

    stored = to("stored", arriving.select("order.id", F.col("order.customer").alias("who")))
    stored.trigger(availableNow=True).format("json").start(f"{folder}/stored").awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
