"""Asks which records of tables of Delta or Iceberg made a result; judged by the tokens that are in the files.

Its arguments are the kind of table and a folder; it prints what it found as JSON.
"""

import json
import sys
import warnings
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr

KIND, FOLDER = sys.argv[1:3]
MOST = 5
"""How many rows of a result are asked about."""
P = "" if KIND == "delta" else "lake.db."
LAZY = {
    "delta": "'delta.enableDeletionVectors'='true'",
    "iceberg": "'write.delete.mode'='merge-on-read','write.update.mode'='merge-on-read'",
}[KIND]


def claim(wanted, answer):
    """The tokens that the records of an answer have to have, and those that they have."""
    return [sorted(wanted), sorted(token_at(*each.id) for each in answer.items())]


def token_at(file, position):
    """The token of a record in a file."""
    path = Path(file.removeprefix("file:"))
    return tokens(path if path.exists() else Path(unquote(str(path))))[position - 1]


@cache
def tokens(path):
    """The tokens of a file, in order, by Parquet's own reader, which knows of no table."""
    parquet = SparkSession.active()._jvm.org.apache.parquet.hadoop
    place = SparkSession.active()._jvm.org.apache.hadoop.fs.Path(str(path))
    reader = parquet.ParquetReader.builder(parquet.example.GroupReadSupport(), place).build()
    return [row.getString("token", 0) for row in iter(reader.read, None)]


def tables(spark):
    """Rows in several files, of which some were deleted and others were changed without a new file."""
    if P:
        spark.sql("CREATE NAMESPACE lake.db")
    spark.sql(
        f"CREATE TABLE {P}sales (token STRING, k INT, label STRING) USING {KIND}"
        f" PARTITIONED BY (k, label) TBLPROPERTIES ({LAZY})"
    )
    spark.sql(f"CREATE TABLE {P}shops (token STRING, k INT, town STRING) USING {KIND}")
    for part in range(3):
        made = spark.range(40).selectExpr(
            f"concat('s{part}-', id) AS token", "CAST(id % 4 AS INT) AS k", "concat('a b%', id % 2) AS label"
        )
        made.coalesce(1).writeTo(f"{P}sales").append()
    shops = [(f"shop-{number}", number, f"town {number % 2}") for number in range(4)]
    spark.createDataFrame(shops, "token string, k int, town string").coalesce(1).writeTo(f"{P}shops").append()
    spark.sql(f"DELETE FROM {P}sales WHERE token LIKE '%-1%' AND token <> 's1-11'")
    spark.sql(f"UPDATE {P}sales SET token = concat(token, '+') WHERE token LIKE 's2-2_'")


def claims(frame, names):
    """What is stated of each row of a frame that has tokens under these names."""
    found = []
    for row in frame.collect()[:MOST]:
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


def program(spark):
    return spark.table(f"{P}sales").where("k = 3").select("token", "k")


def asked(spark):
    sales, shops = spark.table(f"{P}sales"), spark.table(f"{P}shops").withColumnRenamed("token", "shop")
    joined = sales.where("k <> 2").join(shops, "k").where("token LIKE '%5%' OR token LIKE '%2%'")
    early = spark.sql(f"SELECT token FROM {P}sales VERSION AS OF {first(spark)} WHERE token LIKE '%-1%'")
    both = sales.where("k = 1").select("token").exceptAll(early)
    grouped = sales.groupBy("k").agg(F.array_sort(F.collect_set("token")).alias("made"))
    groups = [claim(row["made"], hr.why(grouped, where=f"k = {row['k']}")) for row in grouped.collect()]
    return {
        "filter": claims(sales.where("token LIKE '%3'"), ["token"]),
        "join": claims(joined.where("k = 1"), ["token", "shop"]),
        "version": [early.count(), claims(early, ["token"])],
        "two versions": [both.count(), claims(both, ["token"])],
        "part": claims(spark.read.format("delta").load(f"{place(spark)}/k=1"), ["token"]) if not P else [],
        "group": groups,
        "rows": sales.count(),
        "left": sorted(row["token"] for row in hr.replay(sales, only=hr.why(sales, where="k = 2")).collect()),
        "wanted": sorted(row["token"] for row in sales.where("k = 2").collect()),
    }


