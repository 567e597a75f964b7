"""Changes a table of Delta or Iceberg while it is captured, and asks of every row what it was made of.

Every record has a token, and a changed one has the tokens of all that made it; so the answers are judged by the tokens
that are in the files which they name. The arguments are a folder, a mode, and Delta or how Iceberg
writes; what was found is printed as JSON.
"""

import json
import sys
import warnings

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from records_by_token import claim

import headwater_records_spark as hr

FOLDER, MODE, KIND = sys.argv[1:]
T = "t" if KIND == "delta" else "lake.db.t"
RECORDS = f"{FOLDER}/records"
CHANGES = {
    "update": f"UPDATE {T} SET token = concat(token, '+'), deep.b = n + 1 WHERE k % 3 = 0 AND (n > 2 OR n IS NULL)",
    "merge": (
        f"MERGE INTO {T} t USING (SELECT * FROM news WHERE n <> 4) s ON t.k = s.k AND t.k < 20"
        " WHEN MATCHED AND s.n < 0 THEN DELETE"
        " WHEN MATCHED AND s.n > 5 THEN UPDATE SET token = concat(t.token, '+', s.token), n = s.n"
        " WHEN NOT MATCHED AND s.n > 0 THEN INSERT (token, k, n) VALUES (s.token, s.k, s.n)"
    ),
    "delete": f"DELETE FROM {T} WHERE k = 7 OR token LIKE '%-1_'",
    "insert": (
        f"INSERT INTO {T} SELECT concat(a.token, '+', b.token), a.k, b.n, named_struct('a', b.token, 'b', a.n)"
        " FROM news a JOIN news b ON a.k = b.k + 21"
    ),
    "merge by source": (
        f"MERGE INTO {T} t USING news s ON t.k = s.k"
        " WHEN MATCHED AND s.n > 0 THEN UPDATE SET token = concat(t.token, '+', s.token)"
        " WHEN NOT MATCHED THEN INSERT (k, token) VALUES (s.k, s.token)"
        " WHEN NOT MATCHED BY SOURCE AND t.k > 4 THEN DELETE"
        " WHEN NOT MATCHED BY SOURCE THEN UPDATE SET token = concat(t.token, '+')"
    ),
    "merge with": (
        "WITH most AS (SELECT * FROM news WHERE n = 7), some AS (SELECT * FROM most WHERE k < 30)"
        f" MERGE INTO {T} t USING some s ON t.k = s.k"
        " WHEN MATCHED THEN UPDATE SET token = concat(t.token, '+', s.token), n = s.n"
        " WHEN NOT MATCHED THEN INSERT (token, k) VALUES (s.token, s.k)"
    ),
}

if KIND != "delta":
    CHANGES |= {
        "subqueries": (
            f"UPDATE {T} SET token = concat(token, '+'), deep.a = token WHERE k IN (SELECT k FROM news WHERE n = 9)"
        ),
        "less subqueries": f"DELETE FROM {T} WHERE k IN (SELECT k FROM news WHERE n = 7) OR k = 2",
        "several delete": (
            f"MERGE INTO {T} t USING (SELECT * FROM news UNION ALL SELECT * FROM news) s ON t.k = s.k AND s.n = 4"
            " WHEN MATCHED THEN DELETE"
        ),
        "only inserts": (
            f"MERGE INTO {T} t USING (SELECT concat(token, '+') AS token, k, n FROM news) s ON t.k = s.k"
            " WHEN NOT MATCHED AND s.n > 5 THEN INSERT (token, k) VALUES (s.token, s.k)"
            " WHEN NOT MATCHED AND s.n < 0 THEN INSERT (token, n) VALUES (s.token, s.n)"
        ),
    }


def tables(spark):
    if KIND == "delta":
        properties = f"'delta.enableDeletionVectors'='{str(MODE != 'demand').lower()}'"
    else:
        properties = ", ".join(f"'write.{each}.mode'='{KIND}'" for each in ("delete", "update", "merge"))
        spark.sql("CREATE NAMESPACE lake.db")
    spark.sql(
        f"CREATE TABLE {T} (token STRING, k INT, n INT, deep STRUCT<a: STRING, b: INT>)"
        f" USING {'delta' if KIND == 'delta' else 'iceberg'} TBLPROPERTIES ({properties})"
    )
    for part in range(2):
        rows = spark.range(12).selectExpr(
            f"concat('p{part}-', id) AS token", f"CAST(IF(id = 10, NULL, id + {part * 12}) AS INT) AS k",
            "CAST(IF(id % 4 = 0, NULL, id % 7) AS INT) AS n",
            "IF(id % 5 = 0, NULL, named_struct('a', string(id), 'b', CAST(id AS INT))) AS deep",
        )  # fmt: skip
        rows.coalesce(1).writeTo(T).append()
    news = [
        (f"news-{number}", number * 3 if number != 7 else None, [-1, 4, 7, 9][number % 4])
        for number in range(12)
    ]
    spark.createDataFrame(news, "token string, k int, n int").coalesce(1).write.parquet(f"{FOLDER}/news")
    spark.read.parquet(f"{FOLDER}/news").createOrReplaceTempView("news")


