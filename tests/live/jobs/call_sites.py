"""Writes, statements and actions of every kind, each on a line that names what it should be reported as.

call_sites.py OUT
"""

import sys
import threading
import traceback

from pyspark.sql import SparkSession

import headwater_spark


def main(out: str) -> None:
    spark = SparkSession.builder.appName("Call sites").getOrCreate()
    df = spark.range(3).selectExpr("id", "'a' AS name")
    df.write.json(f"{out}/before")  # not noted
    headwater_spark.note_call_sites()
    headwater_spark.note_call_sites()

    df.write.parquet(f"{out}/parquet")  # LINE parquet
    df.write.format("orc").save(f"{out}/saved")  # LINE saved
    df.write.saveAsTable("made")  # LINE made
    df.write.insertInto("made")  # LINE made
    df.writeTo("second").using("parquet").create()  # LINE second
    spark.sql("CREATE TABLE ctas USING parquet AS SELECT * FROM made")  # LINE ctas
    spark.sql(f"INSERT OVERWRITE DIRECTORY '{out}/directory' USING json TABLE made")  # LINE directory
    (
        df.write.mode("overwrite").parquet(f"{out}/chained")  # the line is that of the call  # LINE chained
    )
    write(df, f"{out}/by_function")
    described(spark, df, f"{out}/described")
    threads = [threading.Thread(target=in_thread, args=(df, f"{out}/thread{i}")) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    own_words(spark, df, out)
    failing(spark, out)
    accesses(spark)
    streaming(spark, out)
    df.write.json(f"{out}/last")  # LINE last
    assert spark.sparkContext.getLocalProperty("callSite.short") is None
    spark.stop()


def write(df, path: str) -> None:
    df.write.json(path)  # LINE by_function


def described(spark: SparkSession, df, path: str) -> None:
    spark.sparkContext.setJobDescription("the nightly load")
    df.write.json(path)  # LINE described
    spark.sparkContext.setJobDescription(None)


def in_thread(df, path: str) -> None:
    for turn in ("first", "second"):
        df.write.json(f"{path}_{turn}")  # LINE thread


def own_words(spark: SparkSession, df, out: str) -> None:
    spark.sparkContext.setLocalProperty("callSite.short", "save at /elsewhere/own.py:7")
    df.write.json(f"{out}/own_words")
    assert spark.sparkContext.getLocalProperty("callSite.short") == "save at /elsewhere/own.py:7"
    spark.sparkContext.setLocalProperty("callSite.short", None)


def failing(spark: SparkSession, out: str) -> None:
    broken = spark.range(3).selectExpr("raise_error('no')")
    try:
        broken.write.json(f"{out}/failed")  # LINE failed
    except Exception as error:  # noqa: BLE001 - any failure will do
        print("caught", type(error).__name__, "in", traceback.extract_tb(error.__traceback__)[0].name)
    assert spark.sparkContext.getLocalProperty("callSite.short") is None


def streaming(spark: SparkSession, out: str) -> None:
    arriving = spark.readStream.schema("id bigint, name string").parquet(f"{out}/parquet")

    def to(name: str):
        kept = arriving.writeStream.option("checkpointLocation", f"{out}/checkpoints/{name}")
        return kept.trigger(availableNow=True)

    def each(batch, _: int) -> None:
        batch.write.mode("append").json(f"{out}/in_batch")
        inner = to("inner").format("json").option("path", f"{out}/inner").start()  # LINE inner
        inner.awaitTermination()

    query = to("streamed").format("json").option("path", f"{out}/streamed").start()  # LINE streamed
    query.awaitTermination()
    to("to_table").toTable("to_table").awaitTermination()  # LINE to_table
    to("each").foreachBatch(each).start().awaitTermination()  # LINE in_batch
    assert spark.sparkContext.getLocalProperty("headwater.query.callSite") is None


def accesses(spark: SparkSession) -> None:
    made = spark.table("made")
    made.where("id > 0").count()  # LINE count
    made.show()  # LINE show
    made.collect()  # LINE collect
    made.toPandas()  # LINE to_pandas


if __name__ == "__main__":
    main(*sys.argv[1:])