def place(spark):
    return spark.sql(f"DESCRIBE DETAIL {P}sales").first()["location"]


def described(written, token):
    """What is stated of the written row with a token."""
    return claim({token}, written.why(where=F.col("token") == token))


def captured_writes(spark):
    """Writes of files that read a table, in each mode, asked after the table was changed."""
    named = spark.sql(f"SELECT token FROM {P}sales VERSION AS OF {first(spark)}").where("token LIKE '%7'")
    frame = program(spark)
    before = [row["token"] for row in frame.collect()]
    found, runs, outputs = {}, [], {}
    for mode in ("demand", "ends", "full"):
        with hr.capture(spark, into=f"{FOLDER}/records", mode=mode) as captured:
            named.write.parquet(f"{FOLDER}/named_{mode}")
            program(spark).write.parquet(f"{FOLDER}/newest_{mode}")
        outputs[mode] = captured
        runs.extend(
            [each.mode, each.refused, len({each.version for each in each.inputs})] for each in captured.runs
        )
    with hr.capture(spark, into=f"{FOLDER}/other", mode="ends") as captured:
        changes(spark)
        found["tables"] = [[each.operator, each.refused] for each in captured.runs]
    found["runs"] = runs
    found["frame"] = claims(frame.where("token <> ''"), ["token"])
    for mode, captured in outputs.items():
        again = hr.written(spark, f"{FOLDER}/newest_{mode}", records=f"{FOLDER}/records", program=program)
        found[mode] = {
            "named": [
                described(captured.written(f"{FOLDER}/named_{mode}"), row["token"])
                for row in named.collect()[:MOST]
            ],
            "newest": [
                described(captured.written(f"{FOLDER}/newest_{mode}"), token) for token in before[-MOST:]
            ],
            "later": [described(again, token) for token in before[:2]],
            "replayed": sorted(row["token"] for row in again.replay(only=again.why()).collect())
            == sorted(before),
            "forward": again.forward(again.why(where=F.col("token") == before[0])).count(),
        }
    cleaned(spark)
    for mode in outputs:
        again = hr.written(spark, f"{FOLDER}/newest_{mode}", records=f"{FOLDER}/records", program=program)
        found[mode]["cleaned"] = failure(lambda again=again: again.why(where=F.col("token") == before[0]))
        found[mode]["replay"] = failure(lambda again=again: again.replay(only=again.why()).collect())
    return found


def changes(spark):
    """Rows of the table that come, go and are put into other files."""
    sales = spark.table(f"{P}sales")
    spark.sql(f"INSERT INTO {P}sales VALUES ('late', 3, 'x')")
    spark.sql(
        f"MERGE INTO {P}sales t USING {P}shops s ON t.token = s.token"
        " WHEN MATCHED THEN UPDATE SET token = 'twice' WHEN NOT MATCHED THEN"
        " INSERT (token, k, label) VALUES (s.token, s.k, 'y')"
    )
    spark.sql(f"DELETE FROM {P}sales WHERE k = 3 AND token LIKE '%7'")
    spark.sql(f"UPDATE {P}sales SET token = concat(token, '!') WHERE token LIKE 's0-%'")
    sales.selectExpr("concat(token, '#') AS token", "k", "label").writeTo(f"{P}sales").append()


def cleaned(spark):
    """Only the newest version is left."""
    if P:
        spark.sql(
            "CALL lake.system.rewrite_data_files(table => 'db.sales', options => map('rewrite-all', 'true'))"
        )
        spark.sql(
            "CALL lake.system.expire_snapshots(table => 'db.sales', older_than => TIMESTAMP '2999-01-01 00:00:00',"
            " retain_last => 1)"
        )
        return
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    spark.sql(f"OPTIMIZE {P}sales")
    spark.sql(f"VACUUM {P}sales RETAIN 0 HOURS")


def main():
    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    warnings.simplefilter("ignore", hr.RecordsWarning)
    tables(spark)
    print("FOUND " + json.dumps({"asked": asked(spark), "captured": captured_writes(spark)}))
    spark.stop()


if __name__ == "__main__":
    main()