def asked(spark, written):
    """What is stated of all rows of the table and of some, and whether one comes again from its records alone."""
    rows = spark.table(T).orderBy(F.length("token").desc(), "token").collect()
    found = {"claims": [claim(rows, written.why())]}
    for row in (rows[-1], rows[0]):
        one = (F.col("token") == row["token"]) & F.col("k").eqNullSafe(row["k"])
        answer = written.why(where=one)
        found["claims"].append(claim([row], answer))
    found["again"] = written.replay(only=answer).where(one).collect() == [row]
    return found


def changed(spark):
    found = {}
    for change, query in CHANGES.items():
        with hr.capture(spark, into=RECORDS, mode=MODE) as captured:
            spark.sql(query)
        found[change] = asked(spark, captured.written(T))
        found[change]["runs"] = [each.refused for each in captured.runs]
    found["several"] = several(spark)
    with hr.capture(spark, into=RECORDS, mode=MODE) as idle:
        spark.sql(f"DELETE FROM {T} WHERE k = 9999")
    some = (idle if idle.runs else captured).written(T).why(where="k < 3")
    refused = [each.refused for each in idle.runs]
    found["nothing"] = [refused, claim(spark.table(T).where("k < 3").collect(), some)]
    if MODE != "demand":
        found["later"] = hr.written(spark, T, records=RECORDS).why(where="k < 3").ids() == some.ids()
    spark.sql(f"DELETE FROM {T} WHERE k = 1")
    found["not captured"] = refused_by(captured)
    with hr.capture(spark, into=RECORDS, mode=MODE) as captured:
        spark.sql(f"DELETE FROM {T}")
    found["all"] = [[each.refused for each in captured.runs], captured.written(T).why().items()]
    found["others"] = others(spark) if KIND == "delta" else others_of_iceberg(spark)
    spark.sql(f"DROP TABLE {T}")
    spark.sql(f"CREATE TABLE {T} USING {'delta' if KIND == 'delta' else 'iceberg'} AS SELECT * FROM news")
    found["anew"] = refused_by(captured)
    return found


def several(spark):
    """What comes of a MERGE in which two rows of the source match one of the table, and how many runs it leaves."""
    with hr.capture(spark, into=RECORDS, mode=MODE) as captured:
        try:
            spark.sql(
                f"MERGE INTO {T} t USING (SELECT * FROM news UNION ALL SELECT * FROM news) s ON t.k = s.k"
                " WHEN MATCHED THEN UPDATE SET token = concat(t.token, '+', s.token)"
            )
        except Exception as problem:  # noqa: BLE001 - Spark's own error, which it names
            failed = any(
                name in str(problem) for name in ("MULTIPLE_SOURCE_ROW", "MERGE_CARDINALITY_VIOLATION")
            )
            return [failed, len(captured.runs)]
    return [False, len(captured.runs)]


def refused_by(captured):
    """What is stated of a table whose newest version was not captured."""
    try:
        captured.written(T).why(where="k < 3")
    except hr.NotCapturedError as problem:
        return str(problem)


def others_of_iceberg(spark):
    """The operators that are named of other writes, in order, and what is stated of the last."""
    with hr.capture(spark, into=RECORDS, mode=MODE) as captured:
        spark.sql(f"INSERT OVERWRITE {T} SELECT token, k, n, NULL FROM news")
        spark.sql(f"ALTER TABLE {T} CREATE BRANCH aside")
        spark.sql(f"INSERT INTO {T}.branch_aside SELECT token, k, n, NULL FROM news")
        for _ in range(2):
            # the session of Java is waited for by nobody, as another thread would be
            spark._jsparkSession.sql(f"INSERT INTO {T} SELECT concat(token, '+'), k, n, NULL FROM news")
        captured.settle()
    operators = [each.operator or each.refused for each in captured.runs]
    return operators, claim(spark.table(T).collect(), captured.written(T).why())


def others(spark):
    """The operators that are named of other writes, in order, and what is stated of the last."""
    news = spark.table("news").selectExpr("*", "k AS more")
    with hr.capture(spark, into=RECORDS, mode=MODE) as captured:
        spark.table("news").write.format("delta").mode("append").save(f"{FOLDER}/warehouse/t")
        spark.sql("INSERT OVERWRITE t SELECT token, k, n, NULL FROM news")
        spark.conf.set("spark.databricks.delta.schema.autoMerge.enabled", "true")
        spark.sql(
            "MERGE INTO t USING (SELECT *, k AS wide FROM news) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET *"
        )
        news.writeTo("t").option("mergeSchema", "true").append()
    operators = [each.operator or each.refused for each in captured.runs]
    return operators, claim(spark.table(T).collect(), captured.written(T).why())


def main():
    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    warnings.simplefilter("always", hr.RecordsWarning)
    tables(spark)
    print("FOUND " + json.dumps(changed(spark)))
    spark.stop()


if __name__ == "__main__":
    main()
