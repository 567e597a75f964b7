"""The definitions of a declarative pipeline: views, a table with two flows, and a sink. IN and OUT are replaced."""

from pyspark import pipelines as dp
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.active()
PEOPLE = "id long, name string, contact struct<mail:string>, visits array<struct<place:string>>"


@dp.materialized_view
def people():
    return spark.read.schema(PEOPLE).json("IN")


@dp.temporary_view
def mails():
    return spark.read.table("people").select("id", F.col("contact.mail").alias("mail"))


@dp.materialized_view
def letters():
    return spark.read.table("mails").select(F.upper("mail").alias("address"))


dp.create_streaming_table("words")


@dp.append_flow(target="words", name="of_places")
def of_places():
    visits = spark.readStream.schema(PEOPLE).json("IN").select(F.explode("visits").alias("visit"))
    return visits.select(F.col("visit.place").alias("word"))


@dp.append_flow(target="words", name="of_names")
def of_names():
    return spark.readStream.schema(PEOPLE).json("IN").select(F.col("name").alias("word"))


dp.create_sink("sent", "parquet", {"path": "OUT"})


@dp.append_flow(target="sent", name="to_sent")
def to_sent():
    return spark.readStream.table("words").select(F.lower("word").alias("sent"))
