"""Asks which records of tables of Delta or Iceberg made a result, judged by tokens that another reader finds there.

Its arguments are the kind of table and a folder; it prints what it found as JSON.
"""

import json
import sys
import warnings

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr

KIND, FOLDER = sys.argv[1:3]
P = "" if KIND == "delta" else "lake.db."
LAZY = {
    "delta": "'delta.enableDeletionVectors'='true'",
    "iceberg": "'write.delete.mode'='merge-on-read','write.update.mode'='merge-on-read'",
}[KIND]


def claim(wanted, answer):
    """What an answer says: the tokens that it has to have, and the places of the records that it names."""
    return [sorted(wanted), sorted([*each.id] for each in answer.items())]


def tables(spark):
    """Rows in several files, of which some were deleted and others were changed without a new file."""
    if P:
        spark.sql("CREATE NAMESPACE lake.db")
    for name, extra in (("sales", "k INT"), ("shops", "k INT, town STRING")):
        spark.sql(
            f"CREATE TABLE {P}{name} (token STRING, {extra}) USING {KIND} PARTITIONED BY (k) TBLPROPERTIES ({LAZY})"
            if name == "sales"
            else f"CREATE TABLE {P}{name} (token STRING, {extra}) USING {KIND}"
        )
    for part in range(3):
        made = spark.range(40).selectExpr(f"concat('s{part}-', id) AS token", "CAST(id % 4 AS INT) AS k")
        made.coalesce(1).writeTo(f"{P}sales").append()
    shops = [(f"shop-{number}", number, f"town {number % 2}") for number in range(4)]
    spark.createDataFrame(shops, "token string, k int, town string").coalesce(1).writeTo(
        f"{P}shops"
    ).append()
    spark.sql(f"DELETE FROM {P}sales WHERE token LIKE '%-1%' AND token <> 's1-11'")
    spark.sql(f"UPDATE {P}sales SET token = concat(token, '+') WHERE token LIKE 's2-2_'")


def claims(frame, names):
    """What is said of each row of a frame that has tokens under these names."""
    found = []
    for row in frame.collect():
        where = F.lit(True)
        for name in names:
            where &= F.col(name).eqNullSafe(F.lit(row[name]))
        found.append(claim({row[name] for name in names}, hr.why(frame, where=where)))
    return found


def failure(call):
    try:
        call()
    except hr.RecordsError as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


def first(spark):
    """The version after the first rows were appended."""
    if not P:
        return 1
    history = spark.sql(f"SELECT snapshot_id FROM {P}sales.snapshots ORDER BY committed_at")
    return history.first()[0]


def asked(spark):
    sales, shops = spark.table(f"{P}sales"), spark.table(f"{P}shops").withColumnRenamed("token", "shop")
    joined = sales.where("k <> 2").join(shops, "k").where("token LIKE '%5%' OR token LIKE '%2%'")
    early = spark.sql(f"SELECT token FROM {P}sales VERSION AS OF {first(spark)} WHERE token LIKE '%-1%'")
    grouped = sales.groupBy("k").agg(F.collect_set("token").alias("made"))
    groups = [claim(row["made"], hr.why(grouped, where=f"k = {row['k']}")) for row in grouped.collect()]
    return {
        "filter": claims(sales.where("token LIKE '%3'"), ["token"]),
        "join": claims(joined.where("k = 1"), ["token", "shop"]),
        "version": [early.count(), claims(early, ["token"])],
        "group": groups,
        "rows": sales.count(),
    }


def said(written, token):
    """What is said of the written row with a token."""
    return claim({token}, written.why(where=F.col("token") == token))


def captured_writes(spark):
    """Writes of files that read a table, and writes of tables."""
    sales = spark.table(f"{P}sales").where("k = 3")
    named = spark.sql(f"SELECT token FROM {P}sales VERSION AS OF {first(spark)}").where("token LIKE '%7'")
    found = {}
    for mode in ("demand", "ends", "full"):
        with hr.capture(spark, into=f"{FOLDER}/records", mode=mode) as captured:
            named.write.parquet(f"{FOLDER}/named_{mode}")
            sales.write.parquet(f"{FOLDER}/newest_{mode}")
        out = captured.written(f"{FOLDER}/named_{mode}")
        judged = [said(out, row["token"]) for row in named.collect()]
        newest = captured.runs[1].refused
        again = []
        if not newest:
            out = captured.written(f"{FOLDER}/newest_{mode}")
            again = [said(out, row["token"]) for row in sales.collect()]
        found[mode] = {"named": judged, "newest": newest, "answers": again}
    with hr.capture(spark, into=f"{FOLDER}/records") as captured:
        sales.write.parquet(f"{FOLDER}/later")
        spark.sql(f"INSERT INTO {P}sales VALUES ('late', 0)")
        found["later"] = captured.runs[0].refused or failure(
            lambda: captured.written(f"{FOLDER}/later").why(where="token = 's0-7'")
        )
        spark.sql(
            f"MERGE INTO {P}sales t USING {P}shops s ON t.token = s.token WHEN NOT MATCHED THEN"
            " INSERT (token, k) VALUES (s.token, s.k)"
        )
        sales.writeTo(f"{P}sales").append()
    found["tables"] = [each.refused for each in captured.runs[1:]]
    found["merged"] = spark.table(f"{P}sales").where("token LIKE 'shop-%' AND k < 3").count()
    return found


def main():
    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    warnings.simplefilter("ignore", hr.RecordsWarning)
    tables(spark)
    print("FOUND " + json.dumps({"asked": asked(spark), "captured": captured_writes(spark)}))
    spark.stop()


if __name__ == "__main__":
    main()
